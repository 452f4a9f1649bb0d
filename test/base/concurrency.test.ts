import { AgentBusyError, type AgentEvent, type AgentModelEvent, type AgentOptions, createAgent, ReActRuntime } from "triact";
import { callTool, ScriptedModel, say } from "triact/testing";
import { afterEach, describe, expect, test, vi } from "vitest";
import { add, build, deferred, outline, resultsIn, seams, settle, text, tool } from "./kit.js";

const user = (value: string) => ({ role: "user", content: [text(value)] });
const assistant = (value: string) => ({ role: "assistant", content: [text(value)] });

describe("a second run of a busy agent", () => {
  // R54
  test("is refused before anything is touched, and the first goes on as if nothing had been", async () => {
    const gate = deferred();
    const { agent, model, events } = build([callTool("wait"), say("first")], { tools: [tool("wait", () => gate.promise)] });
    const first = agent.run("one");
    await settle();
    const [before, count] = [agent.snapshot(), events.length];
    await expect(agent.run("two")).rejects.toBeInstanceOf(AgentBusyError);
    await expect(agent.continue()).rejects.toBeInstanceOf(AgentBusyError);
    await expect(agent.stream("three").result).rejects.toBeInstanceOf(AgentBusyError);
    expect([agent.snapshot(), events.length]).toEqual([before, count]);
    gate.resolve();
    const result = await first;
    expect(outline(result.messages).map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
    expect(result).toMatchObject({ status: "completed", outputText: "first" });
    model.assertDone();
  });

  // R54
  test("started in the same tick is refused with a text that says what to do", async () => {
    const { agent } = build([say("first")]);
    const results = await Promise.allSettled([agent.run("one"), agent.run("two")]);
    expect(results).toMatchObject([
      { status: "fulfilled", value: { outputText: "first" } },
      {
        status: "rejected",
        reason: {
          code: "agent-busy",
          message:
            "Agent agent_1 is running already. Await the run, abort it, or build a second agent; a message for the run under way goes through steer().",
        },
      },
    ]);
    expect(outline(agent.snapshot().messages)).toEqual([user("one"), assistant("first")]);
  });

  // R54
  test("is refused as busy even with an input that is bad too, and its signal is not listened to", async () => {
    const { agent } = build([{ hangs: true }]);
    const first = agent.run("one");
    const controller = new AbortController();
    const added = vi.spyOn(controller.signal, "addEventListener");
    await expect(agent.run("", { signal: controller.signal })).rejects.toBeInstanceOf(AgentBusyError);
    expect(added).not.toHaveBeenCalled();
    agent.abort();
    await first;
  });

  // R54
  test("from inside its own tool, hook and subscriber is refused, and the run goes on", async () => {
    const refusals: unknown[] = [];
    const again = async (): Promise<undefined> => {
      await agent.run("inner").catch((error: unknown) => refusals.push(error));
    };
    const { agent } = build([callTool("t"), say("ok")], {
      tools: [tool("t", again)],
      hooks: { beforeRun: again, beforeModel: again, afterRun: again },
    });
    agent.subscribe(({ type }) => {
      if (type === "run-finished") void again();
    });
    expect((await agent.run("?")).status).toBe("completed");
    expect(refusals.map((error) => error instanceof AgentBusyError)).toEqual([true, true, true, true, true, true]);
    expect(outline(agent.snapshot().messages)).toHaveLength(4);
  });

  // R54: the guard is released on every exit path
  test.each<[string, AgentOptions, ConstructorParameters<typeof ScriptedModel>[0] & object]>([
    ["completed", {}, [say("ok")]],
    ["failed", {}, [{ throws: new Error("socket") }]],
    ["reached a limit", { maxIterations: 1 }, [callTool("add", { a: 1, b: 1 })]],
    ["was stopped by a hook", { hooks: { afterModel: ({ snapshot }) => ({ stop: snapshot.messages.length === 1 }) } }, [say("ok")]],
    ["had a hook that threw", { hooks: { beforeRun: throwOnce() } }, []],
    [
      "had a report that threw",
      { hooks: { afterRun: throwOnce() }, logger: { error: () => undefined, warn: () => undefined } },
      [say("ok")],
    ],
    [
      "had a logger that threw too",
      { hooks: { afterRun: throwOnce() }, logger: { error: throwOnce(), warn: () => undefined } },
      [say("ok")],
    ],
  ])("is let in when the first %s", async (_, options, turns) => {
    const { agent } = build([...(turns as never[]), say("second")], options);
    await agent.run("one");
    expect(agent.snapshot().status).not.toBe("running");
    expect(await agent.run("two")).toMatchObject({ status: "completed", outputText: "second" });
  });

  // R54
  test("is let in when the first could not begin", async () => {
    const plugin = { name: "p", setup: failOnce({ tools: [{ name: "made by hand" }] as never }) };
    const { agent } = build([say("second")], { plugins: [plugin] });
    await expect(agent.run("one")).rejects.toThrow("expected tools made by createTool");
    expect([agent.snapshot().status, agent.snapshot().messages]).toEqual(["idle", []]);
  });
});

describe("an onEvent hook that hangs", () => {
  afterEach(() => void vi.useRealTimers());

  // R50, law 4: a later run on the same agent starts clean
  test("in a run that was aborted does not hold the next one", async () => {
    vi.useFakeTimers();
    const { agent } = build([say("one"), say("two")], {
      hooks: { onEvent: ({ type, runId }) => (runId === "run_1" && type === "turn-started" ? new Promise(() => undefined) : undefined) },
    });
    const first = agent.run("one");
    await settle();
    agent.abort();
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await first).status).toBe("aborted");
    const second = agent.run("two");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(agent.snapshot().status).toBe("completed");
    agent.abort();
    await vi.advanceTimersByTimeAsync(1_000);
    await second;
  });
});

