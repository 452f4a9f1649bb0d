import { type AgentModelEvent, type AgentOptions, type ModelUsage, RunLimitError } from "triact";
import { callTool, type ScriptedTurn, say } from "triact/testing";
import { describe, expect, test } from "vitest";
import { build, tool } from "./kit.js";

const PRICES = { inputPerMTok: 3, outputPerMTok: 15, cacheReadPerMTok: 0.3, cacheWritePerMTok: 3.75 };
const NOTHING = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, totalInputTokens: 0, totalOutputTokens: 0 };

const reports = (...usages: readonly ModelUsage[]): ScriptedTurn => ({
  events: [
    ...usages.map((usage): AgentModelEvent => ({ type: "usage", ...usage })),
    { type: "text-delta", text: "ok" },
    { type: "finish", reason: "stop" },
  ],
});

/** What one reply with these reports comes to. */
async function usageOf(usages: readonly ModelUsage[], options: AgentOptions = {}) {
  const { agent } = build([reports(...usages)], options);
  const { usage, messages } = await agent.run("?");
  return { usage, metrics: messages.at(-1)?.metrics };
}

describe("usage of one reply", () => {
  // R42
  test("is what was reported last of each field, not the sum", async () => {
    const { usage, metrics } = await usageOf([
      { inputTokens: 25, outputTokens: 1 },
      { outputTokens: 10 },
      { inputTokens: 25, outputTokens: 15 },
    ]);
    expect(usage).toEqual({ ...NOTHING, inputTokens: 25, outputTokens: 15, totalInputTokens: 25, totalOutputTokens: 15 });
    expect(metrics).toEqual({ inputTokens: 25, outputTokens: 15 });
  });

  // R42
  test("keeps fields that later reports leave out, and takes a lower or zero count for what it is", async () => {
    const { metrics } = await usageOf([
      { inputTokens: 100, cacheReadTokens: 40, cacheWriteTokens: 10, reasoningTokens: 7 },
      { inputTokens: 90, cacheReadTokens: 0, outputTokens: 9 },
      {},
    ]);
    expect(metrics).toEqual({ inputTokens: 90, outputTokens: 9, cacheWriteTokens: 10, reasoningTokens: 7 });
  });

  // R42
  test.each<[string, unknown]>([
    ["NaN", Number.NaN],
    ["infinity", Number.POSITIVE_INFINITY],
    ["-5", -5],
    ["text", "9"],
    ["null", null],
  ])("keeps what it had when a later report has %s", async (_, odd) => {
    const { usage, metrics } = await usageOf([
      { inputTokens: 25, outputTokens: 4, reasoningTokens: 2, totalCost: 0.5 },
      { inputTokens: odd, outputTokens: odd, reasoningTokens: odd, totalCost: odd } as never,
    ]);
    expect(metrics).toEqual({ inputTokens: 25, outputTokens: 4, reasoningTokens: 2, cost: 0.5 });
    expect(usage).toMatchObject({ inputTokens: 25, outputTokens: 4, totalCost: 0.5 });
  });

  // R41
  test.each<[string, ModelUsage, object]>([
    ["negative", { inputTokens: -1, outputTokens: -1, cacheReadTokens: -1, reasoningTokens: -1, totalCost: -1 }, NOTHING],
    ["not a number", { inputTokens: Number.NaN, outputTokens: Number.NaN, totalCost: Number.NaN }, NOTHING],
    ["infinite", { inputTokens: Number.POSITIVE_INFINITY, outputTokens: Number.POSITIVE_INFINITY }, NOTHING],
    [
      "cached beyond the input",
      { inputTokens: 10, cacheReadTokens: 8, cacheWriteTokens: 8 },
      { ...NOTHING, inputTokens: 10, cacheReadTokens: 8, cacheWriteTokens: 2, totalInputTokens: 10 },
    ],
    ["cached without any input", { cacheReadTokens: 8 }, NOTHING],
    [
      "a billion tokens",
      { inputTokens: 1e9, outputTokens: 1e9 },
      { ...NOTHING, inputTokens: 1e9, outputTokens: 1e9, totalInputTokens: 1e9, totalOutputTokens: 1e9 },
    ],
  ])("that is %s becomes counts from zero that fit each other", async (_, reported, expected) => {
    const { usage } = await usageOf([reported]);
    expect(usage).toMatchObject(expected);
    expect(JSON.parse(JSON.stringify(usage))).toEqual(usage);
  });

  // R55: a snapshot is plain JSON, and JSON has no infinity
  test("that is absurdly large, twice, stays a number and ends no run", async () => {
    const absurd = { inputTokens: Number.MAX_VALUE, outputTokens: Number.MAX_VALUE, totalCost: Number.MAX_VALUE };
    const { agent } = build([callTool("add", { a: 1, b: 1 }, { usage: absurd }), say("2", { usage: absurd })]);
    const { status, usage } = await agent.run("?");
    expect(status).toBe("completed"); // no limit was configured
    expect(Object.values(usage).filter((value) => !Number.isFinite(value))).toEqual([]);
  });

  // R41
  test.each<[string, ScriptedTurn]>([
    ["nothing", say("ok")],
    ["an empty report", reports({})],
    ["zeros", reports({ inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, totalCost: 0 })],
    ["what is no count", reports({ inputTokens: Number.NaN, outputTokens: -3 })],
  ])("that was %s leaves no metrics on the message", async (_, turn) => {
    const { agent } = build([turn]);
    const { messages } = await agent.run("?");
    expect(messages.at(-1)).not.toHaveProperty("metrics");
  });
});

