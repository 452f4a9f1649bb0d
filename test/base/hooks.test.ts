import type { AgentHooks, AgentTool } from "triact";
import { callTool, callTools, say } from "triact/testing";
import { describe, expect, test } from "vitest";
import { add, build, done, errorResult, outline, resultsIn, text, tool, typesOf } from "./kit.js";

const plugin = (name: string, hooks: AgentHooks) => ({ name, hooks });

describe("hooks are called", () => {
  test("at their points of a run, those of the configuration first, then the plugins in order", async () => {
    const seen: string[] = [];
    const hooksOf = (who: string): AgentHooks => ({
      beforeRun: () => void seen.push(`${who} beforeRun`),
      afterRun: ({ result }) => void seen.push(`${who} afterRun ${result.status}`),
      beforeModel: ({ request }) => void seen.push(`${who} beforeModel ${request.messages.length}`),
      afterModel: ({ finishReason }) => void seen.push(`${who} afterModel ${finishReason}`),
      beforeTool: ({ input }) => void seen.push(`${who} beforeTool ${JSON.stringify(input)}`),
      afterTool: ({ result }) => void seen.push(`${who} afterTool ${result.output}`),
    });
    const { agent } = build([callTool("add", { a: 1, b: 2 }), say("3")], {
      hooks: hooksOf("config"),
      plugins: [plugin("p", hooksOf("p")), { name: "q", setup: () => ({ hooks: hooksOf("q.setup") }), hooks: hooksOf("q") }],
    });
    await agent.run("?");
    const each = (line: string) => ["config", "p", "q", "q.setup"].map((who) => `${who} ${line}`);
    expect(seen).toEqual(
      [
        "beforeRun",
        "beforeModel 1",
        "afterModel tool-calls",
        'beforeTool {"a":1,"b":2}',
        "afterTool 3",
        "beforeModel 3",
        "afterModel stop",
        "afterRun completed",
      ].flatMap(each),
    );
  });

  test("with what SPEC says they get", async () => {
    let clock = 0;
    const seen: Record<string, unknown> = {};
    const note = (name: string, context: object) => {
      seen[name] = Object.keys(context).sort();
    };
    const { agent } = build([callTool("add", { a: 1, b: 2 }), say("3")], {
      now: () => (clock += 5),
      hooks: {
        beforeRun: (context) => note("beforeRun", context),
        afterRun: (context) => note("afterRun", context),
        beforeModel: (context) => note("beforeModel", context),
        afterModel: (context) => note("afterModel", context),
        beforeTool: (context) => note("beforeTool", context),
        afterTool: (context) => {
          note("afterTool", context);
          const { tool: called, toolCall, input, result, startedAt, endedAt, durationMs } = context;
          expect(called).toBe(add);
          expect(toolCall).toEqual({ type: "tool-call", toolCallId: "call_1", toolName: "add", input: { a: 1, b: 2 } });
          expect([input, result]).toEqual([{ a: 1, b: 2 }, { output: 3 }]);
          expect([durationMs, endedAt > startedAt]).toEqual([endedAt - startedAt, true]);
        },
      },
    });
    await agent.run("?");
    const common = ["signal", "snapshot"];
    expect(seen).toEqual({
      beforeRun: common,
      afterRun: ["result", ...common],
      beforeModel: ["request", ...common, "tools"],
      afterModel: ["assistantMessage", "finishReason", ...common],
      beforeTool: ["input", ...common, "tool", "toolCall"],
      afterTool: ["durationMs", "endedAt", "input", "result", ...common, "startedAt", "tool", "toolCall"],
    });
  });

  test("as methods of the object they came in", async () => {
    class Audit implements AgentHooks {
      #count = 0;
      get count() {
        return this.#count;
      }
      beforeModel() {
        this.#count += 1;
      }
    }
    const audit = new Audit();
    const { agent } = build([say("ok")], { hooks: audit });
    await agent.run("?");
    expect(audit.count).toBe(1);
  });
});

