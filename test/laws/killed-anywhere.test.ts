import fc from "fast-check";
import {
  type Agent,
  type AgentMessage,
  type AgentRuntime,
  type AgentTool,
  CodeActRuntime,
  codeActTexts,
  createAgent,
  createTool,
  DeepResearchRuntime,
  MemorySessionStore,
  modelTexts,
  ReActRuntime,
  type SessionChange,
  type ToolCallDecisions,
  type ToolResultPart,
  textOf,
} from "triact";
import { IsolatedVmExecutor } from "triact/sandbox";
import { callTools, ScriptedModel, say } from "triact/testing";
import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { cases } from "../support/cases.ts";
import { LineRuntime } from "../support/runtimes.ts";
import { assertValidHistory } from "../support/valid-history.ts";

type ToolName = "act" | "pay" | "fail" | "wait";

/** The calls of each turn, how they are executed, and who makes them. */
interface Plan {
  readonly turns: readonly (readonly ToolName[])[];
  readonly toolExecution: "sequential" | "parallel";
  readonly runtime: "native" | "planned" | "line" | "code";
}

/** The process ends at its n-th write: before anything of it is stored, or just after. */
interface Kill {
  readonly write: number;
  readonly stored: boolean;
}

const parts = {
  turns: fc.array(fc.array(fc.constantFrom<ToolName>("act", "act", "pay", "fail", "wait"), { minLength: 1, maxLength: 3 }), {
    minLength: 1,
    maxLength: 3,
  }),
  toolExecution: fc.constantFrom("sequential" as const, "parallel" as const),
};
const plans = fc.record({ ...parts, runtime: fc.constantFrom("native" as const, "planned" as const, "line" as const) });
const codePlans = fc.record({ ...parts, runtime: fc.constant("code" as const) });

/** The store outlives the processes; each process ends by a kill. */
class Disk {
  readonly store = new MemorySessionStore();
  /** How often each call was really executed. */
  readonly executed = new Map<string, number>();
}

const disposing: Promise<void>[] = [];
afterAll(() => Promise.all(disposing));

/** One process: an agent that hangs for ever, and does nothing any more, from its kill on. */
class Process {
  readonly agent: Agent;
  readonly killed = Promise.withResolvers<"killed">();
  writes = 0;
  /** Of this process, as all that is in memory. */
  readonly #executor: IsolatedVmExecutor | undefined;
  #alive = true;

