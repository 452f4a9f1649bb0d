import {
  type AgentOptions,
  type AgentSnapshot,
  type AgentTool,
  CodeActRuntime,
  codeActTexts,
  createTool,
  modelTexts,
  type ToolApprovalRequest,
} from "triact";
import { IsolatedVmExecutor } from "triact/sandbox";
import { callTools, type ScriptedTurn, say } from "triact/testing";
import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { build, outline, tool } from "../base/kit.js";

const executor = new IsolatedVmExecutor({ isolation: "in-process" });
afterAll(() => executor.dispose());

const code = (source: string) => say(JSON.stringify({ type: "code", language: "js", code: source }));
const final = say('{"type":"final","output":"ok"}');

type Codeact = ConstructorParameters<typeof CodeActRuntime>[0];
function start(turns: readonly ScriptedTurn[], { codeact, ...options }: AgentOptions & { codeact?: Codeact } = {}) {
  return build(turns, {
    runtime: new CodeActRuntime({ executor, ...codeact }),
    generateId: (prefix) => `${prefix}_${crypto.randomUUID()}`,
    ...options,
  });
}

/** What the model was told after its n-th reply. */
function told(model: ReturnType<typeof build>["model"], request: number): string {
  const [part] = (outline(model.requests[request]?.messages).at(-1)?.content ?? []) as { text: string }[];
  return part?.text ?? "";
}

/** Tools that note what they really did, and hooks that count. */
function world(options: AgentOptions = {}) {
  const done: string[] = [];
  const asked: ToolApprovalRequest[] = [];
  const hooked: string[] = [];
  const make = (name: string) =>
    createTool({
      name,
      description: name,
      inputSchema: z.object({ n: z.number() }),
      execute: ({ n }) => {
        done.push(`${name} ${n}`);
        return n;
      },
    }) as AgentTool;
  const config: AgentOptions = {
    tools: [make("rm"), make("mail"), make("look")],
    toolPolicies: { rm: { enabled: false, reason: "never" }, mail: { autoApprove: false } },
    requestToolApproval: (request) => {
      asked.push(request);
      return request.input["n"] === 2 ? { approved: false, reason: "not two" } : { approved: true };
    },
    hooks: {
      beforeTool: ({ toolCall }) => void hooked.push(`before ${toolCall.toolName}`),
      afterTool: ({ toolCall }) => void hooked.push(`after ${toolCall.toolName}`),
    },
    ...options,
  };
  return { config, done, asked, hooked };
}

const REFUSED = {
  rm: modelTexts.disabled("rm", "never"),
  mail: modelTexts.denied("mail", "not two."),
  args: expect.stringContaining("n: expected number"),
};

