import { createTool, modelTexts } from "triact";
import { callTool, callTools, say } from "triact/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { build, errorResult, outline, resultsIn, text } from "./kit.js";

function writeTool() {
  const written: unknown[] = [];
  const write = createTool({
    name: "write",
    description: "Writes a file.",
    inputSchema: z.object({ path: z.string(), text: z.string().optional() }),
    execute: (input) => {
      written.push(input);
      return "written";
    },
  });
  return { write, written };
}

describe("arguments", () => {
  // R10
  test.each([1, 2, 3, 4, 5])(
    "in the next request are exactly those that the tool received, however they were cut (seed %d)",
    async (seed) => {
      const { write, written } = writeTool();
      const input = { path: "a/ü😀.txt", text: 'line 1\n"quoted" \\ {}' };
      const { agent, model } = build([callTool("write", input), say("ok")], { seed, tools: [write] });
      await agent.run("Write it.");
      expect(written).toEqual([input]);
      expect(outline(model.requests[1]?.messages)).toEqual([
        { role: "user", content: [text("Write it.")] },
        { role: "assistant", content: [{ type: "tool-call", toolCallId: "call_1", toolName: "write", input }] },
        { role: "tool", content: [{ type: "tool-result", toolCallId: "call_1", toolName: "write", output: "written" }] },
      ]);
    },
  );
});

describe("a reply that the output limit cut", () => {
  // R13
  test("executes none of its calls, tells the model so for each, and goes on", async () => {
    const { write, written } = writeTool();
    const { agent, model } = build(
      [
        callTools(
          [
            { toolName: "write", input: { path: "a" } },
            { toolName: "write", input: '{"path":"b","text":"half a fi' },
          ],
          { finishReason: "max-tokens" },
        ),
        say("I will send less."),
      ],
      { tools: [write] },
    );
    const result = await agent.run("Write both.");
    expect(written).toEqual([]);
    expect(result).toMatchObject({ status: "completed", endedBy: "natural", iterations: 2, outputText: "I will send less." });
    expect(outline(model.requests[1]?.messages).slice(1)).toEqual([
      {
        role: "assistant",
        content: [
          { type: "tool-call", toolCallId: "call_1", toolName: "write", input: { path: "a" } },
          { type: "tool-call", toolCallId: "call_2", toolName: "write", input: {} },
        ],
      },
      { role: "tool", content: [errorResult("call_1", "write", modelTexts.cutOff("write"))] },
      { role: "tool", content: [errorResult("call_2", "write", modelTexts.cutOff("write"))] },
    ]);
    model.assertDone();
  });

  // R14
  test("is found out also when the provider says tool-calls, and the history holds valid arguments", async () => {
    const { write, written } = writeTool();
    const { agent, model } = build([callTool("write", '{"path":"a","text":"unterm', { finishReason: "tool-calls" }), say("ok")], {
      tools: [write],
    });
    await agent.run("?");
    expect(written).toEqual([]);
    expect(model.requests[1]?.messages[1]?.content).toEqual([{ type: "tool-call", toolCallId: "call_1", toolName: "write", input: {} }]);
    expect(resultsIn(model.requests[1]?.messages)).toEqual([errorResult("call_1", "write", modelTexts.cutOff("write"))]);
  });

  // R13, R56
  test("again and again ends at maxIterations, and nothing was ever executed", async () => {
    const { write, written } = writeTool();
    const cut = callTool("write", '{"path":"a', { finishReason: "max-tokens" });
    const { agent, model } = build([cut, cut, cut], { tools: [write], maxIterations: 3 });
    const result = await agent.run("?");
    expect(result).toMatchObject({ status: "failed", endedBy: "max-iterations", iterations: 3 });
    expect(written).toEqual([]);
    model.assertDone();
  });

  // R13
  test("runs no completion tool either", async () => {
    const { agent } = build([callTool("done", { answer: "42" }, { finishReason: "max-tokens" }), say("later")]);
    expect(await agent.run("?")).toMatchObject({ endedBy: "natural", outputText: "later" });
  });

  test("and is text ends the run as truncated, with the text", async () => {
    const { agent } = build([say("The answer is", { finishReason: "max-tokens" })]);
    const result = await agent.run("?");
    expect(result).toMatchObject({ status: "failed", endedBy: "truncated", outputText: "The answer is", iterations: 1 });
    expect(result.error?.message).toBe("The output limit cut the answer (finish reason max-tokens).");
    expect(outline(result.messages).at(-1)).toEqual({ role: "assistant", content: [text("The answer is")] });
  });

  // R13
  test("emits tool-finished with the kind of failure for each call, and no hook sees a call", async () => {
    const seen: string[] = [];
    const { agent, events } = build([callTool("add", { a: 1, b: 2 }, { finishReason: "max-tokens" }), say("ok")], {
      hooks: { beforeTool: () => void seen.push("before"), afterTool: () => void seen.push("after") },
    });
    await agent.run("?");
    expect(seen).toEqual([]);
    expect(events.filter(({ type }) => type === "tool-finished")).toMatchObject([{ toolCallId: "call_1", errorType: "truncated" }]);
  });
});
