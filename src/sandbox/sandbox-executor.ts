import { z } from "zod";
import type {
  CodeExecutor,
  CodeLanguage,
  ExecuteOptions,
  ExecutionError,
  ExecutionResult,
  ExecutorCapabilities,
  SandboxSession,
  SandboxTool,
} from "./code-executor.js";
import { Execution } from "./execution.js";
import { LogBook } from "./log-book.js";
import type { Sandbox } from "./sandbox.js";
import { SandboxBusyError, SandboxDisposedError, SandboxOptionError } from "./sandbox-errors.js";
import { createLimitsSchema, MAX_TIMER_MS, parseOptions, type ResolvedLimits, resolveLimits } from "./sandbox-limits.js";
import { abortedError, limitError, VARIABLES_LOST } from "./sandbox-texts.js";

const LANGUAGES: Readonly<Record<string, CodeLanguage>> = {
  javascript: "javascript",
  js: "javascript",
  typescript: "typescript",
  ts: "typescript",
  python: "python",
  py: "python",
};

const journalSchema = z.object({
  seed: z.int().min(0),
  startTime: z.number(),
  recordedAt: z.number(),
  entries: z.array(z.looseObject({ type: z.enum(["call", "timer", "settlement"]), callId: z.int().min(1) })),
});

const aFunction = z.custom<() => unknown>((value) => typeof value === "function", "expected a function");

const optionsSchema = z.strictObject({
  language: z.string(),
  code: z.string(),
  tools: z.record(z.string(), aFunction).optional(),
  session: z.object({ id: z.string() }).optional(),
  limits: createLimitsSchema().optional(),
  signal: z.instanceof(AbortSignal).optional(),
  replay: journalSchema.optional(),
  seed: z.int().min(0).optional(),
  startTime: z.number().min(-8.64e15).max(8.64e15).optional(),
  declarations: z.string().optional(),
  onLog: aFunction.optional(),
});

const MAX_TOOL_NAME_CHARS = 128;

/** What a sandbox is opened with. */
export interface OpenOptions {
  /** Heap of the guest. */
  readonly memoryMiB: number;
  /** Ends the wait for a place. */
  readonly signal: AbortSignal;
}

interface Session {
  sandbox: Sandbox | undefined;
  isBusy: boolean;
  /** Whether the model is to be told that its variables are gone. */
  wasLost: boolean;
  execution: AbortController | undefined;
}

/**
 * What executors have in common whose guests are {@link Sandbox}es: options, sessions and the end of everything. A subclass says where sandboxes come
 * from.
 */
export abstract class SandboxExecutor implements CodeExecutor {
  abstract readonly capabilities: ExecutorCapabilities;
  readonly #limits: ResolvedLimits;
  readonly #sessions = new Map<string, Session>();
  readonly #running = new Set<AbortController>();
  #isDisposed = false;

  constructor(limits: ResolvedLimits) {
    this.#limits = limits;
  }

  /** Makes a sandbox, or waits for a place for one. Rejects with the signal's reason when it is aborted. */
  protected abstract open(options: OpenOptions): Promise<Sandbox>;

  /** Frees what the executor itself holds. Called once, after all sandboxes were disposed of. */
  protected abstract close(): Promise<void>;

  /** Looks at code before it runs. An error that this gives is the outcome. Nothing is checked by default. */
  protected check(_options: ExecuteOptions, _language: CodeLanguage): Promise<ExecutionError | undefined> | undefined {
    return undefined;
  }

