import { type CrossoverKnob, crossover, crossoverBase, crossoverCurve, crossoverSweeps, runProgram, type Task } from "triact/bench";
import { describe, expect, test } from "vitest";
import { replay } from "./replay.js";
import { suiteLaws } from "./suite-laws.js";

suiteLaws(crossover({ repeats: 1 }), { seeds: [1, 2, 3], floor: () => [] });

const single = crossover({ repeats: 1 });

async function curve(knob: CrossoverKnob): Promise<readonly Task[]> {
  return crossoverCurve(await single.tasks({ seed: 1 }), knob);
}

async function run(task: Task) {
  const trial = await task.start({ seed: 1 });
  const { answer, calls } = await runProgram(task.program ?? "", trial.tools);
  return { answer, calls, tools: trial.tools, verdict: await trial.check(answer) };
}

describe("each knob has its effect, and no other", () => {
  test.for(Object.keys(crossoverSweeps) as CrossoverKnob[])("the curve of %s goes through all its values", async (knob) => {
    const tasks = await curve(knob);
    expect(tasks.map(({ knobs }) => knobs?.[knob])).toEqual(crossoverSweeps[knob]);
    for (const { knobs } of tasks) expect({ ...knobs, [knob]: null }).toEqual({ ...crossoverBase, [knob]: null });
  });

  test("fan-out: so many calls in each turn", async () => {
    for (const task of await curve("fanOut")) {
      const { turns } = await replay(task);
      expect(turns.map(({ length }) => length)).toEqual([task.knobs?.["fanOut"], task.knobs?.["fanOut"]]);
    }
  });

  test("depth: so many turns, one after the other", async () => {
    for (const task of await curve("depth")) expect((await replay(task)).turns).toHaveLength(Number(task.knobs?.["depth"]));
  });

  test("size of results: each has exactly so many bytes", async () => {
    for (const task of await curve("resultBytes")) {
      const sizes = (await run(task)).calls.map(({ output }) => Buffer.byteLength(JSON.stringify(output)));
      expect(new Set(sizes)).toEqual(new Set([task.knobs?.["resultBytes"]]));
    }
  });

  test("number of tools: so many, all with different names", async () => {
    for (const task of await curve("toolsShown")) {
      const { tools } = await run(task);
      expect(new Set(tools.map(({ name }) => name)).size).toBe(task.knobs?.["toolsShown"]);
    }
  });

  test("relevant share: so many of the last records count", async () => {
    const [task] = await crossover({ base: { goal: "relay", fanOut: 16 }, sweeps: { relevantShare: [0.25] }, repeats: 1 }).tasks({
      seed: 1,
    });
    expect((await run(task as Task)).answer.split(", ")).toHaveLength(8);
    const tasks = crossover({ base: { goal: "relay", fanOut: 16, relevantShare: 0.25 }, sweeps: {}, repeats: 1 });
    const [quarter] = await tasks.tasks({ seed: 1 });
    expect((await run(quarter as Task)).answer.split(", ")).toHaveLength(4);
  });

  test.for([
    ["aggregate", 1],
    ["relay", 4],
  ] as const)("goal and access: %s and write makes %d calls that change something", async ([goal, writes]) => {
    const [task] = await crossover({ base: { goal, access: "write" }, sweeps: {}, repeats: 1 }).tasks({ seed: 1 });
    const { calls, verdict } = await run(task as Task);
    expect(calls.filter(({ toolName }) => toolName.startsWith("post_"))).toHaveLength(writes);
    expect(verdict).toEqual({ solved: true });
  });
});

test("a write that nobody asked for is a side effect, also one that is made twice", async () => {
  const [task] = await crossover({ base: { goal: "relay", access: "write" }, sweeps: {}, repeats: 1 }).tasks({ seed: 1 });
  const trial = await (task as Task).start({ seed: 1 });
  const { answer, calls } = await runProgram((task as Task).program ?? "", trial.tools);
  const posted = calls.find(({ toolName }) => toolName === "post_units")?.input as { id: string; units: number };
  await runProgram(`await post_units(${JSON.stringify(posted)}); return ""`, trial.tools);
  expect(await trial.check(answer)).toEqual({
    solved: false,
    reason: "1 unwanted change",
    sideEffects: [`post_units of ${posted.units} for ${posted.id}`],
  });
});

test("another seed gives other records, and the same ids of tasks", async () => {
  const [first, second] = [await single.tasks({ seed: 1 }), await single.tasks({ seed: 2 })];
  expect(second.map(({ id }) => id)).toEqual(first.map(({ id }) => id));
  expect(second.map(({ question }) => question)).not.toEqual(first.map(({ question }) => question));
});

test.for([
  ["fanOut", 65],
  ["fanOut", 0],
  ["depth", 7],
  ["resultBytes", 49],
  ["toolsShown", 201],
  ["relevantShare", 0],
  ["goal", "guess"],
] as const)("%s of %s is refused", ([knob, value]) => {
  expect(() => crossover({ base: { [knob]: value } })).toThrow(`suite crossover.${knob}: `);
  expect(() => crossover({ sweeps: { [knob]: [value] } })).toThrow(`suite crossover.${knob}: `);
});
