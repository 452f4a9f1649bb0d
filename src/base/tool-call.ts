import type { ToolErrorType } from "./events.js";
import type { JsonObject } from "./json.js";
import type { AgentTool } from "./tool.js";

/** A call to be executed. */
export interface ToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: JsonObject;
  /** The call in whose code this one stands. */
  readonly parentToolCallId?: string;
  /** Position among the calls of its text or code, from 0; for calls that stand in no message. */
  readonly ordinal?: number;
  /** The tool, where it is the runtime's own: no agent has it, and the default policy does not gate it. */
  readonly tool?: AgentTool;
  /** Fires when nobody waits for the call any more, earlier than the run's. */
  readonly signal?: AbortSignal;
  /** Says that the call waits for a person, to whoever counts its time. What it returns ends the wait. */
  readonly pauseClock?: () => () => void;
  /** What the model wrote as name, when no tool can have such a name. */
  readonly unknownName?: string;
  /** Why the call cannot be executed, found while it was read. */
  readonly problem?: { readonly errorType: ToolErrorType; readonly text: string };
}
