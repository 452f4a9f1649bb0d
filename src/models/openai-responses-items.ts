import { isObject, type JsonObject, type JsonValue } from "../base/json.js";
import type { AgentModelEvent } from "../base/model.js";
import { ORIGIN } from "./wire-history.js";
import type { ToolNames } from "./wire-names.js";

/** What is read of an output item. */
export interface WireItem {
  readonly type?: string;
  readonly id?: string;
  readonly call_id?: string;
  readonly name?: string;
  readonly arguments?: unknown;
  readonly input?: unknown;
  readonly action?: unknown;
  readonly content?: readonly { readonly type?: string; readonly text?: string; readonly refusal?: string }[] | null;
  readonly summary?: readonly { readonly text?: string }[] | null;
  readonly encrypted_content?: string | null;
  readonly phase?: string | null;
  readonly status?: string;
  readonly result?: unknown;
  readonly output?: unknown;
  readonly error?: unknown;
}

/** How an event says which item it is about. */
export interface ItemPlace {
  readonly output_index?: number | undefined;
  readonly item_id?: string | undefined;
  readonly item?: WireItem | undefined;
  readonly summary_index?: number | undefined;
}

interface OpenItem {
  readonly index: number;
  /** Id of the reasoning item directly before it. */
  readonly follows: string | undefined;
  hasText: boolean;
  isClosed: boolean;
}

/** Numbers of blocks of one item; more than any item has parts. */
const BLOCKS_PER_ITEM = 1_000;

/**
 * The output items of one response. An item is known by its position first, then by its id: gateways give every event another id, or none.
 */
export class ResponsesItems {
  readonly #origin: string;
  readonly #names: ToolNames;
  readonly #open = new Map<number, OpenItem>();
  readonly #indexOfId = new Map<string, number>();
  #lastReasoning: string | undefined;
  #last = -1;
  hasCalls = false;

  constructor({ origin, names }: { origin: string; names: ToolNames }) {
    this.#origin = origin;
    this.#names = names;
  }

  /** Whether nothing came yet. */
  get isEmpty(): boolean {
    return this.#open.size === 0 && this.#last === -1;
  }

  /** Number of a block of text or reasoning. */
  blockOf(place: ItemPlace, part = 0): number {
    const index = this.#indexOf(place);
    const open = this.#open.get(index);
    if (open !== undefined) open.hasText = true;
    return index * BLOCKS_PER_ITEM + part;
  }

  addArguments(place: ItemPlace, inputText: string, events: AgentModelEvent[]): void {
    const index = this.#indexOf(place);
    const open = this.#open.get(index);
    if (open !== undefined) open.hasText = true;
    events.push({ type: "tool-call-delta", index, inputText });
  }

  addReasoning(place: ItemPlace, text: string, events: AgentModelEvent[]): void {
    const part = place.summary_index ?? 0;
    events.push({ type: "reasoning-delta", text, blockId: this.blockOf(place, part) });
  }

  open(place: ItemPlace, item: WireItem, events: AgentModelEvent[]): void {
    const index = this.#indexOf({ ...place, item });
    const follows = this.#lastReasoning;
    this.#lastReasoning = item.type === "reasoning" ? item.id : undefined;
    this.#open.set(index, { index, follows, hasText: false, isClosed: false });
    if (item.type === "function_call" && item.call_id) this.#openCall(index, item, events);
  }

