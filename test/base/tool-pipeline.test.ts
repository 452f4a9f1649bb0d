import {
  BaseAgentRuntime,
  createTool,
  modelTexts,
  type Observation,
  type Run,
  type ToolCall,
  type ToolResultPart,
  toolResult,
} from "triact";
import { callTool, callTools, say } from "triact/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { build, deferred, errorResult, outline, resultsIn, settle, text, tool } from "./kit.js";

const three = callTools([
  { toolName: "a", input: {} },
  { toolName: "b", input: {} },
  { toolName: "c", input: {} },
]);

describe("calls of one turn", () => {
  test("run one after the other by default", async () => {
    const log: string[] = [];
    const slow = (name: string) =>
      tool(name, async () => {
        log.push(`${name} starts`);
        await settle();
        log.push(`${name} ends`);
      });
    const { agent } = build([three, say("ok")], { tools: ["a", "b", "c"].map(slow) });
    await agent.run("?");
    expect(log).toEqual(["a starts", "a ends", "b starts", "b ends", "c starts", "c ends"]);
  });

  test("run at once when configured, and their results keep call order whatever the order in which they end", async () => {
    const ends = { a: deferred<string>(), b: deferred<string>(), c: deferred<string>() };
    const started: string[] = [];
    const { agent, model, events } = build([three, say("ok")], {
      toolExecution: "parallel",
      tools: (["a", "b", "c"] as const).map((name) =>
        tool(name, () => {
          started.push(name);
          if (started.length === 3) ends.c.resolve("C");
          return ends[name].promise;
        }),
      ),
    });
    agent.subscribe((event) => {
      if (event.type !== "tool-finished") return;
      if (event.toolName === "c") ends.b.resolve("B");
      if (event.toolName === "b") ends.a.resolve("A");
    });
    await agent.run("?");
    expect(started).toEqual(["a", "b", "c"]);
    expect(events.flatMap((event) => (event.type === "tool-finished" ? [event.toolName] : []))).toEqual(["c", "b", "a"]);
    expect(resultsIn(model.requests[1]?.messages).map(({ output }) => output)).toEqual(["A", "B", "C"]);
  });

  // R44
  test("each have one result though a hook and a tool throw and a third is late", async () => {
    const late = deferred<string>();
    const { agent, model } = build([three, say("ok")], {
      toolExecution: "parallel",
      tools: [
        tool("a", () => "A"),
        tool("b", () => {
          late.resolve("C");
          return Promise.reject({ reason: "not an Error" });
        }),
        tool("c", () => late.promise),
      ],
      hooks: {
        afterTool: ({ toolCall }) => {
          if (toolCall.toolName === "a") throw new Error("hook down");
        },
      },
    });
    expect((await agent.run("?")).status).toBe("completed");
    expect(resultsIn(model.requests[1]?.messages)).toEqual([
      errorResult("call_1", "a", modelTexts.hookFailed("afterTool", "hook down", true)),
      errorResult("call_2", "b", '{"reason":"not an Error"}'),
      { type: "tool-result", toolCallId: "call_3", toolName: "c", output: "C" },
    ]);
  });
});

