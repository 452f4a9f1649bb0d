import { AgentConfigError, type AgentEvent, type AgentTool, createAgent } from "triact";
import { callTool, callTools, lastToolResults, ScriptedModel, say } from "triact/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { build, tool } from "../base/kit.js";

/** An agent that answers with what it is asked, in capitals. */
function shouter(more: { usage?: number } = {}) {
  const model = new ScriptedModel(({ messages }) => {
    const [part] = messages.at(-1)?.content ?? [];
    return say(part?.type === "text" ? part.text.toUpperCase() : "?", { usage: { inputTokens: more.usage ?? 1, outputTokens: 0 } });
  });
  return { model, agent: createAgent({ model, agentId: "shouter", agentRole: "voice" }) };
}

const shout = { name: "shout", description: "Says it loud." };

describe("an agent as a tool", () => {
  test("runs on a new conversation each time, and answers with its text", async () => {
    const { agent: inner, model } = shouter();
    const { agent } = build([callTools([1, 2].map((n) => ({ toolName: "shout", input: { task: `hi ${n}` } }))), say("done")], {
      tools: [inner.asTool(shout)] as AgentTool[],
      toolExecution: "parallel",
    });
    const result = await agent.run("Go");
    expect(lastToolResults(result).length).toBe(0);
    expect(result.messages.flatMap(({ content }) => content.flatMap((part) => (part.type === "tool-result" ? [part.output] : [])))).toEqual(
      ["HI 1", "HI 2"],
    );
    expect(model.requests.map(({ messages }) => messages.length)).toEqual([1, 1]);
    expect(inner.snapshot().messages).toEqual([]);
  });

  test("nests its events, rolls its usage up, and its own subscribers hear it too", async () => {
    const { agent: inner } = shouter({ usage: 11 });
    const heard: AgentEvent[] = [];
    inner.subscribe((event) => heard.push(event));
    const { agent, events } = build([callTool("shout", { task: "hi" }, { usage: { inputTokens: 3 } }), say("done")], {
      tools: [inner.asTool(shout)] as AgentTool[],
    });
    const result = await agent.run("Go");
    expect(result.usage.inputTokens).toBe(14);
    const within = events.flatMap((event) => (event.type === "nested-event" ? [event] : []));
    expect(within[0]).toMatchObject({ agentId: "shouter", agentRole: "voice", parentToolCallId: "call_1", event: { type: "run-started" } });
    expect(within[0]?.event.snapshot).toMatchObject({ agentId: "shouter", parentAgentId: "agent_1" });
    expect(heard).toHaveLength(within.length);
    const order = events.map(({ type }) => type);
    expect(order.indexOf("tool-started")).toBeLessThan(order.indexOf("nested-event"));
    expect(order.lastIndexOf("nested-event")).toBeLessThan(order.indexOf("tool-finished"));
  });

  test("checks its input, and makes the question of it", async () => {
    const { agent: inner, model } = shouter();
    const schema = z.object({ what: z.string(), times: z.number().default(2) });
    const asking = inner.asTool({ ...shout, inputSchema: schema, toInput: ({ what, times }) => what.repeat(times) });
    const { agent } = build([callTool("shout", { what: 1 }), callTool("shout", { what: "ho" }), say("done")], {
      tools: [asking] as AgentTool[],
    });
    const result = await agent.run("Go");
    expect(
      result.messages.flatMap(({ content }) => content.filter((part) => part.type === "tool-result").map(({ isError }) => isError)),
    ).toEqual([true, undefined]);
    expect(model.requests).toHaveLength(1);
    const plain = inner.asTool({ ...shout, inputSchema: schema });
    const { agent: other } = build([callTool("shout", { what: "a" }), say("done")], { tools: [plain] as AgentTool[] });
    await other.run("Go");
    expect(model.requests.at(-1)?.messages.at(-1)?.content).toEqual([{ type: "text", text: '{"what":"a","times":2}' }]);
  });

  test("gives its typed output, and keeps its own completion policy", async () => {
    const inner = createAgent({
      model: new ScriptedModel([callTool("final_answer", { n: 1 }, {})]),
      output: z.object({ n: z.number() }),
      tools: [tool("t", () => 1)],
    });
    const { agent } = build([callTool("count", { task: "x" }), say("done")], {
      tools: [inner.asTool({ name: "count", description: "Counts." })] as AgentTool[],
    });
    const result = await agent.run("Go");
    expect(result.messages[2]?.content[0]).toMatchObject({ output: { n: 1 } });
  });

  test("begins with the messages that the agent was made with", async () => {
    const model = new ScriptedModel([say("yes")]);
    const inner = createAgent({ model, initialMessages: [{ role: "user", content: "You know Oslo." }] });
    const { agent } = build([callTool("ask", { task: "Do you?" }), say("done")], {
      tools: [inner.asTool({ name: "ask", description: "Asks." })] as AgentTool[],
    });
    await agent.run("Go");
    expect(model.requests[0]?.messages.map(({ content }) => content[0])).toEqual([
      { type: "text", text: "You know Oslo." },
      { type: "text", text: "Do you?" },
    ]);
  });

  test("says why it did not finish; the caller's run goes on", async () => {
    const inner = createAgent({ model: new ScriptedModel([{ finishReason: "refusal", error: "no" }]) });
    const { agent } = build([callTool("ask", { task: "x" }), say("done")], {
      tools: [inner.asTool({ name: "ask", description: "Asks." })] as AgentTool[],
    });
    const result = await agent.run("Go");
    expect(result).toMatchObject({ status: "completed", outputText: "done" });
    expect(result.messages[2]?.content[0]).toMatchObject({
      isError: true,
      output: { error: expect.stringContaining("ask did not finish (refusal)") },
    });
  });

  test("ends with the caller's run, and inside its limits", async () => {
    const inner = createAgent({ model: new ScriptedModel([{ hangs: true }]) });
    const { agent } = build([callTool("ask", { task: "x" })], {
      tools: [inner.asTool({ name: "ask", description: "Asks." })] as AgentTool[],
    });
    const running = agent.run("Go");
    setImmediate(() => agent.abort("enough"));
    expect(await running).toMatchObject({ status: "aborted" });

    const { agent: costly, model } = shouter({ usage: 100 });
    const limited = build([callTool("shout", { task: "a" }), callTool("shout", { task: "b" }), say("done")], {
      tools: [costly.asTool(shout)] as AgentTool[],
      limits: { maxTokens: 50 },
    });
    expect(await limited.agent.run("Go")).toMatchObject({ status: "failed", endedBy: "token-limit" });
    expect(model.requests).toHaveLength(1);
  });

  test("does not go deeper than it may", async () => {
    let depth = 0;
    const model = new ScriptedModel(({ messages }) => {
      const answered = messages.some(({ role }) => role === "tool");
      if (answered)
        return say(`back ${String(messages.at(-1)?.content[0]?.type === "tool-result" && JSON.stringify(messages.at(-1)?.content[0]))}`);
      depth += 1;
      return callTool("self", { task: "again" });
    });
    const holder: AgentTool[] = [];
    const proxy = tool("self", (input, context) => holder[0]?.execute(input, context));
    const agent = createAgent({ model, tools: [proxy] });
    holder.push(agent.asTool({ name: "self", description: "Itself.", maxDepth: 2 }));
    const result = await agent.run("Go");
    expect(depth).toBe(3);
    expect(result.outputText).toContain("no more than 2 runs deep");
  });

  test("works outside of any run", async () => {
    const { agent: inner } = shouter();
    const asking = inner.asTool(shout);
    const context = {
      agentId: "a",
      runId: "r",
      iteration: 1,
      toolCallId: "c",
      signal: new AbortController().signal,
      toolContext: undefined,
    };
    expect(await asking.execute({ task: "hi" }, { ...context, emitUpdate: () => undefined })).toBe("HI");
  });

  test("refuses options that mean nothing", () => {
    const { agent } = shouter();
    expect(() => agent.asTool({ ...shout, maxDepth: 0 })).toThrow(AgentConfigError);
    expect(() => agent.asTool({ ...shout, name: "no spaces" })).toThrow(/name/);
  });
});
