import { type AgentHooks, type AgentMessageInput, type AgentSnapshot, modelTexts } from "triact";
import { callTool, callTools, say } from "triact/testing";
import { describe, expect, test } from "vitest";
import { answering, asking, build, deferred, errorResult, outline, resultsIn, settle, text, tool } from "./kit.js";

const NOTHING = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, totalInputTokens: 0, totalOutputTokens: 0 };
const IDENTITY = { agentId: "agent_1", agentRole: "clerk", parentAgentId: "boss", conversationId: "c_1" };
const user = (value: string) => ({ role: "user", content: [text(value)] });
const json = <T>(value: T): T => JSON.parse(JSON.stringify(value));

/** Whatever is not frozen in a value, by path. */
function thawed(value: unknown, path = "snapshot"): string[] {
  if (typeof value !== "object" || value === null) return [];
  const own = Object.isFrozen(value) ? [] : [path];
  return [...own, ...Object.entries(value).flatMap(([key, item]) => thawed(item, `${path}.${key}`))];
}

describe("a snapshot", () => {
  // R55
  test("of an agent that has not run is whole and empty", () => {
    const { agent } = build([], { ...IDENTITY, sessionId: "s_1" });
    expect(agent.snapshot()).toEqual({
      version: 1,
      ...IDENTITY,
      sessionId: "s_1",
      runtime: "react",
      status: "idle",
      iteration: 0,
      messages: [],
      pendingToolCalls: [],
      usage: NOTHING,
    });
  });

  // R55
  test("has no field for what was not configured", () => {
    const { agent } = build([]);
    expect(Object.keys(agent.snapshot())).toEqual([
      "version",
      "agentId",
      "runtime",
      "status",
      "iteration",
      "messages",
      "pendingToolCalls",
      "usage",
    ]);
  });

  // R55
  test("of a run under way names its run, its turn, the finished results and the open calls", async () => {
    const snapshots: AgentSnapshot[] = [];
    const { agent } = build(
      [
        callTools(
          [
            { toolName: "quick", input: { n: 1 } },
            { toolName: "slow", input: { n: 2 } },
          ],
          { usage: { inputTokens: 10, outputTokens: 2, reasoningTokens: 1 } },
        ),
        say("ok"),
      ],
      { ...IDENTITY, tools: [tool("quick", () => "Q"), tool("slow", () => void snapshots.push(agent.snapshot()))] },
    );
    await agent.run("?");
    expect(snapshots).toEqual([
      {
        version: 1,
        ...IDENTITY,
        runId: "run_1",
        runtime: "react",
        status: "running",
        iteration: 1,
        messages: [
          { id: "msg_1", createdAt: 1_000, ...user("?") },
          {
            id: "msg_2",
            role: "assistant",
            content: [
              { type: "tool-call", toolCallId: "call_1", toolName: "quick", input: { n: 1 } },
              { type: "tool-call", toolCallId: "call_2", toolName: "slow", input: { n: 2 } },
            ],
            createdAt: 1_000,
            modelInfo: { id: "scripted", provider: "scripted" },
            metrics: { inputTokens: 10, outputTokens: 2, reasoningTokens: 1 },
          },
          {
            id: "msg_3",
            role: "tool",
            content: [{ type: "tool-result", toolCallId: "call_1", toolName: "quick", output: "Q" }],
            createdAt: 1_000,
          },
        ],
        pendingToolCalls: [{ toolCallId: "call_2", toolName: "slow", input: { n: 2 } }],
        finishReason: "tool-calls",
        usage: { ...NOTHING, inputTokens: 10, outputTokens: 2, reasoningTokens: 1, totalInputTokens: 10, totalOutputTokens: 2 },
      },
    ]);
  });

  // R55
  test.each<[string, Parameters<typeof build>, object]>([
    ["well", [[say("ok")]], { status: "completed", iteration: 1 }],
    [
      "by the model's error",
      [[{ finishReason: "error", error: "bad key", errorClass: "auth" }]],
      { status: "failed", iteration: 1, lastError: "bad key", lastErrorClass: "auth" },
    ],
    [
      "by a limit",
      [[callTool("add", { a: 1, b: 1 })], { maxIterations: 1 }],
      { status: "failed", iteration: 1, lastError: "The run used all of its 1 iterations (maxIterations)." },
    ],
    [
      "by a hook's stop",
      [[], { hooks: { beforeModel: () => ({ stop: true, reason: "closed" }) } }],
      { status: "aborted", iteration: 1, lastError: "closed" },
    ],
    [
      "by a refusal",
      [[say("no", { finishReason: "refusal" })]],
      { status: "failed", iteration: 1, lastError: "The model refused to answer." },
    ],
  ])("after a run that ended %s tells how", async (_, [turns, options], expected) => {
    const { agent } = build(turns, options);
    const result = await agent.run("?");
    const { messages, usage } = result;
    const head = { version: 1, agentId: "agent_1", runId: "run_1", runtime: "react", pendingToolCalls: [], messages, usage };
    expect(agent.snapshot()).toEqual({ ...head, ...expected });
  });

  // R55
  test("after an abort in a tool has no open calls any more, and the reason", async () => {
    const { agent } = build([callTool("t")], {
      tools: [
        tool("t", () => {
          agent.abort("enough");
          return new Promise(() => undefined);
        }),
      ],
    });
    await agent.run("?");
    expect(agent.snapshot()).toMatchObject({
      status: "aborted",
      iteration: 1,
      lastError: "The run was aborted: enough",
      pendingToolCalls: [],
    });
  });

  // R55
  test("in each hook is the state of that moment", async () => {
    const seen: [string, string, number, number, number][] = [];
    const note = (name: string, { status, iteration, messages, pendingToolCalls }: AgentSnapshot) =>
      void seen.push([name, status, iteration, messages.length, pendingToolCalls.length]);
    const names = ["beforeRun", "afterRun", "beforeModel", "afterModel", "beforeTool", "afterTool"] as const;
    const hooks = Object.fromEntries(
      names.map((name) => [name, ({ snapshot }: { snapshot: AgentSnapshot }) => note(name, snapshot)]),
    ) as AgentHooks;
    const two = callTools([
      { toolName: "add", input: { a: 1, b: 1 } },
      { toolName: "add", input: { a: 2, b: 2 } },
    ]);
    const { agent } = build([two, say("ok")], { hooks, prepareTurn: ({ snapshot }) => note("prepareTurn", snapshot) });
    await agent.run("?");
    expect(seen).toEqual([
      ["beforeRun", "running", 0, 0, 0],
      ["prepareTurn", "running", 1, 1, 0],
      ["beforeModel", "running", 1, 1, 0],
      ["afterModel", "running", 1, 1, 0],
      ["beforeTool", "running", 1, 2, 2],
      ["afterTool", "running", 1, 2, 2],
      ["beforeTool", "running", 1, 3, 1],
      ["afterTool", "running", 1, 3, 1],
      ["prepareTurn", "running", 2, 4, 0],
      ["beforeModel", "running", 2, 4, 0],
      ["afterModel", "running", 2, 4, 0],
      ["afterRun", "completed", 2, 5, 0],
    ]);
  });

  // R55
  test("in a hook is the state of that moment also when it is read after the run", async () => {
    const contexts: { readonly snapshot: AgentSnapshot }[] = [];
    const { agent } = build([callTool("add", { a: 1, b: 1 }), say("ok")], {
      hooks: { beforeTool: (context) => void contexts.push(context) },
    });
    await agent.run("?");
    agent.restore([]);
    expect(contexts[0]?.snapshot).toMatchObject({ status: "running", iteration: 1, pendingToolCalls: [{ toolCallId: "call_1" }] });
  });

  // R55: what a snapshot is for is to be taken anywhere and to be gone on with
  test("taken at any event is frozen, survives JSON, and an agent restored from it goes on", async () => {
    const snapshots: AgentSnapshot[] = [];
    const two = callTools([
      { toolName: "add", input: { a: 1, b: 1 } },
      { toolName: "add", input: { a: 2, b: 2 } },
    ]);
    const { agent } = build([{ ...two, text: "Adding.", reasoning: "hm" }, say("ok")], { seed: 3 });
    agent.subscribe(({ snapshot }) => void snapshots.push(snapshot));
    await agent.run("?");
    for (const snapshot of new Set(snapshots)) {
      expect(thawed(snapshot)).toEqual([]);
      expect(json(snapshot)).toEqual(snapshot);
      const second = build([say("going on")]);
      second.agent.restore(json(snapshot).messages);
      expect((await second.agent.run("go on")).outputText).toBe("going on");
      const answered = resultsIn(second.model.requests[0]?.messages).map(({ output }) => output);
      const lost = snapshot.pendingToolCalls.map(({ toolName }) => ({ error: modelTexts.interrupted(toolName) }));
      const finished = resultsIn(snapshot.messages).map(({ output }) => output);
      expect(answered).toEqual([...finished, ...lost]);
    }
  });

  // R55
  test("does not change when the run goes on or the agent is restored", async () => {
    const gate = deferred();
    const { agent } = build([callTool("t"), say("ok")], { tools: [tool("t", () => gate.promise)] });
    const running = agent.run("?");
    await settle();
    const taken = agent.snapshot();
    const copy = json(taken);
    gate.resolve();
    await running;
    agent.restore([{ role: "user", content: "other" }]);
    expect(taken).toEqual(copy);
  });
});

