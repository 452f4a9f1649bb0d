import { AgentInputError } from "./errors.js";
import type { ToolCallResult } from "./hooks.js";
import { isObject, type JsonObject, toJsonValue } from "./json.js";
import {
  type AgentMessage,
  type AgentMessageInput,
  clientToolCalls,
  legalToolName,
  type MessagePart,
  type ToolCallPart,
  type ToolResultContentPart,
  type ToolResultPart,
} from "./message.js";
import { modelTexts } from "./model-texts.js";

/** Where ids and times come from. */
export interface MessageSource {
  /** A new unique id that begins with the prefix and `_`. */
  generateId(prefix: IdPrefix): string;
  /** Milliseconds since 1970. */
  now(): number;
}

/** First part of an id: message, run, agent, tool call. */
export type IdPrefix = "msg" | "run" | "agent" | "call";

/** A frozen user message. */
export function userMessage(source: MessageSource, text: string, metadata?: JsonObject): AgentMessage {
  const content = Object.freeze([Object.freeze({ type: "text", text: text.toWellFormed() } as const)]);
  const id = source.generateId("msg");
  const createdAt = source.now();
  return Object.freeze({ id, role: "user", content, createdAt, ...(metadata === undefined ? undefined : { metadata }) });
}

/** Marks a message as written by the framework, so that user interfaces can leave it out. */
export const SYSTEM_DISPLAY: JsonObject = Object.freeze({ displayRole: "system" });

/**
 * Copies what a caller gave into frozen messages with ids and times.
 * @throws AgentInputError naming the message and what is wrong with it.
 */
export function toMessages(
  source: MessageSource,
  input: string | AgentMessageInput | readonly AgentMessageInput[] | undefined,
): AgentMessage[] {
  if (input === undefined) return [];
  if (typeof input === "string") {
    if (input.trim() === "") throw new AgentInputError({ problem: "The input is empty text. Give the model something to answer." });
    return [userMessage(source, input)];
  }
  const list: readonly AgentMessageInput[] = Array.isArray(input) ? input : [input];
  return list.map((message, index) => toMessage(source, message, `message ${index}`));
}

const ROLES = new Set(["user", "assistant", "tool"]);

function toMessage(source: MessageSource, input: AgentMessageInput, label: string): AgentMessage {
  if (!isObject(input)) throw wrong(label, "expected an object with role and content");
  if (!ROLES.has(input.role)) throw wrong(label, `role must be "user", "assistant" or "tool", received ${JSON.stringify(input.role)}`);
  const parts = typeof input.content === "string" ? [{ type: "text", text: input.content }] : input.content;
  if (!Array.isArray(parts)) throw wrong(label, "content must be text or a list of parts");
  const content = Object.freeze(parts.map((part, index) => toPart(part, `${label}, part ${index}`)));
  const copy = toJson({ metadata: input.metadata, modelInfo: input.modelInfo, metrics: input.metrics }, label) as Partial<AgentMessage>;
  const id = typeof input.id === "string" && input.id !== "" ? input.id.toWellFormed() : source.generateId("msg");
  const createdAt = typeof input.createdAt === "number" && Number.isFinite(input.createdAt) ? input.createdAt : source.now();
  return Object.freeze({ id, role: input.role, content, createdAt, ...copy });
}

const REQUIRED_TEXT: Record<MessagePart["type"], readonly string[]> = {
  text: ["text"],
  reasoning: ["text"],
  image: ["data"],
  file: ["data", "mediaType"],
  media: ["data", "mediaType"],
  "tool-call": ["toolCallId", "toolName"],
  "tool-result": ["toolCallId", "toolName"],
};

const CONTENT_TYPES = new Set(["text", "image", "file", "media"]);

/**
 * What a tool result carries besides its output, copied. Blank text, which providers refuse, is left out.
 * @throws AgentInputError for what is no part, or no part that a result may carry.
 */
export function toContentParts(content: unknown, label = "content"): readonly ToolResultContentPart[] {
  if (!Array.isArray(content)) throw wrong(label, "expected a list of parts");
  const parts = content.map((given: unknown, index) => {
    const part = toPart(given, `${label}, part ${index}`);
    if (!CONTENT_TYPES.has(part.type)) throw wrong(`${label}, part ${index}`, `type must be one of ${[...CONTENT_TYPES].join(", ")}`);
    return part as ToolResultContentPart;
  });
  return Object.freeze(parts.filter((part) => part.type !== "text" || part.text.trim() !== ""));
}

