import type { AgentRunResult } from "./agent-runtime.js";
import type { Outcome } from "./outcome.js";
import type { PendingToolCall } from "./snapshot.js";

/** What a result says of the run, however it ended. */
export type RunFacts = Pick<AgentRunResult, "agentId" | "runId" | "runtime" | "iterations" | "messages" | "usage"> & {
  /** Calls without a result. */
  readonly pending: readonly PendingToolCall[];
  readonly agentRole: string | undefined;
  /** The last text of the model, for a run that did not end well. */
  readonly lastText: string;
};

/** The frozen result of a run. */
export function toResult(
  outcome: Outcome,
  { agentRole, lastText, agentId, runId, runtime, iterations, messages, usage, pending }: RunFacts,
): AgentRunResult {
  return Object.freeze({
    agentId,
    ...(agentRole === undefined ? undefined : { agentRole }),
    runId,
    runtime,
    status: outcome.status,
    endedBy: outcome.endedBy,
    iterations,
    outputText: outcome.status === "completed" ? outcome.outputText : lastText,
    messages,
    usage,
    ...details(outcome, pending),
  });
}

function details(outcome: Outcome, pending: readonly PendingToolCall[]): Partial<AgentRunResult> | undefined {
  switch (outcome.status) {
    case "completed":
      return "output" in outcome ? { output: outcome.output } : undefined;
    case "aborted":
      return { reason: outcome.reason };
    case "suspended":
      return { pending: Object.freeze(pending) };
    case "failed":
      return outcome.errorClass === undefined ? { error: outcome.error } : { error: outcome.error, errorClass: outcome.errorClass };
  }
}
