import fc from "fast-check";
import {
  type Agent,
  type AgentMessage,
  type AgentTool,
  createAgent,
  createTool,
  MemorySessionStore,
  modelTexts,
  ReActRuntime,
  type SessionChange,
  type ToolCallDecisions,
  type ToolResultPart,
} from "triact";
import { callTools, ScriptedModel, say } from "triact/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { cases } from "../support/cases.ts";
import { LineRuntime } from "../support/runtimes.ts";
import { assertValidHistory } from "../support/valid-history.ts";

type ToolName = "act" | "pay" | "fail" | "wait";

/** The calls of each turn, how they are executed, and who makes them. */
interface Plan {
  readonly turns: readonly (readonly ToolName[])[];
  readonly toolExecution: "sequential" | "parallel";
  readonly native: boolean;
}

/** The process ends at its n-th write: before anything of it is stored, or just after. */
interface Kill {
  readonly write: number;
  readonly stored: boolean;
}

const plans = fc.record({
  turns: fc.array(fc.array(fc.constantFrom<ToolName>("act", "act", "pay", "fail", "wait"), { minLength: 1, maxLength: 3 }), {
    minLength: 1,
    maxLength: 3,
  }),
  toolExecution: fc.constantFrom("sequential" as const, "parallel" as const),
  native: fc.boolean(),
});

/** The store outlives the processes; each process ends by a kill. */
class Disk {
  readonly store = new MemorySessionStore();
  /** How often each call was really executed. */
  readonly executed = new Map<string, number>();
}

/** One process: an agent that hangs for ever, and does nothing any more, from its kill on. */
class Process {
  readonly agent: Agent;
  readonly killed = Promise.withResolvers<"killed">();
  writes = 0;
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
    this.agent = createAgent({
      model: new ScriptedModel(({ messages }) => replyTo(messages, plan)),
      runtime: plan.native ? new ReActRuntime() : new LineRuntime(),
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
    return Promise.race([work(), this.killed.promise]);
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
function replyTo(messages: readonly AgentMessage[], { turns, native }: Plan) {
  const turn = messages.filter(({ role }) => role === "assistant").length;
  const names = turns[turn];
  if (names === undefined) return say("All done.");
  const calls = names.map((toolName, index) => ({
    toolName,
    input: { key: `${turn}.${index} ${toolName}` },
    toolCallId: `call_${turn}_${index}`,
  }));
  if (native) return callTools(calls);
  return say(calls.map(({ toolName, input }) => `${toolName} ${JSON.stringify(input)}`).join("\n"));
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
  if (!plan.native) return;
  const results = messages.flatMap(({ content }) => content.filter((part) => part.type === "tool-result"));
  expect(results.map(({ toolCallId }) => toolCallId)).toEqual(
    plan.turns.flatMap((names, turn) => names.map((_, index) => `call_${turn}_${index}`)),
  );
  for (const result of results) expectTrue(result, disk);
}

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
});
