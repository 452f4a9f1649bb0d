import type { ReplyProblem, RunLimit } from "./errors.js";
import type { ToolErrorType } from "./events.js";
import type { ToolCallResult } from "./hooks.js";
import type { JsonObject, JsonValue } from "./json.js";
import type { AgentMessage } from "./message.js";
import type { FinishReason, ModelErrorClass } from "./model.js";
import type { ToolCallDecision } from "./policy.js";
import type { AgentUsage } from "./usage.js";

/** How a run ended. */
export type RunStatus = "completed" | "failed" | "aborted" | "suspended";

/** What an agent is doing, or how its last run ended. */
export type AgentStatus = RunStatus | "idle" | "running";

/** What exactly ended a run. */
export type EndedBy = "natural" | "completion-tool" | "code-value" | "protocol" | RunFailure | "abort" | "hook-stop" | "approval-pending";

/** What a failed run failed by. */
export type RunFailure = RunLimit | Exclude<ReplyProblem, "unknown-finish-reason"> | "error";

/** A tool call without a result yet. */
export interface PendingToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** The arguments. Of a call that waits for an approval: those that will be executed, as hooks left them. */
  readonly input: JsonObject;
  readonly parentToolCallId?: string;
  /**
   * How far the call got. `queued`: it has certainly not begun. Absent: nobody knows. Of a `started` call nobody knows the outcome once its process
   * is gone.
   */
  readonly state?: "queued" | "awaiting-approval" | "started";
  /** A person's answer that was not acted on yet. */
  readonly decision?: ToolCallDecision;
  /** Texts of `beforeTool` hooks, which the model gets after the result. */
  readonly appendContext?: readonly string[];
  /** Position among the calls of its code or text, from 0. Set for calls that do not stand in the history. */
  readonly ordinal?: number;
  /** What its runtime needs to take it up again. */
  readonly replay?: JsonValue;
}

/** A finished call that the history does not tell, or not wholly. It goes with its turn, unless later turns build on it (`replay`). */
export interface JournalEntry {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: JsonObject;
  readonly parentToolCallId?: string;
  /** Position among the calls of its code or text, from 0. Absent for calls that stand in the history. */
  readonly ordinal?: number;
  readonly result: ToolCallResult;
  readonly errorType?: ToolErrorType;
  /** Texts of hooks for the model. */
  readonly appendContext?: readonly string[];
  /** What its runtime needs to do it again, where later turns build on what it did. */
  readonly replay?: JsonValue;
  /** True when its turn is finished. */
  readonly isPast?: true;
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
  /** Calls of the turn under way that have no result yet. `resume()` goes on with them; `restore()` closes them with an error result. */
  readonly pendingToolCalls: readonly PendingToolCall[];
  /** Finished calls of the turn under way, as far as `messages` do not tell them, in the order in which they finished. */
  readonly journal?: readonly JournalEntry[];
  /** Why the model stopped its last reply; in a run that is not finished. */
  readonly finishReason?: FinishReason;
  readonly usage: AgentUsage;
  /** Why the last run failed or was aborted. */
  readonly lastError?: string;
  readonly lastErrorClass?: ModelErrorClass;
}
