import type { JsonObject, JsonSchema, JsonValue } from "./json.js";
import type { AgentMessage } from "./message.js";
import type { ModelUsage } from "./usage.js";

/** Why the model stopped. `pause` asks to be called again with the same history. */
export type FinishReason = "stop" | "tool-calls" | "max-tokens" | "refusal" | "content-filter" | "pause" | "aborted" | "error" | "unknown";

/** What kind of trouble a model call ran into. */
export type ModelErrorClass =
  | "context_window_exceeded"
  | "auth"
  | "billing"
  | "rate_limit"
  | "overloaded"
  | "network"
  | "timeout"
  | "invalid_request"
  | "model_not_found"
  | "region_blocked"
  | "unknown";

/** A tool as the model is told of it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, an object schema. */
  readonly inputSchema: JsonSchema;
}

/** Which tool the model must call: none, any, its own choice, or the one named. */
export type ToolChoice = "auto" | "none" | "required" | { readonly toolName: string };

/** Settings that go with every model call. Adapters map what they know; `providerOptions` goes through untouched. */
export interface ModelOptions {
  /** How freely the model chooses, from 0; the upper end is the provider's. */
  readonly temperature?: number;
  /** Nucleus sampling, above 0 up to 1. */
  readonly topP?: number;
  /** Most tokens the model may generate in one call. */
  readonly maxOutputTokens?: number;
  /**
   * A forced choice (`required` or a tool's name) is relaxed to `auto` after the first turn that called tools, unless the run can only end by a
   * completion tool: otherwise it could never end.
   */
  readonly toolChoice?: ToolChoice;
  /** Texts at which the model stops. */
  readonly stopSequences?: readonly string[];
  /** Asks for repeatable sampling where a provider knows that. */
  readonly seed?: number;
  /** How much the model may reason: an effort word or a budget in tokens. */
  readonly reasoning?: "none" | "minimal" | "low" | "medium" | "high" | { readonly maxTokens: number };
  /** Fields for one provider, passed on as they are. */
  readonly providerOptions?: JsonObject;
}

/** What the text of a reply must look like. */
export interface ResponseFormat {
  /** A name for the provider, of letters, digits, `_` and `-`. */
  readonly name: string;
  readonly schema: JsonSchema;
}

/** What a model can do that not every model can. */
export interface ModelCapabilities {
  /** Whether the provider enforces `responseFormat`. Where it does not, the request is sent without. */
  readonly structuredOutput?: boolean;
}

/** One request to a model. Frozen; `messages` is a list of its own that later turns do not change. */
export interface AgentModelRequest {
  readonly systemPrompt?: string;
  readonly messages: readonly AgentMessage[];
  readonly tools: readonly ToolDefinition[];
  readonly options: ModelOptions;
  /** Set only for models that say that they can do it, and only when there are no tools: a model that must answer in a shape calls none. */
  readonly responseFormat?: ResponseFormat;
  /** What a question outside of the turns is for, for example `plan`. Absent in a turn. It is for models that choose by it, and is not sent to a provider. */
  readonly purpose?: string;
  /** Fires when the run ends early. The stream should then close its connection. */
  readonly signal: AbortSignal;
}

/**
 * What a model streams. The parts of one reply may be cut anywhere; the assembled message is the same.
 *
 * `blockId` on text and reasoning marks where one block ends and the next begins when two of a kind follow each other.
 */
export type AgentModelEvent =
  | { readonly type: "text-delta"; readonly text: string; readonly blockId?: string | number; readonly metadata?: JsonObject }
  | {
      readonly type: "reasoning-delta";
      readonly text: string;
      readonly redacted?: boolean;
      readonly blockId?: string | number;
      /** Merged into the metadata of the block; a later value of a key replaces an earlier one. */
      readonly metadata?: JsonObject;
    }
  | ToolCallDelta
  | { readonly type: "media"; readonly data: string; readonly mediaType: string; readonly metadata?: JsonObject }
  | {
      /** Result of a call that the provider ran itself. */
      readonly type: "tool-result";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly output: JsonValue;
      readonly isError?: boolean;
      readonly metadata?: JsonObject;
    }
  /** Counts so far of this call. Fields replace what an earlier event of the call said. */
  | ({ readonly type: "usage" } & ModelUsage)
  /** All that was streamed of this reply is void, the reply starts again (an adapter's retry). */
  | { readonly type: "reset"; readonly reason?: string }
  | {
      readonly type: "finish";
      readonly reason: FinishReason;
      /** The provider's own words, for `error`, `refusal` and `unknown`. */
      readonly error?: string;
      readonly errorClass?: ModelErrorClass;
    };

/** A piece of a tool call. Which call it belongs to is decided by `index`, then `toolCallId`, then by being the only open one. */
export interface ToolCallDelta {
  readonly type: "tool-call-delta";
  /** Position of the call in the reply. Leave it out when the provider does; absent is not 0. */
  readonly index?: number | null;
  readonly toolCallId?: string | number | null;
  readonly toolName?: string | null;
  /** More text of the JSON arguments. */
  readonly inputText?: string | null;
  /** The arguments as one value, where a provider sends them whole. It goes before `inputText`. */
  readonly input?: unknown;
  readonly providerExecuted?: boolean;
  readonly metadata?: JsonObject;
}

/** A language model: a stateless function from a request to a stream of events. */
export interface AgentModel {
  /** For `modelInfo` of the messages it writes. */
  readonly modelId?: string;
  readonly providerId?: string;
  readonly capabilities?: ModelCapabilities;
  /**
   * Streams one reply. It ends with a `finish` event. Trouble may be reported by `finish` with `error`, or by throwing (a `ModelError` keeps its
   * class); the loop handles both in the same way. Retries are the model's own affair.
   */
  stream(request: AgentModelRequest): AsyncIterable<AgentModelEvent>;
}
