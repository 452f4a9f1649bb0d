import type { ExecutionJournal } from "./execution-journal.js";
import type { JsonValue } from "./sandbox-json.js";
import type { SandboxLimits } from "./sandbox-limits.js";

/** What code can be written in. */
export type CodeLanguage = "javascript" | "typescript" | "python";

/** What an executor can do, so that prompts and checks are made from data. */
export interface ExecutorCapabilities {
  /** Languages that {@link CodeExecutor.execute} takes. */
  readonly languages: readonly CodeLanguage[];
  /** What stands between guest code and the host: a process, an engine's isolate in this process, an interpreter in WebAssembly, another machine. */
  readonly isolation: "process" | "isolate" | "wasm" | "remote";
  /** What the isolation holds back and what it does not, in a sentence for people. */
  readonly isolationNotes: string;
  /** Whether variables can persist between executions. */
  readonly sessions: boolean;
  /** Whether time and chance in the guest are replayed, so that an execution can go on from its journal. */
  readonly replay: boolean;
  /** Names beyond the language's own that code may use, for example `setTimeout`. */
  readonly globals: readonly string[];
}

/** Runs code that nobody has read, with functions of the host as its only way out. */
export interface CodeExecutor extends AsyncDisposable {
  /** What this executor can do. */
  readonly capabilities: ExecutorCapabilities;
  /**
   * Runs code to its end. What the code does wrong, every limit and an abort are part of the result.
   * @throws SandboxOptionError for options that cannot be used, SandboxBusyError if the session runs code already, SandboxDisposedError after
   *   `dispose()`, SandboxUnavailableError if something is not installed. All of them before any code runs.
   */
  execute(options: ExecuteOptions): Promise<ExecutionResult>;
  /** A place in which variables, functions and classes persist from one execution to the next. Dispose of it to free its memory. */
  createSession(): SandboxSession;
  /** Ends everything that runs, with the code `aborted`. May be called any number of times. */
  dispose(): Promise<void>;
}

/** Where variables persist. One execution at a time. */
export interface SandboxSession extends AsyncDisposable {
  readonly id: string;
  /** Frees what the session holds. May be called any number of times. */
  dispose(): Promise<void>;
}

/** One execution. */
export interface ExecuteOptions {
  /** A language of the executor's capabilities; `js`, `ts` and `py` are understood. */
  readonly language: string;
  /** The code, as the model wrote it. */
  readonly code: string;
  /** Functions that the code may call, by name: `await name(input)`, `tools.name(input)` or `callTool("name", input)`. @default {} */
  readonly tools?: Readonly<Record<string, SandboxTool>>;
  /** Where variables persist. Without it the code starts with nothing and leaves nothing. */
  readonly session?: SandboxSession;
  /** Limits that differ from those of the executor. Memory is that of the session's first execution. */
  readonly limits?: SandboxLimits;
  /** Ends the execution with the code `aborted`. */
  readonly signal?: AbortSignal;
  /** What an earlier execution of the same code did. Its calls are answered from there; the execution goes on where the journal ends. */
  readonly replay?: ExecutionJournal;
  /** Seed of `Math.random()` in the guest, from 0 to 2^53 - 1. @default a random one, told in the journal */
  readonly seed?: number;
  /** Time at which the guest's clock starts, in milliseconds since 1970. @default now, told in the journal */
  readonly startTime?: number;
  /** TypeScript declarations of what the code may use. Read only by an executor that checks types. @default "" */
  readonly declarations?: string;
  /** Called with every log entry as it is written. Must not throw. */
  readonly onLog?: (entry: LogEntry) => void;
}

/** A function of the host that guest code may call. What it throws becomes an error in the code, as name and message alone. */
export type SandboxTool = (input: JsonValue, call: SandboxCall) => ToolReply | Promise<ToolReply>;

