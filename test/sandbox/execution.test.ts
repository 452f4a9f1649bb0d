import { setImmediate as nextRound } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { SandboxTool } from "../../src/sandbox/code-executor.js";
import { Execution } from "../../src/sandbox/execution.js";
import type { Sandbox, SandboxListener } from "../../src/sandbox/sandbox.js";
import { DEFAULT_LIMITS } from "../../src/sandbox/sandbox-limits.js";

/** A sandbox that does only what the test says. */
function scriptedSandbox() {
  const heard: string[] = [];
  let listener: SandboxListener = () => undefined;
  const sandbox: Sandbox = {
    isGone: false,
    run: (_code, given) => {
      listener = given;
    },
    settle: ({ callId }) => void heard.push(`settle ${callId}`),
    ping: () => void heard.push("ping"),
    dispose: () => void heard.push("dispose"),
  };
  return { sandbox, heard, tell: (event: Parameters<SandboxListener>[0]) => listener(event) };
}

test("an execution is suspended only on a pong that was asked for after the last answer", async () => {
  const { sandbox, heard, tell } = scriptedSandbox();
  const execution = new Execution(sandbox, {
    language: "javascript",
    options: { language: "javascript", code: "" },
    tools: new Map<string, SandboxTool>([
      ["ask", () => ({ kind: "suspend" })],
      ["step", () => ({ kind: "value", value: 1 })],
    ]),
    limits: DEFAULT_LIMITS,
    keepsSandbox: false,
    notices: [],
  });
  const running = execution.run();
  tell({ type: "called", callId: 1, toolName: "ask", text: "{}" });
  await nextRound();
  tell({ type: "called", callId: 2, toolName: "step", text: "{}" });
  await nextRound();
  expect(heard).toEqual(["ping", "settle 2", "ping"]);
  tell({ type: "ponged" }); // to the first ping: the code has not seen its answer yet
  tell({ type: "called", callId: 3, toolName: "step", text: "{}" });
  await nextRound();
  tell({ type: "ponged" });
  tell({ type: "ponged" });
  expect(await running).toMatchObject({ status: "suspended", callIds: [1], toolCallCount: 3 });
  expect(heard).toEqual(["ping", "settle 2", "ping", "settle 3", "ping", "dispose"]);
});

test("what is told after the end changes nothing", async () => {
  const { sandbox, tell } = scriptedSandbox();
  const parts = {
    language: "javascript",
    options: { language: "js", code: "" },
    tools: new Map(),
    limits: DEFAULT_LIMITS,
    keepsSandbox: false,
    notices: [],
  } as const;
  const running = new Execution(sandbox, parts).run();
  tell({ type: "completed", source: "return", notices: [], omittedLogChars: 0, text: "1" });
  tell({ type: "completed", source: "return", notices: [], omittedLogChars: 0, text: "2" });
  tell({ type: "logged", level: "log", text: "late" });
  expect(await running).toMatchObject({ status: "completed", result: 1, logs: [] });
});

describe("what goes on after the value is there", () => {
  const completed = { type: "completed", source: "expression", notices: [], omittedLogChars: 0, text: "1" } as const;
  const start = () => {
    const { sandbox, heard, tell } = scriptedSandbox();
    const execution = new Execution(sandbox, {
      language: "javascript",
      options: { language: "javascript", code: "" },
      tools: new Map(),
      limits: DEFAULT_LIMITS,
      keepsSandbox: true,
      notices: [],
    });
    const running = execution.run();
    tell(completed);
    return { running, heard, tell };
  };
  const lost = { status: "completed", result: 1, sessionLost: true, notices: [expect.stringContaining("all variables are lost")] };

  test("may come to rest late, on a machine with much else to do", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { running, heard, tell } = start();
    vi.advanceTimersByTime(1_900);
    tell({ type: "ponged" });
    expect(await running).toMatchObject({ status: "completed", result: 1, sessionLost: false, notices: [] });
    expect(heard).toEqual(["ping"]);
  });

  test("is stopped when it does not, and the value stands", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { running, heard } = start();
    vi.advanceTimersByTime(2_001);
    expect(await running).toMatchObject(lost);
    expect(heard).toEqual(["ping", "dispose"]);
  });

  test("may take the sandbox with it, and the value stands", async () => {
    const { running, tell } = start();
    tell({ type: "lost", error: { code: "memory", name: "Error", message: "too much" } });
    expect(await running).toMatchObject(lost);
  });
});
