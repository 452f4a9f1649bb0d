import { type AgentTool, modelTexts, toolResult } from "triact";
import { callTool, callTools, say } from "triact/testing";
import { describe, expect, test } from "vitest";
import { add, build, done, errorResult, outline, resultsIn, text, tool, typesOf } from "./kit.js";

const search = tool("search", () => "hit");
const final = { toolName: "done", input: { answer: "42" } };
const other = { toolName: "search", input: {} };

describe("a completion tool", () => {
  // R58
  test.each([
    ["behind another call", [other, final], ["hit", { answer: "42" }], { answer: "42" }],
    ["before another call", [final, other], [{ answer: "42" }, "hit"], { answer: "42" }],
    ["twice", [final, { toolName: "done", input: { answer: "43" } }], [{ answer: "42" }, { answer: "43" }], { answer: "42" }],
    ["behind a failed one", [{ toolName: "done", input: {} }, final], [expect.anything(), { answer: "42" }], { answer: "42" }],
  ])("%s: all calls of the turn run, and the first that succeeded in call order gives the output", async (_, calls, outputs, output) => {
    for (const toolExecution of ["sequential", "parallel"] as const) {
      const { agent, model } = build([callTools(calls)], { tools: [search, done as AgentTool], toolExecution });
      const result = await agent.run("?");
      expect(result).toMatchObject({ status: "completed", endedBy: "completion-tool", output, outputText: JSON.stringify(output) });
      expect(resultsIn(result.messages).map((part) => part.output)).toEqual(outputs);
      model.assertDone();
    }
  });

  // R58
  test.each<[string, object, Parameters<typeof build>[1]]>([
    ["with arguments against the schema", { answer: 42 }, {}],
    ["off by policy", { answer: "42" }, { toolPolicies: { done: { enabled: false } } }],
    ["denied", { answer: "42" }, { toolPolicies: { done: { autoApprove: false } } }],
    ["skipped by a hook", { answer: "42" }, { hooks: { beforeTool: () => ({ skip: true }) } }],
    ["turned into an error by a hook", { answer: "42" }, { hooks: { afterTool: () => ({ result: { output: "no", isError: true } }) } }],
  ])("%s ends nothing", async (_, input, options) => {
    const { agent, model } = build([callTool("done", input), say("so be it")], options);
    const result = await agent.run("?");
    expect(result).toMatchObject({ endedBy: "natural", outputText: "so be it" });
    expect(resultsIn(result.messages).map(({ isError }) => isError)).toEqual([true]);
    model.assertDone();
  });

  test("that answers with an error ends nothing", async () => {
    const finish = tool("finish", () => toolResult({ output: "not yet", isError: true }), { completesRun: true });
    const { agent } = build([callTool("finish"), say("ok")], { tools: [finish] });
    expect((await agent.run("?")).endedBy).toBe("natural");
  });

  test.each<[unknown, string]>([
    ["text", "text"],
    [null, ""],
    [undefined, ""],
    [0, "0"],
    [false, "false"],
    [["a"], '["a"]'],
  ])("with the output %j gives it as text", async (output, outputText) => {
    const { agent } = build([callTool("finish")], { tools: [tool("finish", () => output, { completesRun: true })] });
    expect(await agent.run("?")).toMatchObject({ endedBy: "completion-tool", outputText, output: output ?? null });
  });
});

describe("requireCompletionTool", () => {
  const completionPolicy = { requireCompletionTool: true };

  test("reminds at each natural end, and maxIterations bounds it", async () => {
    const { agent, model } = build([say("a"), say("b"), say("c")], { completionPolicy, maxIterations: 3 });
    const result = await agent.run("?");
    expect(result).toMatchObject({ status: "failed", endedBy: "max-iterations", outputText: "c" });
    expect(outline(model.requests[2]?.messages).slice(2)).toEqual([
      { role: "user", content: [text(modelTexts.completionReminder(["done"]))] },
      { role: "assistant", content: [text("b")] },
      { role: "user", content: [text(modelTexts.completionReminder(["done"]))] },
    ]);
  });

  test("names the completion tool also in a turn whose hook took it away", async () => {
    let turn = 0;
    const { agent, model } = build([say("done?"), callTool("done", { answer: "42" })], {
      completionPolicy,
      hooks: { beforeModel: () => (++turn === 1 ? { tools: [add as AgentTool] } : undefined) },
    });
    await agent.run("?");
    expect(outline(model.requests[1]?.messages).at(-1)?.content).toEqual([text(modelTexts.completionReminder(["done"]))]);
  });

  test("is satisfied by a plugin's tool, and refused when no plugin brings one", async () => {
    const brings = { name: "p", setup: () => ({ tools: [tool("finish", () => "ok", { completesRun: true })] }) };
    const { agent } = build([callTool("finish")], { tools: [], completionPolicy, plugins: [brings] });
    expect((await agent.run("?")).endedBy).toBe("completion-tool");
    const without = build([], { tools: [], completionPolicy, plugins: [{ name: "p" }] });
    await expect(without.agent.run("?")).rejects.toThrow(/^completionPolicy\.requireCompletionTool: no tool has lifecycle\.completesRun/);
    expect(typesOf(without.events)).toEqual([]);
  });
});

