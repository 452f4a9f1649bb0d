import { createAgent, modelTexts, repairHistory, toMessages } from "triact";
import { callTool, callTools, ScriptedModel, say } from "triact/testing";
import { describe, expect, test } from "vitest";
import { answering, asking, build, callDelta, deferred, errorResult, outline, resultsIn, seams, text, tool } from "./kit.js";

describe("an aborted turn", () => {
  // R20
  test("keeps the finished result, closes the open call, and the next run is accepted", async () => {
    const started = deferred();
    const quick = tool("quick", () => "kept");
    const slow = tool("slow", () => {
      started.resolve();
      return new Promise(() => undefined);
    });
    const { agent, model } = build(
      [
        callTools([
          { toolName: "quick", input: {} },
          { toolName: "slow", input: {} },
        ]),
        say("on we go"),
      ],
      {
        tools: [quick, slow],
      },
    );
    const running = agent.run("both");
    await started.promise;
    agent.abort("enough");
    const aborted = await running;
    expect(aborted).toMatchObject({ status: "aborted", endedBy: "abort" });
    const closed = [
      { role: "user", content: [text("both")] },
      {
        role: "assistant",
        content: [
          { type: "tool-call", toolCallId: "call_1", toolName: "quick", input: {} },
          { type: "tool-call", toolCallId: "call_2", toolName: "slow", input: {} },
        ],
      },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "call_1", toolName: "quick", output: "kept" }] },
      { role: "tool", content: [errorResult("call_2", "slow", modelTexts.aborted("slow", 0))] },
    ];
    expect(outline(aborted.messages)).toEqual(closed);
    expect((await agent.run("again")).status).toBe("completed");
    expect(outline(model.requests[1]?.messages)).toEqual([...closed, { role: "user", content: [text("again")] }]);
  });

  // R20, R55
  test("that was saved in the middle is whole after a restore from JSON", async () => {
    const started = deferred();
    const quick = tool("quick", () => "kept");
    const slow = tool("slow", () => {
      started.resolve();
      return new Promise(() => undefined);
    });
    const { agent } = build(
      [
        callTools([
          { toolName: "quick", input: {} },
          { toolName: "slow", input: {} },
        ]),
      ],
      { tools: [quick, slow] },
    );
    const running = agent.run("both");
    await started.promise;
    const saved = JSON.parse(JSON.stringify(agent.snapshot()));
    agent.abort();
    await running;
    expect(saved.pendingToolCalls).toEqual([{ toolCallId: "call_2", toolName: "slow", input: {} }]);
    const model = new ScriptedModel([say("done")]);
    const other = createAgent({ model, tools: [quick, slow], ...seams() });
    other.restore(saved.messages);
    await other.run("go on");
    expect(resultsIn(model.requests[0]?.messages)).toEqual([
      { type: "tool-result", toolCallId: "call_1", toolName: "quick", output: "kept" },
      errorResult("call_2", "slow", modelTexts.interrupted("slow")),
    ]);
  });
});