describe("a tool", () => {
  test.each<[string, unknown, string]>([
    ["an Error", new Error("disk full"), "disk full"],
    ["an Error without text", new TypeError(""), "TypeError"],
    ["text", "plain", "plain"],
    ["undefined", undefined, "undefined"],
    ["null", null, "null"],
    ["an object", { code: 1 }, '{"code":1}'],
    ["a lone surrogate", new Error("half \ud83d"), "half \ufffd"],
  ])("that throws %s gives the model an error, and the run goes on", async (_, thrown, error) => {
    const { agent, model } = build([callTool("t"), say("ok")], {
      tools: [
        tool("t", () => {
          throw thrown;
        }),
      ],
    });
    expect((await agent.run("?")).status).toBe("completed");
    expect(resultsIn(model.requests[1]?.messages)).toEqual([errorResult("call_1", "t", error)]);
  });

  test("gets who, where, a signal, the tool context and a way to report progress", async () => {
    const toolContext = { user: "ada" };
    let context: Record<string, unknown> = {};
    const t = tool("t", (_, given) => {
      context = { ...given };
      given.emitUpdate({ percent: 50 });
      return given.toolContext === toolContext;
    });
    const { agent, events } = build([callTool("t"), say("ok")], { tools: [t], toolContext });
    const result = await agent.run("?");
    expect(Object.fromEntries(Object.entries(context))).toEqual({
      agentId: "agent_1",
      runId: "run_1",
      iteration: 1,
      toolCallId: "call_1",
      signal: expect.any(AbortSignal),
      toolContext,
      emitUpdate: expect.any(Function),
    });
    expect(resultsIn(result.messages)[0]?.output).toBe(true);
    expect(events.flatMap((event) => (event.type === "tool-updated" ? [[event.toolCallId, event.toolName, event.update]] : []))).toEqual([
      ["call_1", "t", { percent: 50 }],
    ]);
  });

  test("gets its input as the schema gives it, defaults and transforms included", async () => {
    const inputs: unknown[] = [];
    const t = createTool({
      name: "t",
      description: "",
      inputSchema: z.object({ n: z.number().default(7), day: z.date().optional(), tag: z.string().transform((tag) => tag.toUpperCase()) }),
      execute: (input) => inputs.push(input),
    });
    const { agent } = build([callTool("t", { tag: "x", day: "2026-01-02T03:04:05Z" }), say("ok")], { tools: [t] });
    await agent.run("?");
    expect(inputs).toEqual([{ n: 7, tag: "X", day: new Date("2026-01-02T03:04:05Z") }]);
  });

  test("may answer with images and files beside its output", async () => {
    const content = [
      { type: "image", data: "aGk=", mediaType: "image/png" },
      { type: "file", data: "aGk=", mediaType: "application/pdf", name: "a.pdf" },
      { type: "text", text: "see above" },
    ] as const;
    const { agent, model } = build([callTool("t"), say("ok")], { tools: [tool("t", () => toolResult({ output: { ok: true }, content }))] });
    await agent.run("?");
    expect(resultsIn(model.requests[1]?.messages)).toEqual([
      { type: "tool-result", toolCallId: "call_1", toolName: "t", output: { ok: true }, content },
    ]);
    const saved = JSON.parse(JSON.stringify(agent.snapshot().messages));
    agent.restore(saved);
    expect(agent.snapshot().messages).toEqual(saved);
  });

  test("may say that it failed without throwing", async () => {
    const { agent, model, events } = build([callTool("t"), say("ok")], {
      tools: [tool("t", () => toolResult({ output: "404", isError: true }))],
    });
    await agent.run("?");
    expect(resultsIn(model.requests[1]?.messages)).toEqual([
      { type: "tool-result", toolCallId: "call_1", toolName: "t", output: "404", isError: true },
    ]);
    expect(events.flatMap((event) => (event.type === "tool-finished" ? [event.errorType] : []))).toEqual(["execution"]);
  });

  // law 2: what stands in the history every provider accepts, and restore() must take it back
  test.each<[string, unknown[]]>([
    ["an image without data", [{ type: "image", mediaType: "image/png" }]],
    ["bytes instead of base64", [{ type: "image", data: new Uint8Array([1]), mediaType: "image/png" }]],
    ["an unknown type", [{ type: "video", data: "aGk=" }]],
    ["text without a wrapping part", ["hi"]],
  ])("whose content is %s gets an error instead of a history that no provider takes", async (_, content) => {
    const { agent, model } = build([callTool("t"), say("ok")], {
      tools: [tool("t", () => toolResult({ output: 1, content: content as never }))],
    });
    await agent.run("?");
    const [result] = resultsIn(model.requests[1]?.messages);
    expect([result?.isError, result?.content]).toEqual([true, undefined]);
  });

  test.each<[string, () => unknown, string]>([
    ["a bigint", () => ({ a: [1n] }), "A bigint is not JSON (at a[0]). Return it as a string or a number."],
    [
      "a cycle",
      () => {
        const loop: Record<string, unknown> = {};
        loop["self"] = loop;
        return loop;
      },
      "A value that contains itself is not JSON (at self).",
    ],
  ])("that returns %s gets an error that says it ran", async (_, make, problem) => {
    const { agent, model } = build([callTool("t"), say("ok")], { tools: [tool("t", make)] });
    await agent.run("?");
    expect(resultsIn(model.requests[1]?.messages)).toEqual([errorResult("call_1", "t", modelTexts.notJson("t", problem))]);
  });

  test("cannot change its result after it was returned", async () => {
    const value = { list: [1] };
    const { agent, model } = build([callTool("t"), say("ok")], { tools: [tool("t", () => value)] });
    agent.subscribe(({ type }) => {
      if (type === "tool-finished") value.list.push(2);
    });
    await agent.run("?");
    expect(resultsIn(model.requests[1]?.messages)[0]?.output).toEqual({ list: [1] });
  });

  // R54
  test("that runs its own agent again is refused, and the run goes on", async () => {
    const t = tool("t", () => agent.run("inner"));
    const { agent, model } = build([callTool("t"), say("ok")], { tools: [t] });
    expect((await agent.run("?")).status).toBe("completed");
    expect(resultsIn(model.requests[1]?.messages)).toEqual([
      errorResult(
        "call_1",
        "t",
        "Agent agent_1 is running already. Await the run, abort it, or build a second agent; a message for the run under way goes through steer().",
      ),
    ]);
  });
});

