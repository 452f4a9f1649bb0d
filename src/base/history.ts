import { AgentInputError } from "./errors.js";
import type { ToolCallResult } from "./hooks.js";
import { isObject, type JsonObject, toJsonValue } from "./json.js";
import {
  type AgentMessage,
  type AgentMessageInput,
  clientToolCalls,
  type MessagePart,
  type ToolCallPart,
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
  const id = typeof input.id === "string" && input.id !== "" ? input.id : source.generateId("msg");
  const createdAt = typeof input.createdAt === "number" ? input.createdAt : source.now();
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

function toPart(part: unknown, label: string): MessagePart {
  if (!isObject(part) || typeof part["type"] !== "string" || !Object.hasOwn(REQUIRED_TEXT, part["type"])) {
    throw wrong(label, `type must be one of ${Object.keys(REQUIRED_TEXT).join(", ")}`);
  }
  const type = part["type"] as MessagePart["type"];
  for (const field of REQUIRED_TEXT[type]) {
    if (typeof part[field] !== "string") throw wrong(label, `${field} of a ${type} part must be text`);
  }
  if (type === "tool-call" && !isObject(part["input"])) throw wrong(label, "input of a tool-call part must be an object");
  if (type === "tool-result") return toJson({ ...part, output: part["output"] ?? null }, label) as unknown as MessagePart;
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

/**
 * Makes a list of messages a history that every provider accepts.
 *
 * Each call of an assistant message gets exactly one result directly after it, in call order: the first one that is there, else an error that says
 * the run was interrupted. Results without a call, empty parts and empty messages go; ids that occur twice are replaced. Messages that need no
 * change are kept as they are.
 * @param taken - Call ids that stand in the history already; ids found here are added.
 */
export function repairHistory(source: MessageSource, messages: readonly AgentMessage[], taken: Set<string> = new Set()): AgentMessage[] {
  const repaired: AgentMessage[] = [];
  for (let index = 0; index < messages.length; index++) {
    const message = withoutEmptyParts(messages[index] as AgentMessage);
    if (message === undefined || message.role === "tool") continue; // results follow their call
    const calls = clientToolCalls(message);
    if (calls.length === 0) {
      repaired.push(withoutStrayParts(message));
      continue;
    }
    repaired.push(...withResults(source, message, { calls, results: resultsAfter(messages, index, calls), taken }));
  }
  return repaired.filter((message) => message.content.length > 0);
}

/** The results between an assistant message and the next one that reuses an id of it. The first result of an id counts. */
function resultsAfter(messages: readonly AgentMessage[], index: number, calls: readonly ToolCallPart[]): Map<string, AgentMessage> {
  const open = new Set(calls.map((call) => call.toolCallId));
  const results = new Map<string, AgentMessage>();
  for (let next = index + 1; next < messages.length && open.size > 0; next++) {
    const message = messages[next] as AgentMessage;
    for (const call of clientToolCalls(message)) open.delete(call.toolCallId);
    if (message.role !== "tool") continue;
    for (const part of message.content) {
      if (part.type !== "tool-result" || !open.delete(part.toolCallId)) continue;
      results.set(part.toolCallId, message.content.length === 1 ? message : Object.freeze({ ...message, content: Object.freeze([part]) }));
    }
  }
  return results;
}

function withResults(
  source: MessageSource,
  message: AgentMessage,
  { calls, results, taken }: { calls: readonly ToolCallPart[]; results: Map<string, AgentMessage>; taken: Set<string> },
): AgentMessage[] {
  const renamed = new Map<ToolCallPart, ToolCallPart | undefined>();
  const answers: AgentMessage[] = [];
  const here = new Set<string>();
  const ids = new Set<string>();
  for (const call of calls) {
    if (here.has(call.toolCallId)) {
      renamed.set(call, undefined); // the same call twice in one message is one call
      continue;
    }
    here.add(call.toolCallId);
    const toolCallId = taken.has(call.toolCallId) ? source.generateId("call") : call.toolCallId;
    taken.add(toolCallId);
    const own = toolCallId === call.toolCallId ? call : Object.freeze({ ...call, toolCallId });
    if (own !== call) renamed.set(call, own);
    const answer = results.get(call.toolCallId);
    answers.push(
      answer === undefined ? errorMessage(source, own, modelTexts.interrupted(own.toolName)) : withCallId(source, answer, own, ids),
    );
  }
  const content = message.content.flatMap((part) => {
    if (part.type !== "tool-call" || !renamed.has(part)) return [part];
    const own = renamed.get(part);
    return own === undefined ? [] : [own];
  });
  return [
    renamed.size === 0 ? withoutStrayParts(message) : withoutStrayParts(Object.freeze({ ...message, content: Object.freeze(content) })),
    ...answers,
  ];
}

/** The answer under the call's own id. Answers that came in one message are told apart by a new message id. */
function withCallId(source: MessageSource, answer: AgentMessage, call: ToolCallPart, ids: Set<string>): AgentMessage {
  const [part] = answer.content;
  const id = ids.has(answer.id) ? source.generateId("msg") : answer.id;
  ids.add(id);
  if (part?.type !== "tool-result" || (part.toolCallId === call.toolCallId && id === answer.id)) return answer;
  return Object.freeze({ ...answer, id, content: Object.freeze([Object.freeze({ ...part, toolCallId: call.toolCallId })]) });
}

/** Without calls and results in a place where nobody answers them. */
function withoutStrayParts(message: AgentMessage): AgentMessage {
  if (message.role === "assistant") return message; // provider-executed calls and results stay where they are
  const content = message.content.filter((part) => part.type !== "tool-call" && part.type !== "tool-result");
  return content.length === message.content.length ? message : Object.freeze({ ...message, content: Object.freeze(content) });
}

/** Without empty text. Undefined when nothing is left, or only reasoning that leads to nothing. */
function withoutEmptyParts(message: AgentMessage): AgentMessage | undefined {
  const keep = message.content.filter((part) => part.type !== "text" || part.text.trim() !== "");
  if (keep.every((part) => part.type === "reasoning")) return undefined;
  return keep.length === message.content.length ? message : Object.freeze({ ...message, content: Object.freeze(keep) });
}