describe("completionGuard", () => {
  test("holds up a completion tool too", async () => {
    const objections = ["Run the tests first.", undefined];
    const { agent, model } = build([callTool("done", { answer: "1" }), callTool("done", { answer: "2" })], {
      completionPolicy: { completionGuard: () => objections.shift() },
    });
    expect((await agent.run("?")).output).toEqual({ answer: "2" });
    expect(outline(model.requests[1]?.messages).at(-1)?.content).toEqual([text("Run the tests first.")]);
  });

  // R28
  test.each(["", "  "])("that answers %j has no objection that could be told", async (objection) => {
    const { agent } = build([say("a"), say("b"), say("c")], { completionPolicy: { completionGuard: () => objection }, maxIterations: 2 });
    expect(await agent.run("?")).toMatchObject({ status: "completed", outputText: "a" });
  });

  test("that throws fails the run and is named", async () => {
    const { agent } = build([say("a")], {
      completionPolicy: {
        completionGuard: () => {
          throw new Error("guard down");
        },
      },
    });
    expect((await agent.run("?")).error?.message).toBe("completionGuard threw: guard down");
  });
});

describe("a forced tool choice", () => {
  const required = { toolChoice: "required" } as const;
  const choices = (model: ReturnType<typeof build>["model"]) => model.requests.map(({ options }) => options.toolChoice);

  // R56
  test.each([required, { toolChoice: { toolName: "add" } }])(
    "%j is relaxed after the first turn that called tools",
    async (modelOptions) => {
      const call = callTool("add", { a: 1, b: 1 });
      const { agent, model } = build([call, call, say("2")], { tools: [add as AgentTool], modelOptions });
      expect((await agent.run("?")).status).toBe("completed");
      expect(choices(model)).toEqual([modelOptions.toolChoice, "auto", "auto"]);
    },
  );

  test("is forced again in the next run", async () => {
    const { agent, model } = build([callTool("add", { a: 1, b: 1 }), say("2"), say("3")], {
      tools: [add as AgentTool],
      modelOptions: required,
    });
    await agent.run("?");
    await agent.run("?");
    expect(choices(model)).toEqual(["required", "auto", "required"]);
  });

  test("stays when a completion tool can end the run", async () => {
    const { agent, model } = build([callTool("add", { a: 1, b: 1 }), callTool("done", { answer: "2" })], { modelOptions: required });
    expect((await agent.run("?")).endedBy).toBe("completion-tool");
    expect(choices(model)).toEqual(["required", "required"]);
  });

  // what a hook returns has an effect; it can count turns itself
  test("that a beforeModel hook asks for in a later turn is not taken back", async () => {
    const { agent, model } = build([callTool("add", { a: 1, b: 1 }), callTool("add", { a: 2, b: 2 }), say("4")], {
      tools: [add as AgentTool],
      hooks: { beforeModel: ({ snapshot }) => (snapshot.iteration === 2 ? { options: required } : undefined) },
    });
    await agent.run("?");
    expect(choices(model)).toEqual([undefined, "required", undefined]);
  });
});

describe("identical calls", () => {
  // R56
  test.each<[string, Parameters<typeof build>[1], string]>([
    ["executed", {}, "2"],
    ["denied", { toolPolicies: { add: { autoApprove: false } } }, modelTexts.denied("add", modelTexts.noApprovalCallback)],
    ["off", { toolPolicies: { add: { enabled: false } } }, modelTexts.disabled("add")],
  ])("that are always %s end at maxIterations with a status of its own", async (_, options, told) => {
    const call = callTool("add", { a: 1, b: 1 });
    const { agent, model } = build([call, call, call], { ...options, maxIterations: 3 });
    const result = await agent.run("?");
    expect(result).toMatchObject({
      status: "failed",
      endedBy: "max-iterations",
      iterations: 3,
      error: { name: "RunLimitError", limit: "max-iterations" },
    });
    const expected =
      told === "2" ? { type: "tool-result", toolCallId: "call_1", toolName: "add", output: 2 } : errorResult("call_1", "add", told);
    expect(resultsIn(result.messages)[0]).toEqual(expected);
    model.assertDone();
  });
});
