import { type AgentRuntime, CodeActRuntime, createAgent, ReActRuntime } from "triact";
import { crossover, type Granularity, library, ReferencePolicy, type Suite, type Task, TokenCounter, workday } from "triact/bench";
import { IsolatedVmExecutor } from "triact/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { m3tooleval } from "../../src/bench/suites/m3tooleval/m3tooleval.js";
import { hasM3Data, m3Folder } from "./suites/shared-data.js";

const executor = new IsolatedVmExecutor({ isolation: "in-process" });
afterAll(() => executor.dispose());
let counter: TokenCounter;
beforeAll(async () => {
  counter = await TokenCounter.load();
});

const arms: Readonly<Record<string, AgentRuntime>> = {
  react: new ReActRuntime(),
  "codeact, value": new CodeActRuntime({ executor }),
  "codeact, summary": new CodeActRuntime({ executor, finish: "summary" }),
  "codeact, model": new CodeActRuntime({ executor, finish: "model" }),
};

const suites: readonly (readonly [Suite, number])[] = [
  [crossover({ repeats: 1, sweeps: { goal: ["aggregate", "relay"], access: ["read", "write"], depth: [1, 3], fanOut: [1, 8] } }), 1],
  [workday(), 3],
  [library(), 9],
  ...(hasM3Data ? ([[m3tooleval({ data: m3Folder }), 9]] as const) : []),
];

interface Attempt {
  readonly task: Task;
  readonly runtime: AgentRuntime;
  readonly granularity?: Granularity;
  readonly conduct?: "wrong" | "idle";
}

async function attempt({ task, runtime, ...settings }: Attempt) {
  const { tools, check } = await task.start({ seed: 1 });
  const policy = new ReferencePolicy({ tasks: [task], counter, ...settings });
  const agent = createAgent({ model: policy, tools, runtime, maxIterations: 100 });
  const result = await agent.run(task.question);
  return { result, verdict: await check(result.outputText) };
}

describe.for(Object.keys(arms))("the reference policy under %s", (name) => {
  const runtime = arms[name] as AgentRuntime;

  test.for(["whole", "level", "call"] as const)("solves tasks of each suite, by %s", async (granularity) => {
    const failed: string[] = [];
    for (const [suite, oneIn] of suites) {
      for (const task of (await suite.tasks({ seed: 1 })).filter((_, index) => index % oneIn === 0)) {
        if (task.program === undefined) continue;
        const { result, verdict } = await attempt({ task, runtime, granularity });
        if (result.status !== "completed" || !verdict.solved) failed.push(`${task.id}: ${result.endedBy}, ${verdict.reason}`);
      }
    }
    expect(failed).toEqual([]);
  });

  test("solves nothing with wrong answers, and the floor by doing nothing", async () => {
    const tasks = (await workday().tasks({ seed: 1 })).filter(({ id }, index) => index % 3 === 0 || id.includes("nothing"));
    const solvedBy = async (conduct: "wrong" | "idle") => {
      const solved: string[] = [];
      for (const task of tasks) if ((await attempt({ task, runtime, conduct })).verdict.solved) solved.push(task.id);
      return solved;
    };
    const floor = tasks.filter(({ flags = [] }) => flags.includes("no-action")).map(({ id }) => id);
    expect([await solvedBy("wrong"), await solvedBy("idle")]).toEqual([[], floor]);
  });
});