describe("a history that came from outside", () => {
  const repair = (...messages: Parameters<typeof toMessages>[1][]) => {
    const source = seams();
    return repairHistory(source, toMessages(source, messages as never));
  };

  // R20
  test("keeps the first of two results for one call", () => {
    const history = repair({ role: "user", content: "?" }, asking(["a", "t"]), answering("a", "t", "first"), answering("a", "t", "second"));
    expect(resultsIn(history).map(({ output }) => output)).toEqual(["first"]);
  });

  // R20
  test("gets its results directly behind their call, in call order", () => {
    const history = repair(
      { role: "user", content: "?" },
      asking(["a", "t"], ["b", "t"], ["c", "t"]),
      { role: "user", content: "hurry" },
      answering("b", "t", "B"),
      answering("a", "t", "A"),
    );
    expect(outline(history)).toEqual([
      { role: "user", content: [text("?")] },
      outline(repair(asking(["a", "t"], ["b", "t"], ["c", "t"])))[0],
      { role: "tool", content: [{ type: "tool-result", toolCallId: "a", toolName: "t", output: "A" }] },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "b", toolName: "t", output: "B" }] },
      { role: "tool", content: [errorResult("c", "t", modelTexts.interrupted("t"))] },
      { role: "user", content: [text("hurry")] },
    ]);
  });

  // R18
  test("with one id in two turns gets a new id for the second, in call and result", () => {
    const history = repair(asking(["t:0", "t"]), answering("t:0", "t", "one"), asking(["t:0", "t"]), answering("t:0", "t", "two"));
    expect(outline(history)).toEqual([
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "t:0", toolName: "t", input: {} }] },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "t:0", toolName: "t", output: "one" }] },
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "call_1", toolName: "t", input: {} }] },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "call_1", toolName: "t", output: "two" }] },
    ]);
  });

  // R18
  test("whose second turn reuses an id but has no result does not take the first turn's result for it", () => {
    const history = repair(asking(["t:0", "t"]), asking(["t:0", "t"]), answering("t:0", "t", "two"));
    expect(resultsIn(history)).toEqual([
      errorResult("t:0", "t", modelTexts.interrupted("t")),
      { type: "tool-result", toolCallId: "call_1", toolName: "t", output: "two" },
    ]);
  });

  // R21
  test("loses results whose call is gone", () => {
    expect(outline(repair(answering("a", "t", "A"), { role: "user", content: "hi" }))).toEqual([{ role: "user", content: [text("hi")] }]);
  });

  // R28
  test("loses empty text, empty messages and reasoning that leads to nothing", () => {
    const history = repair(
      { role: "user", content: "hi" },
      { role: "assistant", content: "" },
      { role: "assistant", content: [{ type: "reasoning", text: "hm" }] },
      {
        role: "assistant",
        content: [
          { type: "text", text: " \n" },
          { type: "tool-call", toolCallId: "a", toolName: "t", input: {} },
        ],
      },
      answering("a", "t", "A"),
      { role: "user", content: "  " },
    );
    expect(outline(history)).toEqual([
      { role: "user", content: [text("hi")] },
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "a", toolName: "t", input: {} }] },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "a", toolName: "t", output: "A" }] },
    ]);
  });

  test("is left as it is when nothing is wrong with it, message for message", () => {
    const source = seams();
    const history = toMessages(source, [
      { role: "user", content: "?" },
      asking(["a", "t"]),
      answering("a", "t", "A"),
      { role: "assistant", content: "!" },
    ]);
    const repaired = repairHistory(source, history);
    expect(repaired.map((message, index) => message === history[index])).toEqual([true, true, true, true]);
  });

  // R20
  test("holds one tool message for each call when one message carried both results", () => {
    const history = repair(asking(["a", "t"], ["b", "t"]), {
      role: "tool",
      content: [
        { type: "tool-result", toolCallId: "b", toolName: "t", output: "B" },
        { type: "tool-result", toolCallId: "a", toolName: "t", output: "A" },
      ],
    });
    expect(resultsIn(history).map(({ output }) => output)).toEqual(["A", "B"]);
    expect(new Set(history.map(({ id }) => id)).size).toBe(3);
  });
});

describe("prepareTurn that cuts by count", () => {
  // R21
  test("between a call and its results sends no orphan, and the history stays whole", async () => {
    const { agent, model } = build(
      [
        callTools([
          { toolName: "add", input: { a: 1, b: 1 } },
          { toolName: "add", input: { a: 2, b: 2 } },
        ]),
        say("first"),
        say("second"),
      ],
      { prepareTurn: ({ messages }) => ({ messages: messages.slice(-3) }) },
    );
    await agent.run("one");
    await agent.run("two");
    expect(outline(model.requests[2]?.messages)).toEqual([
      { role: "assistant", content: [text("first")] },
      { role: "user", content: [text("two")] },
    ]);
    expect(outline(model.requests[1]?.messages)[0]?.role).toBe("assistant");
    expect(resultsIn(model.requests[1]?.messages).map(({ output }) => output)).toEqual([2, 4]);
    expect(agent.snapshot().messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "tool",
      "assistant",
      "user",
      "assistant",
    ]);
  });

  // R21
  test("keeps a call and fills in the results it cut away", async () => {
    const { agent, model } = build([callTool("add", { a: 1, b: 1 }), say("ok")], {
      prepareTurn: ({ messages }) => ({ messages: messages.filter(({ role }) => role !== "tool") }),
    });
    await agent.run("one");
    expect(resultsIn(model.requests[1]?.messages)).toEqual([errorResult("call_1", "add", modelTexts.interrupted("add"))]);
    expect(resultsIn(agent.snapshot().messages).map(({ output }) => output)).toEqual([2]);
  });
});

