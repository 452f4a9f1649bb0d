import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isUsableM3Task, m3tooleval, runProgram, type Task } from "triact/bench";
import { describe, expect, test } from "vitest";
import { evaluate } from "../../../src/bench/suites/m3tooleval/arithmetic.js";
import { m3Check } from "../../../src/bench/suites/m3tooleval/m3-check.js";
import { hasM3Data, m3Folder } from "./shared-data.js";
import { suiteLaws } from "./suite-laws.js";

interface Recording {
  readonly id: string;
  readonly calls: readonly { readonly tool: string; readonly args: object; readonly result: unknown }[];
}

describe.skipIf(!hasM3Data)(hasM3Data ? "with the data" : "with the data (skipped: the folder m3tooleval is not here)", () => {
  const suite = m3tooleval({ data: m3Folder });

  suiteLaws(suite, { seeds: [1], floor: () => [] });

  test("82 tasks: 59 without a flag, 69 usable", async () => {
    const tasks = await suite.tasks({ seed: 1 });
    expect(tasks).toHaveLength(82);
    expect(tasks.filter(({ flags = [] }) => flags.length === 0)).toHaveLength(59);
    expect(tasks.filter(isUsableM3Task)).toHaveLength(69);
  });

  test("the tools reproduce all 526 recorded calls", async () => {
    const tasks = new Map((await suite.tasks({ seed: 1 })).map((task) => [task.id, task]));
    const recordings = (JSON.parse(readFileSync(join(m3Folder, "reference_calls.json"), "utf8")) as { tasks: Recording[] }).tasks;
    let count = 0;
    for (const { id, calls } of recordings) {
      const { tools } = await (tasks.get(id) as Task).start({ seed: 1 });
      const program = `${calls.map(({ tool, args }) => `await ${tool}(${JSON.stringify(args)});`).join("\n")} return "";`;
      const made = (await runProgram(program, tools)).calls;
      expect(
        made.map(({ output }) => JSON.stringify(output)),
        id,
      ).toEqual(calls.map(({ result }) => JSON.stringify(result)));
      count += made.length;
    }
    expect(count).toBe(526);
  });

  test("programs make the recorded calls", async () => {
    const tasks = new Map((await suite.tasks({ seed: 1 })).map((task) => [task.id, task]));
    const recordings = (JSON.parse(readFileSync(join(m3Folder, "reference_calls.json"), "utf8")) as { tasks: Recording[] }).tasks;
    for (const { id, calls } of recordings) {
      const task = tasks.get(id) as Task;
      const made = (await runProgram(task.program ?? "", (await task.start({ seed: 1 })).tools)).calls;
      expect(made.map(({ toolName }) => toolName).sort(), id).toEqual(calls.map(({ tool }) => tool).sort());
    }
  });
});

test.for([
  ["2 + (3 * 4)", 14],
  ["-2 ** 2", -4],
  ["2 ** -1", 0.5],
  ["2 ** 3 ** 2", 512],
  ["(163.5 + 90.25) * .5", 126.875],
  ["1e3 - - 2", 1002],
  ["8 / 4 / 2", 1],
  ["1 / 0", undefined],
  ["2 +", undefined],
  ["(2", undefined],
  ["2 3", undefined],
  ["__import__('os')", undefined],
  ["", undefined],
] as const)("%s is %s", ([expression, value]) => {
  expect(evaluate(expression)).toBe(value);
});

test.for([
  [{ kind: "text" }, "Red/Blue", ["Red/Blue", " 'Red/Blue' ", "Answer: Red/Blue"], ["red/blue", "Red", ""]],
  [{ kind: "number", abs_tol: 0.005 }, 1234.567, ["1234.57", "$1,234.57", "1234.567"], ["1234.5", "about 1234.57", ""]],
  [{ kind: "number", abs_tol: 0 }, 4, ["4", "4.0", "4."], ["4.1", "four"]],
  [
    { kind: "number_list", abs_tol: 0.005 },
    [1000, 20.5],
    ["[1000.0, 20.5]", "1000, 20.5", "Answer: [1000, 20.50]"],
    ["[20.5, 1000]", "1000", ""],
  ],
  [{ kind: "boolean" }, false, ["False", "false", "FALSE."], ["True", "no", ""]],
  [
    { kind: "counts" },
    { A: 2, C: 1 },
    ["{'C': 1, 'A': 2}", '{"A":2,"C":1}', "A: 2, C: 1"],
    ["{'A': 2}", "A: 2, C: 1, G: 1", "A and C", ""],
  ],
  [{ kind: "pair_or_first" }, ["A", 3], ["('A', 3)", '["A",3]', "A", "(A, 3)"], ["('A', 4)", "C", "3", ""]],
] as const)("the check %o takes what is the same, and nothing else", ([check, value, right, wrong]) => {
  const task = { check, expected: { value } } as unknown as Parameters<typeof m3Check>[0];
  expect(right.filter((answer) => !m3Check(task, answer))).toEqual([]);
  expect(wrong.filter((answer) => m3Check(task, answer))).toEqual([]);
});

test("a folder that is not there is named", async () => {
  await expect(m3tooleval({ data: "/no/such/folder" }).tasks({ seed: 1 })).rejects.toThrow(
    /^suite m3tooleval.data: \/no\/such\/folder\/[a-z]+.json could not be read: ENOENT/,
  );
  expect(() => m3tooleval({ data: "" })).toThrow('suite m3tooleval.data: the path of a folder was expected, not ""');
});