describe("cost", () => {
  // R41: 1,000 prompt tokens of which 900 cached must not be paid for twice
  test.each<[string, ModelUsage, object | undefined, number | undefined]>([
    ["plain tokens", { inputTokens: 1_000, outputTokens: 200 }, PRICES, 0.006],
    ["cache reads at their price", { inputTokens: 1_000, cacheReadTokens: 900 }, PRICES, 0.00057],
    ["cache writes at theirs", { inputTokens: 1_000, cacheWriteTokens: 1_000 }, PRICES, 0.00375],
    ["both", { inputTokens: 1_000, cacheReadTokens: 500, cacheWriteTokens: 400, outputTokens: 10 }, PRICES, 0.0021],
    [
      "cached tokens at the input price when they have none",
      { inputTokens: 1_000, cacheReadTokens: 900 },
      { inputPerMTok: 3, outputPerMTok: 15 },
      0.003,
    ],
    ["free prices", { inputTokens: 1_000, outputTokens: 10 }, { inputPerMTok: 0, outputPerMTok: 0 }, 0],
    ["what the provider says, before the prices", { inputTokens: 1_000, totalCost: 0.5 }, PRICES, 0.5],
    ["a provider's zero, before the prices", { inputTokens: 1_000, totalCost: 0 }, PRICES, 0],
    ["what the provider says, without prices", { inputTokens: 1_000, totalCost: 0.5 }, undefined, 0.5],
    ["nothing that anybody knows", { inputTokens: 1_000 }, undefined, undefined],
    ["the prices when the provider's cost is not a number", { inputTokens: 1_000, totalCost: Number.NaN }, PRICES, 0.003],
    ["the prices when the provider's cost is negative", { inputTokens: 1_000, totalCost: -1 }, PRICES, 0.003],
  ])("of a call is: %s", async (_, reported, pricing, cost) => {
    const { usage, metrics } = await usageOf([reported], pricing === undefined ? {} : { pricing: pricing as typeof PRICES });
    if (cost === undefined)
      expect([usage, metrics].map((each) => Object.keys(each ?? {}).filter((key) => /cost/i.test(key)))).toEqual([[], []]);
    else expect([usage.totalCost, metrics?.cost]).toEqual([expect.closeTo(cost, 12), expect.closeTo(cost, 12)]);
  });

  // R41
  test("of a run is the sum of its turns, and so are all its counts", async () => {
    const { agent, events } = build(
      [
        callTool("add", { a: 1, b: 1 }, { usage: { inputTokens: 100, cacheWriteTokens: 50, outputTokens: 20, reasoningTokens: 5 } }),
        callTool("add", { a: 1, b: 1 }, { usage: { inputTokens: 150, cacheReadTokens: 100, outputTokens: 20 } }),
        say("2", { usage: { inputTokens: 200, outputTokens: 10, totalCost: 1 } }),
      ],
      { pricing: PRICES },
    );
    const { usage, messages } = await agent.run("?");
    const metrics = messages.flatMap((message) => message.metrics ?? []);
    const total = (field: keyof (typeof metrics)[number]) => metrics.reduce((sum, each) => sum + (each[field] ?? 0), 0);
    expect(usage).toEqual({
      inputTokens: 450,
      outputTokens: 50,
      cacheReadTokens: 100,
      cacheWriteTokens: 50,
      reasoningTokens: 5,
      totalInputTokens: 450,
      totalOutputTokens: 50,
      totalCost: total("cost"),
    });
    expect([total("inputTokens"), total("outputTokens"), total("cacheReadTokens"), total("cacheWriteTokens")]).toEqual([450, 50, 100, 50]);
    expect(events.flatMap((event) => (event.type === "usage-updated" ? [event.usage.inputTokens] : []))).toEqual([100, 250, 450]);
  });
});

