import type { JsonObject } from "./json.js";
import type { AgentMessage } from "./message.js";
import type { ModelErrorClass } from "./model.js";
import type { AgentUsage } from "./usage.js";

/** How a run ended. */
export type RunStatus = "completed" | "failed" | "aborted" | "suspended";

/** What an agent is doing, or how its last run ended. */
export type AgentStatus = RunStatus | "idle" | "running";

/** What exactly ended a run. */
export type EndedBy = "natural" | "completion-tool" | "code-value" | "protocol" | RunFailure | "abort" | "hook-stop" | "approval-pending";

/** What a failed run failed by. */
export type RunFailure =
  | "max-iterations"
  | "token-limit"
  | "cost-limit"
  | "time-limit"
  | "refusal"
  | "content-filter"
  | "empty"
  | "truncated"
  | "no-evidence"
  | "output-invalid"
  | "error";

/** A tool call without a result yet. */
export interface PendingToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: JsonObject;
  readonly parentToolCallId?: string;
}

/** A read-only view of an agent: plain JSON, deeply frozen, never changed later. */
export interface AgentSnapshot {
  /** Version of this format. */
  readonly version: 1;
  readonly agentId: string;
  readonly agentRole?: string;
  readonly parentAgentId?: string;
  readonly conversationId?: string;
  readonly sessionId?: string;
  /** The run under way, or the last one. */
  readonly runId?: string;
  /** Name of the runtime. */
  readonly runtime: string;
  readonly status: AgentStatus;
  /** Turns of the run so far. */
  readonly iteration: number;
  /** The history, with results of finished calls even while their siblings run. */
  readonly messages: readonly AgentMessage[];
  /** Calls of the last assistant message that have no result yet. `restore()` closes them with an error result. */
  readonly pendingToolCalls: readonly PendingToolCall[];
  readonly usage: AgentUsage;
  /** Why the last run failed or was aborted. */
  readonly lastError?: string;
  readonly lastErrorClass?: ModelErrorClass;
}
