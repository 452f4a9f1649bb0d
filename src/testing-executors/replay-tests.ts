import type { SandboxTool } from "../sandbox/code-executor.js";
import type { ExecutionJournal } from "../sandbox/execution-journal.js";
import type { ContractTools } from "./executor-contract.js";

const copy = (journal: ExecutionJournal) => JSON.parse(JSON.stringify(journal)) as ExecutionJournal;

/** Suspension in the middle of code, and going on from a journal. */
export function replayTests({ testWith, expect, run, programs }: ContractTools): void {
  testWith("time and chance are those of the options", async (executor) => {
    const options = { seed: 7, startTime: 86_400_000 };
    const code = programs.timeAndChance;
    const first = await run(executor, code, options);
    expect(first).toMatchObject({ status: "completed", result: { 0: "1970-01-02T00:00:00.000Z", 1: true, 4: "number", 5: 5 } });
    const second = await run(executor, code, options);
    expect("result" in second && second.result).toEqual("result" in first && first.result);
    const other = await run(executor, code, { ...options, seed: 8 });
    expect(JSON.stringify(other) === JSON.stringify(first)).toEqual(false);
  });

  testWith("a loop that waits for the clock ends", async (executor) => {
    expect(await run(executor, programs.waitForClock)).toMatchObject({ result: 1 });
  });

  testWith("timers fire, in order", async (executor) => {
    expect(await run(executor, programs.timers)).toMatchObject({ result: [1, 2] });
  });

  testWith("an execution is suspended in the middle, and goes on from its journal with nothing executed twice", async (executor) => {
    const executed: string[] = [];
    const step: SandboxTool = (input) => {
      executed.push(JSON.stringify(input));
      return { kind: "value", value: executed.length };
    };
    const ask =
      (answer?: string): SandboxTool =>
      () =>
        answer === undefined ? { kind: "suspend" } : { kind: "value", value: answer };
    const code = programs.stepsAndQuestion;
    const first = await run(executor, code, { tools: { step, ask: ask() } });
    expect(first).toMatchObject({ status: "suspended", callIds: [2], toolCallCount: 4 });
    expect(executed.length).toEqual(3);
    const second = await run(executor, code, { tools: { step, ask: ask("yes") }, replay: copy(first.journal) });
    expect(second).toMatchObject({ status: "completed", result: { a: 1, answer: "yes", b: 3, last: 4 } });
    expect(executed.length).toEqual(4);
    const third = await run(executor, code, { tools: {}, replay: copy(second.journal) });
    expect(third).toMatchObject({ error: { code: "diverged" } }); // without its tools the code is another one
    const fourth = await run(executor, code, { tools: { step, ask: ask() }, replay: copy(second.journal) });
    expect(fourth).toMatchObject({ status: "completed", result: { a: 1, answer: "yes", b: 3, last: 4 } });
    expect(executed.length).toEqual(4);
  });

  testWith("code that does something else when it is run again is found out", async (executor) => {
    const { journal } = await run(executor, programs.echoes(["a", 1], ["b", 2]));
    expect(await run(executor, programs.echoes(["a", 2]), { replay: journal })).toMatchObject({
      error: {
        code: "diverged",
        message:
          'The code was run again to go on from where it had stopped, and did something else than before: call 1 was a call of echo with {"a":1} and is now a call of echo with {"a":2}.',
      },
    });
    expect(await run(executor, programs.echoes(["a", 1]), { replay: journal })).toMatchObject({ error: { code: "diverged" } });
    expect(await run(executor, programs.echoes(["a", 1], ["b", 2], ["c", 3]), { replay: journal })).toMatchObject({
      status: "completed",
      toolCallCount: 3,
    });
  });
}
