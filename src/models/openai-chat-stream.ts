import { isObject, type JsonObject, type JsonValue } from "../base/json.js";
import type { AgentModelEvent, FinishReason, ToolCallDelta } from "../base/model.js";
import type { EventReader, FinishEvent } from "./protocol.js";
import { ReasoningDetails } from "./reasoning-details.js";
import { WireError } from "./wire-error.js";
import { ORIGIN } from "./wire-history.js";
import type { ToolNames } from "./wire-names.js";

/** What is read of a chunk. Everything may be missing, and much of it has another type on some server. */
interface WireChunk {
  readonly object?: string;
  readonly choices?: readonly (WireChoice | null | undefined)[] | null;
  readonly usage?: WireUsage | null;
  readonly x_groq?: { readonly usage?: WireUsage | null } | null;
  readonly error?: unknown;
}

interface WireChoice {
  readonly index?: number;
  readonly delta?: WireDelta | null;
  readonly message?: WireDelta | null;
  readonly finish_reason?: string | null;
  readonly usage?: WireUsage | null;
  readonly error?: unknown;
}

interface WireDelta {
  readonly content?: string | readonly unknown[] | null;
  readonly refusal?: string | null;
  readonly tool_calls?: readonly (WireCall | null)[] | null;
  readonly reasoning_details?: readonly unknown[] | null;
  readonly images?: readonly { readonly image_url?: { readonly url?: string } }[] | null;
  readonly [field: string]: unknown;
}

interface WireCall {
  readonly index?: number | null;
  readonly id?: string | number | null;
  readonly function?: { readonly name?: string | null; readonly arguments?: unknown } | null;
  readonly extra_content?: JsonValue;
}

interface WireUsage {
  readonly prompt_tokens?: number | null;
  readonly completion_tokens?: number | null;
  readonly total_tokens?: number | null;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number | null; readonly cache_write_tokens?: number | null } | null;
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number | null } | null;
  readonly prompt_cache_hit_tokens?: number | null;
  readonly cached_tokens?: number | null;
  readonly cost?: number | null;
}

/** Reads the chunks of Chat Completions, as OpenAI and as everybody else sends them. */
export class ChatReader implements EventReader {
  finish: FinishEvent | undefined;
  readonly #names: ToolNames;
  readonly #reasoningFields: readonly string[];
  /** Stands on every piece of reasoning; one object for all of them. */
  readonly #metadata: JsonObject;
  readonly #details = new ReasoningDetails();
  /** Whether the last piece was one of reasoning. */
  #isReasoning = false;
  #refusal = "";

  constructor({ origin, names, reasoningFields }: { origin: string; names: ToolNames; reasoningFields: readonly string[] }) {
    this.#names = names;
    this.#reasoningFields = reasoningFields;
    this.#metadata = Object.freeze({ [ORIGIN]: origin });
  }

  take(wireEvent: unknown, events: AgentModelEvent[]): void {
    if (!isObject(wireEvent)) return;
    const chunk: WireChunk = wireEvent;
    const choice = chunk.choices?.[0];
    const error = chunk.error || (chunk.object === "error" ? chunk : undefined); // older vLLM sends the error itself
    if (error) throw new WireError({ message: "The stream reported an error.", body: error });
    if (choice && !choice.index) this.#takeChoice(choice, events);
    const usage = chunk.usage ?? chunk.x_groq?.usage ?? choice?.usage; // Moonshot's stands in the choice
    if (usage) takeUsage(usage, events);
  }

