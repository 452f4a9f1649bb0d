import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentRuntime, type AgentTool, CodeActRuntime, createAgent, createTool, ReActRuntime, textOf } from "triact";
import { IsolatedVmExecutor } from "triact/sandbox";
import { callTool, callTools, runtimeContract, ScriptedModel, type ScriptedTurn, say } from "triact/testing";
import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { CodeToolRuntime } from "../../examples/strategies/code-as-a-tool.ts";
import { PlanAndSolveRuntime } from "../../examples/strategies/plan-and-solve.ts";
import { ReflexionRuntime } from "../../examples/strategies/reflexion.ts";
import { ReWooRuntime } from "../../examples/strategies/rewoo.ts";
import { RouterRuntime } from "../../examples/strategies/router.ts";
import { SelfConsistencyRuntime } from "../../examples/strategies/self-consistency.ts";
import { TextReActRuntime } from "../../examples/strategies/text-react.ts";
import { projectRoot } from "../../scripts/source-files.ts";

const strategies = globSync("examples/strategies/*.ts", { cwd: projectRoot });

test("each strategy has at most 80 lines of code, touches nothing but the package, and has a paragraph in the documents", () => {
  const page = readFileSync(join(projectRoot, "docs/strategies.md"), "utf8");
  expect(strategies.length).toBeGreaterThanOrEqual(7);
  for (const file of strategies) {
    const source = readFileSync(join(projectRoot, file), "utf8");
    const lines = source.split("\n").filter((line) => !/^\s*($|\/\/|\/?\*)/.test(line));
    expect(lines.length, file).toBeLessThanOrEqual(80);
    for (const [, from] of source.matchAll(/from "([^"]+)"/g)) expect(["triact", "triact/sandbox", "zod"], file).toContain(from);
    expect(page, file).toContain(`](../${file})`);
  }
});

const executor = new IsolatedVmExecutor();
afterAll(() => executor.dispose());

const height = createTool({
  name: "height",
  description: "Height of a tower in metres.",
  inputSchema: z.object({ tower: z.string() }),
  execute: ({ tower }) => ({ eiffel: 330, pisa: 56 })[tower] ?? 0,
});
const double = createTool({
  name: "double",
  description: "Doubles.",
  inputSchema: z.object({ n: z.number() }),
  execute: ({ n }) => 2 * n,
});

async function solve(runtime: AgentRuntime, turns: readonly ScriptedTurn[]) {
  const model = new ScriptedModel(turns);
  const agent = createAgent({ model, runtime, tools: [height, double] as AgentTool[] });
  const result = await agent.run("How high is it?");
  model.assertDone();
  return { result, model, texts: result.messages.map((message) => `${message.role}: ${textOf(message)}`) };
}

const native = { test, expect, call: callTools, answer: say };
const approves = () => new ScriptedModel(() => say("OK"));
const lines = (text: string) => say(text);

describe("Plan-and-Solve", () => {
  test("plans in words, then calls", async () => {
    const { texts, model } = await solve(new PlanAndSolveRuntime(), [
      say("1. Look it up."),
      callTool("height", { tower: "pisa" }),
      say("56 m"),
    ]);
    expect(texts.slice(0, 2)).toEqual(["user: How high is it?", "user: Plan:\n1. Look it up."]);
    expect(textOf(model.requests[0]?.messages[0] ?? ({ content: [] } as never))).toContain("height: Height of a tower");
  });
  runtimeContract({ ...native, createRuntime: () => new PlanAndSolveRuntime(), opening: [say("1. Do it.")] });
});

describe("Reflexion", () => {
  test("sends an answer back that the critic finds wrong, and takes the next", async () => {
    const critic = new ScriptedModel([say("The unit is missing."), say("OK.")]);
    const { result, texts } = await solve(new ReflexionRuntime({ critic }), [say("56"), say("56 m")]);
    expect(result.outputText).toBe("56 m");
    expect(texts[2]).toMatch(/^user: A critic read your answer: The unit is missing\./);
    critic.assertDone();
  });
  test("does not ask for ever", async () => {
    const critic = new ScriptedModel(() => say("No."));
    const { result } = await solve(new ReflexionRuntime({ critic, retries: 1 }), [say("56"), say("57")]);
    expect(result).toMatchObject({ status: "completed", outputText: "57" });
  });
  runtimeContract({ ...native, createRuntime: () => new ReflexionRuntime({ critic: approves() }) });
});

