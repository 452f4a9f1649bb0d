import type { JsonObject, JsonValue } from "./json.js";

/** Who a message is from: the user's side, the model, or a tool. */
export type MessageRole = "user" | "assistant" | "tool";

/** Plain text. */
export interface TextPart {
  readonly type: "text";
  readonly text: string;
  /** What the provider wants back with the part, as it gave it. */
  readonly metadata?: JsonObject;
}

/** The model's reasoning, kept to be replayed to the provider that made it. */
export interface ReasoningPart {
  readonly type: "reasoning";
  /** Readable reasoning; empty when the provider redacted it. */
  readonly text: string;
  /** True when the provider hid the text and only `metadata` carries it. */
  readonly redacted?: boolean;
  /** Provider signatures and encrypted content, byte for byte. */
  readonly metadata?: JsonObject;
}

/** A picture. */
export interface ImagePart {
  readonly type: "image";
  /** Base64 bytes, or an `https:` URL. */
  readonly data: string;
  /** For example `image/png`. Required with base64 bytes. */
  readonly mediaType?: string;
  readonly metadata?: JsonObject;
}

/** A document. */
export interface FilePart {
  readonly type: "file";
  /** Base64 bytes, or an `https:` URL. */
  readonly data: string;
  /** For example `application/pdf`. */
  readonly mediaType: string;
  readonly name?: string;
  readonly metadata?: JsonObject;
}

/** Audio, video or another medium that a model made or takes. */
export interface MediaPart {
  readonly type: "media";
  /** Base64 bytes, or an `https:` URL. */
  readonly data: string;
  readonly mediaType: string;
  readonly metadata?: JsonObject;
}

/** The model's wish to call a tool. */
export interface ToolCallPart {
  readonly type: "tool-call";
  /** Unique in the whole history. */
  readonly toolCallId: string;
  readonly toolName: string;
  /** The arguments, always a JSON object. */
  readonly input: JsonObject;
  /** True when the provider runs the call itself. Its result stands in an assistant message. */
  readonly providerExecuted?: boolean;
  readonly metadata?: JsonObject;
}

/** What a tool answered. */
export interface ToolResultPart {
  readonly type: "tool-result";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output: JsonValue;
  /** True when the call failed, was refused, or its outcome is unknown. */
  readonly isError?: boolean;
  /** Images and files that belong to the result. */
  readonly content?: readonly ToolResultContentPart[];
  readonly metadata?: JsonObject;
}

/** What a tool result may carry besides its output. */
export type ToolResultContentPart = TextPart | ImagePart | FilePart | MediaPart;

/** What a message is made of. */
export type MessagePart = TextPart | ReasoningPart | ImagePart | FilePart | MediaPart | ToolCallPart | ToolResultPart;

/** Which model wrote a message. */
export interface MessageModelInfo {
  readonly id: string;
  readonly provider: string;
  readonly family?: string;
}

/** What one model call cost. Left out of a message when the model reported nothing. */
export interface MessageMetrics {
  /** All prompt tokens, cached ones included. */
  readonly inputTokens: number;
  /** All generated tokens, reasoning included. */
  readonly outputTokens: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
  /** In the currency of the configured prices. */
  readonly cost?: number;
}

/** One entry of the history. Deeply frozen once it was added. */
export interface AgentMessage {
  /** `msg_` and a nanoid. */
  readonly id: string;
  readonly role: MessageRole;
  readonly content: readonly MessagePart[];
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly metadata?: JsonObject;
  readonly modelInfo?: MessageModelInfo;
  readonly metrics?: MessageMetrics;
}

/** A message as a caller may write it: text instead of parts, `id` and `createdAt` filled in when left out. */
export interface AgentMessageInput {
  readonly role: MessageRole;
  readonly content: string | readonly MessagePart[];
  readonly id?: string;
  readonly createdAt?: number;
  readonly metadata?: JsonObject;
  readonly modelInfo?: MessageModelInfo;
  readonly metrics?: MessageMetrics;
}

/** The text parts of a message, joined. */
export function textOf(message: { readonly content: readonly MessagePart[] }): string {
  let text = "";
  for (const part of message.content) if (part.type === "text") text += part.text;
  return text;
}

/** The calls in a message that somebody on our side must answer. */
export function clientToolCalls(message: AgentMessage): ToolCallPart[] {
  const calls: ToolCallPart[] = [];
  if (message.role !== "assistant") return calls;
  for (const part of message.content) if (part.type === "tool-call" && part.providerExecuted !== true) calls.push(part);
  return calls;
}

const TOOL_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/** The name, or one like it that is legal. Providers refuse a history with an illegal name in it, even if it was the model's own. */
export function legalToolName(name: string): string {
  if (TOOL_NAME.test(name)) return name;
  const letters = name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64);
  if (letters === "") return "unnamed_tool";
  return TOOL_NAME.test(letters) ? letters : `_${letters.slice(0, 63)}`;
}

/** Freezes a value and all that it holds. Stops at what is frozen already. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const item of Object.values(value)) deepFreeze(item);
  }
  return value;
}
