import { type FinishReason, modelTexts, ReplyError } from "triact";
import { callTool, say } from "triact/testing";
import { describe, expect, test } from "vitest";
import { build, outline, resultsIn, text, tool, typesOf } from "./kit.js";

const note = (value: string) => ({ role: "user", content: [text(value)] });

describe("an empty reply", () => {
  // R28
  test.each([
    ["nothing", {}],
    ["empty text", { text: "" }],
    ["spaces", { text: " \n " }],
  ])("of %s is not stored, and the model is nudged once", async (_, reply) => {
    const { agent, model } = build([reply, say("Hello.")]);
    const result = await agent.run("Hi");
    expect(result).toMatchObject({ status: "completed", outputText: "Hello.", iterations: 2 });
    expect(outline(model.requests[1]?.messages)).toEqual([note("Hi"), note(modelTexts.emptyReply)]);
    expect(model.requests[1]?.messages[1]?.metadata).toEqual({ displayRole: "system" });
  });

  // R28, R30
  test("twice in a row ends the run as empty, and the next run is not poisoned", async () => {
    const { agent, model } = build([{}, {}, say("Hello.")]);
    const result = await agent.run("Hi");
    expect(result).toMatchObject({ status: "failed", endedBy: "empty", iterations: 2, outputText: "" });
    expect(result.error).toMatchObject({
      name: "ReplyError",
      problem: "empty",
      message: "The model answered with neither text nor a tool call, again.",
    });
    expect((await agent.run("Still there?")).outputText).toBe("Hello.");
    expect(outline(model.requests[2]?.messages)).toEqual([note("Hi"), note(modelTexts.emptyReply), note("Still there?")]);
  });

  // R30
  test("is counted anew after an answer in between", async () => {
    const { agent, model } = build([{}, callTool("add", { a: 1, b: 1 }), {}, say("2")]);
    expect(await agent.run("?")).toMatchObject({ status: "completed", iterations: 4 });
    model.assertDone();
  });

  // R28
  test("in text beside a call leaves no text part", async () => {
    const { agent, model } = build([callTool("add", { a: 1, b: 1 }, { text: "" }), say("2")]);
    await agent.run("?");
    expect(model.requests[1]?.messages[1]?.content).toEqual([
      { type: "tool-call", toolCallId: "call_1", toolName: "add", input: { a: 1, b: 1 } },
    ]);
  });

  test("reports its assistant message without adding it", async () => {
    const { agent, events } = build([{}, say("x")], {});
    await agent.run("?");
    const first = events.filter(({ iteration }) => iteration === 1);
    expect(typesOf(first)).toEqual(["turn-started", "assistant-message", "message-added", "turn-finished"]);
  });
});

