import { isObject, type JsonObject, type JsonValue, toJsonValue } from "../base/json.js";
import type { AgentMessage } from "../base/message.js";
import type { AgentModel, AgentModelEvent, AgentModelRequest, FinishReason, ModelErrorClass } from "../base/model.js";
import type { ModelUsage } from "../base/usage.js";

/** A call in a scripted reply. */
export interface ScriptedCall {
  readonly toolName: string;
  /** The arguments. Text is streamed as it is, so that it need not be JSON; anything else is streamed as its JSON text. */
  readonly input: unknown;
  /** @default "call_1", "call_2", … in the order in which the model is asked */
  readonly toolCallId?: string;
}

/** One reply of a scripted model: reasoning, then text, then calls. */
export interface ScriptedReply {
  readonly reasoning?: string;
  readonly text?: string;
  readonly toolCalls?: readonly ScriptedCall[];
  /** Events to stream as they are, instead of reasoning, text and calls. Without a `finish` event among them one is added. */
  readonly events?: readonly AgentModelEvent[];
  /** Reported before the end. */
  readonly usage?: ModelUsage;
  /** @default "tool-calls" with calls, else "stop" */
  readonly finishReason?: FinishReason;
  /** The provider's words with the finish reason. */
  readonly error?: string;
  readonly errorClass?: ModelErrorClass;
  /** Thrown instead of finishing. */
  readonly throws?: unknown;
  /** True: the stream neither goes on nor ends, until the run is aborted. @default false */
  readonly hangs?: boolean;
}

/** Makes a reply from the request, for example from what a tool returned. */
export type ReplyFunction = (request: RecordedRequest) => ScriptedReply | Promise<ScriptedReply>;

/** One turn of a script. */
export type ScriptedTurn = ScriptedReply | ReplyFunction;

/** A request as the model saw it. Frozen; later turns do not change it. */
export type RecordedRequest = Omit<AgentModelRequest, "signal">;

/** Options of a scripted model. */
export interface ScriptedModelOptions {
  /**
   * Cuts text, reasoning and arguments into deltas at places that depend on this number alone, also in the middle of a surrogate pair, and mixes the
   * deltas of parallel calls. Default: one delta each.
   */
  readonly seed?: number;
  /** @default "scripted" */
  readonly modelId?: string;
}

/** A reply of text alone. */
export function say(text: string, more: Omit<ScriptedReply, "text"> = {}): ScriptedReply {
  return { ...more, text };
}

/** A reply that calls one tool. */
export function callTool(
  toolName: string,
  input: unknown = {},
  more: Omit<ScriptedReply, "toolCalls"> & { toolCallId?: string } = {},
): ScriptedReply {
  const { toolCallId, ...reply } = more;
  return callTools([{ toolName, input, ...(toolCallId === undefined ? undefined : { toolCallId }) }], reply);
}

/** A reply that calls several tools. */
export function callTools(toolCalls: readonly ScriptedCall[], more: Omit<ScriptedReply, "toolCalls"> = {}): ScriptedReply {
  return { ...more, toolCalls };
}

/** A tool call with its result. */
export interface ToolCallRecord {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: JsonObject;
  readonly output: JsonValue;
  readonly isError: boolean;
  /** The text of an error result. */
  readonly error?: string;
}

/** The tool calls of a request or a result that have an answer, with it, in order. */
export function toolResults({ messages }: { readonly messages: readonly AgentMessage[] }): ToolCallRecord[] {
  const parts = messages.flatMap((message) => message.content);
  const inputs = new Map(parts.flatMap((part) => (part.type === "tool-call" ? [[part.toolCallId, part.input] as const] : [])));
  return parts.flatMap((part) => {
    if (part.type !== "tool-result") return [];
    const { toolCallId, toolName, output, isError = false } = part;
    const error = isError && isObject(output) && typeof output["error"] === "string" ? { error: output["error"] } : undefined;
    return [{ toolCallId, toolName, input: inputs.get(toolCallId) ?? {}, output, isError, ...error }];
  });
}

/** The same for the calls of the last assistant message alone: what the model has not seen before. */
export function lastToolResults({ messages }: { readonly messages: readonly AgentMessage[] }): ToolCallRecord[] {
  const from = messages.findLastIndex((message) => message.role === "assistant");
  return toolResults({ messages: messages.slice(Math.max(from, 0)) });
}

/**
 * A model that gives the replies it was made with, one a call, and remembers what it was asked.
 *
 * It never looks at the prompt by itself: a turn that depends on the request is a function. One call too many throws; {@link assertDone} finds both
 * that and turns left over.
 */
export class ScriptedModel implements AgentModel {
  readonly modelId: string;
  readonly providerId = "scripted";
  readonly #turns: readonly ScriptedTurn[] | ReplyFunction;
  readonly #seed: number | undefined;
  readonly #requests: RecordedRequest[] = [];
  #callCount = 0;

