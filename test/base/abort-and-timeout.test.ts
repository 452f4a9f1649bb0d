import { AgentAbortError, type AgentModelEvent, createAgent, modelTexts, RunLimitError, ToolTimeoutError } from "triact";
import { callTool, callTools, ScriptedModel, say } from "triact/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { build, deferred, errorResult, outline, resultsIn, seams, settle, text, tool, typesOf } from "./kit.js";

const never = () => new Promise<never>(() => undefined);

describe("abort", () => {
  // R50
  test("right after run() ends the run before the model is asked, and the next run starts clean", async () => {
    const { agent, model } = build([say("second")]);
    const running = agent.run("first");
    agent.abort("changed my mind");
    expect(await running).toMatchObject({ status: "aborted", endedBy: "abort", iterations: 0, outputText: "" });
    expect(agent.snapshot()).toMatchObject({ status: "aborted", lastError: "The run was aborted: changed my mind" });
    expect(model.requests).toHaveLength(0);
    const second = await agent.run("second");
    expect(second).toMatchObject({ status: "completed", outputText: "second" });
    expect(agent.snapshot().lastError).toBeUndefined();
  });

  // R49
  test("by a signal that has fired already calls neither model nor hook", async () => {
    const seen: string[] = [];
    const { agent, model } = build([say("no")], { hooks: { beforeRun: () => void seen.push("beforeRun") } });
    const result = await agent.run("?", { signal: AbortSignal.abort("early") });
    expect(result).toMatchObject({ status: "aborted", endedBy: "abort", iterations: 0 });
    expect(seen).toEqual([]);
    expect(model.requests).toHaveLength(0);
  });

  // R49, R52
  test("settles the run though the stream hangs, and closes the stream", async () => {
    let closed = 0;
    const pieces: AgentModelEvent[] = [{ type: "text-delta", text: "par" }];
    const iterator: AsyncIterator<AgentModelEvent> = {
      next: async () => ({ value: pieces.shift() ?? (await never()), done: false }),
      return: () => {
        closed += 1;
        return never();
      },
    };
    const { agent } = build([], { model: { stream: () => ({ [Symbol.asyncIterator]: () => iterator }) } });
    agent.subscribe(({ type }) => {
      if (type === "assistant-text-delta") agent.abort();
    });
    const result = await agent.run("?");
    expect(closed).toBe(1);
    expect(result).toMatchObject({ status: "aborted", outputText: "" });
    expect(outline(result.messages)).toEqual([{ role: "user", content: [text("?")] }]);
  });

  // R49
  test("gives model and tool the one reason, with what abort() was given as its cause", async () => {
    const reasons: unknown[] = [];
    const t = tool("t", (_, { signal }) => {
      signal.addEventListener("abort", () => reasons.push(signal.reason));
      agent.abort({ code: 7 });
      return never();
    });
    const { agent } = build([callTool("t")], { tools: [t] });
    const result = await agent.run("?");
    expect(result.status).toBe("aborted");
    expect(result.error).toBeUndefined();
    expect(reasons).toHaveLength(1);
    expect(reasons[0]).toBeInstanceOf(AgentAbortError);
    expect((reasons[0] as AgentAbortError).cause).toEqual({ code: 7 });
    expect(agent.snapshot().lastError).toBe('The run was aborted: {"code":7}');
  });

  test("with an AgentAbortError uses that very error", async () => {
    const error = new AgentAbortError({ reason: "mine" });
    let reason: unknown;
    const t = tool("t", (_, { signal }) => {
      agent.abort(error);
      reason = signal.reason;
    });
    const { agent } = build([callTool("t")], { tools: [t] });
    await agent.run("?");
    expect(reason).toBe(error);
  });

  // R49
  test("during a tool says that the outcome is unknown; calls that had not begun say that nothing was executed", async () => {
    const t = tool("t", () => {
      agent.abort();
      return never();
    });
    const { agent, events } = build(
      [
        callTools([
          { toolName: "t", input: {} },
          { toolName: "add", input: { a: 1, b: 1 } },
        ]),
      ],
      { tools: [t] },
    );
    const result = await agent.run("?");
    expect(resultsIn(result.messages)).toEqual([
      errorResult("call_1", "t", modelTexts.aborted("t", 0)),
      errorResult("call_2", "add", modelTexts.abortedBeforeCall("add")),
    ]);
    expect(events.flatMap((event) => (event.type === "tool-finished" ? [event.errorType] : []))).toEqual(["aborted", "aborted"]);
    expect(typesOf(events).slice(-3)).toEqual(["message-added", "message-added", "run-finished"]);
  });

  // R49
  test("during an approval denies nothing and executes nothing", async () => {
    let executed = 0;
    const t = tool("t", () => ++executed);
    let fired = false;
    const { agent } = build([callTool("t")], {
      tools: [t],
      toolPolicies: { t: { autoApprove: false } },
      requestToolApproval: ({ signal }) => {
        signal.addEventListener("abort", () => {
          fired = true;
        });
        agent.abort();
        return never();
      },
    });
    const result = await agent.run("?");
    expect([result.status, executed, fired]).toEqual(["aborted", 0, true]);
    expect(resultsIn(result.messages)).toEqual([errorResult("call_1", "t", modelTexts.abortedBeforeCall("t"))]);
  });

  // R49
  test("reaches a tool that was approved first", async () => {
    const t = tool("t", (_, { signal }) => {
      agent.abort();
      return signal.aborted;
    });
    const { agent } = build([callTool("t")], {
      tools: [t],
      toolPolicies: { "*": { autoApprove: false } },
      requestToolApproval: () => ({ approved: true }),
    });
    const result = await agent.run("?");
    expect(result.status).toBe("aborted");
    expect(resultsIn(result.messages)).toEqual([{ type: "tool-result", toolCallId: "call_1", toolName: "t", output: true }]);
  });

  // R49
  test("reaches an agent inside a tool through its signal", async () => {
    const inner = createAgent({ model: new ScriptedModel([{ hangs: true }]), ...seams() });
    const results: unknown[] = [];
    const nested = tool("nested", async (_, { signal }) => {
      const running = inner.run("?", { signal });
      agent.abort("outer");
      results.push(await running);
      return "late";
    });
    const { agent } = build([callTool("nested")], { tools: [nested] });
    expect((await agent.run("?")).status).toBe("aborted");
    await settle();
    expect(results).toMatchObject([{ status: "aborted", endedBy: "abort" }]);
  });

  // R50
  test.each(["beforeRun", "beforeModel", "afterModel", "beforeTool", "afterTool", "onEvent"] as const)(
    "inside %s ends the run",
    async (hook) => {
      const { agent } = build([callTool("add", { a: 1, b: 1 }), say("no")], { hooks: { [hook]: () => agent.abort("from the hook") } });
      expect(await agent.run("?")).toMatchObject({ status: "aborted", endedBy: "abort" });
      expect(agent.snapshot().lastError).toBe("The run was aborted: from the hook");
    },
  );

  // R50
  test("twice keeps the first reason; without a run it does nothing", async () => {
    const { agent } = build([say("ok")]);
    agent.abort("nobody there");
    const running = agent.run("?");
    agent.abort("first");
    agent.abort("second");
    expect((await running).status).toBe("aborted");
    expect(agent.snapshot().lastError).toBe("The run was aborted: first");
    agent.abort("too late");
    expect(agent.snapshot().lastError).toBe("The run was aborted: first");
    expect((await agent.run("?")).status).toBe("completed");
  });

  test("does not wait for an onEvent hook that hangs", async () => {
    vi.useFakeTimers();
    try {
      const { agent } = build([say("no")], { hooks: { onEvent: never } });
      const running = agent.run("?");
      agent.abort();
      await vi.advanceTimersByTimeAsync(1_000);
      expect((await running).status).toBe("aborted");
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test("takes its listener off the caller's signal when the run is over", async () => {
    const controller = new AbortController();
    const added = vi.spyOn(controller.signal, "addEventListener");
    const removed = vi.spyOn(controller.signal, "removeEventListener");
    const { agent } = build([say("ok")]);
    await agent.run("?", { signal: controller.signal });
    expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(added.mock.calls.map(([, listener]) => listener));
  });
});

describe("time", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  // R52
  test("of a tool over: the tool's signal fires, the model is told, the run goes on", async () => {
    let reason: unknown;
    const slow = tool(
      "slow",
      (_, { signal }) => {
        signal.addEventListener("abort", () => {
          reason = signal.reason;
        });
        return never();
      },
      { timeoutMs: 50 },
    );
    const { agent, model, events } = build([callTool("slow"), say("ok")], { tools: [slow] });
    const running = agent.run("?");
    await vi.advanceTimersByTimeAsync(49);
    expect(reason).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect((await running).status).toBe("completed");
    expect(reason).toBeInstanceOf(ToolTimeoutError);
    expect(resultsIn(model.requests[1]?.messages)).toEqual([errorResult("call_1", "slow", modelTexts.timedOut("slow", 50))]);
    expect(events.flatMap((event) => (event.type === "tool-finished" ? [event.errorType] : []))).toEqual(["timeout"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  // R52
  test("of a tool over: a late rejection and late updates are dropped", async () => {
    const late = deferred();
    let update: ((value: unknown) => void) | undefined;
    const slow = tool(
      "slow",
      async (_, { emitUpdate }) => {
        update = emitUpdate;
        emitUpdate("early");
        await late.promise;
        throw new Error("too late");
      },
      { timeoutMs: 50 },
    );
    const { agent, events } = build([callTool("slow"), say("ok")], { tools: [slow] });
    const running = agent.run("?");
    await vi.advanceTimersByTimeAsync(50);
    await running;
    update?.("late");
    late.resolve();
    await settle();
    expect(events.flatMap((event) => (event.type === "tool-updated" ? [event.update] : []))).toEqual(["early"]);
    expect(agent.snapshot().status).toBe("completed");
  });

  test("that a person takes to approve does not count for the tool", async () => {
    const t = tool("t", () => "done", { timeoutMs: 50 });
    const answer = deferred<{ approved: boolean }>();
    const { agent, model } = build([callTool("t"), say("ok")], {
      tools: [t],
      toolPolicies: { t: { autoApprove: false } },
      requestToolApproval: () => answer.promise,
    });
    const running = agent.run("?");
    await vi.advanceTimersByTimeAsync(60_000);
    answer.resolve({ approved: true });
    await running;
    expect(resultsIn(model.requests[1]?.messages).map(({ output }) => output)).toEqual(["done"]);
  });

  test.each([
    ["a model that hangs", [{ hangs: true }]],
    ["a tool that hangs", [callTool("hang")]],
  ])("of the run over ends %s as time-limit", async (_, turns) => {
    const { agent } = build(turns, { tools: [tool("hang", never)], limits: { timeoutMs: 500 } });
    const running = agent.run("?");
    await vi.advanceTimersByTimeAsync(500);
    const result = await running;
    expect(result).toMatchObject({ status: "failed", endedBy: "time-limit" });
    expect(result.error).toBeInstanceOf(RunLimitError);
    expect(result.error?.message).toBe("The run took longer than 500 ms (limits.timeoutMs).");
    expect(vi.getTimerCount()).toBe(0);
  });

  test("of a tool that was quick enough leaves no timer", async () => {
    const { agent } = build([callTool("t"), say("ok")], { tools: [tool("t", () => "done", { timeoutMs: 50 })] });
    await agent.run("?");
    expect(vi.getTimerCount()).toBe(0);
  });

  test("of the run leaves no timer when the run ends well", async () => {
    const { agent } = build([say("ok")], { limits: { timeoutMs: 500 } });
    await agent.run("?");
    expect(vi.getTimerCount()).toBe(0);
  });

  test("of the run, found out between approval and execution, does not claim that the tool was called", async () => {
    let clock = 0;
    let executed = 0;
    const { agent } = build([callTool("t")], {
      now: () => clock,
      tools: [tool("t", () => ++executed)],
      limits: { timeoutMs: 500 },
      hooks: {
        beforeTool: () => {
          clock = 600; // the process was busy, so no timer could fire
        },
      },
    });
    const result = await agent.run("?");
    expect([result.endedBy, executed]).toEqual(["time-limit", 0]);
    expect(resultsIn(result.messages)).toEqual([errorResult("call_1", "t", modelTexts.abortedBeforeCall("t"))]);
  });
});

describe("a stream that is over", () => {
  test("is over though closing it fails", async () => {
    const { agent } = build([], {
      model: {
        async *stream() {
          try {
            yield { type: "text-delta", text: "whole" };
            yield { type: "finish", reason: "stop" };
          } finally {
            // biome-ignore lint/correctness/noUnsafeFinally: this is what the test is about
            throw new Error("socket already closed");
          }
        },
      },
    });
    expect(await agent.run("?")).toMatchObject({ status: "completed", outputText: "whole" });
  });

  test("is over though closing it takes for ever", async () => {
    const { agent } = build([], {
      model: {
        async *stream() {
          try {
            yield { type: "text-delta", text: "whole" };
            yield { type: "finish", reason: "stop" };
          } finally {
            await never();
          }
        },
      },
    });
    const running = agent.run("?");
    await settle();
    expect(agent.snapshot().status).toBe("completed");
    agent.abort();
    await running;
  });
});