  close(place: ItemPlace, item: WireItem, events: AgentModelEvent[]): void {
    const index = this.#indexOf({ ...place, item });
    if (!this.#open.has(index)) this.open({ ...place, output_index: index }, item, events);
    const open = this.#open.get(index);
    if (open === undefined || open.isClosed) return;
    open.isClosed = true;
    switch (item.type) {
      case "message":
        this.#closeMessage(open, item, events);
        return;
      case "reasoning":
        this.#closeReasoning(open, item, events);
        return;
      case "function_call":
        this.#closeCall(open, item, events);
        return;
      default:
        this.#closeOther(open, item, events);
    }
  }

  #indexOf({ output_index: index, item_id, item }: ItemPlace): number {
    const id = item?.id ?? item_id;
    const known =
      index ?? (id === undefined ? undefined : this.#indexOfId.get(id)) ?? (item === undefined ? Math.max(this.#last, 0) : this.#last + 1);
    if (known > this.#last) this.#last = known;
    if (id !== undefined) this.#indexOfId.set(id, known);
    return known;
  }

  #metadata({ follows }: OpenItem, more: Record<string, JsonValue | undefined>): JsonObject {
    const known = Object.entries({ follows, ...more }).filter(([, value]) => value !== undefined) as [string, JsonValue][];
    return { [ORIGIN]: this.#origin, ...Object.fromEntries(known) };
  }

  #openCall(index: number, { call_id = "", name = "" }: WireItem, events: AgentModelEvent[]): void {
    this.hasCalls = true;
    events.push({ type: "tool-call-delta", index, toolCallId: call_id, toolName: this.#names.toOwn(name) });
  }

  #closeMessage(open: OpenItem, { id, phase, content }: WireItem, events: AgentModelEvent[]): void {
    const blockId = open.index * BLOCKS_PER_ITEM;
    const metadata = this.#metadata(open, { itemId: id, phase: phase ?? undefined });
    const texts = (content ?? []).filter(({ type }) => type === "output_text");
    if (open.hasText) events.push({ type: "text-delta", text: "", blockId: blockId + Math.max(texts.length - 1, 0), metadata });
    else for (const [part, { text = "" }] of texts.entries()) events.push({ type: "text-delta", text, blockId: blockId + part, metadata });
  }

  #closeReasoning(open: OpenItem, { id, summary, encrypted_content }: WireItem, events: AgentModelEvent[]): void {
    const metadata = this.#metadata(open, { itemId: id, encryptedContent: encrypted_content ?? undefined });
    const first = open.index * BLOCKS_PER_ITEM;
    const parts = summary ?? [];
    if (!open.hasText)
      for (const [part, { text = "" }] of parts.entries()) events.push({ type: "reasoning-delta", text, blockId: first + part, metadata });
    if (open.hasText || parts.length === 0)
      events.push({ type: "reasoning-delta", text: "", blockId: first + Math.max(parts.length - 1, 0), metadata });
  }

  #closeCall(open: OpenItem, item: WireItem, events: AgentModelEvent[]): void {
    const { id, call_id, name = "", arguments: given } = item;
    this.hasCalls = true;
    const whole = open.hasText ? undefined : typeof given === "string" ? { inputText: given } : { input: given };
    const metadata = this.#metadata(open, { itemId: id });
    events.push({
      type: "tool-call-delta",
      index: open.index,
      toolCallId: call_id ?? null,
      toolName: this.#names.toOwn(name),
      ...whole,
      metadata,
    });
  }

  /** Tools of the provider's own. With a call id somebody on our side has to answer; without one the provider ran it. */
  #closeOther(open: OpenItem, item: WireItem, events: AgentModelEvent[]): void {
    const { type = "", id, call_id, name, status } = item;
    const base = { type: "tool-call-delta", index: open.index, toolName: name ?? type.replace(/_call$/, "") } as const;
    const metadata = this.#metadata(open, { item: item as JsonObject });
    const input = inputOf(item);
    if (call_id !== undefined && type.endsWith("_call") && (item as { execution?: string }).execution !== "server") {
      this.hasCalls = true;
      events.push({ ...base, toolName: this.#names.toOwn(base.toolName), toolCallId: call_id, input, metadata });
      return;
    }
    if (id === undefined) return;
    events.push({ ...base, toolCallId: id, input, providerExecuted: true, metadata });
    const output = (item.result ?? item.output ?? { status: status ?? "completed" }) as JsonValue;
    const isError = status === "failed" || (item.error !== undefined && item.error !== null);
    events.push({
      type: "tool-result",
      toolCallId: id,
      toolName: base.toolName,
      output: type === "image_generation_call" ? { status: status ?? "completed" } : output,
      metadata: { [ORIGIN]: this.#origin },
      ...(isError ? { isError } : undefined),
    });
    if (type === "image_generation_call" && typeof item.result === "string")
      events.push({ type: "media", data: item.result, mediaType: "image/png" });
  }
}

/** Arguments as an object, whatever a tool of the provider's takes. */
function inputOf({ arguments: given, input, action }: WireItem): JsonObject {
  const value = given ?? input ?? action;
  if (isObject(value)) return value as JsonObject;
  return value === undefined || value === null ? {} : { input: value as JsonValue };
}
