import { type AgentEvent, type AgentOptions, type AgentRunResult, createAgent, createTool } from "triact";
import { callTools, ScriptedModel, say } from "triact/testing";
import { z } from "zod";

/** What can be seen of a run. */
export interface Observed {
  readonly result: AgentRunResult;
  readonly requests: unknown;
  readonly executed: readonly unknown[];
  readonly logged: readonly unknown[];
}

/** Runs a script of two tool turns with ids that count up, and keeps everything that can be seen. */
export async function observe(
  options: Partial<AgentOptions> & { readonly subscribe?: ((event: AgentEvent) => void)[] } = {},
): Promise<Observed> {
  const { subscribe = [], ...more } = options;
  const executed: unknown[] = [];
  const logged: unknown[] = [];
  const tool = createTool({
    name: "act",
    description: "Acts.",
    inputSchema: z.object({ n: z.number(), list: z.array(z.unknown()).optional() }),
    execute: (input) => {
      executed.push(structuredClone(input));
      return { n: input.n, list: [1, { deep: true }] };
    },
  });
  const calls = [1, 2, 3].map((n) => ({ toolName: "act", input: { n, list: [{ a: 1 }] } }));
  const model = new ScriptedModel([
    callTools(calls, { text: "Acting.", reasoning: "Hm.", usage: { inputTokens: 7, outputTokens: 2 } }),
    callTools(calls.slice(1), { usage: { inputTokens: 9 } }),
    say("Done."),
  ]);
  let ids = 0;
  const agent = createAgent({
    model,
    tools: [tool],
    agentId: "agent",
    now: () => 1_000,
    generateId: (prefix) => `${prefix}_${ids++}`,
    modelOptions: { temperature: 1, providerOptions: { deep: { list: [1] } } },
    initialMessages: [
      { role: "user", content: "Hello." },
      { role: "assistant", content: "Hello!" },
    ],
    logger: { error: (...values) => logged.push(values), warn: () => undefined },
    ...more,
  });
  for (const subscriber of subscribe) agent.subscribe(subscriber);
  const result = await agent.run({ role: "user", content: [{ type: "text", text: "Go." }] });
  const { requests } = model;
  return { result, requests: JSON.parse(JSON.stringify(requests)), executed, logged };
}

/** What the model, the tools and the caller get to see. */
export const visible = ({ result, requests, executed }: Observed) => JSON.parse(JSON.stringify({ result, requests, executed })) as unknown;
