import { type AgentHooks, type AgentOptions, type AgentTool, CodeActRuntime, modelTexts, ReActRuntime, toolResultText } from "triact";
import { IsolatedVmExecutor } from "triact/sandbox";
import { callTool, type ScriptedTurn, say } from "triact/testing";
import { afterAll, describe, expect, test } from "vitest";
import { add, build, done, outline, text, tool } from "../base/kit.js";

const executor = new IsolatedVmExecutor({ isolation: "in-process" });
afterAll(() => executor.dispose());

const code = (source: string) => say(JSON.stringify({ type: "code", language: "js", code: source }));
const final = say('{"type":"final","output":"ok"}');
const twice = tool("twice", (input) => Number((input as { n?: unknown }).n) * 2);

function start(turns: readonly ScriptedTurn[], options: AgentOptions = {}) {
  return build(turns, { runtime: new CodeActRuntime({ executor }), tools: [add as AgentTool], ...options });
}

/** Gives other tools to the first turn. */
function givesTools(...tools: readonly AgentTool[]): AgentHooks {
  return { beforeModel: ({ snapshot }) => (snapshot.iteration === 1 ? { tools } : undefined) };
}

describe("tools that a hook gives for a turn", () => {
  test("are functions of its code, and the guide tells of them instead of the others", async () => {
    const names = "[typeof twice, typeof add]";
    const { agent, model } = start([code(`console.log(await twice({ n: 4 }), ...${names})`), code(`return ${names}`)], {
      hooks: givesTools(twice),
    });
    const { output } = await agent.run("?");
    const [first, second] = model.requests;
    expect(first?.tools).toEqual([]);
    expect(first?.systemPrompt).toContain("declare function twice(");
    expect(first?.systemPrompt).not.toContain("declare function add(");
    expect(second?.systemPrompt).toContain("declare function add(");
    expect(second?.systemPrompt).not.toContain("declare function twice(");
    expect(outline(second?.messages).at(-1)?.content).toEqual([text('CODE_RESULT: {"logs":"8 function undefined"}')]);
    expect(output).toEqual(["undefined", "function"]);
  });

  test("stand in a prompt that prepareTurn added to", async () => {
    const { agent, model } = start([final], {
      hooks: givesTools(twice),
      prepareTurn: ({ systemPrompt }) => ({ systemPrompt: `${systemPrompt}\n\nBe brief.` }),
    });
    await agent.run("?");
    expect(model.requests[0]?.systemPrompt).toMatch(/declare function twice\([\s\S]*\n\nBe brief\.$/);
    expect(model.requests[0]?.systemPrompt).not.toContain("declare function add(");
  });

  test("may be none", async () => {
    const { agent, model } = start([final], { hooks: givesTools() });
    await agent.run("?");
    expect(model.requests[0]?.systemPrompt).toContain("There are no functions besides the language's own.");
    expect(model.requests[0]?.systemPrompt).not.toContain("declare function");
  });

  test("may not be named code", async () => {
    const { agent, model } = start([final], { hooks: givesTools(tool("code", () => 1)) });
    expect(await agent.run("?")).toMatchObject({ status: "failed", error: { message: expect.stringContaining("a tool named code") } });
    expect(model.requests).toEqual([]);
  });

  test("are searched for, and refused by a policy, like all others", async () => {
    const { agent } = start([code("return [(await searchTools('twice')).length, await twice({}).catch((error) => error.message)]")], {
      hooks: givesTools(twice),
      toolPolicies: { twice: { enabled: false } },
    });
    expect((await agent.run("?")).output).toEqual([1, modelTexts.disabled("twice")]);
  });
});

test("native calls in messages that a hook gives are rendered as text, and a choice among tools is not sent", async () => {
  const earlier = build([callTool("add", { a: 1, b: 2 }), say("3")], { runtime: new ReActRuntime(), tools: [add as AgentTool] });
  const { messages } = await earlier.agent.run("1 + 2?");
  const { agent, model } = start([final], {
    tools: [add, done] as AgentTool[],
    hooks: { beforeModel: ({ request }) => ({ messages: [...messages, ...request.messages], options: { toolChoice: "required" } }) },
  });
  await agent.run("?");
  expect(outline(model.requests[0]?.messages).slice(1, 3)).toEqual([
    { role: "assistant", content: [text('TOOL_CALL: {"tool":"add","input":{"a":1,"b":2}}')] },
    { role: "user", content: [text(toolResultText({ output: 3, tool: "add", callId: "call_1" }))] },
  ]);
  expect(model.requests[0]?.options).toEqual({});
});

test("a native call of the code is shown as the message that it should have been, and its result once and cut", async () => {
  const source = "console.log('a'.repeat(60_000)); 'b'.repeat(500_000)";
  const { agent, model } = start([callTool("code", { code: source }), callTool("code", { code: "boom()" }), final]);
  await agent.run("?");
  const [, asked, result, wrong, error] = outline(model.requests[2]?.messages);
  expect(asked).toEqual({ role: "assistant", content: [text(JSON.stringify({ type: "code", code: source }))] });
  expect(result).toMatchObject({
    role: "user",
    content: [{ text: expect.stringMatching(/^CODE_RESULT: \{"resultText":"b+… \[\d+ more characters\]"/) }],
  });
  expect(JSON.stringify(result).length).toBeLessThan(21_000);
  expect(wrong).toEqual({ role: "assistant", content: [text('{"type":"code","code":"boom()"}')] });
  expect(error).toMatchObject({ role: "user", content: [{ text: expect.stringMatching(/^CODE_ERROR: /) }] });
  expect(model.requests[2]?.messages).toHaveLength(5);
});
