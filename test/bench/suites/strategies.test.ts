import { type AgentRuntime, type AgentTool, CodeActRuntime, createAgent, ReActRuntime } from "triact";
import { crossover, library, m3tooleval, type Suite, type Task, workday } from "triact/bench";
import { IsolatedVmExecutor } from "triact/sandbox";
import { callTools, type ReplyFunction, ScriptedModel, say, toolResults } from "triact/testing";
import { afterAll, describe, expect, test } from "vitest";
import { step } from "./replay.js";
import { hasM3Data, m3Folder } from "./shared-data.js";

const executor = new IsolatedVmExecutor({ isolation: "in-process" });
afterAll(() => executor.dispose());

interface Strategy {
  readonly runtime: AgentRuntime;
  /** What a model says that knows the task's program. */
  readonly policy: (task: Task, tools: readonly AgentTool[]) => ReplyFunction;
}

const strategies: Readonly<Record<string, Strategy>> = {
  "native calls": {
    runtime: new ReActRuntime(),
    policy:
      ({ program = "" }, tools) =>
      async (request) => {
        const transcript = toolResults(request).map(({ error, ...call }) => (error === undefined ? call : { ...call, error }));
        const { answer, waiting } = await step(program, tools, transcript);
        return answer === undefined ? callTools(waiting) : say(answer);
      },
  },
  code: {
    runtime: new CodeActRuntime({ executor }),
    policy:
      ({ program = "" }) =>
      () =>
        say(JSON.stringify({ type: "code", language: "js", code: program })),
  },
};

const suites: readonly Suite[] = [
  crossover({ repeats: 1, sweeps: { goal: ["aggregate", "relay"], access: ["read", "write"], depth: [1, 3] } }),
  workday(),
  library(),
  ...(hasM3Data ? [m3tooleval({ data: m3Folder })] : []),
];

describe.for(Object.keys(strategies))("%s", (name) => {
  test.for(suites.map((suite) => [suite.name, suite] as const))(
    "solve each task of %s in a real run of an agent",
    { timeout: 60_000 },
    async ([, suite]) => {
      const failed: string[] = [];
      for (const task of await suite.tasks({ seed: 1 })) {
        const { tools, check } = await task.start({ seed: 1 });
        const { runtime, policy } = strategies[name] as Strategy;
        const agent = createAgent({ model: new ScriptedModel(policy(task, tools)), tools, runtime, maxIterations: 40 });
        const { status, outputText } = await agent.run(task.question);
        const { solved, reason } = await check(outputText);
        if (status !== "completed" || !solved) failed.push(`${task.id}: ${status}, ${reason}`);
      }
      expect(failed).toEqual([]);
    },
  );
});
