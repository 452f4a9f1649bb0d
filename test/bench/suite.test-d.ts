import { type AgentTool, createTool } from "triact";
import { crossover, defineSuite, library, m3tooleval, type Suite, type Task, type Trial, type Verdict, workday } from "triact/bench";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";

test("a suite of one's own takes tools with inputs of any type, and checks that wait or do not", () => {
  const greet = createTool({
    name: "greet",
    description: "Greets.",
    inputSchema: z.object({ name: z.string() }),
    execute: ({ name }) => `Hello ${name}`,
  });
  const task: Task = {
    id: "a",
    question: "?",
    start: () => ({ tools: [greet as AgentTool], check: (answer) => ({ solved: answer === "b" }) }),
  };
  const waiting: Task = { ...task, id: "b", start: async ({ seed }) => ({ tools: [], check: async () => ({ solved: seed > 1 }) }) };
  expectTypeOf(defineSuite({ name: "own", tasks: [task, waiting] })).toEqualTypeOf<Suite>();
  expectTypeOf(defineSuite({ name: "own", tasks: async ({ seed }) => [{ ...task, id: `a-${seed}` }] })).toEqualTypeOf<Suite>();
  expectTypeOf<ReturnType<Trial["check"]>>().toEqualTypeOf<Verdict | Promise<Verdict>>();
  // @ts-expect-error a task needs a way to start
  defineSuite({ name: "own", tasks: [{ id: "a", question: "?" }] });
  // @ts-expect-error a verdict says whether the task is solved
  defineSuite({ name: "own", tasks: [{ ...task, start: () => ({ tools: [], check: () => ({ reason: "no" }) }) }] });
});

test("the suites of the package", () => {
  expectTypeOf([crossover(), workday(), library(), m3tooleval({ data: "folder" })]).toEqualTypeOf<Suite[]>();
  // @ts-expect-error goal is one of two
  crossover({ sweeps: { goal: ["guess"] } });
  // @ts-expect-error the data are no part of the package
  m3tooleval();
});