/** A model that answers each agent's calls in its own words, with a pause in between. */
function echo(delays: readonly (() => Promise<void>)[] = [settle]) {
  let calls = 0;
  return {
    async *stream({ messages }: { messages: readonly { role: string; content: readonly object[] }[] }): AsyncGenerator<AgentModelEvent> {
      await delays[calls++ % delays.length]?.();
      const last = messages.at(-1)?.content[0] as { text?: string; output?: number };
      if (last.text !== undefined) {
        const n = Number(last.text);
        yield { type: "tool-call-delta", index: 0, toolCallId: "same", toolName: "add", inputText: `{"a":${n},"b":1000}` };
      } else yield { type: "text-delta", text: `it is ${last.output}` };
      yield { type: "usage", inputTokens: 1 };
      yield { type: "finish", reason: "stop" };
    },
  };
}

describe("many agents", () => {
  // R54
  test("with one runtime, one model and one tool at once keep everything apart", async () => {
    const runtime = new ReActRuntime();
    const before = JSON.stringify(Object.entries(runtime));
    const model = echo([settle, () => Promise.resolve(), () => settle().then(settle)]);
    const told = new Map<number, AgentEvent[]>();
    const results = await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        const agent = createAgent({ model, runtime, tools: [add] as never, agentId: `agent_${n}` });
        const events: AgentEvent[] = [];
        told.set(n, events);
        agent.subscribe((event) => events.push(event));
        return agent.run(String(n));
      }),
    );
    for (const [n, { agentId, outputText, messages, usage, runId }] of results.entries()) {
      expect([agentId, outputText, usage.inputTokens]).toEqual([`agent_${n}`, `it is ${n + 1_000}`, 2]);
      expect(resultsIn(messages).map(({ toolCallId, output }) => [toolCallId, output])).toEqual([["same", n + 1_000]]);
      expect(new Set(told.get(n)?.map((event) => event.runId))).toEqual(new Set([runId]));
    }
    expect(new Set(results.map(({ runId }) => runId)).size).toBe(50);
    expect(JSON.stringify(Object.entries(runtime))).toBe(before);
  });

  // R54
  test("with one runtime: aborting one leaves the others running", async () => {
    const runtime = new ReActRuntime();
    const gates = [deferred<string>(), deferred<string>(), deferred<string>()];
    const agents = gates.map(({ promise }, n) => {
      const wait = tool("wait", () => promise);
      return build([callTool("wait"), say(`done ${n}`)], { runtime, tools: [wait], agentId: `agent_${n}` }).agent;
    });
    const running = agents.map((agent) => agent.run("?"));
    await settle();
    agents[1]?.abort("only you");
    expect(await running[1]).toMatchObject({ status: "aborted", agentId: "agent_1" });
    expect(agents.map((agent) => agent.snapshot().status)).toEqual(["running", "aborted", "running"]);
    for (const { resolve } of gates) resolve("go");
    expect((await Promise.all(running)).map(({ status, outputText }) => [status, outputText])).toEqual([
      ["completed", "done 0"],
      ["aborted", ""],
      ["completed", "done 2"],
    ]);
  });

  test("may run inside each other's tools, with one runtime", async () => {
    const runtime = new ReActRuntime();
    const inner = build([say("inner one"), say("inner two")], { runtime, agentId: "inner" }).agent;
    const ask = tool("ask", async () => (await inner.run("?")).outputText);
    const { agent } = build([callTool("ask"), callTool("ask"), say("outer")], { runtime, tools: [ask] });
    const result = await agent.run("?");
    expect(resultsIn(result.messages).map(({ output }) => output)).toEqual(["inner one", "inner two"]);
    expect(result.outputText).toBe("outer");
  });

  test("with one signal are all aborted by it", async () => {
    const controller = new AbortController();
    const runs = [1, 2, 3].map(() =>
      createAgent({ ...seams(), model: new ScriptedModel([{ hangs: true }]) }).run("?", { signal: controller.signal }),
    );
    await settle();
    controller.abort("shutting down");
    const results = await Promise.all(runs);
    expect(results.map(({ status, reason }) => [status, reason])).toEqual(
      Array.from({ length: 3 }, () => ["aborted", "The run was aborted: shutting down"]),
    );
  });
});

function throwOnce(): () => undefined {
  let thrown = false;
  return () => {
    if (thrown) return undefined;
    thrown = true;
    throw new Error("once");
  };
}

function failOnce<T>(bad: T): () => T | undefined {
  let failed = false;
  return () => {
    if (failed) return undefined;
    failed = true;
    return bad;
  };
}
