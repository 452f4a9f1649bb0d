import type { MessageSource } from "./history.js";
import { assertNever, isObject, type JsonObject, type JsonValue, toJsonValue } from "./json.js";
import { JsonNesting } from "./json-nesting.js";
import { legalToolName, type MediaPart, type MessagePart, type ToolCallPart, type ToolResultPart } from "./message.js";
import type { AgentModelEvent, FinishReason, ModelErrorClass, ToolCallDelta } from "./model.js";
import { modelTexts } from "./model-texts.js";
import type { ToolCall } from "./tool-call.js";
import { type ParsedToolInput, parseToolInput } from "./tool-input.js";
import { isCount, type ModelUsage, NOTHING_USED } from "./usage.js";

/** What a stream came to. */
export interface AssembledReply {
  /** Frozen parts in the order in which they began; no empty text among them. */
  readonly content: readonly MessagePart[];
  /** The calls that our side must answer, in order. */
  readonly toolCalls: readonly ToolCall[];
  /** Undefined when the stream ended without a `finish` event. */
  readonly finishReason: FinishReason | undefined;
  readonly error: string | undefined;
  readonly errorClass: ModelErrorClass | undefined;
  /** True when the output limit cut the reply, whatever the finish reason says. */
  readonly truncated: boolean;
  /** Calls that repeat the id of an earlier call of the reply. They were dropped. */
  readonly droppedCallIds: readonly string[];
}

interface Block {
  readonly kind: "text" | "reasoning";
  readonly blockId: string | number | undefined;
  readonly redacted: boolean;
  text: string;
  metadata: Record<string, JsonValue> | undefined;
}

/** A call that is still being streamed. */
export interface OpenCall {
  readonly kind: "call";
  /** Position in the reply, from 0. */
  readonly ordinal: number;
  /** The provider's number of the position, if it gives one. */
  readonly index: number | undefined;
  toolCallId: string | undefined;
  toolName: string;
  inputText: string;
  /** Follows `inputText` from the first time that only this tells a piece from the next call. */
  nesting: JsonNesting | undefined;
  input: unknown;
  providerExecuted: boolean;
  metadata: Record<string, JsonValue> | undefined;
}

type Slot = Block | OpenCall | { readonly kind: "part"; readonly part: MessagePart } | { readonly kind: "nothing" };

/** What an assembler asks of the history. */
export interface CallsInHistory {
  /** Whether a call of this id is there. */
  hasCallId(toolCallId: string): boolean;
  /** Name of the tool in a call of this id that the provider runs itself; its result may come in a later reply. */
  providerToolName(toolCallId: string): string | undefined;
}

const NO_CALLS: CallsInHistory = { hasCallId: () => false, providerToolName: () => undefined };

/**
 * Puts the deltas of one reply together.
 *
 * The result does not depend on where a provider cuts: text is only joined, a call's arguments are read once, when the stream has ended, and which
 * call a piece belongs to is decided by position, id and name alone.
 */
export class ReplyAssembler {
  readonly #slots: Slot[] = [];
  readonly #calls: OpenCall[] = [];
  #usage: ModelUsage = NOTHING_USED;
  #textBlock: Block | undefined;
  /** Text of the text blocks before the last one. */
  #earlierText = "";
  #hasResults = false;
  #finish: Extract<AgentModelEvent, { type: "finish" }> | undefined;

  /** Text so far, of all text blocks. */
  get text(): string {
    const last = this.#textBlock?.text ?? "";
    return this.#earlierText === "" ? last : this.#earlierText + last;
  }

  /** What the model reported so far of this reply. */
  get usage(): ModelUsage {
    return this.#usage;
  }

  /** Takes one event. Returns the call that a tool-call delta went to. */
  add(event: AgentModelEvent): OpenCall | undefined {
    switch (event.type) {
      case "text-delta":
        this.#addText("text", event);
        return undefined;
      case "reasoning-delta":
        this.#addText("reasoning", event);
        return undefined;
      case "tool-call-delta":
        return this.#addToCall(event);
      case "media":
        this.#slots.push({ kind: "part", part: mediaPart(event) });
        return undefined;
      case "tool-result":
        this.#slots.push({ kind: "part", part: providerResult(event) });
        this.#hasResults = true;
        return undefined;
      case "usage":
        this.#usage = replaceUsage(this.#usage, event);
        return undefined;
      case "finish":
        this.#finish = event;
        return undefined;
      case "reset":
        return undefined; // whoever reads the stream starts a new assembler
      default:
        return assertNever(event);
    }
  }

