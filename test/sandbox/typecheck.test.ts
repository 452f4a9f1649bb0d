import { expect, test } from "vitest";
import { IsolatedVmExecutor } from "../../src/sandbox/isolated-vm-executor.js";

const declarations = "declare function price(input: { id: string }): Promise<number>;";
const tools = { price: () => ({ kind: "value", value: 3 }) as const };
const options = { language: "ts", declarations, tools };

test("wrong types are told with their places, and nothing is executed", async () => {
  await using executor = new IsolatedVmExecutor({ typecheck: true });
  const code = "const a: string = await price({ id: 'a' });\n  await price({ name: 1 });";
  expect(await executor.execute({ ...options, code })).toMatchObject({
    status: "failed",
    toolCallCount: 0,
    error: {
      code: "type-error",
      line: 1,
      column: 7,
      message:
        "Nothing was executed, because the types are wrong:\nline 1, column 7: TS2322 Type 'number' is not assignable to type 'string'.\nline 2, column 17: TS2353 Object literal may only specify known properties, and 'name' does not exist in type '{ id: string; }'.",
    },
  });
});

test("right types run", async () => {
  await using executor = new IsolatedVmExecutor({ typecheck: true });
  expect(await executor.execute({ ...options, code: "console.log(1); return (await price({ id: 'a' })) + 1" })).toMatchObject({
    result: 4,
  });
  expect(await executor.execute({ ...options, language: "js", code: "const a = 1; a.b" })).toMatchObject({ status: "completed" });
});

test("names of earlier steps are known", async () => {
  await using executor = new IsolatedVmExecutor({ typecheck: true });
  await using session = executor.createSession();
  await executor.execute({ ...options, code: "const a = 1;", session });
  expect(await executor.execute({ ...options, code: "a + 1", session })).toMatchObject({ result: 2 });
});