  /** @param turns - One turn for each call, or one function for all of them, however many there are. */
  constructor(turns: readonly ScriptedTurn[] | ReplyFunction, { seed, modelId = "scripted" }: ScriptedModelOptions = {}) {
    this.#turns = typeof turns === "function" ? turns : [...turns];
    this.#seed = seed;
    this.modelId = modelId;
  }

  /** The requests so far. */
  get requests(): readonly RecordedRequest[] {
    return this.#requests;
  }

  /** @throws Error when turns are left over, or when the model was asked once too often. */
  assertDone(): void {
    const asked = this.#requests.length;
    if (typeof this.#turns === "function" || asked === this.#turns.length) return;
    throw new Error(`The script has ${this.#turns.length} turns, and the model was asked ${asked} times.`);
  }

  async *stream(request: AgentModelRequest): AsyncGenerator<AgentModelEvent, void, undefined> {
    const recorded = record(request);
    const number = this.#requests.push(recorded);
    const turn = typeof this.#turns === "function" ? this.#turns : this.#turns[number - 1];
    if (turn === undefined) throw new Error(`The script has ${this.#turns.length} turns, and this is call ${number}.`);
    const reply = typeof turn === "function" ? await turn(recorded) : turn;
    for (const event of this.#events(reply, number)) {
      if (request.signal.aborted) return;
      yield event;
    }
    if (reply.hangs === true) await untilAborted(request.signal);
    else if ("throws" in reply) throw reply.throws;
    else if (reply.events?.some(({ type }) => type === "finish") !== true) yield finishOf(reply);
  }

  #events(reply: ScriptedReply, number: number): AgentModelEvent[] {
    const cut = this.#seed === undefined ? (text: string) => [text] : cutter(this.#seed + number * 7919);
    const events = reply.events === undefined ? this.#replyEvents(reply, cut) : [...reply.events];
    if (reply.usage !== undefined) events.splice(finishIndex(events), 0, { type: "usage", ...reply.usage });
    return events;
  }

  #replyEvents({ reasoning = "", text = "", toolCalls = [] }: ScriptedReply, cut: Cut): AgentModelEvent[] {
    const calls = toolCalls.map((call, index) => this.#callEvents(call, index, cut));
    return [
      ...(reasoning === "" ? [] : cut(reasoning).map((piece) => ({ type: "reasoning-delta", text: piece }) as const)),
      ...(text === "" ? [] : cut(text).map((piece) => ({ type: "text-delta", text: piece }) as const)),
      ...calls.flatMap(([first]) => (first === undefined ? [] : [first])),
      ...roundRobin(calls.map((events) => events.slice(1))),
    ];
  }

  #callEvents({ toolName, input, toolCallId }: ScriptedCall, index: number, cut: Cut): AgentModelEvent[] {
    this.#callCount += 1;
    const id = toolCallId ?? `call_${this.#callCount}`;
    const inputText = typeof input === "string" ? input : JSON.stringify(input);
    const [first = "", ...rest] = cut(inputText);
    return [
      { type: "tool-call-delta", index, toolCallId: id, toolName, inputText: first },
      ...rest.map((piece) => ({ type: "tool-call-delta", index, inputText: piece }) as const),
    ];
  }
}

type Cut = (text: string) => string[];

/** Cuts text into pieces of 1 to 8 code units. */
function cutter(seed: number): Cut {
  const random = mulberry32(seed);
  return (text) => {
    const pieces: string[] = [];
    for (let from = 0; from < text.length; ) {
      const to = from + 1 + Math.floor(random() * 8);
      pieces.push(text.slice(from, to));
      from = to;
    }
    return pieces;
  };
}

/** Numbers from 0 to 1. T. Ettinger, "Mulberry32", public domain, 2017. */
function mulberry32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function roundRobin<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list.slice(index, index + 1))).flat();
}

function finishIndex(events: readonly AgentModelEvent[]): number {
  const index = events.findIndex(({ type }) => type === "finish");
  return index === -1 ? events.length : index;
}

function finishOf({ finishReason, toolCalls = [], error, errorClass }: ScriptedReply): AgentModelEvent {
  const reason = finishReason ?? (toolCalls.length > 0 ? "tool-calls" : "stop");
  return {
    type: "finish",
    reason,
    ...(error === undefined ? undefined : { error }),
    ...(errorClass === undefined ? undefined : { errorClass }),
  };
}

function record({ systemPrompt, messages, tools, options, responseFormat, purpose }: AgentModelRequest): RecordedRequest {
  return Object.freeze({
    ...(systemPrompt === undefined ? undefined : { systemPrompt }),
    messages: Object.freeze(
      messages.map((message) => (Object.isFrozen(message) ? message : (toJsonValue(message) as unknown as AgentMessage))),
    ),
    tools: Object.freeze(tools.map(({ name, description, inputSchema }) => Object.freeze({ name, description, inputSchema }))),
    options,
    ...(responseFormat === undefined ? undefined : { responseFormat }),
    ...(purpose === undefined ? undefined : { purpose }),
  });
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