  #takeChoice(choice: WireChoice, events: AgentModelEvent[]): void {
    const delta = choice.delta ?? choice.message;
    if (delta) this.#takeDelta(delta, events);
    const { finish_reason: said } = choice;
    if (!said) return;
    if (said === "error" || said === "insufficient_system_resource") {
      throw new WireError({
        message: `The provider stopped with "${said}".`,
        ...(said === "error" ? undefined : { code: said }),
        body: choice.error,
      });
    }
    this.#details.finish(this.#metadata, events);
    this.finish = this.#finishOf(said);
  }

  #takeDelta(delta: WireDelta, events: AgentModelEvent[]): void {
    this.#takeReasoning(delta, events);
    const { content, refusal, tool_calls: calls, images } = delta;
    if (typeof content === "string") {
      if (content !== "") {
        this.#isReasoning = false;
        events.push({ type: "text-delta", text: content });
      }
    } else if (Array.isArray(content)) this.#takeParts(content, events);
    if (refusal) {
      this.#refusal += refusal;
      events.push({ type: "text-delta", text: refusal });
    }
    if (calls) for (const call of calls) if (call) this.#takeCall(call, events);
    if (images) for (const { image_url } of images) takeImage(image_url?.url, events);
  }

  #takeReasoning(delta: WireDelta, events: AgentModelEvent[]): void {
    for (const field of this.#reasoningFields) {
      const text = delta[field];
      if (typeof text !== "string" || text === "") continue;
      this.#addReasoning(text, events);
      break;
    }
    if (Array.isArray(delta.reasoning_details)) this.#details.take(delta.reasoning_details);
  }

  #addReasoning(text: string, events: AgentModelEvent[]): void {
    // who made a block is said once, with its first piece
    if (this.#isReasoning) events.push({ type: "reasoning-delta", text });
    else events.push({ type: "reasoning-delta", text, metadata: this.#metadata });
    this.#isReasoning = true;
  }

  /** Mistral sends its reasoning as parts of the content. */
  #takeParts(parts: readonly unknown[], events: AgentModelEvent[]): void {
    for (const part of parts) {
      if (!isObject(part)) continue;
      const { text, thinking } = part;
      if (typeof text === "string" && text !== "") {
        this.#isReasoning = false;
        events.push({ type: "text-delta", text });
      }
      if (typeof thinking === "string") this.#addReasoning(thinking, events);
      if (Array.isArray(thinking)) for (const { text: thought } of thinking) if (thought) this.#addReasoning(String(thought), events);
    }
  }

  #takeCall({ index, id, function: called, extra_content: extra }: WireCall, events: AgentModelEvent[]): void {
    this.#isReasoning = false;
    const name = called?.name;
    const given = called?.arguments;
    const isText = typeof given === "string";
    const delta: ToolCallDelta = {
      type: "tool-call-delta",
      index: index ?? null,
      toolCallId: id ?? null,
      toolName: name ? this.#names.toOwn(name) : null,
      inputText: isText ? given : null,
    };
    if (isObject(given) || extra !== undefined) {
      const metadata = extra === undefined ? undefined : { metadata: { ...this.#metadata, extraContent: extra } };
      events.push({ ...delta, ...(isObject(given) ? { input: given } : undefined), ...metadata });
    } else events.push(delta);
  }

  #finishOf(said: string): FinishEvent {
    if (this.#refusal !== "") return { type: "finish", reason: "refusal", error: this.#refusal };
    const reason = REASONS.get(said.toLowerCase());
    if (reason === "refusal") return { type: "finish", reason, error: said };
    return reason === undefined ? { type: "finish", reason: "unknown", error: said } : { type: "finish", reason };
  }
}

const REASONS: ReadonlyMap<string, FinishReason> = new Map<string, FinishReason>([
  ["stop", "stop"],
  ["eos", "stop"],
  ["end_turn", "stop"],
  ["tool_calls", "tool-calls"],
  ["tool_call", "tool-calls"],
  ["function_call", "tool-calls"],
  ["length", "max-tokens"],
  ["max_tokens", "max-tokens"],
  ["model_length", "max-tokens"],
  ["content_filter", "content-filter"],
  ["safety", "content-filter"],
  ["sensitive", "content-filter"],
  ["refusal", "refusal"],
]);

function takeImage(url: string | undefined, events: AgentModelEvent[]): void {
  const [, mediaType = "", data = ""] = /^data:([^;,]+);base64,(.*)$/s.exec(url ?? "") ?? [];
  if (data !== "") events.push({ type: "media", data, mediaType });
}

/** Some servers leave reasoning out of the completion's count, but not out of the total. */
function takeUsage(usage: WireUsage, events: AgentModelEvent[]): void {
  const { prompt_tokens: input, completion_tokens: output, total_tokens: total } = usage;
  const generated = output == null ? undefined : Math.max(output, (total ?? 0) - (input ?? total ?? 0));
  const cached = usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens ?? usage.cached_tokens;
  const written = usage.prompt_tokens_details?.cache_write_tokens;
  const reasoning = usage.completion_tokens_details?.reasoning_tokens;
  events.push({
    type: "usage",
    ...(input == null ? undefined : { inputTokens: input }),
    ...(generated === undefined ? undefined : { outputTokens: generated }),
    ...(cached == null ? undefined : { cacheReadTokens: cached }),
    ...(written == null ? undefined : { cacheWriteTokens: written }),
    ...(reasoning == null ? undefined : { reasoningTokens: reasoning }),
    ...(usage.cost == null ? undefined : { totalCost: usage.cost }),
  });
}