describe("call ids of a provider", () => {
  // R18
  test("that stand twice in one turn run the tool once", async () => {
    let count = 0;
    const shell = tool("shell", () => ++count);
    const { agent, model, events } = build([{ events: [callDelta(0, "x", "shell"), callDelta(1, "x", "shell")] }, say("ok")], {
      tools: [shell],
    });
    await agent.run("?");
    expect(count).toBe(1);
    expect(resultsIn(model.requests[1]?.messages)).toEqual([{ type: "tool-result", toolCallId: "x", toolName: "shell", output: 1 }]);
    expect(events.filter(({ type }) => type === "status-notice")).toMatchObject([
      { message: "The model gave two calls the id x; the second was dropped." },
    ]);
  });

  // R18
  test("that return in a later turn run again under an id of their own, also after a restore", async () => {
    const inputs: unknown[] = [];
    const t = tool("t", (input) => inputs.push(input));
    const call = (n: number) => callTool("t", { n }, { toolCallId: "t:0" });
    const { agent, model } = build([call(1), call(2), say("one"), call(3), say("two")], { tools: [t] });
    await agent.run("?");
    agent.restore(agent.snapshot().messages);
    await agent.run("?");
    expect(inputs).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    const last = model.requests[4]?.messages ?? [];
    const called = last.flatMap(({ content }) => content.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : [])));
    expect(called).toEqual(["t:0", "call_1", "call_2"]);
    expect(resultsIn(last).map(({ toolCallId }) => toolCallId)).toEqual(called);
  });

  test("that were replaced are told with the call's id to hooks, events and the tool alike", async () => {
    const seen: string[] = [];
    const t = tool("t", (_, { toolCallId }) => seen.push(`tool ${toolCallId}`));
    const { agent, events } = build([callTool("t", {}, { toolCallId: "x" }), callTool("t", {}, { toolCallId: "x" }), say("ok")], {
      tools: [t],
      hooks: { beforeTool: ({ toolCall }) => void seen.push(`hook ${toolCall.toolCallId}`) },
    });
    await agent.run("?");
    expect(seen).toEqual(["hook x", "tool x", "hook call_1", "tool call_1"]);
    const started = events.flatMap((event) => (event.type === "tool-started" ? [event.toolCall.toolCallId] : []));
    const finished = events.flatMap((event) => (event.type === "tool-finished" ? [event.toolCallId] : []));
    expect([started, finished]).toEqual([
      ["x", "call_1"],
      ["x", "call_1"],
    ]);
  });
});

describe("tool names", () => {
  // R17
  test("that nobody knows are answered with the list, and the known call runs", async () => {
    const { agent, model } = build([
      callTools([
        { toolName: "add", input: { a: 1, b: 2 } },
        { toolName: "multiply", input: {} },
        { toolName: "", input: {} },
      ]),
      say("ok"),
    ]);
    expect((await agent.run("?")).status).toBe("completed");
    expect(resultsIn(model.requests[1]?.messages)).toEqual([
      { type: "tool-result", toolCallId: "call_1", toolName: "add", output: 3 },
      errorResult("call_2", "multiply", 'There is no tool named "multiply". Available tools: add, done.'),
      errorResult("call_3", "unnamed_tool", 'There is no tool named "". Available tools: add, done.'),
    ]);
  });

  // R17, R56
  test("that nobody knows, asked for without end, end at maxIterations", async () => {
    const { agent, model } = build([callTool("nope"), callTool("nope"), callTool("nope")], { maxIterations: 3 });
    expect(await agent.run("?")).toMatchObject({ status: "failed", endedBy: "max-iterations", iterations: 3 });
    model.assertDone();
  });

  // R16
  test.each(["constructor", "__proto__", "toString", "hasOwnProperty"])("%s is unknown when no tool has it", async (name) => {
    const { agent, model } = build([callTool(name), say("ok")]);
    await agent.run("?");
    expect(resultsIn(model.requests[1]?.messages)).toEqual([errorResult("call_1", name, modelTexts.unknownTool(name, ["add", "done"]))]);
  });

  // R16
  test.each(["constructor", "__proto__"])("%s may be a tool, and its policy holds", async (name) => {
    let count = 0;
    const odd = tool(name, () => ++count);
    const free = build([callTool(name), say("ok")], { tools: [odd] });
    await free.agent.run("?");
    expect(count).toBe(1);
    const closed = build([callTool(name), say("ok")], {
      tools: [odd],
      toolPolicies: { ["__proto__"]: { enabled: false }, constructor: { enabled: false } },
    });
    await closed.agent.run("?");
    expect(count).toBe(1);
    expect(resultsIn(closed.model.requests[1]?.messages)).toEqual([errorResult("call_1", name, modelTexts.disabled(name))]);
  });
});