function toPart(part: unknown, label: string): MessagePart {
  if (!isObject(part) || typeof part["type"] !== "string" || !Object.hasOwn(REQUIRED_TEXT, part["type"])) {
    throw wrong(label, `type must be one of ${Object.keys(REQUIRED_TEXT).join(", ")}`);
  }
  const type = part["type"] as MessagePart["type"];
  for (const field of REQUIRED_TEXT[type]) {
    if (typeof part[field] !== "string") throw wrong(label, `${field} of a ${type} part must be text`);
  }
  if (type === "tool-call" && !isObject(part["input"])) throw wrong(label, "input of a tool-call part must be an object");
  if (type === "tool-result") {
    const { content: given, ...rest } = part;
    const content = given === undefined || given === null ? [] : toContentParts(given, `${label}, content`);
    const copy = { ...rest, output: part["output"] ?? null, ...(content.length === 0 ? undefined : { content }) };
    return toJson(copy, label) as unknown as MessagePart;
  }
  return toJson(part, label) as unknown as MessagePart;
}

function toJson(value: unknown, label: string): JsonObject {
  try {
    return toJsonValue(value) as JsonObject;
  } catch (error) {
    throw wrong(label, error instanceof Error ? error.message : "it is not JSON");
  }
}

function wrong(label: string, problem: string): AgentInputError {
  return new AgentInputError({ problem: `${label}: ${problem}.` });
}

/** A tool message with one result. */
export function toolMessage(source: MessageSource, part: ToolResultPart): AgentMessage {
  return Object.freeze({ id: source.generateId("msg"), role: "tool", content: Object.freeze([part]), createdAt: source.now() });
}

/** A call's result as a part of a tool message. */
export function toMessagePart(call: { toolCallId: string; toolName: string }, result: ToolCallResult): ToolResultPart {
  const { toolCallId, toolName } = call;
  return Object.freeze({ type: "tool-result", toolCallId, toolName, ...result });
}

/** An error result for a call, as a tool message. */
export function errorMessage(source: MessageSource, call: { toolCallId: string; toolName: string }, error: string): AgentMessage {
  const { toolCallId, toolName } = call;
  const output = Object.freeze({ error });
  return toolMessage(source, Object.freeze({ type: "tool-result", toolCallId, toolName, output, isError: true }));
}

/** Ids that stand in a history already. Those found while repairing are added. */
export interface TakenIds {
  readonly calls: Set<string>;
  readonly messages: Set<string>;
}

/** What {@link repairHistory} takes into account. */
export interface RepairOptions {
  /** Ids that stand in the history already; those found are added. @default none */
  readonly taken?: TakenIds;
  /** True when the last message is a reply that the provider paused: its own calls may still be answered. @default false */
  readonly paused?: boolean;
}

/**
 * Makes a list of messages a history that every provider accepts.
 *
 * Each call of an assistant message gets exactly one result directly after it, in call order: the first one that is there, else an error that says
 * the run was interrupted. Results without a call, empty parts and empty messages go; ids that occur twice and illegal tool names are replaced.
 * Messages that need no change are kept as they are.
 */
export function repairHistory(
  source: MessageSource,
  messages: readonly AgentMessage[],
  { taken = { calls: new Set(), messages: new Set() }, paused = false }: RepairOptions = {},
): AgentMessage[] {
  const repairer = new HistoryRepairer(source, taken, answeredByProviders(messages, paused));
  for (const [index, message] of messages.entries()) {
    if (message.role !== "tool") repairer.add(message, (calls) => resultsAfter(messages, index, calls)); // results follow their call
  }
  return repairer.repaired;
}

/** A result and the message it came in. */
interface FoundResult {
  readonly message: AgentMessage;
  readonly part: ToolResultPart;
}

/** The results between an assistant message and the next one that reuses an id of it. The first result of an id counts. */
function resultsAfter(messages: readonly AgentMessage[], index: number, calls: readonly ToolCallPart[]): Map<string, FoundResult> {
  const open = new Set(calls.map((call) => call.toolCallId));
  const results = new Map<string, FoundResult>();
  for (let next = index + 1; next < messages.length && open.size > 0; next++) {
    const message = messages[next] as AgentMessage;
    for (const call of clientToolCalls(message)) open.delete(call.toolCallId);
    if (message.role !== "tool") continue;
    for (const part of message.content) {
      if (part.type === "tool-result" && open.delete(part.toolCallId)) results.set(part.toolCallId, { message, part });
    }
  }
  return results;
}

