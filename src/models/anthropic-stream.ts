import { isObject, type JsonObject, type JsonValue } from "../base/json.js";
import type { AgentModelEvent, FinishReason } from "../base/model.js";
import type { EventReader, FinishEvent } from "./protocol.js";
import { WireError } from "./wire-error.js";
import { ORIGIN } from "./wire-history.js";
import type { ToolNames } from "./wire-names.js";

/** What is read of an event. Everything may be missing: proxies leave out what they like. */
interface WireEvent {
  readonly type?: string;
  readonly index?: number;
  readonly message?: { readonly usage?: WireUsage | null; readonly content?: unknown };
  readonly content_block?: WireBlock;
  readonly delta?: {
    readonly type?: string;
    readonly text?: string;
    readonly thinking?: string;
    readonly signature?: string;
    readonly partial_json?: string;
    readonly citation?: JsonValue;
    readonly stop_reason?: string | null;
    readonly stop_details?: { readonly explanation?: string | null; readonly category?: string | null } | null;
  };
  readonly usage?: WireUsage | null;
  readonly error?: unknown;
}

interface WireBlock {
  readonly type?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly text?: string;
  readonly thinking?: string;
  readonly signature?: string;
  readonly data?: string;
  readonly tool_use_id?: string;
  readonly content?: JsonValue;
  readonly is_error?: boolean;
}

interface WireUsage {
  readonly input_tokens?: number | null;
  readonly output_tokens?: number | null;
  readonly cache_creation_input_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  readonly output_tokens_details?: { readonly thinking_tokens?: number | null } | null;
}

/** A block that is not over yet and has something to say at its end. */
interface OpenBlock {
  readonly block: WireBlock;
  hasInputText: boolean;
  readonly citations: JsonValue[];
}

/** Reads the events of Anthropic's Messages. */
export class AnthropicReader implements EventReader {
  finish: FinishEvent | undefined;
  readonly #origin: string;
  readonly #names: ToolNames;
  readonly #blocks = new Map<number | undefined, OpenBlock>();
  /** Names of the provider's own calls, by id. */
  readonly #serverCalls = new Map<string, string>();
  #lastServerCall: number | undefined;
  #usage: WireUsage = {};

  constructor({ origin, names }: { origin: string; names: ToolNames }) {
    this.#origin = origin;
    this.#names = names;
  }

  take(wireEvent: unknown, events: AgentModelEvent[]): void {
    if (!isObject(wireEvent)) return;
    const event: WireEvent = wireEvent;
    switch (event.type) {
      case "content_block_delta":
        this.#takeDelta(event, events);
        return;
      case "content_block_start":
        this.#openBlock(event, events);
        return;
      case "content_block_stop":
        this.#closeBlock(event.index, events);
        return;
      case "message_start":
        this.#takeUsage(event.message?.usage, events);
        return;
      case "message_delta":
        this.#takeUsage(event.usage, events);
        if (event.delta?.stop_reason) this.finish = this.#finishOf(event.delta, events);
        return;
      case "error":
        throw new WireError({ message: "The stream reported an error.", body: event.error ?? event });
      default:
    }
  }

  #takeDelta({ index, delta }: WireEvent, events: AgentModelEvent[]): void {
    switch (delta?.type) {
      case "text_delta":
        events.push({ type: "text-delta", text: delta.text ?? "", blockId: index ?? 0 });
        return;
      case "thinking_delta":
        events.push({ type: "reasoning-delta", text: delta.thinking ?? "", blockId: index ?? 0 });
        return;
      case "input_json_delta": {
        const open = this.#blocks.get(index);
        if (open !== undefined && delta.partial_json) open.hasInputText = true;
        events.push({ type: "tool-call-delta", index: index ?? null, inputText: delta.partial_json ?? "" });
        return;
      }
      case "signature_delta": {
        const metadata = { [ORIGIN]: this.#origin, signature: delta.signature ?? "" };
        events.push({ type: "reasoning-delta", text: "", blockId: index ?? 0, metadata });
        return;
      }
      case "citations_delta": {
        const open = this.#blocks.get(index);
        if (open !== undefined && delta.citation !== undefined) open.citations.push(delta.citation);
        return;
      }
      default:
    }
  }

