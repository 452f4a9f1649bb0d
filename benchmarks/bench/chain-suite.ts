import { createTool } from "triact";
import { defineSuite } from "triact/bench";
import { z } from "zod";

const TASKS = 50;
const CALLS = 8;

const next = createTool({
  name: "next",
  description: "The number that follows on this one.",
  inputSchema: z.object({ number: z.number() }),
  outputSchema: z.number(),
  execute: ({ number }) => number + 1,
});

const program = (from: number) => `let number = ${from};
for (let call = 0; call < ${CALLS}; call++) number = await next({ number });
return String(number);`;

/** Tasks whose state and checks cost next to nothing: eight calls, one after the other. */
export const chainTasks = Array.from({ length: TASKS }, (_, index) => ({
  id: `from-${index}`,
  question: `Which number follows on ${index}, ${CALLS} steps on?`,
  program: program(index),
  start: () => ({ tools: [next], check: (answer: string) => ({ solved: answer === String(index + CALLS) }) }),
}));

/** The tasks as a suite. */
export const chainSuite = defineSuite({ name: "chain", tasks: chainTasks });