/** One call by guest code. */
export interface SandboxCall {
  /** Number of the call in its execution, from 1, in the order in which the code made them. The same again in a replay. */
  readonly callId: number;
  readonly toolName: string;
  /** Aborted when nobody waits for the answer any more: an abort, a limit, a lost sandbox. */
  readonly signal: AbortSignal;
  /**
   * Says that this call waits for a person. The wall clock of the execution stands still while every open call does; the CPU clock goes on.
   * @returns Ends the pause; may be called any number of times. The end of the call ends it too.
   */
  pauseClock(): () => void;
}

/** What a tool answers. */
export type ToolReply =
  /** The call gives this value. */
  | { readonly kind: "value"; readonly value: unknown }
  /** The call throws an error with this message that the code can catch. `name` is "ToolError" by default. */
  | { readonly kind: "error"; readonly message: string; readonly name?: string }
  /** The code is stopped here, for good. Calls that run are waited for; `value` is given back in the result. */
  | { readonly kind: "end"; readonly value?: unknown }
  /** The answer will not come in this execution. Other calls go on; when only such calls are open the execution is `suspended`. */
  | { readonly kind: "suspend" };

/** Severity of a log entry. */
export type LogLevel = "debug" | "info" | "log" | "warn" | "error";

/** One line, or block of lines, that code wrote. */
export interface LogEntry {
  readonly level: LogLevel;
  readonly text: string;
}

/** How an execution ended, and what it left. */
export type ExecutionResult = ExecutionReport & ExecutionOutcome;

/** How an execution ended. */
export type ExecutionOutcome =
  | {
      readonly status: "completed";
      /** What the code gave back, as JSON. Undefined if nothing. What JSON has no form for is an object with a `$type`. */
      readonly result: JsonValue | undefined;
      readonly source: ResultSource;
    }
  | { readonly status: "failed"; readonly error: ExecutionError }
  /** A tool answered `end`. */
  | { readonly status: "ended"; readonly callId: number; readonly value: unknown }
  /** Tools answered `suspend`; the calls that wait, in the order in which they were made. */
  | { readonly status: "suspended"; readonly callIds: readonly number[] };

/** Where the value of an execution comes from: `return`, the variable `__codeact_result`, the last expression, or nowhere. */
export type ResultSource = "return" | "variable" | "expression" | "none";

/** What every execution leaves. */
export interface ExecutionReport {
  readonly logs: readonly LogEntry[];
  /** The log entries as text, with `[warn]` and `[error]` before those. */
  readonly stdout: string;
  /** Sentences for the model about what it seems to have overlooked, for example a forgotten `await`. */
  readonly notices: readonly string[];
  /** Whether the variables of the session are gone: the next execution starts with none. False without a session. */
  readonly sessionLost: boolean;
  /** What is needed to run the code again without executing anything twice. Plain JSON. */
  readonly journal: ExecutionJournal;
  readonly toolCallCount: number;
  readonly durationMs: number;
}

/** Why an execution failed. `code` is stable; texts are for the model and hold nothing of the host. */
export interface ExecutionError {
  readonly code: ExecutionErrorCode;
  /** Name of the error in the guest, for example `TypeError`; "Error" where there is none. */
  readonly name: string;
  readonly message: string;
  /** Line in the model's own code, from 1. */
  readonly line?: number;
  /** Column in that line, from 1. */
  readonly column?: number;
}

/**
 * Kinds of failure: the code could not be read (`syntax`, `import-refused`, `type-error`, `code-too-large`, `unsupported-language`), it threw (`guest-error`),
 * it reached a limit (`time`, `cpu`, `memory`, `too-many-calls`, `result-too-large`), the engine gave up (`catastrophic`, `sandbox-lost`), it was stopped
 * (`aborted`), or a replay did something else than the journal says (`diverged`).
 */
export type ExecutionErrorCode =
  | "syntax"
  | "import-refused"
  | "type-error"
  | "code-too-large"
  | "unsupported-language"
  | "guest-error"
  | "time"
  | "cpu"
  | "memory"
  | "too-many-calls"
  | "result-too-large"
  | "catastrophic"
  | "sandbox-lost"
  | "aborted"
  | "diverged";