// R48
describe("calls that code makes are gated", () => {
  test.each<[string, string]>([
    ["one after the other, in a loop", "for (const call of calls) results.push(await call().catch((error) => error.message))"],
    ["in parallel", "results.push(...await Promise.all(calls.map((call) => call().catch((error) => error.message))))"],
    ["by name", "for (const call of byName) results.push(await call().catch((error) => error.message))"],
  ])("%s", async (_, loop) => {
    const { config, done, asked, hooked } = world();
    const source = `const results = [];
const calls = [() => rm({ n: 1 }), () => mail({ n: 1 }), () => mail({ n: 2 }), () => look({ n: 3 }), () => look({ n: "x" })];
const byName = [["rm", 1], ["mail", 1], ["mail", 2], ["look", 3], ["look", "x"]].map(([name, n]) => () => callTool(name, { n }));
${loop};
return results`;
    const { agent, events } = start([code(source)], config);
    const { output } = await agent.run("?");
    expect(output).toEqual([REFUSED.rm, 1, REFUSED.mail, 3, REFUSED.args]);
    expect(done).toEqual(["mail 1", "look 3"]);
    expect(asked.map(({ toolName, input }) => [toolName, input])).toEqual([
      ["mail", { n: 1 }],
      ["mail", { n: 2 }],
    ]);
    const count = (name: string) => hooked.filter((each) => each === name).length;
    expect(
      ["before code", "before rm", "before mail", "before look", "after mail", "after look", "after rm", "after code"].map(count),
    ).toEqual([1, 1, 2, 1, 1, 1, 0, 1]);
    const parents = events.flatMap((event) => (event.type === "tool-started" ? [event.parentToolCallId] : []));
    expect(parents.slice(1)).toEqual(Array(5).fill(expect.any(String)));
    expect(
      events.flatMap((event) => (event.type === "tool-finished" && event.toolName !== "code" ? [event.errorType ?? "none"] : [])).sort(),
    ).toEqual(["denied", "disabled", "invalid-arguments", "none", "none"]);
  });

  test("and the code that makes them is not gated in their place", async () => {
    const { config, asked, done } = world({
      toolPolicies: { "*": { autoApprove: false } },
      requestToolApproval: () => ({ approved: false }),
    });
    const { agent } = start([code("console.log('runs'); return await look({ n: 1 }).catch(() => 'refused')")], config);
    expect((await agent.run("?")).output).toBe("refused");
    expect([asked, done]).toEqual([[], []]);
  });

  test("also when the code was approved as a whole", async () => {
    const { config, done } = world();
    const policies = { ...config.toolPolicies, code: { autoApprove: false } };
    const { agent } = start([code("return await rm({ n: 1 }).catch((error) => error.message)")], { ...config, toolPolicies: policies });
    expect((await agent.run("?")).output).toBe(REFUSED.rm);
    expect(done).toEqual([]);
  });

  test("also when code calls the bridge in odd ways", async () => {
    const { config, done } = world();
    const source = `const errors = [];
for (const call of [() => tools.rm({ n: 1 }), () => tools["rm"].call(null, { n: 1 }), () => callTool("rm", { n: 1 }), () => globalThis.rm({ n: 1 }), () => Reflect.apply(rm, null, [{ n: 1 }])])
  try { await call(); errors.push("ran") } catch (error) { errors.push(error.message) }
return errors`;
    const { agent } = start([code(source)], config);
    expect((await agent.run("?")).output).toEqual(Array(5).fill(REFUSED.rm));
    expect(done).toEqual([]);
  });
});

describe("calls that code makes keep their order", () => {
  const ends = (name: string, milliseconds: number) =>
    tool(
      name,
      async () => {
        await new Promise((resolve) => setTimeout(resolve, milliseconds));
        return name;
      },
      { completesRun: true },
    );

  test("where two of them end the run: the first one gives the output, whichever is faster", async () => {
    const { agent } = start([code("await Promise.all([slow({}), fast({})])")], { tools: [ends("slow", 30), ends("fast", 0)] });
    expect(await agent.run("?")).toMatchObject({ endedBy: "completion-tool", output: "slow" });
  });

  test("in what hooks say of them, also of those that were made before the run was suspended", async () => {
    const options: AgentOptions = {
      tools: [tool("look", () => 1), tool("pay", () => 2)],
      toolPolicies: { pay: { autoApprove: false } },
      requestToolApproval: () => ({ pending: true }),
      hooks: { afterTool: ({ toolCall }) => ({ appendContext: `after ${toolCall.toolName}` }) },
    };
    const first = start([code("await look({}); await pay({}); await look({}); 1")], options);
    const { pending = [] } = await first.agent.run("?");
    const second = start([final], options);
    const waiting = pending.find(({ state }) => state === "awaiting-approval");
    await second.agent.resume(JSON.parse(JSON.stringify(first.agent.snapshot())) as AgentSnapshot, {
      [waiting?.toolCallId ?? ""]: { approved: true },
    });
    expect([...told(second.model, 0).matchAll(/after \w+/g)].map(String)).toEqual(["after look", "after pay", "after look", "after code"]);
  });
});

