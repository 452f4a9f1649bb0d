import type { ModelErrorClass } from "./model.js";

/** Base of every error that triact throws or puts into a result. `code` is stable; texts may change. */
export abstract class TriactError extends Error {
  abstract readonly code: string;
}

/** The configuration is wrong. Thrown before anything runs; the text names the field, what came and what is allowed. */
export class AgentConfigError extends TriactError {
  override readonly name = "AgentConfigError";
  readonly code = "agent-config";
  /** Path of the field, for example `limits.timeoutMs`. */
  readonly field: string;
  constructor({ field, problem, cause }: { field: string; problem: string; cause?: unknown }) {
    super(`${field}: ${problem}`, { cause });
    this.field = field;
  }
}

/** A run was asked for while another one of the same agent is under way. */
export class AgentBusyError extends TriactError {
  override readonly name = "AgentBusyError";
  readonly code = "agent-busy";
  constructor({ agentId }: { agentId: string }) {
    super(
      `Agent ${agentId} is running already. Await the run, abort it, or build a second agent; a message for the run under way goes through steer().`,
    );
  }
}

/** The input of a run, or the messages of a restore, cannot be used. */
export class AgentInputError extends TriactError {
  override readonly name = "AgentInputError";
  readonly code = "agent-input";
  constructor({ problem, cause }: { problem: string; cause?: unknown }) {
    super(problem, { cause });
  }
}

/** The agent's run is suspended and something else was asked for, or it cannot be resumed in the way that was asked. */
export class SuspendedRunError extends TriactError {
  override readonly name = "SuspendedRunError";
  readonly code = "suspended-run";
  constructor({ problem }: { problem: string }) {
    super(problem);
  }
}

/** A session could not be read or written. */
export class SessionError extends TriactError {
  override readonly name = "SessionError";
  readonly code = "session";
  constructor({ problem, cause }: { problem: string; cause?: unknown }) {
    super(problem, { cause });
  }
}

/** A run was cancelled. It is the reason of the run's signal, and its `cause` is what `abort()` was given. */
export class AgentAbortError extends TriactError {
  override readonly name = "AgentAbortError";
  readonly code = "agent-abort";
  constructor({ reason }: { reason?: unknown } = {}) {
    super(abortText(reason), { cause: reason });
  }
}

function abortText(reason: unknown): string {
  return reason === undefined ? "The run was aborted." : `The run was aborted: ${messageOf(reason)}`;
}

/** Which limit of a run was reached. */
export type RunLimit = "max-iterations" | "token-limit" | "cost-limit" | "time-limit";

/** A limit of the run was reached. */
export class RunLimitError extends TriactError {
  override readonly name = "RunLimitError";
  readonly code = "run-limit";
  readonly limit: RunLimit;
  constructor({ limit, message }: { limit: RunLimit; message: string }) {
    super(message);
    this.limit = limit;
  }
}

/** The model call failed. */
export class ModelError extends TriactError {
  override readonly name = "ModelError";
  readonly code = "model";
  readonly errorClass: ModelErrorClass;
  constructor({ message, errorClass = "unknown", cause }: { message: string; errorClass?: ModelErrorClass; cause?: unknown }) {
    super(message, { cause });
    this.errorClass = errorClass;
  }
}

/** Why a reply cannot be the end of a run. */
export type ReplyProblem =
  | "refusal"
  | "content-filter"
  | "empty"
  | "truncated"
  | "no-evidence"
  | "output-invalid"
  | "unknown-finish-reason";

/** The model answered, but not with something that ends the run well. */
export class ReplyError extends TriactError {
  override readonly name = "ReplyError";
  readonly code = "reply";
  readonly problem: ReplyProblem;
  constructor({ problem, message }: { problem: ReplyProblem; message: string }) {
    super(message);
    this.problem = problem;
  }
}

/** A hook, a plugin or a callback of the configuration threw. */
export class HookError extends TriactError {
  override readonly name = "HookError";
  readonly code = "hook";
  /** For example `beforeModel`, `completionGuard` or `plugin "audit": setup`. */
  readonly hook: string;
  constructor({ hook, cause }: { hook: string; cause: unknown }) {
    super(`${hook} threw: ${messageOf(cause)}`, { cause });
    this.hook = hook;
  }
}

/** A tool ran longer than it may. The reason of the tool's signal. */
export class ToolTimeoutError extends TriactError {
  override readonly name = "ToolTimeoutError";
  readonly code = "tool-timeout";
  readonly timeoutMs: number;
  constructor({ toolName, timeoutMs }: { toolName: string; timeoutMs: number }) {
    super(`Tool ${toolName} ran longer than ${timeoutMs} ms.`);
    this.timeoutMs = timeoutMs;
  }
}

/** The message of whatever was thrown, without its stack. Never throws, and is never empty. */
export function messageOf(thrown: unknown): string {
  try {
    const text: unknown = thrown instanceof Error ? thrown.message || thrown.name : thrown;
    return (typeof text === "string" ? text : describe(text)) || "an error without a message";
  } catch {
    return "an error that cannot be read"; // a getter or a Proxy that throws
  }
}

/** Whatever was thrown as an `Error`. Never throws. */
export function toError(thrown: unknown): Error {
  return isInstance(thrown, Error) ? thrown : new Error(messageOf(thrown), { cause: thrown });
}

/** `instanceof` for values that anybody may have made: a Proxy can throw when it is asked. */
export function isInstance<T>(value: unknown, type: abstract new (...values: never[]) => T): value is T {
  try {
    return value instanceof type;
  } catch {
    return false;
  }
}

function describe(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}