describe("reasoning alone", () => {
  // R30
  test("is no answer: one nudge, then the run ends as empty", async () => {
    const { agent, model } = build([{ reasoning: "hm" }, { reasoning: "hm, hm" }, say("never asked for")]);
    expect(await agent.run("?")).toMatchObject({ status: "failed", endedBy: "empty", iterations: 2, outputText: "" });
    expect(model.requests).toHaveLength(2);
    expect(outline(model.requests[1]?.messages)).toEqual([note("?"), note(modelTexts.emptyReply)]);
  });

  // R30
  test("that the output limit cut is told so, and ends as truncated the second time", async () => {
    const { agent, model } = build([
      { reasoning: "long", finishReason: "max-tokens" },
      { reasoning: "long again", finishReason: "max-tokens" },
    ]);
    const result = await agent.run("?");
    expect(result).toMatchObject({ status: "failed", endedBy: "truncated", iterations: 2 });
    expect(result.error?.message).toBe("The output limit cut the reply before it said anything, again.");
    expect(outline(model.requests[1]?.messages)).toEqual([note("?"), note(modelTexts.cutOffReply)]);
  });

  // R23
  test("ahead of a call goes back in order with its signatures, byte for byte, also through JSON and a restore", async () => {
    const content = [
      { type: "reasoning", text: "one", metadata: { signature: "sig+/=1" } },
      { type: "reasoning", text: "", redacted: true, metadata: { data: "x\u2028yz==" } },
      { type: "tool-call", toolCallId: "a", toolName: "add", input: { a: 1, b: 1 } },
      { type: "reasoning", text: "two", metadata: { signature: "sig2" } },
      { type: "tool-call", toolCallId: "b", toolName: "add", input: { a: 2, b: 2 } },
    ];
    const { agent, model } = build([
      {
        events: [
          { type: "reasoning-delta", text: "on", blockId: 0 },
          { type: "reasoning-delta", text: "e", blockId: 0 },
          { type: "reasoning-delta", text: "", blockId: 0, metadata: { signature: "sig+/=1" } },
          { type: "reasoning-delta", text: "", redacted: true, blockId: 1, metadata: { data: "x\u2028yz==" } },
          { type: "tool-call-delta", index: 0, toolCallId: "a", toolName: "add", inputText: '{"a":1,"b":1}' },
          { type: "reasoning-delta", text: "two", blockId: 3, metadata: { signature: "sig2" } },
          { type: "tool-call-delta", index: 1, toolCallId: "b", toolName: "add", inputText: '{"a":2,"b":2}' },
        ],
      },
      say("ok"),
      say("restored"),
    ]);
    await agent.run("?");
    expect(model.requests[1]?.messages[1]?.content).toEqual(content);
    agent.restore(JSON.parse(JSON.stringify(agent.snapshot())).messages);
    await agent.run("again");
    expect(model.requests[2]?.messages[1]?.content).toEqual(content);
  });
});

describe("finish reasons", () => {
  // R31
  test.each<[FinishReason, string, string]>([
    ["refusal", "refusal", "The model refused to answer. The provider says: against the rules"],
    ["content-filter", "content-filter", "The provider's content filter stopped the reply. The provider says: against the rules"],
    ["unknown", "error", "The model stopped for a reason that is not known (unknown). The provider says: against the rules"],
    ["aborted", "error", "The model stopped for a reason that is not known (aborted). The provider says: against the rules"],
  ])("%s without content fails at once and names the reason", async (finishReason, endedBy, message) => {
    const { agent, model } = build([{ finishReason, error: "against the rules" }, say("not asked")]);
    const result = await agent.run("?");
    expect(result).toMatchObject({ status: "failed", endedBy, iterations: 1 });
    expect(result.error).toBeInstanceOf(ReplyError);
    expect(result.error?.message).toBe(message);
    expect(model.requests).toHaveLength(1);
    expect(agent.snapshot()).toMatchObject({ status: "failed", lastError: message });
  });

  // R31
  test("refusal keeps the text that came along", async () => {
    const { agent } = build([say("I cannot help with that.", { finishReason: "refusal" })]);
    const result = await agent.run("?");
    expect(result).toMatchObject({ status: "failed", endedBy: "refusal", outputText: "I cannot help with that." });
    expect(outline(result.messages).at(-1)).toEqual({ role: "assistant", content: [text("I cannot help with that.")] });
  });

  test.each<FinishReason>(["stop", "refusal", "content-filter", "unknown", "pause"])(
    "%s with calls executes them, for the calls decide",
    async (finishReason) => {
      const { agent, model } = build([callTool("add", { a: 1, b: 2 }, { finishReason }), say("3")]);
      expect((await agent.run("?")).outputText).toBe("3");
      expect(resultsIn(model.requests[1]?.messages).map(({ output }) => output)).toEqual([3]);
    },
  );

  test("tool-calls without any call is an end like stop", async () => {
    const { agent } = build([say("fine", { finishReason: "tool-calls" })]);
    expect(await agent.run("?")).toMatchObject({ status: "completed", endedBy: "natural", outputText: "fine" });
  });

  test("a stream without a finish event fails the run", async () => {
    const { agent } = build([], {
      model: {
        async *stream() {
          yield { type: "text-delta", text: "half" };
        },
      },
    });
    const result = await agent.run("?");
    expect(result).toMatchObject({ status: "failed", endedBy: "error", errorClass: "unknown" });
    expect(result.error?.message).toBe("The model's stream ended without a finish event.");
    expect(outline(result.messages)).toEqual([note("?")]);
  });
});

