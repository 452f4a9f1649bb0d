import { checkSuite, type Suite, type Task } from "triact/bench";
import { type CodeExecutor, IsolatedVmExecutor, QuickJsExecutor } from "triact/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { guestFunctions } from "../../../src/runtimes/codeact/tool-guide.js";
import { replay } from "./replay.js";

/** What is expected of a suite. */
export interface SuiteLaws {
  readonly seeds: readonly number[];
  /** Ids that an empty answer without any action solves. */
  readonly floor: (tasks: readonly Task[]) => readonly string[];
  /** Ids of tasks without a reference program. @default none */
  readonly withoutProgram?: (tasks: readonly Task[]) => readonly string[];
}

/** Tests that hold for each suite of the package. */
export function suiteLaws(suite: Suite, { seeds, floor, withoutProgram = () => [] }: SuiteLaws): void {
  describe(`suite ${suite.name}`, () => {
    test.for(seeds)("programs solve, wrong answers do not, trials share nothing, doing nothing gives the floor (seed %d)", async (seed) => {
      const tasks = await suite.tasks({ seed });
      expect(await checkSuite(suite, { seed })).toEqual({
        tasks: tasks.length,
        withoutProgram: withoutProgram(tasks),
        floor: floor(tasks),
        problems: [],
      });
    });

    test("each tool has a description, and describes its input and its output", async () => {
      for (const task of await suite.tasks({ seed: 1 })) {
        const { tools } = await task.start({ seed: 1 });
        for (const { name, description, outputSchema } of tools) {
          expect(description.length, name).toBeGreaterThan(10);
          expect(outputSchema, name).toBeDefined();
        }
        const names = tools.map(({ name }) => name);
        expect(guestFunctions(tools).map(({ name }) => name)).toEqual(names);
      }
    });

    test("programs run against a transcript, one call a turn or all that can be made", async () => {
      const failed: string[] = [];
      for (const task of (await suite.tasks({ seed: 1 })).filter(({ program }) => program !== undefined)) {
        const whole = await replay(task);
        if (!whole.solved) failed.push(`${task.id}: ${whole.reason}`);
        if (whole.turns.flat().length > 60) continue;
        const single = await replay(task, { atMost: 1 });
        if (!single.solved) failed.push(`${task.id}, call by call: ${single.reason}`);
        expect(single.turns.length).toBe(whole.turns.flat().length);
      }
      expect(failed).toEqual([]);
    });

    describe.for([
      ["an isolate", 1, () => new IsolatedVmExecutor({ isolation: "in-process" })],
      ["WebAssembly", 10, () => new QuickJsExecutor()], // one in ten: each needs an engine of its own
    ] as const)("in %s", ([, oneIn, makeExecutor]) => {
      let executor: CodeExecutor;
      beforeAll(() => {
        executor = makeExecutor();
      });
      afterAll(() => executor.dispose());

      test("programs run as they stand", { timeout: 120_000 }, async () => {
        const failed: string[] = [];
        const tasks = (await suite.tasks({ seed: 1 })).filter(({ program }, index) => program !== undefined && index % oneIn === 0);
        for (const task of tasks) {
          const problem = await runInSandbox(task, executor);
          if (problem !== undefined) failed.push(`${task.id}: ${problem}`);
        }
        expect(failed).toEqual([]);
      });
    });
  });
}

async function runInSandbox(task: Task, executor: CodeExecutor): Promise<string | undefined> {
  const { tools, check } = await task.start({ seed: 1 });
  const functions = guestFunctions(tools).map(({ name, tool }) => {
    const call = async (input: unknown) => {
      const checked = await tool.checkInput(input ?? {});
      if (!checked.ok) return { kind: "error", message: checked.problems.join("; ") } as const;
      try {
        return { kind: "value", value: await tool.execute(checked.value, {} as never) } as const;
      } catch (error) {
        return { kind: "error", message: (error as Error).message } as const;
      }
    };
    return [name, call] as const;
  });
  const execution = await executor.execute({ language: "js", code: task.program ?? "", tools: Object.fromEntries(functions) });
  if (execution.status !== "completed") return execution.status === "failed" ? execution.error.message : execution.status;
  const verdict = await check(String(execution.result));
  return verdict.solved ? undefined : (verdict.reason ?? "not solved");
}
