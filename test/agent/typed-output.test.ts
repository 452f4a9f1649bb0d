import {
  type AgentModel,
  type AgentOptions,
  type AgentSnapshot,
  Agents,
  type AgentTool,
  BaseAgentRuntime,
  type Decision,
  modelTexts,
  OUTPUT_TOOL,
  type Reply,
} from "triact";
import { callTool, callTools, ScriptedModel, type ScriptedTurn, say } from "triact/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { add, build, done, errorResult, outline, resultsIn, text, tool } from "../base/kit.js";

const Invoice = z.object({ total: z.number(), due: z.date().optional(), currency: z.string().default("EUR") });
const TOTAL_MISSING = ["total: expected number, received undefined"];

function run(turns: readonly ScriptedTurn[], options: AgentOptions = {}) {
  const { agent, model } = build(turns, { output: Invoice, ...options });
  return agent.run("?").then((result) => ({ result, model, agent }));
}

/** A scripted model whose provider enforces schemas. */
function enforcing(turns: readonly ScriptedTurn[]): AgentModel & ScriptedModel {
  return Object.assign(new ScriptedModel(turns), { capabilities: { structuredOutput: true } });
}

describe("an agent with an output schema", () => {
  test("gives the model a tool for the answer, and its argument as the schema makes it", async () => {
    const { result, model } = await run([
      callTool("add", { a: 1, b: 2 }),
      callTool(OUTPUT_TOOL, { total: 3, due: "2026-01-02T00:00:00Z" }),
    ]);
    expect(result).toMatchObject({
      status: "completed",
      endedBy: "completion-tool",
      outputText: '{"total":3,"due":"2026-01-02T00:00:00Z"}',
    });
    expect(result.output).toEqual({ total: 3, due: new Date("2026-01-02T00:00:00Z"), currency: "EUR" });
    const { tools, responseFormat } = model.requests[0] ?? {};
    expect(tools?.map(({ name }) => name)).toEqual(["add", "done", OUTPUT_TOOL]);
    expect(tools?.at(-1)?.inputSchema).toMatchObject({ type: "object", properties: { total: { type: "number" } } });
    expect([responseFormat, model.requests[0]?.options.toolChoice]).toEqual([undefined, undefined]); // a schema on every turn would silence the tools
  });

  // R59
  test.each<[string, string]>([
    ["JSON", '{"total":3}'],
    ["JSON in a code block", 'Here it is:\n```json\n{"total":3}\n```\nGood luck.'],
    ["JSON with white space around it", ' \n{"total":3}\n'],
  ])("takes an answer in text when it is %s that fits", async (_, answer) => {
    const { result } = await run([say(answer)]);
    expect(result).toMatchObject({ status: "completed", endedBy: "natural", output: { total: 3, currency: "EUR" } });
  });

  test("tells the model what is wrong with an answer in text, and how to give it", async () => {
    const { result, model } = await run([say("Three."), say('{"sum":3}'), callTool(OUTPUT_TOOL, { total: 3 })]);
    expect(outline(model.requests[1]?.messages).at(-1)).toEqual({
      role: "user",
      content: [text(modelTexts.outputInvalid(["it is not JSON"], OUTPUT_TOOL))],
    });
    expect(outline(model.requests[2]?.messages).at(-1)).toEqual({
      role: "user",
      content: [text(modelTexts.outputInvalid(TOTAL_MISSING, OUTPUT_TOOL))],
    });
    expect(result.output).toEqual({ total: 3, currency: "EUR" });
  });

  test("answers arguments that do not fit like those of any tool", async () => {
    const { result, model } = await run([callTool(OUTPUT_TOOL, {}), callTool(OUTPUT_TOOL, { total: 3 })]);
    expect(resultsIn(model.requests[1]?.messages)).toEqual([
      errorResult("call_1", OUTPUT_TOOL, modelTexts.invalidArguments(OUTPUT_TOOL, TOTAL_MISSING)),
    ]);
    expect(result.status).toBe("completed");
  });

  test.each<[string, (turn: number) => ScriptedTurn]>([
    ["text", () => say("Three.")],
    ["arguments", () => callTool(OUTPUT_TOOL, { total: "three" })],
    ["arguments that are no JSON", () => callTool(OUTPUT_TOOL, "{total}")],
    ["text and arguments in turn", (turn) => (turn % 2 === 0 ? say("Three.") : callTool(OUTPUT_TOOL, {}))],
  ])("fails with output-invalid after telling the model three times, by %s", async (_, turn) => {
    const { result, model } = await run(Array.from({ length: 4 }, (__, index) => turn(index)));
    expect(result).toMatchObject({ status: "failed", endedBy: "output-invalid", error: { problem: "output-invalid" }, iterations: 4 });
    expect("output" in result).toBe(false);
    model.assertDone();
  });

  test("tells the model once a turn, however many wrong answers are in it, and takes the right one among them", async () => {
    const wrong = { toolName: OUTPUT_TOOL, input: {} };
    const four = callTools([wrong, wrong, wrong, wrong]);
    const mixed = callTools([wrong, { toolName: OUTPUT_TOOL, input: { total: 3 } }]);
    const { result, model } = await run([four, four, four, mixed]);
    expect(result).toMatchObject({ status: "completed", output: { total: 3 }, iterations: 4 });
    model.assertDone();
  });

  test("checks the output of a completion tool of the agent's own as well", async () => {
    const { result, model } = await run([callTool("done", { answer: "3" }), callTool(OUTPUT_TOOL, { total: 3 })], {
      tools: [done as AgentTool],
    });
    expect(outline(model.requests[1]?.messages).at(-1)?.content).toEqual([text(modelTexts.outputInvalid(TOTAL_MISSING, OUTPUT_TOOL))]);
    expect(result.output).toEqual({ total: 3, currency: "EUR" });
  });

  test("is not gated by the default policy, but by one of its own", async () => {
    const all = { "*": { enabled: false } };
    expect((await run([callTool(OUTPUT_TOOL, { total: 3 })], { toolPolicies: all })).result.status).toBe("completed");
    const own = { [OUTPUT_TOOL]: { enabled: false } };
    const { result } = await run([callTool(OUTPUT_TOOL, { total: 3 }), say('{"total":4}')], { toolPolicies: own });
    expect(result).toMatchObject({ status: "completed", output: { total: 4 } });
  });

  test("counts as an agent with a completion tool", async () => {
    const { result, model } = await run([say('{"total":3}'), callTool(OUTPUT_TOOL, { total: 3 })], {
      tools: [add as AgentTool],
      completionPolicy: { requireCompletionTool: true },
    });
    expect(outline(model.requests[1]?.messages).at(-1)?.content).toEqual([text(modelTexts.completionReminder([OUTPUT_TOOL]))]);
    expect(result).toMatchObject({ status: "completed", output: { total: 3 } });
  });

  test("runs the other calls of the turn, too", async () => {
    const { result } = await run([
      callTools([
        { toolName: OUTPUT_TOOL, input: { total: 3 } },
        { toolName: "add", input: { a: 1, b: 2 } },
      ]),
    ]);
    expect(resultsIn(result.messages).map(({ output }) => output)).toEqual(["Accepted.", 3]);
    expect(result.output).toEqual({ total: 3, currency: "EUR" });
  });

  test("lets the guard object to an answer that fits", async () => {
    const objections = ["Check the total.", undefined];
    const completionPolicy = { completionGuard: () => objections.shift() };
    const { result } = await run([say('{"total":3}'), say('{"total":4}')], { completionPolicy });
    expect(result.output).toEqual({ total: 4, currency: "EUR" });
  });

  test.each<[string, z.ZodType, unknown, unknown]>([
    ["a list", z.array(z.number()), [1, 2], [1, 2]],
    ["a number", z.number(), 0, 0],
    ["nothing", z.null(), null, null],
    ["a union", z.union([z.literal("yes"), z.object({ no: z.string() })]), { no: "why" }, { no: "why" }],
    ["a transformed text", z.string().transform((word) => word.length), "four", 4],
  ])("may want %s, which stands in the argument `answer`", async (_, schema, given, output) => {
    const { result, model } = await run([callTool(OUTPUT_TOOL, { answer: given })], { output: schema });
    expect(model.requests[0]?.tools.at(-1)?.inputSchema).toMatchObject({
      type: "object",
      required: ["answer"],
      additionalProperties: false,
    });
    expect(result.output).toEqual(output);
    expect((await run([say(JSON.stringify(given))], { output: schema })).result.output).toEqual(output);
    expect((await run([say(JSON.stringify({ answer: given }))], { output: schema })).result.output).toEqual(output);
  });

  test("may want a text, which the answer is as it stands", async () => {
    const Word = z.string().max(5);
    expect((await run([say("three")], { output: Word })).result.output).toBe("three");
    expect((await run([say('"three"')], { output: Word })).result.output).toBe("three");
    const { model } = await run([say("seventeen"), say("7")], { output: Word });
    expect(outline(model.requests[1]?.messages).at(-1)?.content).toMatchObject([{ text: expect.stringContaining("Too big") }]);
  });

  test("may want a recursive list, whose references still hold", async () => {
    const Tree = z.array(
      z.object({
        name: z.string(),
        get children() {
          return Tree.optional();
        },
      }),
    );
    const answer = [{ name: "a", children: [{ name: "b" }] }];
    const { result } = await run([callTool(OUTPUT_TOOL, { answer: [{ name: "a", children: [{}] }] }), callTool(OUTPUT_TOOL, { answer })], {
      output: Tree,
    });
    expect(result.output).toEqual(answer);
  });

  test("takes plain JSON Schema", async () => {
    const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const;
    expect((await run([say('{"n":"1"}'), say('{"n":1}')], { output: schema })).result.output).toEqual({ n: 1 });
  });

  test("uses the provider's enforcement where no tool could be silenced by it", async () => {
    const model = enforcing([say('{"total":"x"}'), say('{"total":3}')]);
    const result = await Agents.builder().model(model).output(Invoice).build().run("?");
    expect(model.requests[0]).toMatchObject({ tools: [], responseFormat: { name: "output", schema: { type: "object" } } });
    expect(outline(model.requests[1]?.messages).at(-1)?.content).toEqual([
      text(modelTexts.outputInvalid(['total: expected number, received string ("x")'], undefined)),
    ]);
    expect(result.output).toEqual({ total: 3, currency: "EUR" });
  });

  test("leaves the provider's enforcement alone where there are tools", async () => {
    const model = enforcing([callTool(OUTPUT_TOOL, { total: 3 })]);
    await Agents.builder().model(model).tools(add).output(Invoice).build().run("?");
    expect(model.requests[0]?.responseFormat).toBeUndefined();
    expect(model.requests[0]?.tools).toHaveLength(2);
  });

  test("leaves the provider's enforcement alone where a completion tool has to be called", async () => {
    const model = enforcing([say('{"total":3}'), callTool(OUTPUT_TOOL, { total: 3 })]);
    const agent = Agents.builder().model(model).output(Invoice).completionPolicy({ requireCompletionTool: true }).build();
    expect(await agent.run("?")).toMatchObject({ status: "completed", endedBy: "completion-tool", output: { total: 3 } });
    expect(model.requests.map(({ responseFormat, tools }) => [responseFormat, tools.length])).toEqual([
      [undefined, 1],
      [undefined, 1],
    ]);
  });

  test("checks what a runtime of another kind gives as output", async () => {
    class Counting extends BaseAgentRuntime {
      override readonly name = "counting";
      protected override interpret(reply: Reply): Decision {
        return { kind: "finish", outputText: reply.text, output: { total: reply.text.length } };
      }
    }
    const { result } = await run([say("three")], { runtime: new Counting() });
    expect(result).toMatchObject({ status: "completed", output: { total: 5, currency: "EUR" }, outputText: "three" });
  });

  test("takes its output from an answer that waited for people", async () => {
    const options: AgentOptions = {
      output: Invoice,
      toolPolicies: { [OUTPUT_TOOL]: { autoApprove: false } },
      requestToolApproval: () => ({ pending: true }),
    };
    const first = build([callTool(OUTPUT_TOOL, { total: 3 })], options);
    await first.agent.run("?");
    const second = build([], options);
    const result = await second.agent.resume(first.agent.snapshot(), { call_1: { approved: true, input: { total: 4 } } });
    expect(result).toMatchObject({ status: "completed", output: { total: 4, currency: "EUR" } });
  });

  test.each<[string, AgentOptions["hooks"], number]>([
    ["as the model gave it", undefined, 3],
    ["as a hook changed it", { beforeTool: ({ tool: { name } }) => (name === OUTPUT_TOOL ? { input: { total: 4 } } : undefined) }, 4],
  ])("takes its output from an answer that was finished while another call waited for people, %s", async (_, hooks, total) => {
    const options: AgentOptions = {
      output: Invoice,
      tools: [tool("pay", () => "paid")],
      toolPolicies: { pay: { autoApprove: false } },
      requestToolApproval: () => ({ pending: true }),
      ...(hooks === undefined ? undefined : { hooks }),
    };
    const calls = callTools([
      { toolName: OUTPUT_TOOL, input: { total: 3 } },
      { toolName: "pay", input: {} },
    ]);
    const first = build([calls], options);
    expect((await first.agent.run("?")).status).toBe("suspended");
    const snapshot = JSON.parse(JSON.stringify(first.agent.snapshot())) as AgentSnapshot;
    const result = await build([], options).agent.resume(snapshot, { call_2: { approved: true } });
    expect(result).toMatchObject({ status: "completed", output: { total, currency: "EUR" } });
  });
});

describe("a wrong output schema is refused before anything runs", () => {
  test.each<[string, AgentOptions, RegExp]>([
    ["no schema", { output: "text" as never }, /output: expected a schema, received "text"/],
    ["a schema that no JSON fits", { output: z.instanceof(Map) as never }, /output/],
    [
      "a tool of the same name",
      { output: Invoice, tools: [tool(OUTPUT_TOOL, () => 1)] },
      /tools: a tool named final_answer is not allowed/,
    ],
  ])("%s", (_, options, message) => {
    expect(() => build([], options)).toThrow(message);
  });
});
