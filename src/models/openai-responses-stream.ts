import { isObject } from "../base/json.js";
import type { AgentModelEvent } from "../base/model.js";
import { ResponsesItems, type WireItem } from "./openai-responses-items.js";
import type { EventReader, FinishEvent } from "./protocol.js";
import { WireError } from "./wire-error.js";
import type { ToolNames } from "./wire-names.js";

/** What is read of an event. Gateways leave out what they like. */
interface WireEvent {
  readonly type?: string;
  readonly delta?: unknown;
  readonly output_index?: number;
  readonly item_id?: string;
  readonly content_index?: number;
  readonly summary_index?: number;
  readonly item?: WireItem;
  readonly response?: WireResponse;
  readonly error?: unknown;
}

interface WireResponse {
  readonly error?: unknown;
  readonly incomplete_details?: { readonly reason?: string } | null;
  readonly output?: readonly WireItem[] | null;
  readonly usage?: {
    readonly input_tokens?: number | null;
    readonly output_tokens?: number | null;
    readonly input_tokens_details?: { readonly cached_tokens?: number | null; readonly cache_write_tokens?: number | null } | null;
    readonly output_tokens_details?: { readonly reasoning_tokens?: number | null } | null;
  } | null;
}

/** Reads the events of OpenAI's Responses. */
export class ResponsesReader implements EventReader {
  finish: FinishEvent | undefined;
  readonly #items: ResponsesItems;
  #refusal = "";

  constructor({ origin, names }: { origin: string; names: ToolNames }) {
    this.#items = new ResponsesItems({ origin, names });
  }

  take(wireEvent: unknown, events: AgentModelEvent[]): void {
    if (!isObject(wireEvent)) return;
    const event: WireEvent = wireEvent;
    const { type, delta } = event;
    switch (type) {
      case "response.output_text.delta":
        if (typeof delta === "string")
          events.push({ type: "text-delta", text: delta, blockId: this.#items.blockOf(event, event.content_index) });
        return;
      case "response.function_call_arguments.delta":
      case "response.custom_tool_call_input.delta":
        if (typeof delta === "string") this.#items.addArguments(event, delta, events);
        return;
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        if (typeof delta === "string") this.#items.addReasoning(event, delta, events);
        return;
      case "response.refusal.delta":
        if (typeof delta === "string") this.#refuse(delta, this.#items.blockOf(event, event.content_index), events);
        return;
      case "response.output_item.added":
        if (event.item) this.#items.open(event, event.item, events);
        return;
      case "response.output_item.done":
        if (event.item) this.#close(event, event.item, events);
        return;
      default:
        this.#takeEnd(event, events);
    }
  }

  #takeEnd({ type, response = {}, error, ...rest }: WireEvent, events: AgentModelEvent[]): void {
    switch (type) {
      case "response.completed":
      case "response.incomplete": {
        if (this.#items.isEmpty)
          for (const [index, item] of (response.output ?? []).entries()) this.#close({ output_index: index }, item, events);
        takeUsage(response, events);
        this.finish = this.#finishOf(type, response);
        return;
      }
      case "response.failed":
        throw new WireError({ message: "The provider could not finish the response.", body: response.error });
      case "error":
        throw new WireError({ message: "The stream reported an error.", body: error ?? rest });
      default:
    }
  }

  #close(place: { output_index?: number | undefined; item_id?: string | undefined }, item: WireItem, events: AgentModelEvent[]): void {
    const refusal = item.content?.find((part) => part.type === "refusal")?.refusal ?? "";
    if (refusal !== "" && this.#refusal === "") this.#refuse(refusal, this.#items.blockOf({ ...place, item }, 0), events);
    this.#items.close({ ...place, item }, item, events);
  }

  #refuse(text: string, blockId: number, events: AgentModelEvent[]): void {
    this.#refusal += text;
    events.push({ type: "text-delta", text, blockId });
  }

  #finishOf(type: string, { incomplete_details: details }: WireResponse): FinishEvent {
    if (this.#refusal !== "") return { type: "finish", reason: "refusal", error: this.#refusal };
    const why = details?.reason;
    if (why === "max_output_tokens" || why === "max_tokens") return { type: "finish", reason: "max-tokens" };
    if (why === "content_filter") return { type: "finish", reason: "content-filter", error: why };
    if (type === "response.incomplete") return { type: "finish", reason: "unknown", error: why ?? "incomplete" };
    return { type: "finish", reason: this.#items.hasCalls ? "tool-calls" : "stop" };
  }
}

function takeUsage({ usage }: WireResponse, events: AgentModelEvent[]): void {
  if (!usage) return;
  const { input_tokens: input, output_tokens: output } = usage;
  const cached = usage.input_tokens_details?.cached_tokens;
  const written = usage.input_tokens_details?.cache_write_tokens;
  const reasoning = usage.output_tokens_details?.reasoning_tokens;
  events.push({
    type: "usage",
    ...(input == null ? undefined : { inputTokens: input }),
    ...(output == null ? undefined : { outputTokens: output }),
    ...(cached == null ? undefined : { cacheReadTokens: cached }),
    ...(written == null ? undefined : { cacheWriteTokens: written }),
    ...(reasoning == null ? undefined : { reasoningTokens: reasoning }),
  });
}
