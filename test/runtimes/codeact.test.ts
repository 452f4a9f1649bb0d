import {
  type AgentOptions,
  type AgentSnapshot,
  type AgentTool,
  CodeActRuntime,
  codeActTexts,
  createTool,
  modelTexts,
  OUTPUT_TOOL,
  ReActRuntime,
  type RequestToolApproval,
  toolErrorText,
  toolResultText,
} from "triact";
import { IsolatedVmExecutor } from "triact/sandbox";
import { callTool, type ScriptedTurn, say } from "triact/testing";
import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { add, build, done, outline, resultsIn, text, tool, typesOf } from "../base/kit.js";

const executor = new IsolatedVmExecutor({ isolation: "in-process" });
afterAll(() => executor.dispose());

const runtime = (options: ConstructorParameters<typeof CodeActRuntime>[0] = {}) => new CodeActRuntime({ executor, ...options });
const code = (source: string, language = "js") => say(JSON.stringify({ type: "code", language, code: source }));
const final = (output: unknown) => say(JSON.stringify({ type: "final", output }));
const unreadable = codeActTexts.unreadable("it is text without a JSON message");

function act(turns: readonly ScriptedTurn[], { codeact, ...options }: AgentOptions & { codeact?: Parameters<typeof runtime>[0] } = {}) {
  const built = build(turns, { runtime: runtime(codeact), tools: [add as AgentTool], ...options });
  return built.agent.run("?").then((result) => ({ ...built, result }));
}

/** What the model was told last, in a request. */
function told(model: Awaited<ReturnType<typeof act>>["model"], request: number): string {
  const content = outline(model.requests[request]?.messages).at(-1)?.content as { text: string }[];
  return content[0]?.text ?? "";
}