describe("restore", () => {
  // R55
  test("of a snapshot that went through JSON gives the same history, ids, times and metrics included", async () => {
    const { agent } = build([callTool("add", { a: 1, b: 1 }, { reasoning: "hm", usage: { inputTokens: 5, outputTokens: 1 } }), say("2")]);
    await agent.run([{ role: "user", content: "?", metadata: { channel: "mail" } }]);
    const saved = agent.snapshot();
    const second = build([]);
    second.agent.restore(json(saved.messages));
    expect(second.agent.snapshot().messages).toEqual(saved.messages);
  });

  // R55
  test("begins usage, status, turn and error anew, and keeps tools, hooks, policies and subscribers", async () => {
    const seen: string[] = [];
    const { agent, model, events } = build([{ finishReason: "error", error: "x", usage: { inputTokens: 5 } }, say("ok")], {
      hooks: { beforeModel: () => void seen.push("beforeModel") },
    });
    await agent.run("?");
    const { messages } = agent.snapshot();
    agent.restore(messages);
    expect(agent.snapshot()).toEqual({
      version: 1,
      agentId: "agent_1",
      runtime: "react",
      status: "idle",
      iteration: 0,
      messages,
      pendingToolCalls: [],
      usage: NOTHING,
    });
    const before = events.length;
    expect((await agent.continue()).outputText).toBe("ok");
    expect(model.requests[1]?.tools.map(({ name }) => name)).toEqual(["add", "done"]);
    expect([seen.length, events.length > before]).toEqual([2, true]);
  });

  // R55
  test("of one snapshot into two agents shares nothing: each goes its own way", async () => {
    const saved = json([{ role: "user", content: "one" }, asking(["a", "add"]), answering("a", "add", "1")] as AgentMessageInput[]);
    const [first, second] = [build([say("first")]), build([say("second")])];
    first.agent.restore(saved);
    second.agent.restore(saved);
    const [one, two] = await Promise.all([first.agent.run("x"), second.agent.run("y")]);
    expect(outline(one.messages).slice(3)).toEqual([user("x"), { role: "assistant", content: [text("first")] }]);
    expect(outline(two.messages).slice(3)).toEqual([user("y"), { role: "assistant", content: [text("second")] }]);
    expect(saved).toHaveLength(3);
  });

  // R55
  test("copies deeply: what is done to the original afterwards has no effect", () => {
    const original = {
      role: "assistant" as const,
      content: [{ type: "tool-call" as const, toolCallId: "a", toolName: "add", input: { list: [1] } }],
      metadata: { tags: ["x"] },
    };
    const { agent } = build([]);
    agent.restore([original, answering("a", "add", "1")]);
    const before = json(agent.snapshot());
    original.content[0]?.input.list.push(2);
    original.metadata.tags.push("y");
    original.content.push({ type: "tool-call", toolCallId: "b", toolName: "add", input: { list: [] } });
    expect(agent.snapshot()).toEqual(before);
    expect(thawed(agent.snapshot())).toEqual([]);
  });

  // R20
  test("closes interrupted calls in call order and keeps the results of those that had finished", () => {
    const { agent } = build([]);
    agent.restore([asking(["a", "t"], ["b", "t"], ["c", "u"]), answering("b", "t", "B")]);
    expect(resultsIn(agent.snapshot().messages)).toEqual([
      errorResult("a", "t", modelTexts.interrupted("t")),
      { type: "tool-result", toolCallId: "b", toolName: "t", output: "B" },
      errorResult("c", "u", modelTexts.interrupted("u")),
    ]);
    expect(agent.snapshot().pendingToolCalls).toEqual([]);
  });

  // R23, R55
  test("keeps reasoning, signatures and redacted blocks byte for byte, for the next request", async () => {
    const metadata = { signature: "EqoB+/=\u00e9\u2028 \ud83d\ude00", nested: { blob: "AAAA", n: 1e-7, list: [null, "", false] } };
    const { agent } = build([
      {
        events: [
          { type: "reasoning-delta", text: "  think\n", blockId: 1 },
          { type: "reasoning-delta", text: "", blockId: 1, metadata },
          { type: "reasoning-delta", text: "", redacted: true, metadata: { data: "c2VjcmV0" } },
          { type: "text-delta", text: "Adding.", metadata: { phase: "commentary" } },
          { type: "tool-call-delta", index: 0, toolCallId: "x", toolName: "add", inputText: '{"a":1,"b":1}', metadata: { thought: "sig" } },
        ],
      },
      say("2"),
    ]);
    await agent.run("?");
    const second = build([say("ok")]);
    second.agent.restore(json(agent.snapshot().messages));
    await second.agent.run("more");
    expect(second.model.requests[0]?.messages[1]?.content).toEqual([
      { type: "reasoning", text: "  think\n", metadata },
      { type: "reasoning", text: "", redacted: true, metadata: { data: "c2VjcmV0" } },
      { type: "text", text: "Adding.", metadata: { phase: "commentary" } },
      { type: "tool-call", toolCallId: "x", toolName: "add", input: { a: 1, b: 1 }, metadata: { thought: "sig" } },
    ]);
    expect(JSON.stringify(second.model.requests[0]?.messages[1]?.content)).toBe(JSON.stringify(agent.snapshot().messages[1]?.content));
  });
});