/** The calls that a provider ran itself and answered, in the same reply or a later one. */
function answeredByProviders(messages: readonly AgentMessage[], paused: boolean): Set<MessagePart> {
  const answered = new Set<MessagePart>();
  const newest = new Map<string, MessagePart>();
  for (const [index, { role, content }] of messages.entries()) {
    const mayStillCome = paused && index === messages.length - 1;
    for (const part of role === "assistant" ? content : []) {
      if (part.type === "tool-call" && part.providerExecuted === true) {
        newest.set(part.toolCallId, part);
        if (mayStillCome) answered.add(part);
      }
      const call = part.type === "tool-result" ? newest.get(part.toolCallId) : undefined;
      if (call !== undefined) answered.add(call);
    }
  }
  return answered;
}

class HistoryRepairer {
  readonly repaired: AgentMessage[] = [];
  readonly #source: MessageSource;
  readonly #taken: TakenIds;
  readonly #answered: ReadonlySet<MessagePart>;
  /** Calls that providers ran, by the id they came with. */
  readonly #providerCalls = new Map<string, ToolCallPart>();

  constructor(source: MessageSource, taken: TakenIds, answered: ReadonlySet<MessagePart>) {
    this.#source = source;
    this.#taken = taken;
    this.#answered = answered;
  }

  /** Adds a message of the user or the model, and the results of its calls. */
  add(message: AgentMessage, resultsOf: (calls: readonly ToolCallPart[]) => Map<string, FoundResult>): void {
    const calls = new Map<string, ToolCallPart>();
    const content = message.content.flatMap((part) => this.#keep(part, message.role, calls) ?? []);
    if (content.every((part) => part.type === "reasoning")) return; // nothing, or reasoning that leads to nothing
    this.#push(message, content);
    if (calls.size === 0) return;
    const results = resultsOf(clientToolCalls(message));
    for (const [givenId, call] of calls) {
      const found = results.get(givenId);
      if (found === undefined) this.repaired.push(errorMessage(this.#source, call, modelTexts.interrupted(call.toolName)));
      else this.#push(found.message, [withCall(found.part, call)]);
    }
  }

  /** The part as it may stand in a message of this role, if it may. */
  #keep(part: MessagePart, role: AgentMessage["role"], calls: Map<string, ToolCallPart>): MessagePart | undefined {
    if (part.type === "text") return part.text.trim() === "" ? undefined : part;
    if (role !== "assistant")
      return part.type === "reasoning" || part.type === "tool-call" || part.type === "tool-result" ? undefined : part;
    if (part.type === "tool-result") {
      const call = this.#providerCalls.get(part.toolCallId);
      return call === undefined ? undefined : withCall(part, call);
    }
    if (part.type !== "tool-call") return part;
    if (part.providerExecuted === true && !this.#answered.has(part)) return undefined; // nobody will answer it any more
    const own = part.providerExecuted === true ? this.#providerCalls : calls;
    if (own === calls && calls.has(part.toolCallId)) return undefined; // the same call twice in one message is one call
    const call = this.#withOwnId(part);
    own.set(part.toolCallId, call);
    return call;
  }

  #withOwnId(call: ToolCallPart): ToolCallPart {
    const unusable = call.toolCallId === "" || this.#taken.calls.has(call.toolCallId);
    const toolCallId = unusable ? this.#source.generateId("call") : call.toolCallId;
    this.#taken.calls.add(toolCallId);
    return withCall(call, { toolCallId, toolName: legalToolName(call.toolName) });
  }

  #push(message: AgentMessage, content: readonly MessagePart[]): void {
    const id = this.#taken.messages.has(message.id) ? this.#source.generateId("msg") : message.id;
    this.#taken.messages.add(id);
    const same =
      id === message.id && content.length === message.content.length && content.every((part, at) => part === message.content[at]);
    this.repaired.push(same ? message : Object.freeze({ ...message, id, content: Object.freeze(content) }));
  }
}

function withCall<Part extends ToolCallPart | ToolResultPart>(part: Part, call: { toolCallId: string; toolName: string }): Part {
  const { toolCallId, toolName } = call;
  if (part.toolCallId === toolCallId && part.toolName === toolName) return part;
  const copy: Part = { ...part, toolCallId, toolName };
  return Object.freeze(copy);
}