describe("ReWOO", () => {
  test("runs a plan with variables without the model", async () => {
    const { result, model } = await solve(new ReWooRuntime(), [
      lines('I plan:\n#E1 = height {"tower": "pisa"}\n#E2 = double {"n": "#E1"}'),
      say("112 m"),
    ]);
    expect(result).toMatchObject({ outputText: "112 m", iterations: 2 });
    expect(JSON.stringify(model.requests[1]?.messages)).toContain("112");
  });
  runtimeContract({
    ...native,
    createRuntime: () => new ReWooRuntime(),
    call: (calls) => say(calls.map(({ toolName, input }, index) => `#E${index + 1} = ${toolName} ${JSON.stringify(input)}`).join("\n")),
  });
});

describe("self-consistency", () => {
  test("takes the answer that most samples give, and counts what all of them cost", async () => {
    const answers = ["It is 56 m.", "57 m", "56 metres: 56", "55"].map((text) =>
      say(text, { usage: { inputTokens: 10, outputTokens: 0 } }),
    );
    const { result, texts } = await solve(new SelfConsistencyRuntime({ samples: 4 }), answers);
    expect(result).toMatchObject({ outputText: "It is 56 m.", iterations: 0, usage: { inputTokens: 40 } });
    expect(texts).toEqual(["user: How high is it?", "assistant: It is 56 m."]);
  });
  runtimeContract({ ...native, createRuntime: () => new SelfConsistencyRuntime({ samples: 1 }) });
});

describe("code as a tool", () => {
  test("has both: native calls, and code that calls", async () => {
    const code = 'const [a, b] = await Promise.all([height({ tower: "eiffel" }), height({ tower: "pisa" })]); return a + b;';
    const { result } = await solve(new CodeToolRuntime(executor), [
      callTool("height", { tower: "pisa" }),
      callTool("code", { code }),
      say("386"),
    ]);
    const outputs = result.messages.flatMap(({ content }) => content.flatMap((part) => (part.type === "tool-result" ? [part.output] : [])));
    expect(outputs).toEqual([56, 386]);
  });
  runtimeContract({ ...native, createRuntime: () => new CodeToolRuntime(executor) });
  describe("by code", () => {
    const call = (calls: readonly { toolName: string; input: object }[]) => {
      const statements = calls.map(({ toolName, input }) => `results.push(await ${toolName}(${JSON.stringify(input)}));`);
      return callTool("code", { code: `const results = [];\n${statements.join("\n")}\nreturn results;` });
    };
    runtimeContract({ ...native, call, createRuntime: () => new CodeToolRuntime(executor) });
  });
});

describe("text ReAct", () => {
  test("acts by lines, and is told when they cannot be read", async () => {
    const { result, model } = await solve(new TextReActRuntime(), [
      lines("It must be high."),
      lines("Thought: look\nAction: height\nAction Input: {tower}"),
      lines('Thought: look\nAction: height\nAction Input: {"tower": "pisa"}\nObservation: 1 m\nFinal Answer: 1 m'),
      lines("Thought: I know the answer\nFinal Answer: 56 m"),
    ]);
    expect(result).toMatchObject({ status: "completed", outputText: "56 m" });
    expect(model.requests[0]).toMatchObject({ tools: [], options: { stopSequences: ["\nObservation:"] } });
  });
  runtimeContract({
    ...native,
    createRuntime: () => new TextReActRuntime(),
    call: ([first]) => say(`Thought: go\nAction: ${first?.toolName}\nAction Input: ${JSON.stringify(first?.input)}`),
    answer: (text) => say(`Final Answer: ${text}`),
  });
});

describe("a router", () => {
  const router = () =>
    new RouterRuntime({
      runtimes: { react: new ReActRuntime(), codeact: new CodeActRuntime({ executor }) },
      pick: (task) => (/how many|sum/i.test(task) ? "codeact" : "react"),
    });
  test("sends each task to its strategy", async () => {
    const agent = createAgent({
      model: new ScriptedModel([say("330 m"), say(JSON.stringify({ type: "code", code: "return 330 + 56" }))]),
      runtime: router(),
      tools: [height] as AgentTool[],
    });
    expect(await agent.run("How high?")).toMatchObject({ runtime: "react", outputText: "330 m" });
    expect(await agent.run("The sum?")).toMatchObject({ runtime: "codeact", outputText: "386" });
  });
  runtimeContract({ ...native, createRuntime: router });
});