  /**
   * Ends the reply.
   * @param source - For ids of calls that came without one or with one that is taken.
   * @param history - What stands in the history before this reply.
   */
  finish(source: MessageSource, history: CallsInHistory = NO_CALLS): AssembledReply {
    if (this.#hasResults) this.#pairResults(history);
    const dropped: string[] = [];
    const parsed = this.#parseCalls(dropped);
    const truncated = this.#finish?.reason === "max-tokens" || parsed.some((input) => input?.kind === "incomplete");
    const ids = this.#hasResults ? new Map<string, string>() : undefined;
    const content: MessagePart[] = [];
    const toolCalls: ToolCall[] = [];
    for (const slot of this.#slots) {
      if (slot.kind === "nothing") continue;
      if (slot.kind === "part") content.push(underOwnId(slot.part, ids));
      else if (slot.kind !== "call") pushBlock(content, slot);
      else {
        const input = parsed[slot.ordinal];
        if (input === undefined) continue;
        const call = toToolCall(slot, { input, truncated, toolCallId: ownId(slot, ids, { source, history }) });
        content.push(toPart(call, slot));
        if (!slot.providerExecuted) toolCalls.push(call);
      }
    }
    const { reason: finishReason, error, errorClass } = this.#finish ?? {};
    const kept = Object.freeze(content.slice()); // a list that grew has room for more, which a history would keep for each message
    return { content: kept, toolCalls, finishReason, error, errorClass, truncated, droppedCallIds: dropped };
  }

  #addText(kind: Block["kind"], event: Extract<AgentModelEvent, { type: "text-delta" | "reasoning-delta" }>): void {
    const redacted = event.type === "reasoning-delta" && event.redacted === true;
    let block = this.#slots.at(-1);
    if (block?.kind !== kind || block.redacted !== redacted || (event.blockId !== undefined && block.blockId !== event.blockId)) {
      if (!event.text && event.metadata === undefined && !redacted) return;
      block = { kind, blockId: event.blockId, redacted, text: "", metadata: undefined };
      this.#slots.push(block);
      if (kind === "text") {
        this.#earlierText = this.text;
        this.#textBlock = block;
      }
    }
    block.text += event.text ?? ""; // a model of the user's own may leave it out
    if (event.metadata !== undefined) block.metadata = { ...block.metadata, ...event.metadata };
  }