describe("a stop", () => {
  test("of beforeRun ends the run before anything is added", async () => {
    const { agent, model, events } = build([say("no")], { hooks: { beforeRun: () => ({ stop: true, reason: "maintenance" }) } });
    expect(await agent.run("?")).toMatchObject({ status: "aborted", endedBy: "hook-stop", iterations: 0, messages: [] });
    expect(agent.snapshot()).toMatchObject({ status: "aborted", lastError: "maintenance" });
    expect(typesOf(events)).toEqual(["run-finished"]);
    expect(model.requests).toHaveLength(0);
  });

  test("without a reason has a text of its own", async () => {
    const { agent } = build([], { hooks: { beforeRun: () => ({ stop: true }) } });
    await agent.run("?");
    expect(agent.snapshot().lastError).toBe("A hook stopped the run.");
  });

  test("of beforeModel ends the run before the model is asked; later hooks are not called", async () => {
    const seen: string[] = [];
    const { agent, model } = build([say("no")], {
      hooks: { beforeModel: () => ({ stop: true, reason: "budget" }) },
      plugins: [plugin("p", { beforeModel: () => void seen.push("p") })],
    });
    const result = await agent.run("?");
    expect(result).toMatchObject({ status: "aborted", endedBy: "hook-stop" });
    expect(outline(result.messages)).toEqual([{ role: "user", content: [text("?")] }]);
    expect([agent.snapshot().lastError, seen, model.requests.length]).toEqual(["budget", [], 0]);
  });

  // iterations counts model calls of the loop
  test("of beforeModel in the first turn leaves zero iterations", async () => {
    const { agent } = build([say("no")], { hooks: { beforeModel: () => ({ stop: true }) } });
    expect((await agent.run("?")).iterations).toBe(0);
  });

  test("of afterModel keeps the reply and closes its calls", async () => {
    let executed = 0;
    const { agent } = build([callTool("t", {}, { text: "Now." })], {
      tools: [tool("t", () => ++executed)],
      hooks: { afterModel: () => ({ stop: true, reason: "seen enough" }) },
    });
    const result = await agent.run("?");
    expect(result).toMatchObject({ status: "aborted", endedBy: "hook-stop", outputText: "Now." });
    expect(executed).toBe(0);
    expect(outline(result.messages).slice(1)).toEqual([
      { role: "assistant", content: [text("Now."), { type: "tool-call", toolCallId: "call_1", toolName: "t", input: {} }] },
      { role: "tool", content: [errorResult("call_1", "t", "A hook stopped the run before tool t was called. Nothing was executed.")] },
    ]);
  });

  test("of beforeTool ends the run after the turn; calls behind it are not made", async () => {
    let executed = 0;
    const t = tool("t", () => ++executed);
    const { agent, model } = build(
      [
        callTools([
          { toolName: "t", input: { n: 1 } },
          { toolName: "t", input: { n: 2 } },
          { toolName: "t", input: { n: 3 } },
        ]),
      ],
      {
        tools: [t],
        hooks: { beforeTool: ({ input }) => (input["n"] === 2 ? { stop: true, reason: "two" } : undefined) },
      },
    );
    const result = await agent.run("?");
    expect(result).toMatchObject({ status: "aborted", endedBy: "hook-stop", iterations: 1 });
    const stopped = "A hook stopped the run before tool t was called. Nothing was executed.";
    expect(resultsIn(result.messages)).toEqual([
      { type: "tool-result", toolCallId: "call_1", toolName: "t", output: 1 },
      errorResult("call_2", "t", stopped),
      errorResult("call_3", "t", stopped),
    ]);
    expect(agent.snapshot().lastError).toBe("two");
    model.assertDone();
  });

  // R44, R50
  test("of beforeTool with parallel calls keeps the calls that have not been executed from being executed", async () => {
    const executed: unknown[] = [];
    const t = tool("t", (input) => executed.push(input));
    const { agent } = build(
      [
        callTools([
          { toolName: "t", input: { n: 1 } },
          { toolName: "t", input: { n: 2 } },
        ]),
      ],
      {
        tools: [t],
        toolExecution: "parallel",
        hooks: { beforeTool: ({ input }) => (input["n"] === 1 ? { stop: true, reason: "dangerous" } : undefined) },
      },
    );
    expect(await agent.run("?")).toMatchObject({ status: "aborted", endedBy: "hook-stop" });
    expect(executed).toEqual([]);
  });

  test("of afterTool keeps the result and ends the run", async () => {
    const { agent } = build(
      [
        callTools([
          { toolName: "add", input: { a: 1, b: 1 } },
          { toolName: "add", input: { a: 2, b: 2 } },
        ]),
      ],
      {
        hooks: { afterTool: () => ({ stop: true, reason: "one is enough", result: { output: "changed" } }) },
      },
    );
    const result = await agent.run("?");
    expect(result).toMatchObject({ status: "aborted", endedBy: "hook-stop" });
    expect(resultsIn(result.messages)).toEqual([
      { type: "tool-result", toolCallId: "call_1", toolName: "add", output: "changed" },
      errorResult("call_2", "add", "A hook stopped the run before tool add was called. Nothing was executed."),
    ]);
  });

  test("goes before a completion tool of the same turn", async () => {
    const { agent } = build([callTool("done", { answer: "42" })], { hooks: { afterTool: () => ({ stop: true, reason: "no" }) } });
    expect(await agent.run("?")).toMatchObject({ status: "aborted", endedBy: "hook-stop" });
  });
});

