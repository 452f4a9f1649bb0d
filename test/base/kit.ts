import {
  type AgentEvent,
  type AgentMessage,
  type AgentMessageInput,
  type AgentModelEvent,
  type AgentOptions,
  type AgentTool,
  createAgent,
  createTool,
  type ToolResultPart,
} from "triact";
import { type RecordedRequest, ScriptedModel, type ScriptedTurn } from "triact/testing";
import { z } from "zod";

/** Adds two numbers. */
export const add = createTool({
  name: "add",
  description: "Adds two numbers.",
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
});

/** Ends the run with an answer. */
export const done = createTool({
  name: "done",
  description: "Hands the answer in.",
  inputSchema: z.object({ answer: z.string() }),
  lifecycle: { completesRun: true },
  execute: ({ answer }) => ({ answer }),
});

/** A tool without parameters. */
export function tool(name: string, execute: AgentTool["execute"], more: { timeoutMs?: number; completesRun?: boolean } = {}): AgentTool {
  const { timeoutMs, completesRun } = more;
  return createTool({
    name,
    description: `Does ${name}.`,
    inputSchema: { type: "object" },
    ...(timeoutMs === undefined ? undefined : { timeoutMs }),
    ...(completesRun === undefined ? undefined : { lifecycle: { completesRun } }),
    execute,
  }) as AgentTool;
}

/** Ids that count up, and a clock that stands still. */
export function seams() {
  const counts = new Map<string, number>();
  return {
    agentId: "agent_1",
    now: () => 1_000,
    generateId: (prefix: string) => {
      const count = (counts.get(prefix) ?? 0) + 1;
      counts.set(prefix, count);
      return `${prefix}_${count}`;
    },
  };
}

/** An agent with a scripted model, the tools `add` and `done`, and a record of its events. */
export function build(turns: readonly ScriptedTurn[], { seed, ...options }: AgentOptions & { seed?: number } = {}) {
  const model = new ScriptedModel(turns, seed === undefined ? {} : { seed });
  const agent = createAgent({ model, tools: [add, done] as AgentTool[], ...seams(), ...options });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => events.push(event));
  return { model, agent, events };
}

/** Types of events, in order. */
export function typesOf(events: readonly AgentEvent[]): string[] {
  return events.map(({ type }) => type);
}

/** The tool results in a list of messages, in order. */
export function resultsIn(messages: readonly AgentMessage[] = []): ToolResultPart[] {
  return messages.flatMap(({ content }) => content.filter((part) => part.type === "tool-result"));
}

/** Role and content of messages, without ids, times and what else may vary. */
export function outline(messages: readonly AgentMessage[] = []): { role: string; content: unknown }[] {
  return messages.map(({ role, content }) => ({ role, content }));
}

/** An error result as it stands in the history. */
export function errorResult(toolCallId: string, toolName: string, error: string): ToolResultPart {
  return { type: "tool-result", toolCallId, toolName, output: { error }, isError: true };
}

/** A text part. */
export function text(value: string): { type: "text"; text: string } {
  return { type: "text", text: value };
}

/** The messages that a request has beyond the first ones. */
export function after(request: RecordedRequest | undefined, count: number): { role: string; content: unknown }[] {
  return outline(request?.messages).slice(count);
}

/** An assistant message with calls, as a caller writes it. */
export function asking(...calls: readonly (readonly [toolCallId: string, toolName: string])[]): AgentMessageInput {
  return {
    role: "assistant",
    content: calls.map(([toolCallId, toolName]) => ({ type: "tool-call", toolCallId, toolName, input: {} })),
  };
}

/** A tool message with one result, as a caller writes it. */
export function answering(toolCallId: string, toolName: string, output: string): AgentMessageInput {
  return { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output }] };
}

/** A promise and its two ends. */
export function deferred<T = void>() {
  return Promise.withResolvers<T>();
}

/** A tool-call delta with whole arguments. */
export function callDelta(index: number, toolCallId: string, toolName: string, inputText = "{}"): AgentModelEvent {
  return { type: "tool-call-delta", index, toolCallId, toolName, inputText };
}

/** Lets everything run that waits for nothing but promises. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 200; turn++) await Promise.resolve();
}