describe("usage across runs", () => {
  test("begins anew with each run, but for the two totals", async () => {
    const one = { inputTokens: 10, outputTokens: 3, cacheReadTokens: 5, reasoningTokens: 2, totalCost: 0.5 };
    const { agent } = build([say("one", { usage: one }), say("two", { usage: { inputTokens: 20, outputTokens: 4 } }), say("three")]);
    const first = await agent.run("?");
    expect((await agent.run("?")).usage).toEqual({
      ...NOTHING,
      inputTokens: 20,
      outputTokens: 4,
      totalInputTokens: 30,
      totalOutputTokens: 7,
    });
    expect((await agent.run("?")).usage).toEqual({ ...NOTHING, totalInputTokens: 30, totalOutputTokens: 7 });
    expect(agent.snapshot().usage).toEqual({ ...NOTHING, totalInputTokens: 30, totalOutputTokens: 7 });
    expect(first.usage).toMatchObject({ inputTokens: 10, totalCost: 0.5, totalInputTokens: 10 }); // a result never changes later
  });

  test("of an agent is not that of another one with the same model", async () => {
    const first = build([say("one", { usage: { inputTokens: 10 } }), say("two", { usage: { inputTokens: 5 } })]);
    const second = build([], { model: first.model });
    await first.agent.run("?");
    expect((await second.agent.run("?")).usage).toMatchObject({ inputTokens: 5, totalInputTokens: 5 });
  });
});

describe("a call that came to nothing", () => {
  // R38, R42
  test("and was begun again by the adapter is paid for; the message has the cost of the attempt that counts", async () => {
    const { agent } = build(
      [
        {
          events: [
            { type: "usage", inputTokens: 100, outputTokens: 1 },
            { type: "text-delta", text: "lost" },
            { type: "usage", outputTokens: 7 },
            { type: "reset" },
            { type: "usage", inputTokens: 100 },
            { type: "reset" },
            { type: "usage", inputTokens: 100, outputTokens: 3 },
            { type: "text-delta", text: "kept" },
          ],
        },
      ],
      { pricing: { inputPerMTok: 10_000, outputPerMTok: 100_000 } },
    );
    const { usage, messages } = await agent.run("?");
    expect(usage).toEqual({ ...NOTHING, inputTokens: 300, outputTokens: 10, totalInputTokens: 300, totalOutputTokens: 10, totalCost: 4 });
    expect(messages.at(-1)?.metrics).toEqual({ inputTokens: 100, outputTokens: 3, cost: 1.3 });
  });

  test.each<[string, ScriptedTurn]>([
    [
      "finished with an error",
      { events: [{ type: "usage", inputTokens: 100, outputTokens: 7 }], finishReason: "error", error: "overloaded" },
    ],
    ["threw", { events: [{ type: "usage", inputTokens: 100, outputTokens: 7 }], throws: new Error("socket") }],
    ["was refused", { usage: { inputTokens: 100, outputTokens: 7 }, finishReason: "refusal" }],
    ["ended without a finish event", () => ({ events: [{ type: "usage", inputTokens: 100, outputTokens: 7 }], throws: undefined })],
  ])("because it %s is paid for", async (_, turn) => {
    const { agent, events } = build([turn]);
    const { status, usage } = await agent.run("?");
    const paid = { ...NOTHING, inputTokens: 100, outputTokens: 7, totalInputTokens: 100, totalOutputTokens: 7 };
    expect([status, usage, agent.snapshot().usage]).toEqual(["failed", paid, paid]);
    expect(events.filter(({ type }) => type === "usage-updated")).toHaveLength(1);
  });

  test("because the run was aborted while it streamed is paid for", async () => {
    const { agent } = build([
      {
        events: [
          { type: "usage", inputTokens: 100 },
          { type: "text-delta", text: "par" },
        ],
        hangs: true,
      },
    ]);
    agent.subscribe(({ type }) => type === "assistant-text-delta" && agent.abort());
    const { status, usage } = await agent.run("?");
    expect([status, usage.inputTokens, usage.totalInputTokens]).toEqual(["aborted", 100, 100]);
  });

  test("and is empty counts with the nudge that follows it", async () => {
    const { agent } = build([{ usage: { inputTokens: 10 } }, say("ok", { usage: { inputTokens: 12 } })]);
    expect((await agent.run("?")).usage.inputTokens).toBe(22);
  });
});

