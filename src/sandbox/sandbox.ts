import type { CodeLanguage, ExecutionError, LogLevel, ResultSource } from "./code-executor.js";
import type { GuestStep } from "./guest/start-guest.js";

/**
 * Where guest code lives: one realm of one engine, in this process or elsewhere. It runs one piece of code at a time, knows no tools, and tells what
 * happens in events. Everything in it is plain data, so that it can stand behind a process boundary.
 */
export interface Sandbox {
  /** Whether it is known to have ended. */
  readonly isGone: boolean;
  /** Starts code. Ends in one of the events `completed`, `failed` and `lost`. */
  run(code: SandboxCode, listener: SandboxListener): void;
  /** Gives the answer to a call or a timer. Answers to what nobody waits for are dropped. */
  settle(answer: SandboxAnswer): void;
  /** Asks for a `ponged` event, which comes when the code has nothing more to do until something is settled. */
  ping(): void;
  /** Ends everything in it at once; no event comes after this. May be called any number of times. */
  dispose(): void;
}

/** Code for a sandbox, and what it may do. */
export interface SandboxCode {
  readonly language: CodeLanguage;
  readonly code: string;
  readonly step: Omit<GuestStep, "prologue" | "code" | "declares" | "lastName">;
  readonly cpuMs: number;
}

/** The answer to one call. */
export interface SandboxAnswer {
  readonly callId: number;
  readonly ok: boolean;
  readonly text: string;
  readonly elapsedMs: number;
}

/** Takes the events of a sandbox. */
export type SandboxListener = (event: SandboxEvent) => void;

/** What happens in a sandbox. Everything in it comes from guest code and is to be distrusted. */
export type SandboxEvent =
  | { readonly type: "called"; readonly callId: number; readonly toolName: string; readonly text: string }
  | { readonly type: "timer-set"; readonly callId: number; readonly delayMs: number }
  | { readonly type: "logged"; readonly level: LogLevel | "omitted"; readonly text: string }
  | { readonly type: "ponged" }
  | {
      readonly type: "completed";
      readonly source: ResultSource;
      readonly notices: readonly string[];
      readonly omittedLogChars: number;
      /** JSON text of the value; "" if there is none. */
      readonly text: string;
    }
  | { readonly type: "failed"; readonly error: ExecutionError; readonly notices: readonly string[]; readonly omittedLogChars: number }
  /** The sandbox is gone, and everything in it. */
  | { readonly type: "lost"; readonly error: ExecutionError };
