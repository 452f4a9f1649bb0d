import type { ToolErrorType } from "./events.js";
import type { JsonObject } from "./json.js";

/** A call to be executed. */
export interface ToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: JsonObject;
  /** The call in whose code this one stands. */
  readonly parentToolCallId?: string;
  /** Position among the calls of its text or code, from 0; for calls that stand in no message. */
  readonly ordinal?: number;
  /** What the model wrote as name, when no tool can have such a name. */
  readonly unknownName?: string;
  /** Why the call cannot be executed, found while it was read. */
  readonly problem?: { readonly errorType: ToolErrorType; readonly text: string };
}