describe("a limit", () => {
  const turn = (usage: ModelUsage) => callTool("t", {}, { usage });

  // R56
  test("on tokens ends the run before the next model call, with the history whole", async () => {
    const { agent, model } = build([turn({ inputTokens: 60, outputTokens: 39 }), turn({ inputTokens: 1 }), say("no")], {
      tools: [tool("t", () => 1)],
      limits: { maxTokens: 100 },
    });
    const result = await agent.run("?");
    expect(result).toMatchObject({ status: "failed", endedBy: "token-limit", iterations: 2 });
    expect(result.error).toBeInstanceOf(RunLimitError);
    expect(result.error?.message).toBe("The run used 100 tokens of 100 (limits.maxTokens).");
    expect(result.messages.at(-1)?.role).toBe("tool");
    expect(model.requests).toHaveLength(2);
  });

  test("on tokens is per run: the next one starts from zero", async () => {
    const { agent } = build([say("one", { usage: { inputTokens: 90 } }), say("two", { usage: { inputTokens: 90 } })], {
      limits: { maxTokens: 100 },
    });
    expect([(await agent.run("?")).status, (await agent.run("?")).status]).toEqual(["completed", "completed"]);
  });

  test("that the last answer passes does not spoil the answer", async () => {
    const { agent } = build([say("the answer", { usage: { inputTokens: 1_000 } })], { limits: { maxTokens: 100 } });
    expect(await agent.run("?")).toMatchObject({ status: "completed", outputText: "the answer" });
  });

  // R56
  test.each<[string, ModelUsage]>([
    ["the prices", { outputTokens: 1_000 }],
    ["what the provider says", { totalCost: 0.015 }],
    ["the prices, when what the provider says is not a number", { outputTokens: 1_000, totalCost: Number.NaN }],
  ])("on cost counts %s and ends the run before the next model call", async (_, usage) => {
    const { agent, model } = build([turn(usage), turn(usage), say("no")], {
      tools: [tool("t", () => 1)],
      pricing: PRICES,
      limits: { maxCost: 0.03 },
    });
    const result = await agent.run("?");
    expect(result).toMatchObject({ status: "failed", endedBy: "cost-limit", iterations: 2 });
    expect(result.error?.message).toBe("The run cost 0.03 of 0.03 (limits.maxCost).");
    expect(model.requests).toHaveLength(2);
  });

  test("on tokens counts attempts that the adapter threw away", async () => {
    const events: AgentModelEvent[] = [{ type: "usage", inputTokens: 60 }, { type: "reset" }, { type: "usage", inputTokens: 60 }];
    const { agent } = build(
      [{ events: [...events, { type: "tool-call-delta", toolName: "t", inputText: "" }], finishReason: "tool-calls" }, say("no")],
      {
        tools: [tool("t", () => 1)],
        limits: { maxTokens: 100 },
      },
    );
    expect(await agent.run("?")).toMatchObject({ endedBy: "token-limit", iterations: 1 });
  });
});
