import { type AgentOptions, type AgentSnapshot, type AgentTool, CodeActRuntime, codeActTexts, modelTexts } from "triact";
import { IsolatedVmExecutor } from "triact/sandbox";
import { type ScriptedTurn, say } from "triact/testing";
import { afterAll, describe, expect, test } from "vitest";
import { build, done, outline, tool } from "../base/kit.js";

const executor = new IsolatedVmExecutor({ isolation: "in-process" });
afterAll(() => executor.dispose());

const code = (source: string) => say(JSON.stringify({ type: "code", language: "js", code: source }));
const final = say('{"type":"final","output":"ok"}');

/** Tools of which one needs an approval, with a note of what was really done. */
function world(options: AgentOptions = {}) {
  const made: string[] = [];
  const make = (name: string) => tool(name, () => void made.push(name));
  const config: AgentOptions = {
    runtime: new CodeActRuntime({ executor }),
    tools: [make("look"), make("pay"), done as AgentTool],
    toolPolicies: { pay: { autoApprove: false } },
    requestToolApproval: () => ({ pending: true }),
    generateId: (prefix) => `${prefix}_${crypto.randomUUID()}`,
    ...options,
  };
  return { made, start: (...turns: readonly ScriptedTurn[]) => build(turns, config) };
}

/** What is stored while people are asked, and their answer to every open call. */
function stored(agent: ReturnType<typeof build>["agent"], approved: boolean) {
  const snapshot = JSON.parse(JSON.stringify(agent.snapshot())) as AgentSnapshot;
  const open = snapshot.pendingToolCalls.filter(({ state }) => state === "awaiting-approval");
  return [snapshot, Object.fromEntries(open.map(({ toolCallId }) => [toolCallId, { approved }]))] as const;
}

describe("a completion tool that ends code in which another call waits", () => {
  const source = (order: string) => `const kept = typeof before; ${order}; await new Promise(() => {})`;
  const waitsFirst = source("pay({}); await look({}); await done({ answer: kept })");
  const waitsLast = source("const end = look({}).then(() => done({ answer: kept })); await Promise.all([end, pay({})])");

  test.each<[string, string, boolean, readonly string[]]>([
    ["made before and approved", waitsFirst, true, ["look", "look", "pay"]],
    ["made before and refused", waitsFirst, false, ["look", "look"]],
    ["made at the same time and approved", waitsLast, true, ["look", "look", "pay"]],
  ])("ends the run when that one, %s, has its answer", async (_, waiting, approved, made) => {
    const { start, made: all } = world();
    const first = start(code("await look({}); const before = 1"), code(waiting));
    expect(await first.agent.run("?")).toMatchObject({ status: "suspended", pending: [{ toolName: "pay" }] });
    const [snapshot, decisions] = stored(first.agent, approved);
    const second = start();
    const result = await second.agent.resume(snapshot, decisions);
    expect(result).toMatchObject({ status: "completed", endedBy: "completion-tool", output: { answer: "number" } });
    expect(all).toEqual(made);
    expect(outline(result.messages).at(-1)).toMatchObject({
      role: "user",
      content: [{ text: 'CODE_RESULT: {"result":{"answer":"number"}}' }],
    });
    const ends = second.events.flatMap((event) => (event.type === "tool-finished" ? [[event.toolName, event.errorType]] : []));
    expect(ends).toEqual([
      ["pay", approved ? undefined : "denied"],
      ["code", undefined],
    ]);
  });
});

test("code that a hook changed goes on as the hook left it", async () => {
  const { start, made } = world({
    hooks: {
      beforeTool: ({ toolCall, input }) =>
        toolCall.toolName === "code" ? { input: { ...input, code: `await look({});\n${String(input["code"])}` } } : undefined,
    },
  });
  const first = start(code("await pay({}); return 'paid'"));
  await first.agent.run("?");
  const second = start();
  expect(await second.agent.resume(...stored(first.agent, true))).toMatchObject({ status: "completed", output: "paid" });
  expect(made).toEqual(["look", "pay"]);
});

describe("an approval that comes after the code was stopped", () => {
  const spins = "const paid = pay({}); for (;;);";
  const limits = { cpuMs: 200 };

  test("has no effect: the call is not made, and who asks is told by the signal", async () => {
    const answer = Promise.withResolvers<{ approved: boolean }>();
    const signals: AbortSignal[] = [];
    const { start, made } = world({
      runtime: new CodeActRuntime({ executor, limits }),
      requestToolApproval: ({ signal }) => {
        signals.push(signal);
        return answer.promise;
      },
      prepareTurn: async ({ iteration }) => {
        if (iteration !== 2) return;
        answer.resolve({ approved: true });
        await new Promise((resolve) => setImmediate(resolve));
      },
    });
    const { agent, events } = start(code(spins), final);
    expect((await agent.run("?")).status).toBe("completed");
    expect([made, signals[0]?.aborted]).toEqual([[], true]);
    const ended = events.find((event) => event.type === "tool-finished" && event.toolName === "pay");
    expect(ended).toMatchObject({ errorType: "aborted", result: { output: { error: modelTexts.abortedBeforeCall("pay") } } });
  });

  test("is not waited for, and the model is told that the call was not made", async () => {
    const { start } = world({ runtime: new CodeActRuntime({ executor, limits }) });
    const { agent, model } = start(code(spins), final);
    expect((await agent.run("?")).status).toBe("completed");
    expect(JSON.stringify(model.requests[1]?.messages)).toContain(codeActTexts.notMade(["pay"]));
  });
});
