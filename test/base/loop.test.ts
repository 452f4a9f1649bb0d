import { type AgentEvent, type AgentOptions, type AgentTool, createAgent, createTool, modelTexts } from "triact";
import { callTool, callTools, ScriptedModel, say } from "triact/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";

const add = createTool({
  name: "add",
  description: "Adds two numbers.",
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
});

const done = createTool({
  name: "done",
  description: "Hands the answer in.",
  inputSchema: z.object({ answer: z.string() }),
  lifecycle: { completesRun: true },
  execute: ({ answer }) => ({ answer }),
});

/** Ids that count up, and a clock that stands still. */
function seams() {
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

function build(turns: ConstructorParameters<typeof ScriptedModel>[0], options: Partial<AgentOptions> = {}) {
  const model = new ScriptedModel(turns);
  const agent = createAgent({ model, tools: [add, done] as AgentTool[], ...seams(), ...options });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => events.push(event));
  return { model, agent, events };
}

describe("a run with one tool call", () => {
  test("leaves a whole history and a whole result", async () => {
    const { agent, model } = build([
      callTool("add", { a: 2, b: 3 }, { text: "Adding.", usage: { inputTokens: 10, outputTokens: 4 } }),
      say("5"),
    ]);
    const result = await agent.run("2+3?");
    const modelInfo = { id: "scripted", provider: "scripted" };
    const messages = [
      { id: "msg_1", role: "user", content: [{ type: "text", text: "2+3?" }], createdAt: 1_000 },
      {
        id: "msg_2",
        role: "assistant",
        content: [
          { type: "text", text: "Adding." },
          { type: "tool-call", toolCallId: "call_1", toolName: "add", input: { a: 2, b: 3 } },
        ],
        createdAt: 1_000,
        modelInfo,
        metrics: { inputTokens: 10, outputTokens: 4 },
      },
      { id: "msg_3", role: "tool", content: [{ type: "tool-result", toolCallId: "call_1", toolName: "add", output: 5 }], createdAt: 1_000 },
      { id: "msg_4", role: "assistant", content: [{ type: "text", text: "5" }], createdAt: 1_000, modelInfo },
    ];
    expect(result).toEqual({
      agentId: "agent_1",
      runId: "run_1",
      runtime: "react",
      status: "completed",
      endedBy: "natural",
      iterations: 2,
      outputText: "5",
      messages,
      usage: { inputTokens: 10, outputTokens: 4, cacheReadTokens: 0, cacheWriteTokens: 0, totalInputTokens: 10, totalOutputTokens: 4 },
    });
    expect(model.requests[1]?.messages).toEqual(messages.slice(0, 3));
    expect(model.requests[0]?.systemPrompt).toBe("Use tools when necessary. Return concise final answers.");
    model.assertDone();
  });

  test("reports its events in order", async () => {
    const { agent, events } = build([callTool("add", { a: 2, b: 3 }, { text: "Adding.", usage: { inputTokens: 10 } }), say("5")]);
    await agent.run("2+3?");
    expect(events.map(({ type, iteration }) => `${iteration ?? "-"} ${type}`)).toEqual([
      "- run-started",
      "- message-added",
      "1 turn-started",
      "1 assistant-text-delta",
      "1 assistant-tool-call-delta",
      "1 usage-updated",
      "1 message-added",
      "1 assistant-message",
      "1 tool-started",
      "1 tool-finished",
      "1 message-added",
      "1 turn-finished",
      "2 turn-started",
      "2 assistant-text-delta",
      "2 message-added",
      "2 assistant-message",
      "2 turn-finished",
      "2 run-finished",
    ]);
  });

  test("gives each event the snapshot of its time, also when it is read after the run", async () => {
    const { agent, events } = build([callTool("add", { a: 2, b: 3 }), say("5")]);
    await agent.run("2+3?");
    const seen = events.map(({ type, snapshot }) => [type, snapshot.messages.length, snapshot.status, snapshot.pendingToolCalls.length]);
    expect(seen).toEqual([
      ["run-started", 0, "running", 0],
      ["message-added", 1, "running", 0],
      ["turn-started", 1, "running", 0],
      ["assistant-tool-call-delta", 1, "running", 0],
      ["message-added", 2, "running", 1],
      ["assistant-message", 2, "running", 1],
      ["tool-started", 2, "running", 1],
      ["tool-finished", 3, "running", 0],
      ["message-added", 3, "running", 0],
      ["turn-finished", 3, "running", 0],
      ["turn-started", 3, "running", 0],
      ["assistant-text-delta", 3, "running", 0],
      ["message-added", 4, "running", 0],
      ["assistant-message", 4, "running", 0],
      ["turn-finished", 4, "running", 0],
      ["run-finished", 4, "completed", 0],
    ]);
  });
});

describe("the three ways out", () => {
  test("a completion tool ends the run with its output", async () => {
    const { agent } = build([callTool("done", { answer: "42" })]);
    const result = await agent.run("?");
    expect(result).toMatchObject({
      status: "completed",
      endedBy: "completion-tool",
      outputText: '{"answer":"42"}',
      output: { answer: "42" },
    });
    expect(result.messages.at(-1)?.role).toBe("tool");
  });

  test("too many turns end the run as failed, with the last text", async () => {
    const { agent } = build([callTool("add", { a: 1, b: 1 }, { text: "Once." }), callTool("add", { a: 1, b: 1 })], { maxIterations: 2 });
    const result = await agent.run("?");
    expect(result).toMatchObject({ status: "failed", endedBy: "max-iterations", iterations: 2, outputText: "Once." });
    expect(result.error?.message).toBe("The run used all of its 2 iterations (maxIterations).");
  });

  test("a required completion tool is reminded of, and then used", async () => {
    const { agent, model } = build([say("I am done."), callTool("done", { answer: "yes" })], {
      completionPolicy: { requireCompletionTool: true },
    });
    const result = await agent.run("?");
    expect(result.endedBy).toBe("completion-tool");
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({
      role: "user",
      content: [{ type: "text", text: modelTexts.completionReminder(["done"]) }],
      metadata: { displayRole: "system" },
    });
  });

  test("a completion guard sends the run on", async () => {
    const objections = ["Two files are left.", undefined];
    const { agent, model } = build([say("Done."), say("Now done.")], { completionPolicy: { completionGuard: () => objections.shift() } });
    expect((await agent.run("?")).outputText).toBe("Now done.");
    expect(model.requests[1]?.messages.at(-1)?.content).toEqual([{ type: "text", text: "Two files are left." }]);
  });
});

describe("bad calls", () => {
  test("come back to the model as error results while their siblings run", async () => {
    const { agent, model } = build([
      callTools([
        { toolName: "add", input: { a: 1, b: "x" } },
        { toolName: "sub", input: {} },
        { toolName: "add", input: "{a:1}" },
        { toolName: "add", input: { a: 1, b: 2 } },
      ]),
      say("ok"),
    ]);
    await agent.run("?");
    const results = model.requests[1]?.messages.slice(-4).map(({ content }) => content[0]);
    expect(results).toMatchObject([
      { toolCallId: "call_1", isError: true, output: { error: expect.stringContaining("b: ") } },
      { toolCallId: "call_2", isError: true, output: { error: modelTexts.unknownTool("sub", ["add", "done"]) } },
      { toolCallId: "call_3", isError: true, output: { error: expect.stringContaining("Tool call add emitted invalid JSON arguments: ") } },
      { toolCallId: "call_4", output: 3 },
    ]);
  });
});
