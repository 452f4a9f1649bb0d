import fc, { type Arbitrary } from "fast-check";
import { type AgentEvent, type AgentModelEvent, type AgentRunResult, createAgent, createTool, HookError } from "triact";
import { ScriptedModel, say } from "triact/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { cases, oneIn } from "../support/cases.ts";
import { countedController } from "../support/counted-signal.ts";
import { macrotask, unhandledDuring } from "../support/rejections.ts";
import { call, troubledWorld } from "../support/troubled-worlds.ts";
import { assertValidHistory } from "../support/valid-history.ts";
import { buildWorld, type Deed, useWorldClock, type World, type WorldSpec } from "../support/world.ts";

const PROMPT_TURNS = 3;
const GRACE_MS = 1_000;
const LIMIT_MS = 60;

/** What ends the run if nothing inside does, and when: at an event of that number, or after so many turns of the process. */
const ending = fc.record({
  by: fc.constantFrom("abort" as const, "signal" as const, "restore" as const, "time" as const),
  atEvent: oneIn(2, fc.nat(40)),
  after: fc.nat(3),
  late: fc.constantFrom("resolve" as const, "reject" as const),
});
type Ending = typeof ending extends Arbitrary<infer T> ? T : never;

const hangsInReport = ({ hooks }: WorldSpec) => [...(hooks.onEvent ?? []), ...(hooks.afterRun ?? [])].some((each) => each.do === "hang");

async function turns(count: number, until: () => boolean): Promise<void> {
  for (let turnNumber = 0; turnNumber < count && !until(); turnNumber++) await macrotask();
}

function endOf({ agent }: World, controller: AbortController, by: Ending["by"]): void {
  if (by === "abort") agent.abort(new Error("enough"));
  else if (by === "signal") controller.abort("enough");
  else if (by === "restore") agent.restore([{ role: "user", content: "Start over." }]);
  else vi.advanceTimersByTime(LIMIT_MS);
}

function failureOf({ error, endedBy }: AgentRunResult): string {
  return error instanceof HookError ? error.hook : endedBy;
}

function expectEndsOnce(events: readonly AgentEvent[], runId: string): void {
  const types = events.filter((event) => event.runId === runId).map(({ type }) => type);
  expect(types.filter((type) => type === "run-finished" || type === "run-failed")).toEqual(types.slice(-1));
}

async function expectSettles(world: WorldSpec, { by, atEvent, after, late }: Ending): Promise<void> {
  vi.clearAllTimers(); // a case that failed may have left some, and must not fail the smaller ones
  const built = buildWorld(world, by === "time" ? { limits: { timeoutMs: LIMIT_MS } } : {});
  const { controller, listeners } = countedController();
  let count = 0;
  const unsubscribe = built.agent.subscribe(() => {
    if (count === atEvent) endOf(built, controller, by);
    count += 1;
  });
  let result: AgentRunResult | undefined;
  const settled = () => result !== undefined;
  const unhandled = await unhandledDuring(async () => {
    const running = built.agent.run("Go.", { signal: controller.signal }).then((value) => {
      result = value;
    });
    await turns(after, settled);
    if (!settled()) endOf(built, controller, by);
    await turns(PROMPT_TURNS, settled);
    if (!settled() && hangsInReport(world)) {
      vi.advanceTimersByTime(GRACE_MS);
      await turns(PROMPT_TURNS, settled);
    }
    if (result === undefined) throw new Error("The run has not settled.");
    await running;
    expect(["aborted", "failed", "completed"]).toContain(result.status);
    if (result.status === "failed") expect(["time-limit", "afterRun"]).toContain(failureOf(result)); // an afterRun that aborts also rejects
    assertValidHistory(result.messages);
    expect(vi.getTimerCount(), "timers").toBe(0);
    expect(listeners(), "listeners").toBe(0);
    unsubscribe();
    if (world.pluginSetup?.some((each) => each.do === "hang") === true) built.release("resolve"); // no run can begin without it
    await expectSound(built);
    built.release(late);
    await turns(PROMPT_TURNS, () => false);
    expectEndsOnce(built.events, result.runId);
    expect(vi.getTimerCount(), "timers in the end").toBe(0);
  });
  expect(unhandled).toEqual([]);
}

/** The agent can run again at once. */
async function expectSound(world: World): Promise<void> {
  world.calm();
  let again: AgentRunResult | undefined;
  void world.agent.run("Again.").then((value) => {
    again = value;
  });
  await turns(PROMPT_TURNS, () => again !== undefined);
  expect(again?.status).toBe("completed");
  assertValidHistory(again?.messages ?? []);
}

