import { createTool } from "triact";
import { runProgram } from "triact/bench";
import { expect, test } from "vitest";
import { z } from "zod";
import { reusableTools } from "../../src/bench/reusable-tools.js";

test("tools are made once, and each set works on its own state", async () => {
  let made = 0;
  const toolsOver = reusableTools<{ count: number }>((state) => {
    made += 1;
    return [
      createTool({
        name: "next",
        description: "Counts.",
        inputSchema: z.object({}),
        execute: () => {
          state().count += 1;
          return state().count;
        },
      }),
    ];
  });
  const [first, second] = [toolsOver({ count: 0 }), toolsOver({ count: 10 })];
  const program = "return [await next(), await next()].join()";
  const answers = await Promise.all([runProgram(program, first), runProgram(program, second)]);
  expect(answers.map(({ answer }) => answer)).toEqual(["1,2", "11,12"]);
  expect(made).toBe(1);
});
