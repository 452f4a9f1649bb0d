import { ModelError, messageOf, ReplyError, type ReplyProblem, type RunLimit, RunLimitError, toError } from "./errors.js";
import type { ModelErrorClass } from "./model.js";
import type { EndedBy, RunFailure } from "./snapshot.js";

/** How a run ends. */
export type Outcome = Completed | Failed | Aborted | Suspended;

/** The run did what it was asked. */
export interface Completed {
  readonly status: "completed";
  readonly endedBy: Extract<EndedBy, "natural" | "completion-tool" | "code-value" | "protocol">;
  readonly outputText: string;
  readonly output?: unknown;
}

/** The run could not do it. */
export interface Failed {
  readonly status: "failed";
  readonly endedBy: RunFailure;
  readonly error: Error;
  readonly errorClass?: ModelErrorClass;
}

/** Somebody ended the run. */
export interface Aborted {
  readonly status: "aborted";
  readonly endedBy: "abort" | "hook-stop";
  readonly reason: string;
}

/** The run waits for people. */
export interface Suspended {
  readonly status: "suspended";
  readonly endedBy: "approval-pending";
}

/** The one way to be suspended. */
export const SUSPENDED: Suspended = Object.freeze({ status: "suspended", endedBy: "approval-pending" });

/** Ends a run from within. The loop takes its outcome; nobody else handles it. */
export class RunStop extends Error {
  override readonly name = "RunStop";
  readonly outcome: Outcome;
  constructor(outcome: Outcome) {
    super(`The run ends: ${outcome.endedBy}.`);
    this.outcome = outcome;
  }
}

/** Whether a run failed. */
export function isFailure(outcome: Outcome): outcome is Failed {
  return outcome.status === "failed";
}

/** A limit was reached. */
export function limitOutcome(limit: RunLimit, message: string): Failed {
  return { status: "failed", endedBy: limit, error: new RunLimitError({ limit, message }) };
}

/** The model's reply cannot end the run well. */
export function replyOutcome(problem: ReplyProblem, message: string): Failed {
  const endedBy = problem === "unknown-finish-reason" ? "error" : problem;
  return { status: "failed", endedBy, error: new ReplyError({ problem, message }) };
}

/** Something threw that nobody handles. */
export function errorOutcome(thrown: unknown): Failed {
  const error = toError(thrown);
  return { status: "failed", endedBy: "error", error, ...(error instanceof ModelError ? { errorClass: error.errorClass } : undefined) };
}

/** A hook ended the run. */
export function hookStopOutcome(reason: unknown): Aborted {
  const words = reason === undefined || reason === null ? "A hook stopped the run." : messageOf(reason).toWellFormed();
  return { status: "aborted", endedBy: "hook-stop", reason: words };
}