  #addToCall(delta: ToolCallDelta): OpenCall {
    const toolCallId = idOf(delta.toolCallId);
    const toolName = delta.toolName || undefined;
    const call = this.#find(delta, toolCallId, toolName) ?? this.#open(delta, toolCallId);
    call.toolCallId ??= toolCallId;
    if (call.toolName === "" && toolName !== undefined) call.toolName = toolName;
    if (delta.inputText) {
      call.inputText += delta.inputText;
      call.nesting?.add(delta.inputText);
    }
    if (delta.input !== undefined && delta.input !== null) call.input = delta.input;
    if (delta.providerExecuted === true) call.providerExecuted = true;
    if (delta.metadata !== undefined) call.metadata = { ...call.metadata, ...delta.metadata };
    return call;
  }

  #open(delta: ToolCallDelta, toolCallId: string | undefined): OpenCall {
    const call: OpenCall = {
      kind: "call",
      ordinal: this.#calls.length,
      index: delta.index ?? undefined,
      toolCallId,
      toolName: "",
      inputText: "",
      nesting: undefined,
      input: undefined,
      providerExecuted: false,
      metadata: undefined,
    };
    this.#calls.push(call);
    this.#slots.push(call);
    return call;
  }

  /** The call that a piece goes on with, if it does not begin a new one. */
  #find(delta: ToolCallDelta, toolCallId: string | undefined, toolName: string | undefined): OpenCall | undefined {
    const last = this.#calls.at(-1);
    if (last?.index !== undefined && last.index === delta.index && (toolCallId === undefined || toolCallId === last.toolCallId))
      return last;
    const byId = toolCallId === undefined ? undefined : this.#calls.findLast((call) => call.toolCallId === toolCallId);
    if (typeof delta.index !== "number") return byId ?? this.#findUnnumbered(toolCallId, toolName);
    const here = this.#calls.findLast((call) => call.index === delta.index);
    if (here === undefined) return toolName === undefined ? byId : undefined;
    if (toolCallId === undefined || here.toolCallId === toolCallId || toolName === undefined) return byId ?? here;
    // A different id and a name at an occupied position is another call, unless the call there has no id yet and may be the same one.
    const mayBeSame = here.toolCallId === undefined && (here.toolName === "" || here.toolName === toolName);
    return byId ?? (mayBeSame ? here : undefined);
  }

  #findUnnumbered(toolCallId: string | undefined, toolName: string | undefined): OpenCall | undefined {
    const last = this.#calls.at(-1);
    if (last === undefined || toolName === undefined) return last;
    if (last.toolName === "" && (toolCallId === undefined || last.toolCallId === undefined)) return last;
    if (toolCallId !== undefined && last.toolCallId !== undefined) return undefined;
    // A name again without a position and without ids to compare: the same call if its arguments are not complete yet.
    return last.toolName === toolName && isUnfinished(last) ? last : undefined;
  }

  /** A call whose result the provider sends was run by it, whatever else it says. A result without such a call is of no use to anybody. */
  #pairResults(history: CallsInHistory): void {
    const calls = new Map<string | undefined, OpenCall>();
    for (const [index, slot] of this.#slots.entries()) {
      if (slot.kind === "call" && !calls.has(slot.toolCallId)) calls.set(slot.toolCallId, slot);
      if (slot.kind !== "part" || slot.part.type !== "tool-result") continue;
      const { toolCallId } = slot.part;
      const call = calls.get(toolCallId);
      if (call !== undefined) call.providerExecuted = true;
      const toolName = call === undefined ? history.providerToolName(toolCallId) : legalToolName(call.toolName);
      this.#slots[index] = toolName === undefined ? { kind: "nothing" } : { kind: "part", part: withToolName(slot.part, toolName) };
    }
  }

  /** Arguments of the calls, in their order. Of several calls with one id only the first counts; the others have none. */
  #parseCalls(dropped: string[]): (ParsedToolInput | undefined)[] {
    if (this.#calls.length === 1) return this.#calls.map(({ inputText, input }) => parseToolInput(inputText, input));
    const ids = new Set<string>();
    return this.#calls.map(({ toolCallId, inputText, input }) => {
      if (toolCallId !== undefined && ids.has(toolCallId)) {
        dropped.push(toolCallId);
        return undefined;
      }
      if (toolCallId !== undefined) ids.add(toolCallId);
      return parseToolInput(inputText, input);
    });
  }
}

/** Whether the arguments that came so far stop before their end. Looks at each piece once; only a short scalar is parsed here. */
function isUnfinished(call: OpenCall): boolean {
  if (call.nesting === undefined) {
    call.nesting = new JsonNesting();
    call.nesting.add(call.inputText);
  }
  return call.nesting.isOpen || parseToolInput(call.inputText).kind === "incomplete";
}

function idOf(id: string | number | null | undefined): string | undefined {
  return id === undefined || id === null || id === "" ? undefined : String(id).toWellFormed();
}

function ownId(
  call: OpenCall,
  ids: Map<string, string> | undefined,
  { source, history }: { source: MessageSource; history: CallsInHistory },
): string {
  const { toolCallId } = call;
  if (toolCallId === undefined) return source.generateId("call");
  const own = history.hasCallId(toolCallId) ? source.generateId("call") : toolCallId;
  ids?.set(toolCallId, own);
  return own;
}

