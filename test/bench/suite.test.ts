import { AgentConfigError, type AgentTool, createTool } from "triact";
import { checkSuite, defineSuite, ProgramToolError, runProgram, type Suite, type SuiteOptions, type Task } from "triact/bench";
import { describe, expect, test } from "vitest";
import { z } from "zod";

const counter = (state: { count: number }): AgentTool =>
  createTool({
    name: "count-up",
    description: "Adds to the counter.",
    inputSchema: z.object({ by: z.int().default(1) }),
    outputSchema: z.object({ count: z.int() }),
    execute: ({ by }) => {
      state.count += by;
      return { count: state.count };
    },
  });

const task = (changes: Partial<Task> = {}): Task => ({
  id: "two",
  question: "Count up to two, and say where the counter stands.",
  start: () => {
    const state = { count: 0 };
    return { tools: [counter(state)], check: (answer) => ({ solved: state.count === 2 && answer === "2" }) };
  },
  program: "await count_up(); const { count } = await count_up({ by: 1 }); return String(count);",
  ...changes,
});

const suite = (changes: Partial<Task> = {}): Suite => defineSuite({ name: "counting", tasks: [task(changes)] });

describe("a suite", () => {
  test("gives its tasks, from a list or from a seed", async () => {
    const fromSeed = defineSuite({ name: "seeded", version: "3", tasks: async ({ seed }) => [task({ id: `task-${seed}` })] });
    expect((await fromSeed.tasks({ seed: 5 })).map(({ id }) => id)).toEqual(["task-5"]);
    expect(fromSeed).toMatchObject({ name: "seeded", version: "3", description: "" });
    expect((await suite().tasks({ seed: 1 })).map(({ id }) => id)).toEqual(["two"]);
  });

  test.for([
    ["name", { name: "My Suite", tasks: [task()] }, 'suite.name: lower-case words joined by hyphens were expected, not "My Suite"'],
    ["version", { name: "a", version: "", tasks: [task()] }, 'suite a.version: a text was expected, not ""'],
    ["no tasks", { name: "a", tasks: [] }, "suite a.tasks: at least one task was expected, not an empty list"],
    ["one id twice", { name: "a", tasks: [task(), task()] }, 'suite a.tasks[1].id: "two" is the id of tasks[0] already'],
    ["an empty id", { name: "a", tasks: [task({ id: " " })] }, 'suite a.tasks[0].id: a text was expected, not " "'],
    ["an empty question", { name: "a", tasks: [task({ question: "" })] }, 'suite a, task two: question: a text was expected, not ""'],
    [
      "an empty program",
      { name: "a", tasks: [task({ program: "" })] },
      'suite a, task two: program: JavaScript source was expected, not ""',
    ],
    [
      "a knob that is no number",
      { name: "a", tasks: [task({ knobs: { size: Number.NaN } })] },
      "suite a, task two: knobs.size: a number or a text was expected, not NaN",
    ],
  ] as const satisfies [string, SuiteOptions, string][])("is refused at once: %s", ([, options, message]) => {
    expect(() => defineSuite(options)).toThrow(new AgentConfigError(fieldAndProblem(message)));
  });

  test("is refused when its tasks are asked for, if they are made from a seed", async () => {
    const twice = defineSuite({ name: "a", tasks: () => [task(), task()] });
    await expect(twice.tasks({ seed: 1 })).rejects.toThrow('suite a.tasks[1].id: "two" is the id of tasks[0] already');
    await expect(suite().tasks({ seed: 0.5 })).rejects.toThrow("suite counting.tasks.seed: a whole number was expected, not 0.5");
  });

  test.for([
    ["no check", {}, "a trial with `tools` and `check` was expected"],
    [
      "a tool of one's own",
      { tools: [{ name: "x" }], check: () => ({ solved: true }) },
      "tools made by createTool were expected, not an object",
    ],
    [
      "one name twice",
      { tools: [counter({ count: 0 }), counter({ count: 0 })], check: () => ({ solved: true }) },
      "two tools have the name count-up",
    ],
    [
      "a change by no tool",
      { tools: [counter({ count: 0 })], writes: ["count-down"], check: () => ({ solved: true }) },
      '`writes` names "count-down", and there is no such tool',
    ],
  ] as const)("says what is wrong with a trial: %s", async ([, trial, problem]) => {
    const [only] = await suite({ start: () => trial as never }).tasks({ seed: 1 });
    await expect(only?.start({ seed: 1 })).rejects.toThrow(`suite counting, task two: start(): ${problem}`);
  });
});

describe("a reference program", () => {
  test("runs against the tools, under the names that code has for them", async () => {
    expect(await runProgram("await count_up(); return (await count_up({ by: 2 })).count + '!'", [counter({ count: 0 })])).toEqual({
      answer: "3!",
      calls: [
        { toolName: "count-up", input: {}, output: { count: 1 } },
        { toolName: "count-up", input: { by: 2 }, output: { count: 3 } },
      ],
    });
  });

  test("meets a refused input as an error that it may catch", async () => {
    const tools = [counter({ count: 0 })];
    await expect(runProgram("await count_up({ by: 'x' })", tools)).rejects.toThrow(ProgramToolError);
    expect((await runProgram("try { await count_up({ by: 'x' }) } catch (error) { return error.message }", tools)).answer).toMatch(
      /^count-up: by: /,
    );
  });

  test.for([
    ["return 3", "program: a text was expected as its answer, not 3"],
    ["return (", "program: it cannot be compiled: "],
  ] as const)("%s is refused", async ([program, message]) => {
    await expect(runProgram(program, [])).rejects.toThrow(message);
  });
});

describe("checkSuite", () => {
  test("finds nothing wrong with a suite that can be trusted", async () => {
    expect(await checkSuite(suite(), { seed: 1 })).toEqual({ tasks: 1, withoutProgram: [], floor: [], problems: [] });
  });

  test.for([
    ["a program that does not solve", { program: "return '2'" }, "two: its program does not solve it: no reason given"],
    ["a program that fails", { program: "throw new Error('broken')" }, "two: its program failed: broken"],
    [
      "a check that takes any answer",
      { start: () => ({ tools: [counter({ count: 0 })], check: () => ({ solved: true }) }) },
      "two: a wrong answer without any action solves it",
    ],
    ["state that trials share", leaky(), "two: two trials of one seed gave other results"],
  ] as const)("finds %s", async ([, changes, problem]) => {
    expect((await checkSuite(suite(changes), { seed: 1 })).problems).toContain(problem);
  });

  test("tells the floor and the tasks without a program", async () => {
    const idle = defineSuite({
      name: "idle",
      tasks: [{ id: "rest", question: "Do nothing.", start: () => ({ tools: [], check: (answer) => ({ solved: answer === "" }) }) }],
    });
    expect(await checkSuite(idle, { seed: 1 })).toEqual({ tasks: 1, withoutProgram: ["rest"], floor: ["rest"], problems: [] });
  });
});

function leaky(): Partial<Task> {
  const state = { count: 0 };
  return { start: () => ({ tools: [counter(state)], check: (answer) => ({ solved: answer !== "certainly not this" }) }) };
}

function fieldAndProblem(message: string): { field: string; problem: string } {
  const at = message.lastIndexOf(": ");
  return { field: message.slice(0, at), problem: message.slice(at + 2) };
}