function errorOf(result: ToolResultPart | undefined): string {
  return (result?.output as { error: string } | undefined)?.error ?? "no error";
}

describe("arguments", () => {
  test("against the schema come back with path, what was expected and what came", async () => {
    const { agent, model } = build([callTool("add", { a: 1, b: "x" }), say("ok")]);
    await agent.run("?");
    const [result] = resultsIn(model.requests[1]?.messages);
    const error = errorOf(result);
    expect(error.startsWith("Tool call add does not fit the tool's input schema; nothing was executed. b: ")).toBe(true);
    expect(error).toMatch(/number/);
    expect(error).toMatch(/"x"|string/);
  });

  test("that are no JSON come back with the reason and what came, cut to a readable length", async () => {
    const { agent, model } = build([callTool("add", `{a:${"1".repeat(500)}}`), say("ok")]);
    await agent.run("?");
    const [result] = resultsIn(model.requests[1]?.messages);
    const error = errorOf(result);
    expect(error.startsWith("Tool call add emitted invalid JSON arguments: ")).toBe(true);
    expect(error).toContain("more characters]");
    expect(error.length).toBeLessThan(600);
  });
});

/** Notes something in the history from inside `perform`, after its calls were executed. */
class NotingRuntime extends BaseAgentRuntime {
  override readonly name = "noting";
  protected override async perform(action: readonly ToolCall[], run: Run): Promise<Observation> {
    await run.toolExecutor.executeAll(action);
    await run.addNote("noted");
    return { texts: [] };
  }
}

describe("a runtime of one's own", () => {
  // law 2: results stand directly behind their call
  test.each([1, 2])("that adds a note after executing %d calls finds the results before the note", async (count) => {
    const calls = Array.from({ length: count }, (_, index) => ({ toolName: "add", input: { a: index, b: 0 } }));
    const { agent, model } = build([callTools(calls), say("ok")], { runtime: new NotingRuntime() });
    await agent.run("?");
    const [, , ...rest] = outline(model.requests[1]?.messages);
    expect(rest.map(({ role }) => role)).toEqual([...calls.map(() => "tool"), "user"]);
    expect(rest.at(-1)?.content).toEqual([text("noted")]);
    expect(resultsIn(model.requests[1]?.messages).map(({ output }) => output)).toEqual(calls.map((_, index) => index));
  });
});