  constructor(disk: Disk, plan: Plan, kill: Kill | undefined) {
    const { store } = disk;
    const save = async (sessionId: string, change: SessionChange) => {
      if (!this.#alive) return never();
      this.writes += 1;
      if (this.writes - 1 !== kill?.write) return store.save(sessionId, change);
      this.#alive = false;
      if (kill.stored) await store.save(sessionId, change);
      this.killed.resolve("killed");
      return never();
    };
    const run = (name: ToolName, result: () => unknown) =>
      createTool({
        name,
        description: name,
        inputSchema: z.object({ key: z.string() }),
        execute: async ({ key }) => {
          if (!this.#alive) return never();
          disk.executed.set(key, (disk.executed.get(key) ?? 0) + 1);
          await Promise.resolve();
          return result();
        },
      }) as AgentTool;
    this.#executor = plan.runtime === "code" ? new IsolatedVmExecutor({ isolation: "in-process" }) : undefined;
    this.agent = createAgent({
      model: new ScriptedModel(({ messages, systemPrompt = "" }) =>
        systemPrompt.startsWith("You plan") ? say('{"steps": [{"goal": "Act."}, {"goal": "Pay."}]}') : replyTo(messages, plan),
      ),
      runtime: this.#runtimeOf(plan),
      tools: [
        run("act", () => "done"),
        run("pay", () => "paid"),
        run("wait", () => new Promise((resolve) => setImmediate(() => resolve("waited")))),
        run("fail", () => {
          throw new Error("boom");
        }),
      ],
      toolPolicies: { pay: { autoApprove: false } },
      requestToolApproval: () => ({ pending: true }),
      toolExecution: plan.toolExecution,
      sessionStore: { load: (id) => store.load(id), save, list: () => store.list(), delete: (id) => store.delete(id) },
      sessionId: "s",
    });
  }

  #runtimeOf({ runtime }: Plan): AgentRuntime {
    if (this.#executor !== undefined) return new CodeActRuntime({ executor: this.#executor });
    if (runtime === "planned") return new DeepResearchRuntime({ replan: true });
    return runtime === "native" ? new ReActRuntime() : new LineRuntime();
  }

  /** Begins or goes on, as a program does that has just been started. */
  async live(): Promise<"killed" | "ended"> {
    const work = async () => {
      for (;;) {
        const saved = await this.agent.loadSession();
        if (saved === undefined) await this.agent.run("Begin.");
        else if (saved.status === "suspended") await this.agent.resume(saved, decide(saved.pendingToolCalls));
        else return "ended" as const;
      }
    };
    const end = await Promise.race([work(), this.killed.promise]);
    if (this.#executor !== undefined) disposing.push(this.#executor.dispose()); // it takes a moment, for which nobody waits here
    return end;
  }
}

function decide(pending: readonly { toolCallId: string; state?: string; decision?: unknown }[]): ToolCallDecisions {
  const open = pending.filter(({ state, decision }) => state === "awaiting-approval" && decision === undefined);
  return Object.fromEntries(open.map(({ toolCallId }) => [toolCallId, { approved: true }]));
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}

/** The model knows nothing but the history, so it answers in every process as it would have in the first. */
function replyTo(messages: readonly AgentMessage[], { turns, runtime, toolExecution }: Plan) {
  const turn = messages.filter(({ role }) => role === "assistant").length;
  const names = turns[turn];
  if (names === undefined) return say(runtime === "code" ? '{"type":"final","output":"All done."}' : "All done.");
  const calls = names.map((toolName, index) => ({
    toolName,
    input: { key: `${turn}.${index} ${toolName}` },
    toolCallId: `call_${turn}_${index}`,
  }));
  if (runtime === "native" || runtime === "planned") return callTools(calls);
  if (runtime === "code") return say(JSON.stringify({ type: "code", code: codeOf(calls, toolExecution) }));
  return say(calls.map(({ toolName, input }) => `${toolName} ${JSON.stringify(input)}`).join("\n"));
}

/** Code that makes calls and gives what each came to. Variables of earlier turns have to be there, or to be said to be lost. */
function codeOf(calls: readonly { toolName: string; input: { key: string } }[], toolExecution: Plan["toolExecution"]): string {
  const each = calls.map(({ toolName, input }) => `() => ${toolName}(${JSON.stringify(input)}).catch((error) => error.message)`);
  const make =
    toolExecution === "parallel"
      ? "await Promise.all(makers.map((make) => make()))"
      : "[]; for (const make of makers) said.push(await make())";
  return `var turns = (typeof turns === "number" ? turns : 0) + 1;\nconst makers = [${each.join(", ")}];\nconst said = ${make};\n({ said, turns })`;
}

/** Runs a plan through as many processes as there are kills, and one more. */
async function live(plan: Plan, kills: readonly Kill[]): Promise<{ disk: Disk; last: Process }> {
  const disk = new Disk();
  for (const kill of kills) {
    const process = new Process(disk, plan, kill);
    if ((await process.live()) === "ended") return { disk, last: process };
  }
  const last = new Process(disk, plan, undefined);
  expect(await last.live()).toBe("ended");
  return { disk, last };
}

/** What every call's result may be, given how often it was executed. */
function expectHonest({ disk, last }: { disk: Disk; last: Process }, plan: Plan): void {
  const { status, messages } = last.agent.snapshot();
  expect(status).toBe("completed");
  assertValidHistory(messages);
  for (const count of disk.executed.values()) expect(count).toBe(1);
  expect(JSON.stringify(messages.at(-1)?.content)).toContain("All done.");
  if (plan.runtime === "code") expectTrueCode(messages, { disk, plan });
  if (plan.runtime === "line") expectToldOnce(messages, plan);
  if (plan.runtime === "planned") expectPlannedOnce(messages);
  if (plan.runtime !== "native" && plan.runtime !== "planned") return;
  const results = messages.flatMap(({ content }) => content.filter((part) => part.type === "tool-result"));
  expect(results.map(({ toolCallId }) => toolCallId)).toEqual(
    plan.turns.flatMap((names, turn) => names.map((_, index) => `call_${turn}_${index}`)),
  );
  for (const result of results) expectTrue(result, disk);
}

/** The plan stands in the history once, before anything was done, and revisions are not more than they may be. */
function expectPlannedOnce(messages: readonly AgentMessage[]): void {
  const plans = messages.flatMap(({ metadata }, index) =>
    metadata?.["plan"] === undefined ? [] : [{ index, revision: metadata["revision"] ?? 0 }],
  );
  expect(plans.map(({ revision }) => revision)).toEqual(plans.map((_, revision) => revision));
  expect([plans[0]?.index, plans.length <= 3]).toEqual([1, true]);
}

/** Each call of each line has one observation, in call order. */
function expectToldOnce(messages: readonly AgentMessage[], { turns }: Plan): void {
  const told = messages.flatMap((message) => /^TOOL_(?:RESULT|ERROR): (.*)$/s.exec(textOf(message))?.[1] ?? []);
  expect(told.map((json) => (JSON.parse(json) as { tool: string }).tool)).toEqual(turns.flat());
}

/** What code was told of each call, and what is said of code that was under way. */
function expectTrueCode(messages: readonly AgentMessage[], { disk, plan }: { disk: Disk; plan: Plan }): void {
  const observations = messages.filter(({ metadata }) => metadata?.["displayRole"] === "system").map(textOf);
  expect(observations.length).toBe(plan.turns.length);
  let lostAt: number | undefined;
  for (const [turn, names] of plan.turns.entries()) {
    const [, kind, json = "{}"] = /^(CODE_RESULT|CODE_ERROR): (.*)$/s.exec(observations[turn] ?? "") ?? [];
    if (kind === "CODE_ERROR") {
      expect([codeActTexts.interrupted, modelTexts.notReached("code")]).toContain((JSON.parse(json) as { error: string }).error);
      lostAt = turn;
      continue;
    }
    const { result } = JSON.parse(json) as { result: { said: string[]; turns: number } };
    if (lostAt === undefined) expect(result.turns).toBe(turn + 1);
    expect(result.said.length).toBe(names.length);
    for (const [index, name] of names.entries()) {
      const count = disk.executed.get(`${turn}.${index} ${name}`) ?? 0;
      const said = result.said[index] ?? "";
      if (said === modelTexts.notReached(name)) expect(count).toBe(0);
      else if (said !== modelTexts.interrupted(name)) expect([said, count]).toEqual([SAID[name], 1]);
    }
  }
}

const SAID: Readonly<Record<ToolName, string>> = { act: "done", pay: "paid", wait: "waited", fail: "boom" };

function expectTrue({ toolCallId, toolName, output }: ToolResultPart, { executed }: Disk): void {
  const [, turn, index] = toolCallId.split("_");
  const count = executed.get(`${turn}.${index} ${toolName}`) ?? 0;
  const error = (output as { error?: string }).error;
  if (error === modelTexts.notReached(toolName)) expect(count).toBe(0);
  else if (error !== modelTexts.interrupted(toolName))
    expect([output, count]).toEqual([{ act: "done", pay: "paid", wait: "waited", fail: { error: "boom" } }[toolName], 1]);
}

describe("a run whose process is killed", () => {
  test("at any checkpoint goes on in the next process, repeats no finished call and reports the one under way as uncertain", async () => {
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const { last } = await live(plan, []);
        for (let write = 0; write < last.writes; write++) {
          for (const stored of [false, true]) expectHonest(await live(plan, [{ write, stored }]), plan);
        }
      }),
      cases(0.5),
    );
  });

  test("several times, anywhere, is as honest", async () => {
    const kill = fc.record({ write: fc.nat(12), stored: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(plans, fc.array(kill, { minLength: 2, maxLength: 6 }), async (plan, kills) => {
        expectHonest(await live(plan, kills), plan);
      }),
      cases(2),
    );
  });

  test("in the middle of code is as honest, and code that was suspended goes on where it stood", async () => {
    await fc.assert(
      fc.asyncProperty(codePlans, async (plan) => {
        const { last } = await live(plan, []);
        for (let write = 0; write < last.writes; write++) {
          for (const stored of [false, true]) expectHonest(await live(plan, [{ write, stored }]), plan);
        }
      }),
      cases(0.1),
    );
  });

  test("several times in code is as honest", async () => {
    const kill = fc.record({ write: fc.nat(12), stored: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(codePlans, fc.array(kill, { minLength: 2, maxLength: 5 }), async (plan, kills) => {
        expectHonest(await live(plan, kills), plan);
      }),
      cases(0.7),
    );
  });
});