  async execute(options: ExecuteOptions): Promise<ExecutionResult> {
    if (this.#isDisposed) throw new SandboxDisposedError({ what: "The executor" });
    parseOptions(optionsSchema, options, "execute");
    const limits = resolveLimits(options.limits, this.#limits);
    const tools = toolsOf(options.tools);
    const session = options.session && this.#sessionOf(options.session.id);
    const language = LANGUAGES[options.language.toLowerCase()];
    if (session) session.isBusy = true;
    const stop = new AbortController();
    this.#running.add(stop);
    if (session) session.execution = stop;
    const keepAlive = setInterval(() => undefined, MAX_TIMER_MS); // children do not keep the process, but whoever waits for an execution does
    try {
      const refused = this.#refusal(options, language, limits);
      if (refused) return refusedResult(refused, options);
      return await this.#run({ options, limits, tools, session, stop: stop.signal, language: language as CodeLanguage });
    } finally {
      clearInterval(keepAlive);
      this.#running.delete(stop);
      if (session) {
        session.isBusy = false;
        session.execution = undefined;
      }
    }
  }

  createSession(): SandboxSession {
    if (this.#isDisposed) throw new SandboxDisposedError({ what: "The executor" });
    const id = crypto.randomUUID();
    this.#sessions.set(id, { sandbox: undefined, isBusy: false, wasLost: false, execution: undefined });
    const dispose = async () => this.#endSession(id);
    return { id, dispose, [Symbol.asyncDispose]: dispose };
  }

  async dispose(): Promise<void> {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    for (const stop of this.#running) stop.abort();
    for (const id of this.#sessions.keys()) this.#endSession(id);
    await this.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }

  #sessionOf(id: string): Session {
    const session = this.#sessions.get(id);
    if (session === undefined) throw new SandboxDisposedError({ what: "The session, or the executor that it belongs to," });
    if (session.isBusy) throw new SandboxBusyError({ sessionId: id });
    return session;
  }

  #endSession(id: string): void {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    session?.execution?.abort();
    session?.sandbox?.dispose();
  }

  #refusal(
    { language: name, code }: ExecuteOptions,
    language: CodeLanguage | undefined,
    limits: ResolvedLimits,
  ): ExecutionError | undefined {
    const { languages } = this.capabilities;
    if (language === undefined || !languages.includes(language))
      return limitError(
        "unsupported-language",
        `Code in ${JSON.stringify(name.slice(0, 50))} cannot be run here. Write ${languages.join(" or ")}.`,
      );
    if (code.length > limits.maxCodeChars)
      return limitError(
        "code-too-large",
        `The code has ${code.length} characters; ${limits.maxCodeChars} are allowed. Do less in one step.`,
      );
    return undefined;
  }

  async #run({ options, limits, tools, session, stop, language }: Run): Promise<ExecutionResult> {
    const signal = options.signal ? AbortSignal.any([options.signal, stop]) : stop;
    const typeError = await this.check(options, language);
    if (typeError) return refusedResult(typeError, options);
    if (session?.sandbox?.isGone) keep(session, undefined);
    const sandbox = session?.sandbox ?? (await this.#openUnlessAborted({ memoryMiB: limits.memoryMiB, signal }));
    if (sandbox === undefined) return refusedResult(abortedError(), options);
    const notices = session?.wasLost ? [VARIABLES_LOST] : [];
    const execution = new Execution(sandbox, {
      language,
      options: { ...options, signal },
      tools,
      limits,
      keepsSandbox: session !== undefined,
      notices,
    });
    const result = await execution.run();
    if (session) keep(session, execution.isSandboxLost ? undefined : sandbox);
    if (!session || !this.#isOpen(session)) sandbox.dispose();
    return result;
  }

  async #openUnlessAborted(options: OpenOptions): Promise<Sandbox | undefined> {
    try {
      return await this.open(options);
    } catch (error) {
      if (options.signal.aborted) return undefined;
      throw error;
    }
  }

  #isOpen(session: Session): boolean {
    return [...this.#sessions.values()].includes(session);
  }
}

interface Run {
  readonly options: ExecuteOptions;
  readonly limits: ResolvedLimits;
  readonly tools: ReadonlyMap<string, SandboxTool>;
  readonly session: Session | undefined;
  readonly stop: AbortSignal;
  readonly language: CodeLanguage;
}

function keep(session: Session, sandbox: Sandbox | undefined): void {
  session.sandbox = sandbox;
  session.wasLost = sandbox === undefined;
}

function toolsOf(tools: Readonly<Record<string, SandboxTool>> = {}): Map<string, SandboxTool> {
  const entries = Object.entries(tools);
  const bad = entries.find(([name]) => name === "" || name.length > MAX_TOOL_NAME_CHARS || name === "__proto__");
  if (bad)
    throw new SandboxOptionError({
      field: "execute.tools",
      problem: `${JSON.stringify(bad[0].slice(0, 50))} cannot be the name of a tool`,
    });
  return new Map(entries);
}

/** The result of code that was never run. */
function refusedResult(error: ExecutionError, { seed, startTime, replay }: ExecuteOptions): ExecutionResult {
  const now = Date.now();
  return {
    status: "failed",
    error,
    logs: [],
    stdout: LogBook.textOf([]),
    notices: [],
    sessionLost: false,
    journal: replay ?? { seed: seed ?? 0, startTime: startTime ?? now, recordedAt: now, entries: [] },
    toolCallCount: 0,
    durationMs: 0,
  };
}