describe("a reply is not half understood", () => {
  test("when the output limit cut a block of code: nothing of it runs", async () => {
    const { config, done } = world({ toolPolicies: {} });
    const cut = say("```js\nawait rm({ n: 1 })\nawait lo", { finishReason: "max-tokens" });
    const { agent, model } = start([cut, final], config);
    expect((await agent.run("?")).output).toBe("ok");
    expect(told(model, 1)).toBe(codeActTexts.unreadable(codeActTexts.cutOff));
    expect(done).toEqual([]);
  });

  test("when it was cut after the whole of a message: that runs", async () => {
    const { agent } = start([say('```json\n{"type":"code","code":"return 1"}\n', { finishReason: "max-tokens" })]);
    expect((await agent.run("?")).output).toBe(1);
  });

  test.each<[string, ScriptedTurn, string]>([
    [
      "two native calls of the code",
      callTools([
        { toolName: "code", input: { code: "return 1" } },
        { toolName: "code", input: { code: "return 2" } },
      ]),
      codeActTexts.manyMessages(2),
    ],
    [
      "one in text, and one native",
      callTools([{ toolName: "code", input: { code: "return 1" } }], { text: '{"type":"code","code":"return 2"}' }),
      codeActTexts.manyMessages(2),
    ],
    [
      "a native call that is no JSON",
      callTools([{ toolName: "code", input: '{"code": return}' }]),
      "Tool call code emitted invalid JSON arguments",
    ],
    [
      "a native call of the code, and one of a tool",
      callTools([
        { toolName: "code", input: { code: "return 1" } },
        { toolName: "add", input: { a: 1, b: 2 } },
      ]),
      codeActTexts.nativeCall("add"),
    ],
  ])("when it holds %s: nothing runs, and the model is told", async (_, turn, problem) => {
    const { agent, model, events } = start([turn, final]);
    expect((await agent.run("?")).output).toBe("ok");
    expect(told(model, 1)).toContain(`Your reply could not be read: ${problem}`);
    expect(events.filter(({ type }) => type === "tool-started")).toEqual([]);
  });

  test("with thoughts beside a native call of the code, which runs", async () => {
    const { agent } = start([callTools([{ toolName: "code", input: { code: "return 1" } }], { text: "Let me see." })]);
    expect((await agent.run("?")).output).toBe(1);
  });

  test("and the correction shows the language that the sandbox knows", async () => {
    const { agent, model } = start([say("Hm."), final], { codeact: { languages: ["ts"] } });
    await agent.run("?");
    expect(told(model, 1)).toContain('{"type":"code","language":"typescript","code":"…"}');
  });
});

test("a run with a summary runs no more code after a success, also in another process", async () => {
  const options: AgentOptions & { codeact: Codeact } = { codeact: { finish: "summary" } };
  const snapshots: AgentSnapshot[] = [];
  const first = start([code("return 4"), code("return 5"), final], options);
  first.agent.subscribe((event) => {
    if (event.type === "assistant-message" && event.iteration === 2) snapshots.push(JSON.parse(JSON.stringify(event.snapshot)));
  });
  await first.agent.run("?");
  expect(told(first.model, 2)).toBe(codeActTexts.finalize);
  const second = start([final], options);
  await second.agent.resume(snapshots[0] as AgentSnapshot);
  expect(told(second.model, 0)).toBe(codeActTexts.finalize);
});

describe("types of code are checked before it runs", () => {
  test("against the declarations of the tools, where that is asked for", async () => {
    await using checking = new IsolatedVmExecutor({ isolation: "in-process", typecheck: true });
    const typed = (source: string) => say(JSON.stringify({ type: "code", language: "ts", code: source }));
    const { config, done } = world({ toolPolicies: {} });
    const turns = [
      typed("return await look({ number: 1 })"),
      typed("const [f] = await searchTools('look'); return await tools[f!.name]!({ n: 1 })"),
    ];
    const { agent, model } = start(turns, { ...config, codeact: { executor: checking, state: "fresh" } });
    expect((await agent.run("?")).output).toBe(1);
    expect(told(model, 1)).toMatch(/^CODE_ERROR: \{"errorType":"type-error".*TS2353/);
    expect(done).toEqual(["look 1"]);
  });

  test("by the runtime's own executor alone", () => {
    expect(() => new CodeActRuntime({ executor, typecheck: true })).toThrow(/CodeActRuntime.typecheck: not allowed together with executor/);
  });
});