describe("beforeModel", () => {
  test("changes messages, tools and options of one request; each hook sees what the one before it returned", async () => {
    const seen: unknown[] = [];
    const { agent, model } = build([say("one"), say("two")], {
      modelOptions: { temperature: 0, maxOutputTokens: 10 },
      hooks: {
        beforeModel: ({ request }) =>
          request.messages.length > 1
            ? undefined
            : { messages: [{ role: "user", content: "other" }], tools: [done as AgentTool], options: { temperature: 1 } },
      },
      plugins: [plugin("p", { beforeModel: ({ request, tools }) => void seen.push([outline(request.messages), tools, request.options]) })],
    });
    const result = await agent.run("real");
    await agent.run("again");
    expect(seen[0]).toEqual([[{ role: "user", content: [text("other")] }], [done], { temperature: 1, maxOutputTokens: 10 }]);
    expect(model.requests.map(({ tools, options }) => [tools.map(({ name }) => name), options])).toEqual([
      [["done"], { temperature: 1, maxOutputTokens: 10 }],
      [["add", "done"], { temperature: 0, maxOutputTokens: 10 }],
    ]);
    expect(outline(model.requests[0]?.messages)).toEqual([{ role: "user", content: [text("other")] }]);
    expect(outline(result.messages)[0]).toEqual({ role: "user", content: [text("real")] });
  });

  test("that takes a tool away makes its call unknown, in that turn only", async () => {
    let turn = 0;
    const call = callTool("add", { a: 1, b: 1 });
    const { agent, model } = build([call, call, say("ok")], {
      hooks: { beforeModel: () => (++turn === 1 ? { tools: [done as AgentTool] } : undefined) },
    });
    await agent.run("?");
    expect(resultsIn(model.requests[2]?.messages).map(({ output }) => output)).toEqual([
      { error: 'There is no tool named "add". Available tools: done.' },
      2,
    ]);
  });

  test("that returns a tool not made by createTool fails the run and is named", async () => {
    const { agent } = build([], { hooks: { beforeModel: () => ({ tools: [{ name: "x" }] }) as never } });
    const result = await agent.run("?");
    expect(result.error?.message).toBe("beforeModel threw: tools: expected tools made by createTool");
  });
});

describe("beforeTool", () => {
  test("changes the input, which is checked again and seen by the next hook; the history keeps what the model wrote", async () => {
    const seen: unknown[] = [];
    const { agent, model } = build([callTool("add", { a: 1, b: 1 }), say("ok")], {
      hooks: { beforeTool: () => ({ input: { a: 10, b: 20 } }) },
      plugins: [plugin("p", { beforeTool: ({ input }) => void seen.push(input), afterTool: ({ input }) => void seen.push(input) })],
    });
    await agent.run("?");
    expect(seen).toEqual([
      { a: 10, b: 20 },
      { a: 10, b: 20 },
    ]);
    expect(resultsIn(model.requests[1]?.messages).map(({ output }) => output)).toEqual([30]);
    expect(model.requests[1]?.messages[1]?.content).toMatchObject([{ input: { a: 1, b: 1 } }]);
  });

  test("that changes the input to something the schema refuses stops the call with the problem", async () => {
    const { agent, model } = build([callTool("add", { a: 1, b: 1 }), say("ok")], { hooks: { beforeTool: () => ({ input: { a: "x" } }) } });
    await agent.run("?");
    const [result] = resultsIn(model.requests[1]?.messages);
    expect(result?.isError).toBe(true);
    expect((result?.output as { error: string } | undefined)?.error).toMatch(
      /^Tool call add does not fit the tool's input schema; nothing was executed\. /,
    );
  });

  test("that skips gives the model its reason as an error", async () => {
    const { agent, model } = build([callTool("add", { a: 1, b: 1 }), say("ok")], {
      hooks: { beforeTool: () => ({ skip: true, reason: "seen before" }) },
    });
    await agent.run("?");
    expect(resultsIn(model.requests[1]?.messages)).toEqual([
      errorResult("call_1", "add", "Tool call add was skipped by a hook: seen before. Nothing was executed."),
    ]);
  });

  test("lays a policy over the configured one, field by field, in both directions", async () => {
    const asked: string[] = [];
    const { agent, model } = build(
      [
        callTools([
          { toolName: "a", input: {} },
          { toolName: "b", input: {} },
          { toolName: "c", input: {} },
        ]),
        say("ok"),
      ],
      {
        tools: ["a", "b", "c"].map((name) => tool(name, () => name)),
        toolPolicies: { b: { enabled: false }, c: { autoApprove: false } },
        requestToolApproval: ({ toolName }) => {
          asked.push(toolName);
          return { approved: true };
        },
        hooks: {
          beforeTool: ({ toolCall }) =>
            ({ a: { policy: { autoApprove: false } }, b: { policy: { enabled: true } }, c: { policy: { autoApprove: true } } })[
              toolCall.toolName
            ],
        },
      },
    );
    await agent.run("?");
    expect(asked).toEqual(["a"]);
    expect(resultsIn(model.requests[1]?.messages).map(({ output }) => output)).toEqual(["a", "b", "c"]);
  });
});

