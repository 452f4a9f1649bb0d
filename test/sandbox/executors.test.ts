import { afterAll, describe, expect, test } from "vitest";
import { IsolatedVmExecutor } from "../../src/sandbox/isolated-vm-executor.js";
import { executorContract } from "../../src/testing-executors/executor-contract.js";

describe("isolates in child processes", () =>
  executorContract({ test, expect, afterAll, createExecutor: (options) => new IsolatedVmExecutor({ ...options, isolation: "process" }) }));

describe("isolates in this process", () =>
  executorContract({
    test,
    expect,
    afterAll,
    createExecutor: (options) => new IsolatedVmExecutor({ ...options, isolation: "in-process" }),
  }));

test.for([
  ["js", "const a = 1;\n  null.x", 2, 8],
  ["js", "const { a } = {}, b = 1, c = a.b;", 1, 32],
  ["js", "class A { constructor() { throw new Error() } } new A()", 1, 33],
  ["ts", "const a: number = 1; throw new Error(String(a))", 1, 28],
  ["ts", "enum A { B, C }\nconst a: A = A.C;\n  throw new Error(String(a))", 3, 9],
] as const)("columns are those of the code as it was written: %s %j", async ([language, code, line, column]) => {
  await using executor = new IsolatedVmExecutor({ isolation: "in-process" });
  expect(await executor.execute({ language, code })).toMatchObject({ error: { code: "guest-error", line, column } });
});

test.for(["in-process", "process"] as const)("work that never rests is known by what it computes, %s", async (isolation) => {
  await using executor = new IsolatedVmExecutor({ isolation });
  const session = executor.createSession();
  await executor.execute({ language: "js", code: "1", session });
  const { status, sessionLost, durationMs } = await executor.execute({
    language: "js",
    code: "(async () => { for (;;) await null })(); 1",
    session,
  });
  expect({ status, sessionLost }).toEqual({ status: "completed", sessionLost: true });
  expect(durationMs).toBeLessThan(2_000); // the clock on the wall would let it go on for as long
});
