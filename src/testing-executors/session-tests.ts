import type { ContractTools } from "./executor-contract.js";

/** What persists, and the end of things. */
export function sessionTests({ test, testWith, expect, run, createExecutor }: ContractTools): void {
  testWith("variables, functions and classes persist, and may be declared again", async (executor) => {
    await using session = executor.createSession();
    const first =
      "const x = 1; let y = [x]; var z; function f() { return x } class A { a = x }\nconst { p, q: [r = 5] } = { p: 3, q: [] };";
    expect(await run(executor, first, { session })).toMatchObject({ status: "completed" });
    expect(await run(executor, "return [x, y, f(), new A().a, p, r]", { session })).toMatchObject({ result: [1, [1], 1, 1, 3, 5] });
    expect(await run(executor, "const x = 2; class A {}; function f() { return -x }\nreturn [x, f()]", { session })).toMatchObject({
      result: [2, -2],
    });
    expect(await run(executor, "let y\n;[x].map((a) => a + y)", { session })).toMatchObject({
      result: [{ $type: "Number", value: "NaN" }],
    });
  });

  testWith("what was declared before an error persists", async (executor) => {
    await using session = executor.createSession();
    await run(executor, "const a = 1; throw new Error('x')", { session });
    expect(await run(executor, "a", { session })).toMatchObject({ result: 1 });
  });

  testWith("without a session nothing persists", async (executor) => {
    await run(executor, "globalThis.a = 1; Array.prototype.b = 1");
    expect(await run(executor, "[typeof a, typeof [].b]")).toMatchObject({ result: ["undefined", "undefined"] });
  });

  testWith("the model is told that its variables are gone", async (executor) => {
    await using session = executor.createSession();
    await run(executor, "const a = 1", { session });
    expect(await run(executor, "while (true) {}", { session, limits: { cpuMs: 50 } })).toMatchObject({
      sessionLost: true,
      error: { code: "cpu" },
    });
    expect(await run(executor, "typeof a", { session })).toMatchObject({
      result: "undefined",
      sessionLost: false,
      notices: [
        "The variables, functions and classes of earlier steps are gone, because the sandbox was stopped. Define again what you need.",
      ],
    });
    expect(await run(executor, "1", { session })).toMatchObject({ notices: [] });
  });

  testWith("work left by one execution does not reach the next one", async (executor) => {
    await using session = executor.createSession();
    await run(
      executor,
      "Promise.reject(new Error('stray')); setTimeout(() => { globalThis.late = 1 }, 1); (async () => { await null; await null; throw 1 })(); 1",
      { session },
    );
    expect(await run(executor, "await new Promise((done) => setTimeout(done, 5)); typeof late", { session })).toMatchObject({
      result: "undefined",
      notices: [],
    });
  });

  testWith("work left that never rests costs the session, not the result", async (executor) => {
    await using session = executor.createSession();
    expect(await run(executor, "(async () => { while (true) await null })(); 1", { session })).toMatchObject({
      status: "completed",
      result: 1,
      sessionLost: true,
    });
  });

  testWith("two executions at once in one session are refused", async (executor) => {
    await using session = executor.createSession();
    const first = run(executor, "await later({})", { session });
    const second = await run(executor, "1", { session }).catch((error: { code: string }) => error.code);
    expect(second).toEqual("sandbox-busy");
    expect(await first).toMatchObject({ result: "late" });
  });

  test("disposing ends what runs, can be done twice, and refuses what comes after", async () => {
    const executor = createExecutor();
    const session = executor.createSession();
    const running = run(executor, "await never({})", { session });
    await new Promise((resolve) => setTimeout(resolve, 1));
    await Promise.all([executor.dispose(), executor.dispose()]);
    expect(await running).toMatchObject({ error: { code: "aborted" } });
    expect(await run(executor, "1").catch((error: { code: string }) => error.code)).toEqual("sandbox-disposed");
    await session.dispose();
  });

  testWith("options that cannot be used are named", async (executor) => {
    const problem = async (options: object) => run(executor, "1", options).catch((error: { field: string }) => error.field);
    expect(await problem({ limits: { memoryMiB: 1 } })).toEqual("execute.limits.memoryMiB");
    expect(await problem({ tools: { "": () => undefined } })).toEqual("execute.tools");
    expect(await problem({ unknown: 1 })).toEqual("execute");
  });
}
