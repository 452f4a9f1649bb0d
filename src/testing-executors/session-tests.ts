import type { ContractTools } from "./executor-contract.js";

/** What persists, and the end of things. */
export function sessionTests({ test, testWith, expect, run, createExecutor, programs }: ContractTools): void {
  testWith("variables, functions and classes persist, and may be declared again", async (executor) => {
    await using session = executor.createSession();
    for (const [code, result] of programs.sessionSteps) {
      expect(await run(executor, code, { session })).toMatchObject({ status: "completed", result });
    }
  });

  testWith("what was declared before an error persists", async (executor) => {
    await using session = executor.createSession();
    await run(executor, programs.setThenFail, { session });
    expect(await run(executor, programs.readA, { session })).toMatchObject({ result: 1 });
  });

  testWith("without a session nothing persists", async (executor) => {
    await run(executor, programs.leaveTraces);
    const [code, result] = programs.findTraces;
    expect(await run(executor, code)).toMatchObject({ result });
  });

  testWith("the model is told that its variables are gone", async (executor) => {
    await using session = executor.createSession();
    await run(executor, programs.setA, { session });
    expect(await run(executor, programs.endlessLoop, { session, limits: { cpuMs: 50 } })).toMatchObject({
      sessionLost: true,
      error: { code: "cpu" },
    });
    expect(await run(executor, programs.typeOfA, { session })).toMatchObject({
      result: "undefined",
      sessionLost: false,
      notices: [
        "The variables, functions and classes of earlier steps are gone, because the sandbox was stopped. Define again what you need.",
      ],
    });
    expect(await run(executor, programs.one, { session })).toMatchObject({ notices: [] });
  });

  testWith("work left by one execution does not reach the next one", async (executor) => {
    await using session = executor.createSession();
    await run(executor, programs.leaveWork, { session });
    expect(await run(executor, programs.typeOfLate, { session })).toMatchObject({
      result: "undefined",
      notices: [],
    });
  });

  testWith("work left that never rests costs the session, not the result", async (executor) => {
    await using session = executor.createSession();
    expect(await run(executor, programs.restless, { session })).toMatchObject({
      status: "completed",
      result: 1,
      sessionLost: true,
    });
  });

  testWith("two executions at once in one session are refused", async (executor) => {
    await using session = executor.createSession();
    const first = run(executor, programs.waitFor("later"), { session });
    const second = await run(executor, programs.one, { session }).catch((error: { code: string }) => error.code);
    expect(second).toEqual("sandbox-busy");
    expect(await first).toMatchObject({ result: "late" });
  });

  test("disposing ends what runs, can be done twice, and refuses what comes after", async () => {
    const executor = createExecutor();
    const session = executor.createSession();
    const running = run(executor, programs.waitFor("never"), { session });
    await new Promise((resolve) => setTimeout(resolve, 1));
    await Promise.all([executor.dispose(), executor.dispose()]);
    expect(await running).toMatchObject({ error: { code: "aborted" } });
    expect(await run(executor, programs.one).catch((error: { code: string }) => error.code)).toEqual("sandbox-disposed");
    await session.dispose();
  });

  testWith("options that cannot be used are named", async (executor) => {
    const problem = async (options: object) => run(executor, programs.one, options).catch((error: { field: string }) => error.field);
    expect(await problem({ limits: { memoryMiB: 1 } })).toEqual("execute.limits.memoryMiB");
    expect(await problem({ tools: { "": () => undefined } })).toEqual("execute.tools");
    expect(await problem({ unknown: 1 })).toEqual("execute");
  });
}
