import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { IsolatedVmExecutor } from "../../src/sandbox/isolated-vm-executor.js";

/** The long run is for the machine that has time: SANDBOX_RUNS=1000. */
const RUNS = Number(process.env["SANDBOX_RUNS"] ?? 150);
const AT_ONCE = Number(process.env["SANDBOX_AT_ONCE"] ?? 60);
const tools = { echo: (input: unknown) => ({ kind: "value", value: input }) as const };
const children = () => readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").trim().split(" ").filter(Boolean).length;

test.for(["process", "in-process"] as const)(
  "many executions one after the other leave nothing behind: %s",
  { timeout: 120_000 },
  async (isolation) => {
    const childrenBefore = children();
    await using executor = new IsolatedVmExecutor({ isolation });
    const run = async () => (await executor.execute({ language: "js", code: "return await echo({ a: 1 })", tools })).status;
    for (let done = 0; done < 30; done++) await run();
    const before = process.memoryUsage();
    for (let done = 0; done < RUNS; done++) expect(await run()).toBe("completed");
    const after = process.memoryUsage();
    expect((after.rss - before.rss) / 1e6).toBeLessThan(80);
    await executor.dispose();
    expect(children()).toBe(childrenBefore);
  },
);

test("many executions at once use eight children, and all end well", { timeout: 120_000 }, async () => {
  await using executor = new IsolatedVmExecutor();
  let most = 0;
  const results = await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, number) => {
      const result = await executor.execute({ language: "js", code: `return [${number}, await echo({})]`, tools });
      most = Math.max(most, children());
      return result.status === "completed" && result.result;
    }),
  );
  expect(results).toEqual(Array.from({ length: AT_ONCE }, (_, number) => [number, {}]));
  expect(most).toBeLessThanOrEqual(8);
});

test("whoever waits for a place can be aborted", async () => {
  await using executor = new IsolatedVmExecutor({ pool: { maxChildren: 1, spareChildren: 0 } });
  const controller = new AbortController();
  const gate = Promise.withResolvers<{ kind: "value"; value: null }>();
  const first = executor.execute({ language: "js", code: "await wait(); return 1", tools: { wait: () => gate.promise } });
  const second = executor.execute({ language: "js", code: "2", signal: controller.signal });
  controller.abort();
  expect(await second).toMatchObject({ error: { code: "aborted" } });
  gate.resolve({ kind: "value", value: null });
  expect(await first).toMatchObject({ result: 1 });
  expect(await executor.execute({ language: "js", code: "3" })).toMatchObject({ result: 3 });
});

test("a session that is idle gives its place to code that waits, and is told", async () => {
  await using executor = new IsolatedVmExecutor({ pool: { maxChildren: 1, spareChildren: 0, sessionIdleMs: 0 } });
  await using session = executor.createSession();
  await executor.execute({ language: "js", code: "const a = 1", session });
  expect(await executor.execute({ language: "js", code: "2" })).toMatchObject({ result: 2 });
  expect(await executor.execute({ language: "js", code: "typeof a", session })).toMatchObject({
    result: "undefined",
    notices: [expect.stringContaining("gone")],
  });
});

test.for(["process", "in-process"] as const)("an abort at any point settles: %s", { timeout: 60_000 }, async (isolation) => {
  await using executor = new IsolatedVmExecutor({ isolation });
  const code =
    "for (let i = 0; i < 40; i++) await echo({ i });\nconsole.log('x'.repeat(1e5)); return Array.from({ length: 1e5 }, (_, i) => i)";
  for (let calls = 0; calls <= 41; calls += 4) {
    const controller = new AbortController();
    let made = 0;
    const echo = () => {
      made += 1;
      if (made >= calls) controller.abort();
      return { kind: "value", value: null } as const;
    };
    if (calls === 0) queueMicrotask(() => controller.abort());
    const result = await executor.execute({ language: "js", code, tools: { echo }, signal: controller.signal });
    expect(result.status === "completed" || result.status === "failed").toBe(true);
  }
  expect(await executor.execute({ language: "js", code: "1" })).toMatchObject({ result: 1 });
});
