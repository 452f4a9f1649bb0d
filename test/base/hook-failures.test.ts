import { type AgentHooks, HookError } from "triact";
import { callTool, callTools, say } from "triact/testing";
import { describe, expect, test } from "vitest";
import { build, errorResult, resultsIn, tool, typesOf } from "./kit.js";

const plugin = (name: string, hooks: AgentHooks) => ({ name, hooks });

describe("a hook that throws", () => {
  test.each(["beforeRun", "beforeModel", "afterModel", "afterRun"] as const)("in %s fails the run and is named", async (name) => {
    const fail = () => {
      throw new Error("boom");
    };
    const own = build([say("ok")], { hooks: { [name]: fail } });
    const result = await own.agent.run("?");
    expect(result).toMatchObject({ status: "failed", endedBy: "error" });
    expect(result.error).toBeInstanceOf(HookError);
    expect(result.error?.message).toBe(`${name} threw: boom`);
    expect(typesOf(own.events).at(-1)).toBe("run-failed");
    const plugged = build([say("ok")], { plugins: [plugin("audit", { [name]: async () => fail() })] });
    expect((await plugged.agent.run("?")).error?.message).toBe(`${name} of plugin "audit" threw: boom`);
  });

  // R44
  test("in beforeTool or afterTool becomes that call's error result, and its siblings are unharmed", async () => {
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
        hooks: {
          beforeTool: ({ toolCall }) => {
            if (toolCall.toolName === "a") throw new Error("no a");
          },
        },
        plugins: [
          plugin("audit", {
            afterTool: ({ toolCall }) => (toolCall.toolName === "b" ? Promise.reject("no b") : undefined),
          }),
        ],
      },
    );
    expect((await agent.run("?")).status).toBe("completed");
    expect(resultsIn(model.requests[1]?.messages)).toEqual([
      errorResult("call_1", "a", "The hook beforeTool failed: no a. Nothing was executed."),
      errorResult(
        "call_2",
        "b",
        'The hook afterTool of plugin "audit" failed after the tool had run: no b. The outcome of the call is not known.',
      ),
      { type: "tool-result", toolCallId: "call_3", toolName: "c", output: "c" },
    ]);
  });

  test("in onEvent, and a subscriber that throws or rejects, go to the logger and change nothing", async () => {
    const logged: unknown[][] = [];
    const { agent } = build([say("ok")], {
      logger: { error: (...values) => void logged.push(values), warn: () => undefined },
      hooks: {
        onEvent: ({ type }) => {
          if (type === "turn-started") throw new Error("hook");
        },
      },
    });
    agent.subscribe(({ type }) => {
      if (type === "run-started") throw new Error("subscriber");
    });
    const rejecting = async (event: { type: string }) => {
      if (event.type === "run-finished") throw new Error("late");
    };
    agent.subscribe((event) => rejecting(event) as never);
    expect((await agent.run("?")).status).toBe("completed");
    expect(logged).toEqual([
      ["A subscriber threw on run-started; it was skipped.", new Error("subscriber")],
      ["The hook onEvent threw on turn-started; it was skipped.", new Error("hook")],
      ["A subscriber rejected on run-finished; it was skipped.", new Error("late")],
    ]);
  });

  test("after the run had failed by itself keeps what it had failed by", async () => {
    const { agent } = build([{ finishReason: "error", error: "bad key", errorClass: "auth" }], {
      hooks: {
        afterRun: () => {
          throw new Error("metrics down");
        },
      },
    });
    const result = await agent.run("?");
    const told = [result.error?.message, (result.error?.cause as Error | undefined)?.message].join(" ");
    expect(result.status).toBe("failed");
    expect(`${told} ${result.errorClass}`).toContain("bad key");
  });
});

describe("state given to hooks", () => {
  // R53
  test("cannot be changed: whatever a hook tries, model, history and the next hook see nothing of it", async () => {
    const tries: string[] = [];
    const attempt = (what: string, change: () => unknown) => {
      try {
        change();
      } catch (error) {
        tries.push(`${what}: ${(error as Error).name}`);
      }
    };
    const seen: unknown[] = [];
    const { agent, model } = build([callTool("add", { a: 1, b: 1 }), say("ok")], {
      modelOptions: { providerOptions: { deep: { value: 1 } } },
      hooks: {
        beforeRun: ({ snapshot }) => attempt("usage", () => Object.assign(snapshot.usage, { totalInputTokens: 99 })),
        beforeModel: ({ request, tools, snapshot }) => {
          attempt("push", () => (request.messages as unknown[]).push("x"));
          attempt("reverse", () => (request.messages as unknown[]).reverse());
          attempt("empty", () => (snapshot.messages as unknown[]).splice(0));
          attempt("tools", () => (tools as unknown[]).splice(0));
          attempt("tool", () => Object.assign(tools[0] ?? {}, { description: "hacked" }));
          attempt("schema", () => Object.assign(tools[0]?.inputSchema ?? {}, { type: "string" }));
          attempt("options", () => Object.assign(request.options.providerOptions?.["deep"] as object, { value: 2 }));
        },
        beforeTool: ({ input, toolCall }) => {
          attempt("input", () => Object.assign(input, { a: 100 }));
          attempt("toolCall", () => Object.assign(toolCall, { toolName: "done" }));
        },
        afterTool: ({ result }) => attempt("result", () => Object.assign(result, { output: 0 })),
        afterModel: ({ assistantMessage }) => attempt("content", () => (assistantMessage.content as unknown[]).splice(0)),
        afterRun: ({ result }) => attempt("messages", () => (result.messages as unknown[]).splice(0)),
      },
      plugins: [plugin("p", { beforeModel: ({ request }) => void seen.push(request.messages.length) })],
    });
    const result = await agent.run("?");
    expect(tries.filter((line) => !line.endsWith("TypeError"))).toEqual([]);
    expect(new Set(tries.map((line) => line.split(":")[0]))).toEqual(
      new Set([
        "usage",
        "push",
        "reverse",
        "empty",
        "tools",
        "tool",
        "schema",
        "options",
        "input",
        "toolCall",
        "result",
        "content",
        "messages",
      ]),
    );
    expect(seen).toEqual([1, 3]);
    expect(model.requests[0]?.options).toEqual({ providerOptions: { deep: { value: 1 } } });
    expect(resultsIn(result.messages).map(({ output }) => output)).toEqual([2]);
    expect(result.usage.totalInputTokens).toBe(0);
  });
});
