import type { AgentMessage, MessagePart } from "../base/message.js";

const TOOL_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/**
 * What is wrong with a history, in words; nothing, when every provider would accept it. Written against the law, not against the code that keeps it.
 * @param open - Calls of the last assistant message that have no result yet.
 */
export function historyProblems(messages: readonly AgentMessage[], open: readonly string[] = []): string[] {
  const problems: string[] = [];
  const seen = { messages: new Set<string>(), calls: new Set<string>(), providerCalls: new Map<string, string>() };
  let expected: { toolCallId: string; toolName: string }[] = [];
  for (const [index, message] of messages.entries()) {
    const at = `message ${index} (${message.role})`;
    if (seen.messages.has(message.id)) problems.push(`${at}: a second message with the id ${message.id}`);
    seen.messages.add(message.id);
    problems.push(...jsonProblems(message).map((problem) => `${at}: ${problem}`));
    if (message.content.length === 0) problems.push(`${at}: is empty`);
    if (message.role === "assistant" && message.content.every(({ type }) => type === "reasoning")) problems.push(`${at}: only reasoning`);
    const asked = expected;
    if (message.role !== "tool") {
      problems.push(...asked.map(({ toolCallId }) => `${at}: comes before the result of ${toolCallId}`));
      expected = [];
    }
    for (const part of message.content) {
      problems.push(...partProblems(part).map((problem) => `${at}: ${problem}`));
      if (part.type === "tool-call") {
        if (message.role !== "assistant") problems.push(`${at}: holds a call`);
        if (seen.calls.has(part.toolCallId)) problems.push(`${at}: a second call ${part.toolCallId}`);
        seen.calls.add(part.toolCallId);
        if (part.providerExecuted === true) seen.providerCalls.set(part.toolCallId, part.toolName);
        else if (!(open.includes(part.toolCallId) && isLastAssistant(messages, index))) expected.push(part);
      } else if (part.type === "tool-result" && message.role === "assistant") {
        const toolName = seen.providerCalls.get(part.toolCallId);
        if (toolName === undefined) problems.push(`${at}: result of ${part.toolCallId}, which the provider did not run`);
        else if (toolName !== part.toolName) problems.push(`${at}: result of ${part.toolName} for a call of ${toolName}`);
      } else if (part.type === "tool-result") {
        const next = message.role === "tool" ? expected.shift() : undefined;
        if (next?.toolCallId !== part.toolCallId) problems.push(`${at}: result of ${part.toolCallId} where ${next?.toolCallId} is next`);
        else if (next.toolName !== part.toolName) problems.push(`${at}: result of ${part.toolName} for a call of ${next.toolName}`);
      } else if (message.role === "tool") problems.push(`${at}: holds ${part.type}`);
      else if (part.type === "reasoning" && message.role !== "assistant") problems.push(`${at}: holds reasoning`);
    }
  }
  problems.push(...expected.map(({ toolCallId }) => `end: no result of ${toolCallId}`));
  return problems;
}

function isLastAssistant(messages: readonly AgentMessage[], index: number): boolean {
  return messages.findLastIndex(({ role }) => role === "assistant") === index;
}

function partProblems(part: MessagePart): string[] {
  const problems: string[] = [];
  if (part.type === "text" && part.text.trim() === "") problems.push("an empty text");
  if (part.type === "tool-call" || part.type === "tool-result") {
    if (!TOOL_NAME.test(part.toolName)) problems.push(`the tool name ${JSON.stringify(part.toolName)}`);
    if (part.toolCallId === "") problems.push("an empty call id");
  }
  if (part.type === "tool-call" && (typeof part.input !== "object" || part.input === null || Array.isArray(part.input))) {
    problems.push(`an input that is no object: ${JSON.stringify(part.input)}`);
  }
  if (part.type === "tool-result") {
    if (part.output === undefined) problems.push("a result without output");
    const { content = [] } = part;
    if (!Array.isArray(content)) problems.push("content that is no list");
    else problems.push(...content.flatMap((inner: MessagePart) => partProblems(inner)));
  }
  return problems;
}

/** What makes a value something else than plain JSON with well-formed text. */
export function jsonProblems(value: unknown, path = ""): string[] {
  switch (typeof value) {
    case "string":
      return value.isWellFormed() ? [] : [`half a surrogate pair at ${path}`];
    case "number":
      return Number.isFinite(value) ? [] : [`${value} at ${path}`];
    case "boolean":
      return [];
    case "object": {
      if (value === null) return [];
      if (Array.isArray(value)) return Array.from(value, (item, index) => jsonProblems(item, `${path}[${index}]`)).flat();
      return Object.entries(value).flatMap(([key, item]) => [
        ...jsonProblems(key, `key of ${path}`),
        ...jsonProblems(item, `${path}.${key}`),
      ]);
    }
    default:
      return [`a value of type ${typeof value} at ${path}`];
  }
}