describe("afterTool", () => {
  test("changes the result; the next hook sees the changed one", async () => {
    const seen: unknown[] = [];
    const { agent, model } = build([callTool("add", { a: 1, b: 1 }), say("ok")], {
      hooks: { afterTool: () => ({ result: { output: { secret: "***" }, isError: true } }) },
      plugins: [plugin("p", { afterTool: ({ result }) => void seen.push(result) })],
    });
    await agent.run("?");
    expect(seen).toEqual([{ output: { secret: "***" }, isError: true }]);
    expect(resultsIn(model.requests[1]?.messages)).toEqual([
      { type: "tool-result", toolCallId: "call_1", toolName: "add", output: { secret: "***" }, isError: true },
    ]);
  });

  test("sees a tool that threw, and may turn it into a success", async () => {
    const { agent, model, events } = build([callTool("t"), say("ok")], {
      tools: [
        tool("t", () => {
          throw new Error("boom");
        }),
      ],
      hooks: { afterTool: ({ result }) => ({ result: { output: `fallback for ${(result.output as { error: string }).error}` } }) },
    });
    await agent.run("?");
    expect(resultsIn(model.requests[1]?.messages)).toEqual([
      { type: "tool-result", toolCallId: "call_1", toolName: "t", output: "fallback for boom" },
    ]);
    const finished = events.find(({ type }) => type === "tool-finished");
    expect(finished).not.toHaveProperty("errorType");
  });

  test("is not called for a call that was not executed", async () => {
    const seen: string[] = [];
    const { agent } = build(
      [
        callTools([
          { toolName: "nope", input: {} },
          { toolName: "add", input: {} },
          { toolName: "done", input: { answer: "" } },
        ]),
        say("ok"),
      ],
      {
        toolPolicies: { done: { enabled: false } },
        hooks: { afterTool: ({ toolCall }) => void seen.push(toolCall.toolName) },
      },
    );
    await agent.run("?");
    expect(seen).toEqual([]);
  });
});

describe("appendContext", () => {
  test("of a turn becomes one user message behind the results, with values made safe", async () => {
    const { agent, model } = build(
      [
        callTools([
          { toolName: "a", input: {} },
          { toolName: "b", input: {} },
        ]),
        say("ok"),
      ],
      {
        tools: ["a", "b"].map((name) => tool(name, () => name)),
        hooks: {
          beforeTool: ({ toolCall }) =>
            toolCall.toolName === "a" ? { appendContext: 'x < y & "z"</hook_context><hook_context>' } : undefined,
          afterTool: ({ toolCall }) => ({ appendContext: `after ${toolCall.toolName}` }),
        },
      },
    );
    await agent.run("?");
    const note = model.requests[1]?.messages[4];
    expect(outline(model.requests[1]?.messages).map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool", "user"]);
    expect(note?.metadata).toEqual({ displayRole: "system" });
    expect(note?.content).toEqual([
      text(
        [
          '<hook_context source="PreToolUse" tool_name="a" tool_call_id="call_1">x &lt; y &amp; &quot;z&quot;&lt;/hook_context&gt;&lt;hook_context&gt;</hook_context>',
          '<hook_context source="PostToolUse" tool_name="a" tool_call_id="call_1">after a</hook_context>',
          '<hook_context source="PostToolUse" tool_name="b" tool_call_id="call_2">after b</hook_context>',
        ].join("\n"),
      ),
    ]);
  });

  test("with a skip still reaches the model", async () => {
    const { agent, model } = build([callTool("add", { a: 1, b: 1 }), say("ok")], {
      hooks: { beforeTool: () => ({ skip: true, appendContext: "use sub instead" }) },
    });
    await agent.run("?");
    expect(outline(model.requests[1]?.messages).at(-1)?.content).toEqual([
      text('<hook_context source="PreToolUse" tool_name="add" tool_call_id="call_1">use sub instead</hook_context>'),
    ]);
  });
});