  #openBlock({ index, content_block: block = {} }: WireEvent, events: AgentModelEvent[]): void {
    const blockId = index ?? 0;
    this.#blocks.set(index, { block, hasInputText: false, citations: [] });
    switch (block.type) {
      case "text":
        if (block.text) events.push({ type: "text-delta", text: block.text, blockId });
        return;
      case "thinking":
        events.push({ type: "reasoning-delta", text: block.thinking ?? "", blockId, ...this.#signature(block) });
        return;
      case "redacted_thinking":
        events.push({
          type: "reasoning-delta",
          text: "",
          redacted: true,
          blockId,
          metadata: { [ORIGIN]: this.#origin, data: block.data ?? "" },
        });
        return;
      case "tool_use":
        events.push({
          type: "tool-call-delta",
          index: index ?? null,
          toolCallId: block.id ?? null,
          toolName: this.#names.toOwn(block.name ?? ""),
        });
        return;
      default:
        this.#openOther(index, block, events);
    }
  }

  #signature({ signature }: WireBlock): { metadata?: JsonObject } {
    return signature ? { metadata: { [ORIGIN]: this.#origin, signature } } : {};
  }

  /** Tools that run at the provider's, and blocks of kinds that are to come: all go back as they were. */
  #openOther(index: number | undefined, block: WireBlock, events: AgentModelEvent[]): void {
    const { type = "" } = block;
    if (block.id !== undefined && block.name !== undefined && block.input !== undefined) {
      const { id, name, input: _input, ...rest } = block;
      this.#serverCalls.set(id, name);
      this.#lastServerCall = index;
      const metadata = { [ORIGIN]: this.#origin, block: rest as JsonObject };
      events.push({ type: "tool-call-delta", index: index ?? null, toolCallId: id, toolName: name, providerExecuted: true, metadata });
    } else if (block.tool_use_id !== undefined) events.push(this.#resultOf(block, block.tool_use_id));
    else if (type !== "")
      events.push({
        type: "reasoning-delta",
        text: "",
        redacted: true,
        blockId: index ?? 0,
        metadata: { [ORIGIN]: this.#origin, block: block as JsonObject },
      });
  }

  #resultOf(block: WireBlock, toolCallId: string): AgentModelEvent {
    const { content = null, tool_use_id: _id, ...rest } = block;
    const isError = block.is_error === true || (isObject(content) && String(content["type"]).endsWith("_error"));
    const toolName = this.#serverCalls.get(toolCallId) ?? (block.type ?? "").replace(/_tool_result$/, "");
    const metadata = { [ORIGIN]: this.#origin, block: rest as JsonObject };
    return { type: "tool-result", toolCallId, toolName, output: content, metadata, ...(isError ? { isError } : undefined) };
  }

  #closeBlock(index: number | undefined, events: AgentModelEvent[]): void {
    const open = this.#blocks.get(index);
    this.#blocks.delete(index);
    if (open === undefined) return;
    const { block, hasInputText, citations } = open;
    // some servers send the arguments whole, with the start of the block
    const isWhole = !hasInputText && isObject(block.input) && Object.keys(block.input).length > 0;
    if (isWhole) events.push({ type: "tool-call-delta", index: index ?? null, input: block.input });
    if (citations.length > 0)
      events.push({ type: "text-delta", text: "", blockId: index ?? 0, metadata: { [ORIGIN]: this.#origin, citations } });
  }

  /** Counts are of the whole message so far; what is left out keeps its value. */
  #takeUsage(usage: WireUsage | null | undefined, events: AgentModelEvent[]): void {
    if (!isObject(usage)) return;
    const known = Object.entries(usage).filter(([, value]) => value !== null && value !== undefined);
    this.#usage = { ...this.#usage, ...(Object.fromEntries(known) as WireUsage) };
    const {
      input_tokens,
      output_tokens,
      cache_creation_input_tokens: written,
      cache_read_input_tokens: read,
      output_tokens_details,
    } = this.#usage;
    const thinking = output_tokens_details?.thinking_tokens;
    events.push({
      type: "usage",
      ...(input_tokens == null ? undefined : { inputTokens: input_tokens + (written ?? 0) + (read ?? 0) }),
      ...(output_tokens == null ? undefined : { outputTokens: output_tokens }),
      ...(read == null ? undefined : { cacheReadTokens: read }),
      ...(written == null ? undefined : { cacheWriteTokens: written }),
      ...(thinking == null ? undefined : { reasoningTokens: thinking }),
    });
  }

  #finishOf({ stop_reason: said, stop_details: details }: NonNullable<WireEvent["delta"]>, events: AgentModelEvent[]): FinishEvent {
    const reason = REASONS.get(said ?? "");
    if (reason === "pause" && this.#lastServerCall !== undefined) {
      events.push({ type: "tool-call-delta", index: this.#lastServerCall, metadata: { paused: true } });
    }
    if (reason === "refusal") return { type: "finish", reason, error: details?.explanation ?? details?.category ?? "refusal" };
    return reason === undefined ? { type: "finish", reason: "unknown", error: String(said) } : { type: "finish", reason };
  }
}

const REASONS: ReadonlyMap<string, FinishReason> = new Map<string, FinishReason>([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["tool_use", "tool-calls"],
  ["max_tokens", "max-tokens"],
  ["model_context_window_exceeded", "max-tokens"],
  ["pause_turn", "pause"],
  ["refusal", "refusal"],
]);
