import { ReadableStream } from "node:stream/web";
import { type AgentHooks, type AgentRuntime, BaseAgentRuntime, createAgent, createTool, type Observation, type Run, textOf } from "triact";
import { callTool, callTools, ScriptedModel, say, toolResults } from "triact/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";

const read = createTool({ name: "read", description: "Reads.", inputSchema: z.object({}), execute: async () => 1 });

/** Lets all that is ready happen. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("work that was given up", () => {
  test("of prepare writes nothing into the next run", async () => {
    const gate = Promise.withResolvers<void>();
    class SlowPlan extends BaseAgentRuntime {
      override readonly name = "slow-plan";
      protected override async prepare(run: Run): Promise<void> {
        if (run.messages.length > 1) return;
        await gate.promise; // ignores the signal
        await run.addNote("STALE PLAN");
      }
    }
    const model = new ScriptedModel([callTool("read"), say("done")]);
    const agent = createAgent({ model, tools: [read], runtime: new SlowPlan() });
    const first = agent.run("first");
    agent.abort();
    await first;
    const second = agent.run("second");
    gate.resolve();
    const result = await second;
    await settled();
    expect(result.messages.map(({ role }) => role)).toEqual(["user", "user", "assistant", "tool", "assistant"]);
    expect(toolResults(result)).toMatchObject([{ output: 1, isError: false }]);
    expect(agent.snapshot().messages.map(textOf)).not.toContain("STALE PLAN");
  });

  test("of perform gets an error, and reports no event behind the last one", async () => {
    const late: unknown[] = [];
    class Detached extends BaseAgentRuntime {
      override readonly name = "detached";
      protected override async perform(_action: unknown, run: Run): Promise<Observation> {
        setImmediate(async () => {
          late.push(await Promise.resolve(run.addNote("late")).catch((error: unknown) => error));
          await run.notice("late");
        });
        return { texts: [], outcome: { status: "completed", endedBy: "natural", outputText: "ok" } };
      }
    }
    const agent = createAgent({ model: new ScriptedModel([callTool("read")]), tools: [read], runtime: new Detached() });
    const types: string[] = [];
    agent.subscribe(({ type }) => types.push(type));
    await agent.run("Go.");
    await settled();
    await settled();
    expect(late).toMatchObject([{ code: "agent-abort", message: expect.stringContaining("the run is over") }]);
    expect(types.at(-1)).toBe("run-finished");
    expect(agent.snapshot().messages.map(textOf)).not.toContain("late");
  });
});

describe("a stream that is left", () => {
  const hanging = () => createAgent({ model: new ScriptedModel([{ hangs: true }, say("ok")]) });

  test("before its first event aborts the run", async () => {
    const agent = hanging();
    const stream = agent.stream("Go.");
    await stream[Symbol.asyncIterator]().return?.();
    expect((await stream.result).status).toBe("aborted");
  });

  test("while an event is waited for aborts the run", async () => {
    const agent = hanging();
    const stream = agent.stream("Go.");
    const iterator = stream[Symbol.asyncIterator]();
    for (let event = await iterator.next(); event.value?.type !== "turn-started"; ) event = await iterator.next();
    const waiting = iterator.next();
    await iterator.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect((await stream.result).status).toBe("aborted");
  });

  test("by cancelling a web stream over it aborts the run", async () => {
    const stream = hanging().stream("Go.");
    await ReadableStream.from(stream).cancel();
    expect((await stream.result).status).toBe("aborted");
  });
});

describe("a hook's answer", () => {
  const trap = { get stop(): boolean { throw new Error("getter"); } }; // biome-ignore format: one line

  test("that throws when it is read is the error of that call alone, and names the hook", async () => {
    for (const name of ["beforeTool", "afterTool"] as const) {
      const hooks: AgentHooks = {
        [name]: ({ toolCall }: { toolCall: { toolCallId: string } }) => (toolCall.toolCallId === "call_1" ? trap : undefined),
      };
      const model = new ScriptedModel([
        callTools([
          { toolName: "read", input: {} },
          { toolName: "read", input: {} },
        ]),
        say("ok"),
      ]);
      const result = await createAgent({ model, tools: [read], hooks }).run("Go.");
      expect(result.status).toBe("completed");
      expect(toolResults(result)).toMatchObject([
        { isError: true, error: expect.stringContaining(`The hook ${name} failed`) },
        { output: 1 },
      ]);
    }
  });

  test.each(["beforeRun", "beforeModel", "afterModel"] as const)(
    "of %s that throws when it is read fails the run and is named",
    async (name) => {
      const agent = createAgent({ model: new ScriptedModel([say("ok")]), hooks: { [name]: () => trap } });
      const result = await agent.run("Go.");
      expect(result.error?.message).toBe(`${name} threw: getter`);
    },
  );

  test("whose reason is no text is told as text", async () => {
    const hooks = { beforeRun: () => ({ stop: true, reason: new Error("boom") }) } as unknown as AgentHooks;
    const agent = createAgent({ model: new ScriptedModel([]), hooks });
    expect((await agent.run("Go.")).reason).toBe("boom");
    expect(JSON.parse(JSON.stringify(agent.snapshot())).lastError).toBe("boom");
  });

  test("with a policy that is neither true nor false does not let the call through", async () => {
    const hooks = { beforeTool: () => ({ policy: { enabled: "no" } }) } as unknown as AgentHooks;
    const model = new ScriptedModel([callTool("read"), say("ok")]);
    const result = await createAgent({ model, tools: [read], hooks }).run("Go.");
    expect(toolResults(result)).toMatchObject([
      { isError: true, error: expect.stringContaining("the policy's enabled must be true or false.") },
    ]);
  });
});

test("restore drops words that were steered into the old conversation", async () => {
  const agent = createAgent({ model: new ScriptedModel([say("hello")]) });
  agent.steer("secret of the old one");
  agent.restore([]);
  const result = await agent.run("new");
  expect(result.messages.map(textOf)).toEqual(["new", "hello"]);
});

test("a finish reason that nobody knows is no success", async () => {
  const result = await createAgent({ model: new ScriptedModel([say("half an ans", { finishReason: "length" as never })]) }).run("Go.");
  expect(result).toMatchObject({ status: "failed", endedBy: "error", outputText: "half an ans" });
});

test("a runtime that gives no result is a mistake of the caller", async () => {
  const runtime = { name: "broken", run: async () => undefined } as unknown as AgentRuntime;
  await expect(createAgent({ model: new ScriptedModel([]), runtime }).run("Go.")).rejects.toThrow(
    'runtime: run() of "broken" gave no result',
  );
  expect(() => createAgent({ model: new ScriptedModel([]), runtime: { run: async () => undefined } as never })).toThrow(
    "runtime: expected a runtime",
  );
});