function toToolCall(
  call: OpenCall,
  { input, truncated, toolCallId }: { input: ParsedToolInput; truncated: boolean; toolCallId: string },
): ToolCall {
  const toolName = legalToolName(call.toolName);
  const legal = toolName === call.toolName;
  const base = { toolCallId, toolName, input: input.kind === "ok" ? input.input : Object.freeze({}) };
  if (truncated) return { ...base, problem: { errorType: "truncated", text: modelTexts.cutOff(toolName) } };
  if (input.kind === "invalid") {
    const reason = `${input.reason}. Received: ${rawOf(call)}`;
    return { ...base, problem: { errorType: "invalid-json", text: modelTexts.invalidJson(toolName, reason) } };
  }
  return legal ? base : { ...base, unknownName: call.toolName };
}

function rawOf(call: OpenCall): string {
  return modelTexts.raw(
    typeof call.input === "string" || call.input === undefined ? (call.input ?? call.inputText) : JSON.stringify(call.input),
  );
}

function toPart(call: ToolCall, slot: OpenCall): ToolCallPart {
  const { toolCallId, toolName, input } = call;
  if (!slot.providerExecuted && slot.metadata === undefined) return Object.freeze({ type: "tool-call", toolCallId, toolName, input });
  return Object.freeze({
    type: "tool-call",
    toolCallId,
    toolName,
    input,
    ...(slot.providerExecuted ? { providerExecuted: true } : undefined),
    ...(slot.metadata === undefined ? undefined : { metadata: frozenJson(slot.metadata) }),
  });
}

function pushBlock(content: MessagePart[], block: Block): void {
  const { kind, redacted, metadata } = block;
  if (kind === "text" && block.text.trim() === "") return;
  if (kind === "reasoning" && block.text === "" && metadata === undefined) return;
  const text = block.text.toWellFormed();
  if (metadata === undefined && !redacted) content.push(Object.freeze({ type: kind, text }));
  else
    content.push(
      Object.freeze({
        type: kind,
        text,
        ...(redacted ? { redacted } : undefined),
        ...(metadata === undefined ? undefined : { metadata: frozenJson(metadata) }),
      }),
    );
}

function mediaPart({ data, mediaType, metadata }: Extract<AgentModelEvent, { type: "media" }>): MediaPart {
  const wellFormed = { data: data.toWellFormed(), mediaType: mediaType.toWellFormed() };
  return Object.freeze({ type: "media", ...wellFormed, ...(metadata === undefined ? undefined : { metadata: frozenJson(metadata) }) });
}

function providerResult(event: Extract<AgentModelEvent, { type: "tool-result" }>): ToolResultPart {
  const { toolCallId, toolName, isError, metadata } = event;
  return Object.freeze({
    type: "tool-result",
    toolCallId: toolCallId.toWellFormed(),
    toolName: legalToolName(toolName),
    output: toJsonValue(event.output),
    ...(isError === true ? { isError } : undefined),
    ...(metadata === undefined ? undefined : { metadata: frozenJson(metadata) }),
  });
}

/** Providers want a result under the name of its call. */
function withToolName(part: ToolResultPart, toolName: string): ToolResultPart {
  return part.toolName === toolName ? part : Object.freeze({ ...part, toolName });
}

/** A provider's result belongs to its call also when the call's id had to be replaced. */
function underOwnId(part: MessagePart, ids: ReadonlyMap<string, string> | undefined): MessagePart {
  if (part.type !== "tool-result") return part;
  const toolCallId = ids?.get(part.toolCallId) ?? part.toolCallId;
  return toolCallId === part.toolCallId ? part : Object.freeze({ ...part, toolCallId });
}

function frozenJson(metadata: Record<string, JsonValue>): JsonObject {
  const copy = toJsonValue(metadata);
  return isObject(copy) ? (copy as JsonObject) : {};
}

const USAGE_FIELDS = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens", "totalCost"] as const;

function replaceUsage(usage: ModelUsage, event: ModelUsage): ModelUsage {
  const replaced: { -readonly [Field in keyof ModelUsage]: ModelUsage[Field] } = { ...usage };
  for (const field of USAGE_FIELDS) {
    const value = event[field];
    if (isCount(value)) replaced[field] = value;
  }
  return replaced;
}