describe("law 4: a run settles", () => {
  beforeEach(useWorldClock);
  afterEach(() => {
    vi.useRealTimers();
  });

  test("whatever hangs, and whenever the run is aborted or out of time, it settles and leaves nothing behind", async () => {
    await fc.assert(fc.asyncProperty(troubledWorld, ending, expectSettles), cases(6));
  });

  test("a time limit or an abort in the same tick as run() settles it as well", async () => {
    const hang: Deed[] = [{ do: "hang" }];
    for (const hooks of [{}, { beforeRun: hang }, { onEvent: hang }, { afterRun: hang }]) {
      for (const by of ["abort", "signal", "restore", "time"] as const) {
        const world: WorldSpec = {
          turns: [{ events: [], afterwards: { do: "hang" } }],
          toolExecution: "sequential",
          toolPolicies: {},
          hooks,
        };
        await expectSettles(world, { by, atEvent: undefined, after: 0, late: "reject" });
      }
    }
  });

  test("a tool that ignores its time limit is given up, and its late outcome is of no interest", async () => {
    for (const late of ["resolve", "reject"] as const) {
      const world = buildWorld({
        turns: [{ events: [call("timed", 0, { do: "hang" })] }],
        toolExecution: "sequential",
        toolPolicies: {},
        hooks: {},
      });
      const unhandled = await unhandledDuring(async () => {
        const running = world.agent.run("Go.");
        await macrotask();
        vi.advanceTimersByTime(5);
        await macrotask();
        world.release(late);
        expect((await running).status).toBe("failed"); // the script's stream has no end
      });
      expect(unhandled).toEqual([]);
      expect(vi.getTimerCount()).toBe(0);
    }
  });

  test("an abort settles a run whose schema check hangs", async () => {
    const inputSchema = z.object({}).refine(() => new Promise<boolean>(() => undefined));
    const tool = createTool({ name: "checked", description: "", inputSchema, execute: () => 1 });
    const events = [{ type: "tool-call-delta", index: 0, toolName: "checked", inputText: "{}" } as const];
    const agent = createAgent({ model: new ScriptedModel([{ events }]), tools: [tool] });
    const running = agent.run("Go.");
    await macrotask();
    agent.abort();
    expect((await running).status).toBe("aborted");
  });

  test.each(["hangs", "rejects", "throws"])("an abort settles a run whose stream %s when it is closed", async (how) => {
    const next = () => new Promise<never>(() => undefined);
    const agent = createAgent({ model: { stream: () => ({ [Symbol.asyncIterator]: () => ({ next, return: () => closing(how) }) }) } });
    const unhandled = await unhandledDuring(async () => {
      const running = agent.run("Go.");
      await macrotask();
      agent.abort();
      expect((await running).status).toBe("aborted");
    });
    expect(unhandled).toEqual([]);
  });

  test.each(["hangs", "rejects", "throws"])("a reply that is complete is not lost when its stream %s on being closed", async (how) => {
    const events: AgentModelEvent[] = [
      { type: "text-delta", text: "Done." },
      { type: "finish", reason: "stop" },
    ];
    const iterator = { next: async () => ({ done: false as const, value: events.shift() as AgentModelEvent }), return: () => closing(how) };
    const agent = createAgent({ model: { stream: () => ({ [Symbol.asyncIterator]: () => iterator }) } });
    let result: AgentRunResult | undefined;
    const unhandled = await unhandledDuring(async () => {
      void agent.run("Go.").then((value) => {
        result = value;
      });
      await macrotask();
    });
    expect(unhandled).toEqual([]);
    expect(result).toMatchObject({ status: "completed", outputText: "Done." });
  });
});

/** What a stream may do when it is closed. */
function closing(how: string): Promise<never> {
  if (how === "hangs") return new Promise<never>(() => undefined);
  if (how === "rejects") return Promise.reject(new Error("cannot close"));
  throw new Error("cannot close");
}

describe("law 4 in real time", () => {
  test("a model that streams for ever without a pause can be aborted by a timer", async () => {
    const end = Date.now() + 200; // so that the test ends, and fails, if the timer cannot fire
    const model = {
      async *stream(): AsyncGenerator<AgentModelEvent> {
        while (Date.now() < end) yield { type: "text-delta", text: "" };
      },
    };
    const agent = createAgent({ model });
    setTimeout(() => agent.abort("enough"), 20);
    expect((await agent.run("Go.")).status).toBe("aborted");
  });

  test("a loop of instant turns without a limit can be aborted by a timer", async () => {
    const tool = createTool({ name: "act", description: "", inputSchema: z.object({}), execute: () => 1 });
    const events = [
      { type: "tool-call-delta", toolName: "act", inputText: "{}" },
      { type: "finish", reason: "stop" },
    ] as const;
    const end = Date.now() + 200;
    const model = {
      async *stream() {
        if (Date.now() < end) yield* events;
      },
    };
    const agent = createAgent({ model, tools: [tool], maxIterations: Number.POSITIVE_INFINITY });
    setTimeout(() => agent.abort("enough"), 20);
    expect((await agent.run("Go.")).status).toBe("aborted");
  });

  test("an agent that was aborted says what it was aborted for", async () => {
    const agent = createAgent({ model: new ScriptedModel([{ hangs: true }, say("ok")]) });
    const running = agent.run("Go.");
    agent.abort("the user left");
    await running;
    expect(agent.snapshot().lastError).toBe("The run was aborted: the user left");
  });
});