describe("CodeAct", () => {
  test("answers by the value that code returns, after calling tools as functions", async () => {
    const { result, model } = await act([code("const sums = await Promise.all([add({a:1,b:2}), add({a:3,b:4})]); return { sums }")]);
    expect(result).toMatchObject({
      status: "completed",
      endedBy: "code-value",
      output: { sums: [3, 7] },
      outputText: '{"sums":[3,7]}',
      iterations: 1,
    });
    expect(outline(result.messages)).toEqual([
      { role: "user", content: [text("?")] },
      {
        role: "assistant",
        content: [
          text(
            JSON.stringify({
              type: "code",
              language: "js",
              code: "const sums = await Promise.all([add({a:1,b:2}), add({a:3,b:4})]); return { sums }",
            }),
          ),
        ],
      },
      { role: "user", content: [text('CODE_RESULT: {"result":{"sums":[3,7]}}')] },
    ]);
    expect(result.messages[2]?.metadata).toEqual({ displayRole: "system" });
    expect(model.requests[0]?.tools).toEqual([]);
  });

  test("tells the model the protocol and its functions, and nothing natively", async () => {
    const { model } = await act([final("ok")], { systemPrompt: "Be kind." });
    const prompt = model.requests[0]?.systemPrompt ?? "";
    expect(prompt).toMatch(/^Be kind\.\n\nYou act by writing code\./);
    expect(prompt).toContain("/** Adds two numbers. */\ndeclare function add(input: {\n  a: number;\n  b: number;\n}): Promise<any>;");
    expect(prompt).toContain("`return` the answer from your code");
  });

  test("looks before it answers: logs and a last expression come back, and variables stay", async () => {
    const { result, model } = await act([
      code("const x = await add({a: 1, b: 1}); console.log('x is', x); x * 10"),
      code("class A {}; return x + 1"),
    ]);
    expect(told(model, 1)).toBe('CODE_RESULT: {"result":20,"logs":"x is 2"}');
    expect(result).toMatchObject({ endedBy: "code-value", output: 3, iterations: 2 });
  });

  test("forgets variables when its state is fresh", async () => {
    const { model } = await act([code("const x = 1; x"), code("return x"), final("ok")], { codeact: { state: "fresh" } });
    expect(told(model, 2)).toMatch(
      /^CODE_ERROR: \{"errorType":"guest-error","error":"ReferenceError: x is not defined","line":1,"column":\d+\}$/,
    );
    expect(model.requests[0]?.systemPrompt).toContain("Nothing stays for your next code.");
  });

  test("takes errors back to the model, with line and column of its own code", async () => {
    const { model, result } = await act([code("const a = 1;\nconst b = a.x.y;\nreturn b"), final("I see.")]);
    expect(told(model, 1)).toMatch(/^CODE_ERROR: \{"errorType":"guest-error","error":"TypeError: [^"]+","line":2,"column":\d+\}$/);
    expect(result).toMatchObject({ status: "completed", endedBy: "natural", output: "I see.", outputText: "I see." });
  });

  test.each<[string, unknown]>([
    ["null", null],
    ["zero", 0],
    ["false", false],
    ["an empty text", ""],
  ])("takes %s as an answer", async (_, output) => {
    expect((await act([final(output)])).result).toMatchObject({ status: "completed", output });
  });

  test("is told when a tool denies, and its code may catch that", async () => {
    const toolPolicies = { add: { enabled: false, reason: "closed" } };
    const { result } = await act([code("try { await add({a:1,b:2}) } catch (error) { return error.message }")], { toolPolicies });
    expect(result.output).toBe(modelTexts.disabled("add", "closed"));
  });

  test("has each call pass the pipeline, as a part of the code", async () => {
    const seen: unknown[] = [];
    const hooks = {
      beforeTool: ({ toolCall, input }: { toolCall: { toolName: string }; input: object }) => void seen.push([toolCall.toolName, input]),
    };
    const { events, result } = await act([code("return [await add({a:1,b:2}), await add({a:'x'}).catch((error) => error.message)]")], {
      hooks,
    });
    expect(result.output).toEqual([3, expect.stringContaining("a: expected number")]);
    expect(seen).toEqual([
      ["code", { language: "javascript", code: expect.any(String) }],
      ["add", { a: 1, b: 2 }],
    ]);
    const calls = events.flatMap((event) => (event.type === "tool-started" ? [[event.toolCall.toolName, event.parentToolCallId]] : []));
    expect(calls).toEqual([
      ["code", undefined],
      ["add", "call_1"],
      ["add", "call_1"],
    ]);
    expect(events.find(({ type }) => type === "turn-finished")).toMatchObject({ toolCallCount: 1 });
  });

  test("is gated as code by a policy of its name, and not by the default", async () => {
    const open = await act([code("return 1")], { toolPolicies: { "*": { enabled: false } } });
    expect(open.result.output).toBe(1);
    const shut = await act([code("return 1"), final("ok")], { toolPolicies: { code: { enabled: false } } });
    expect(told(shut.model, 1)).toBe(`CODE_ERROR: ${JSON.stringify({ errorType: "disabled", error: modelTexts.disabled("code") })}`);
  });

  test("ends by a completion tool that its code calls", async () => {
    const { result } = await act([code("await done({answer: 'four'}); throw new Error('not reached')")], { tools: [done as AgentTool] });
    expect(result).toMatchObject({ status: "completed", endedBy: "completion-tool", output: { answer: "four" } });
  });

  test("must end by a completion tool where that is required, also after a final message or a value", async () => {
    const options = { tools: [done as AgentTool], completionPolicy: { requireCompletionTool: true } };
    const { result, model } = await act([final("four"), code("return 'four'"), code("await done({answer: 'four'})")], options);
    expect([told(model, 1), told(model, 2)]).toEqual([modelTexts.completionReminder(["done"]), modelTexts.completionReminder(["done"])]);
    expect(result.endedBy).toBe("completion-tool");
  });

  test("stops when a hook of a nested call says so", async () => {
    const hooks = {
      afterTool: ({ toolCall }: { toolCall: { toolName: string } }) =>
        toolCall.toolName === "add" ? { stop: true, reason: "enough" } : {},
    };
    const { result } = await act([code("console.log('a'); await add({a:1,b:2}); return 'not reached'")], { hooks });
    expect(result).toMatchObject({ status: "aborted", endedBy: "hook-stop", reason: "enough" });
    // The next run of the agent has to know that the code did something.
    const error = { errorType: "stopped", error: codeActTexts.stopped, logs: "a" };
    expect(outline(result.messages).at(-1)).toEqual({ role: "user", content: [text(`CODE_ERROR: ${JSON.stringify(error)}`)] });
  });

  test("gives what hooks append to nested calls behind the observation", async () => {
    const hooks = {
      afterTool: ({ toolCall }: { toolCall: { toolName: string } }) => (toolCall.toolName === "add" ? { appendContext: "seen" } : {}),
    };
    const { result } = await act([code("return await add({a:1,b:2})")], { hooks });
    expect(outline(result.messages).at(-1)?.content).toEqual([
      text('<hook_context source="PostToolUse" tool_name="add" tool_call_id="call_2">seen</hook_context>'),
    ]);
  });

  test("is corrected twice in a row, and then taken at its word", async () => {
    const { result, model } = await act([say("It is four."), say("Four!"), say("Four.")]);
    expect([told(model, 1), told(model, 2)]).toEqual([unreadable, unreadable]);
    expect(result).toMatchObject({ status: "completed", endedBy: "protocol", outputText: "Four.", iterations: 3 });
  });

  test("counts corrections anew after code that ran", async () => {
    const { result } = await act([say("a"), say("b"), code("1"), say("c"), say("d"), final("ok")]);
    expect(result).toMatchObject({ endedBy: "natural", iterations: 6 });
  });

  test("runs nothing when a reply holds code and an answer", async () => {
    const { model } = await act([say('{"type":"code","code":"return 1"}{"type":"final","output":2}'), final("ok")]);
    expect(told(model, 1)).toBe(codeActTexts.unreadable("it holds 2 messages, and one is allowed"));
  });

  test("says which languages the sandbox knows", async () => {
    const { model } = await act([code("print(1)", "python"), code("const a: number = 1; a", "ts"), final("ok")]);
    expect(told(model, 1)).toBe(codeActTexts.unreadable(codeActTexts.unknownLanguage("python", ["javascript", "typescript"])));
    expect(told(model, 2)).toBe('CODE_RESULT: {"result":1}');
  });

  // R68
  test("takes a native call named code for the code it is, and answers others", async () => {
    const native = await act([callTool("code", { language: "js", code: "return await add({a:2,b:2})" })]);
    expect(native.result).toMatchObject({ endedBy: "code-value", output: 4 });
    const other = await act([callTool("add", { a: 1, b: 2 }), final("ok")]);
    const answer = codeActTexts.unreadable(codeActTexts.nativeCall("add"));
    expect(told(other.model, 1)).toBe(answer);
    expect(resultsIn(other.result.messages)).toMatchObject([{ toolName: "add", isError: true, output: { error: answer } }]);
  });

  test("reads native calls of earlier turns as text", async () => {
    const { agent } = build([callTool("add", { a: 1, b: 2 }), say("3")], { runtime: new ReActRuntime(), tools: [add as AgentTool] });
    const { messages } = await agent.run("1 + 2?");
    const { model } = await act([final("ok")], { initialMessages: messages });
    expect(outline(model.requests[0]?.messages).slice(1, 3)).toEqual([
      { role: "assistant", content: [text('TOOL_CALL: {"tool":"add","input":{"a":1,"b":2}}')] },
      { role: "user", content: [text(toolResultText({ output: 3, tool: "add", callId: "call_1" }))] },
    ]);
  });

  test("shows an earlier failure as one", async () => {
    const { agent } = build([callTool("none"), say("3")]);
    const { messages } = await agent.run("?");
    const { model } = await act([final("ok")], { initialMessages: messages });
    const error = modelTexts.unknownTool("none", ["add", "done"]);
    expect(JSON.stringify(model.requests[0]?.messages)).toContain(
      JSON.stringify(toolErrorText({ errorType: "execution", error, tool: "none", callId: "call_1" })).slice(1, -1),
    );
  });

  test("keeps the model to its schema where the provider can", async () => {
    const turns = [final("ok")];
    const { model } = build(turns);
    const capable = Object.assign(model, { capabilities: { structuredOutput: true } });
    await build([], { model: capable, runtime: runtime() }).agent.run("?");
    expect(capable.requests[0]?.responseFormat).toMatchObject({
      name: "step",
      schema: { required: ["type", "language", "code", "output"] },
    });
    const without = await act([final("ok")]);
    expect(without.model.requests[0]?.responseFormat).toBeUndefined();
  });

  test("gives a typed answer by value, by final message and by the tool for it", async () => {
    const output = z.object({ total: z.number() });
    expect((await act([code("return { total: '4' }"), code("return { total: 4 }")], { output })).result.output).toEqual({ total: 4 });
    expect((await act([final({ total: 4 })], { output })).result.output).toEqual({ total: 4 });
    expect((await act([code(`await ${OUTPUT_TOOL}({ total: 4 })`)], { output })).result.output).toEqual({ total: 4 });
  });

  test("stops code when the run is aborted, and lets go of the sandbox", async () => {
    const { agent, events } = build([code("for (;;) await add({a:1,b:2})")], { runtime: runtime(), tools: [add as AgentTool] });
    agent.subscribe((event) => {
      if (event.type === "tool-finished" && event.toolName === "add") agent.abort("enough");
    });
    expect(await agent.run("?")).toMatchObject({ status: "aborted", reason: expect.stringContaining("enough") });
    expect(typesOf(events).at(-1)).toBe("run-finished");
  });
});

describe("CodeAct ends", () => {
  test("by a summary after the first success, and runs no more code", async () => {
    const { result, model } = await act([code("boom()"), code("return 4"), code("return 5"), final("It is 4.")], {
      codeact: { finish: "summary" },
    });
    expect([told(model, 2), told(model, 3)]).toEqual(['CODE_RESULT: {"result":4}', codeActTexts.finalize]);
    expect(result).toMatchObject({ endedBy: "natural", outputText: "It is 4.", iterations: 4 });
  });

  test("by a summary in the end, when the model answers with nothing but code", async () => {
    const { result, model } = await act([code("return 4"), code("return 5"), code("return 6"), code("return 7")], {
      codeact: { finish: "summary" },
    });
    expect([told(model, 2), told(model, 3)]).toEqual([codeActTexts.finalize, codeActTexts.finalize]);
    expect(result).toMatchObject({ status: "completed", endedBy: "protocol", iterations: 4 });
  });

  test("by the model alone, after as much code as it likes", async () => {
    const { result } = await act([code("return 4"), code("return 5"), final("5")], { codeact: { finish: "model" } });
    expect(result).toMatchObject({ endedBy: "natural", output: "5", iterations: 3 });
  });

  test.each([
    [true, "summary"],
    [false, "value"],
  ] as const)("with reAct: %s as with finish: %s", async (reAct, finish) => {
    const short = await act([code("return 4"), final("4")], { codeact: { reAct } });
    const long = await act([code("return 4"), final("4")], { codeact: { finish } });
    expect([short.result.endedBy, short.result.iterations]).toEqual([long.result.endedBy, long.result.iterations]);
  });
});

describe("CodeAct waits for people", () => {
  const LATER: RequestToolApproval = () => ({ pending: true });
  const source =
    "const price = await look({n: 1}); let paid; try { paid = await pay({n: price}) } catch (error) { paid = error.message } return { paid, dice: Math.random() < 2, x: typeof seen }";

  function world(options: AgentOptions = {}) {
    const inputs: Record<string, unknown[]> = { look: [], pay: [] };
    const make = (name: "look" | "pay") =>
      createTool({
        name,
        description: name,
        inputSchema: z.object({ n: z.number() }),
        execute: ({ n }) => {
          inputs[name]?.push(n);
          return n * 10;
        },
      }) as AgentTool;
    const config: AgentOptions = {
      tools: [make("look"), make("pay")],
      toolPolicies: { pay: { autoApprove: false } },
      requestToolApproval: LATER,
      generateId: (prefix) => `${prefix}_${crypto.randomUUID()}`, // processes do not agree on numbers
      ...options,
    };
    return { inputs, config };
  }

  test.each<[string, { approved: boolean; reason?: string; input?: { n: number } }, unknown, number[]]>([
    ["approved", { approved: true }, 100, [10]],
    ["refused", { approved: false, reason: "too dear" }, modelTexts.denied("pay", "too dear."), []],
    ["approved with other arguments", { approved: true, input: { n: 3 } }, 30, [3]],
  ])("in the middle of code, which goes on in another process once the call is %s", async (_, decision, paid, executed) => {
    const { inputs, config } = world();
    const first = build([code("const seen = await look({n: 7}); seen"), code(source)], { ...config, runtime: runtime() });
    const result = await first.agent.run("?");
    expect(result).toMatchObject({ status: "suspended", endedBy: "approval-pending", pending: [{ toolName: "pay" }] });
    expect(result.pending).toHaveLength(1); // the code itself waits for nobody
    const saved = JSON.parse(JSON.stringify(first.agent.snapshot())) as AgentSnapshot;
    const waiting = saved.pendingToolCalls.find(({ state }) => state === "awaiting-approval");
    expect(waiting).toMatchObject({ toolName: "pay", input: { n: 10 }, parentToolCallId: expect.any(String) });
    const second = build([final("unused")], { ...config, runtime: runtime() });
    const ended = await second.agent.resume(saved, { [waiting?.toolCallId ?? ""]: decision });
    expect(ended).toMatchObject({ status: "completed", endedBy: "code-value", output: { paid, dice: true, x: "number" } });
    expect(inputs).toEqual({ look: [7, 1], pay: executed });
  });

  test("again while some calls of the code are undecided", async () => {
    const { inputs, config } = world();
    const both = code("return await Promise.all([pay({n: 1}), pay({n: 2})])");
    const first = build([both], { ...config, runtime: runtime() });
    await first.agent.run("?");
    const saved = first.agent.snapshot();
    const [one, two] = saved.pendingToolCalls.filter(({ toolName }) => toolName === "pay").map(({ toolCallId }) => toolCallId);
    const second = build([], { ...config, runtime: runtime() });
    expect(await second.agent.resume(saved, { [two ?? ""]: { approved: true } })).toMatchObject({ status: "suspended" });
    const third = build([], { ...config, runtime: runtime() });
    const between = JSON.parse(JSON.stringify(second.agent.snapshot())) as AgentSnapshot;
    const result = await third.agent.resume(between, { [one ?? ""]: { approved: true } });
    expect(result).toMatchObject({ status: "completed", output: [10, 20] });
    expect(inputs["pay"]).toEqual([2, 1]);
  });

  test("for the code itself", async () => {
    const { config } = world({ toolPolicies: { code: { autoApprove: false } } });
    const first = build([code("return await look({n: 4})")], { ...config, runtime: runtime() });
    const { pending = [] } = await first.agent.run("?");
    expect(pending).toMatchObject([{ toolName: "code", state: "awaiting-approval" }]);
    const second = build([], { ...config, runtime: runtime() });
    const result = await second.agent.resume(first.agent.snapshot(), { [pending[0]?.toolCallId ?? ""]: { approved: true } });
    expect(result).toMatchObject({ status: "completed", output: 40 });
  });

  test("and tells the model when its process ended while code ran", async () => {
    const { inputs, config } = world();
    const snapshots: AgentSnapshot[] = [];
    const first = build([code(source)], { ...config, toolPolicies: {}, runtime: runtime() });
    first.agent.subscribe((event) => {
      if (event.type === "tool-started" && event.toolCall.toolName === "pay") snapshots.push(event.snapshot);
    });
    await first.agent.run("?");
    const second = build([final("I will look.")], { ...config, runtime: runtime() });
    const result = await second.agent.resume(snapshots[0] as AgentSnapshot);
    expect(told(second.model, 0)).toBe(`CODE_ERROR: ${JSON.stringify({ errorType: "execution", error: codeActTexts.interrupted })}`);
    expect([result.status, inputs["look"]]).toEqual(["completed", [1]]);
  });

  test("with the clock of the sandbox standing still", async () => {
    const { config } = world();
    const approve: RequestToolApproval = async () => {
      await new Promise((resolve) => setTimeout(resolve, 400)); // longer than the code may take
      return { approved: true };
    };
    const { result } = await act([code("return await pay({n: 1})")], {
      ...config,
      requestToolApproval: approve,
      codeact: { limits: { timeoutMs: 200 } },
    });
    expect(result).toMatchObject({ status: "completed", output: 10 });
  });
});

describe("a wrong configuration is refused before anything runs", () => {
  test.each<[string, object, RegExp]>([
    ["finish and reAct together", { finish: "model", reAct: true }, /CodeActRuntime.reAct: not allowed together with finish/],
    ["an unknown option", { finsh: "model" }, /CodeActRuntime.finsh/],
    ["another way to finish", { finish: "soon" }, /CodeActRuntime.finish/],
    ["an executor that is none", { executor: {} }, /CodeActRuntime.executor/],
    [
      "a language that the executor does not know",
      { executor, languages: ["js", "py"] },
      /CodeActRuntime.languages: the executor knows no "python"/,
    ],
    [
      "a language that no executor was given for",
      { languages: ["python"] },
      /languages: the executor knows no "python". It knows javascript/,
    ],
    ["an unknown limit", { limits: { timeout: 5 } }, /CodeActRuntime.limits.timeout/],
    ["a limit out of its range", { limits: { memoryMiB: 1 } }, /CodeActRuntime.limits.memoryMiB/],
    ["negative corrections", { corrections: -1 }, /CodeActRuntime.corrections/],
  ])("%s", (_, options, message) => {
    expect(() => new CodeActRuntime(options as never)).toThrow(message);
  });

  test("a tool named code", async () => {
    await expect(act([], { tools: [tool("code", () => 1)] })).rejects.toThrow(/tools: a tool named code is not allowed in CodeAct/);
  });

  test("the schema of a provider that enforces none", async () => {
    await expect(act([], { codeact: { protocol: "schema" } })).rejects.toThrow(/protocol: "schema" needs a model/);
  });
});