describe("a paused reply", () => {
  const search = {
    type: "tool-call-delta",
    index: 0,
    toolCallId: "s",
    toolName: "web_search",
    inputText: '{"q":"x"}',
    providerExecuted: true,
  } as const;
  const paused = { events: [search, { type: "finish", reason: "pause" } as const] };
  const block = {
    role: "assistant",
    content: [{ type: "tool-call", toolCallId: "s", toolName: "web_search", input: { q: "x" }, providerExecuted: true }],
  };

  // R32
  test("is sent back unchanged as the end of the next request, and the run goes on", async () => {
    const { agent, model } = build([
      paused,
      {
        events: [
          { type: "tool-result", toolCallId: "s", toolName: "web_search", output: ["hit"] },
          { type: "text-delta", text: "Found." },
        ],
      },
    ]);
    const result = await agent.run("?");
    expect(result).toMatchObject({ status: "completed", outputText: "Found.", iterations: 2 });
    expect(outline(model.requests[1]?.messages)).toEqual([note("?"), block]);
  });

  // R32
  test("stays the end of the next request when the user steers meanwhile", async () => {
    const { agent, model } = build([paused, callTool("add", { a: 1, b: 1 }), say("ok")]);
    agent.subscribe((event) => {
      if (event.type === "assistant-message" && event.finishReason === "pause") agent.steer("Hurry.");
    });
    await agent.run("?");
    expect(outline(model.requests[1]?.messages)).toEqual([note("?"), block]);
    expect(outline(model.requests[2]?.messages).at(-1)).toEqual(note("Hurry."));
  });

  // R32
  test("for ever ends the run after ten continuations in a row", async () => {
    const turns = Array.from({ length: 12 }, () => say("…", { finishReason: "pause" }));
    const { agent, model } = build(turns);
    const result = await agent.run("?");
    expect(result).toMatchObject({ status: "failed", endedBy: "truncated", iterations: 11 });
    expect(result.error?.message).toBe("The provider paused the reply without end.");
    expect(model.requests).toHaveLength(11);
  });

  // R32, R20: an unfinished server-tool block in front of a user message is refused by the provider that made it
  test("that was never finished leaves no call without a result in a later request", async () => {
    const { agent, model } = build([paused, say("ok")], { maxIterations: 1 });
    await agent.run("?");
    await agent.run("What about it?");
    const parts = model.requests[1]?.messages.flatMap(({ content }) => content) ?? [];
    const answered = new Set(parts.flatMap((part) => (part.type === "tool-result" ? [part.toolCallId] : [])));
    expect(parts.filter((part) => part.type === "tool-call" && !answered.has(part.toolCallId))).toEqual([]);
  });
});

describe("a tool that returns nothing", () => {
  // R29
  test.each([
    ["undefined", undefined, null],
    ["null", null, null],
    ["empty text", "", ""],
    ["an empty list", [], []],
    ["an empty object", {}, {}],
    ["zero", 0, 0],
    ["false", false, false],
  ])("(%s) still has a result with an output", async (_, returned, output) => {
    const { agent, model } = build([callTool("t"), say("ok")], { tools: [tool("t", () => returned)] });
    await agent.run("?");
    expect(resultsIn(model.requests[1]?.messages)).toStrictEqual([{ type: "tool-result", toolCallId: "call_1", toolName: "t", output }]);
  });
});
