import { type AgentTool, CodeActRuntime } from "triact";
import {
  type CodeExecutor,
  type ExecutionResult,
  IsolatedVmExecutor,
  SandboxDisposedError,
  type SandboxSession,
  SandboxUnavailableError,
} from "triact/sandbox";
import { say } from "triact/testing";
import { afterAll, describe, expect, test } from "vitest";
import { add, build, outline, text } from "../base/kit.js";

const inner = new IsolatedVmExecutor({ isolation: "in-process" });
afterAll(() => inner.dispose());

const code = (source: string) => say(JSON.stringify({ type: "code", language: "js", code: source }));
const final = say('{"type":"final","output":"ok"}');

/** An executor of one's own. */
function executorOf(more: Partial<CodeExecutor>): CodeExecutor {
  return {
    capabilities: inner.capabilities,
    execute: (options) => inner.execute(options),
    createSession: () => inner.createSession(),
    dispose: async () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
    ...more,
  };
}

function run(executor: CodeExecutor, more: { state?: "fresh" } = {}) {
  const { agent, model } = build([code("const x = 1; x"), code("return typeof x"), final], {
    runtime: new CodeActRuntime({ executor, ...more }),
    tools: [add as AgentTool],
  });
  return agent.run("?").then((result) => ({ result, model }));
}

describe("an executor that cannot run code fails the run at once", () => {
  test("before the model is asked, where it was disposed of", async () => {
    const executor = new IsolatedVmExecutor({ isolation: "in-process" });
    await executor.dispose();
    const { result, model } = await run(executor);
    expect(result).toMatchObject({ status: "failed", endedBy: "error", iterations: 0 });
    expect(result.error).toEqual(new SandboxDisposedError({ what: "The executor" }));
    expect(model.requests).toEqual([]);
  });

  test("at the first code, where something is not installed, and the model is told nothing", async () => {
    const error = new SandboxUnavailableError({ problem: "the engine could not be loaded. Install it: npm install engine" });
    const { result, model } = await run(executorOf({ execute: () => Promise.reject(error) }), { state: "fresh" });
    expect(result).toMatchObject({ status: "failed", endedBy: "error", error, iterations: 1 });
    expect(model.requests).toHaveLength(1);
    expect(outline(result.messages)).toMatchObject([{ role: "user" }, { role: "assistant" }]);
  });

  test("also when it throws something of its own at once", async () => {
    const throwing = (): Promise<ExecutionResult> => {
      throw new TypeError("connect ECONNREFUSED 10.0.0.1:80");
    };
    const { result } = await run(executorOf({ execute: throwing }));
    expect(result).toMatchObject({ status: "failed", error: { message: "connect ECONNREFUSED 10.0.0.1:80" } });
    expect(JSON.stringify(result.messages)).not.toContain("ECONNREFUSED");
  });

  test("but not when the run was aborted and that is why", async () => {
    const { agent } = build([code("1")], {
      runtime: new CodeActRuntime({
        executor: executorOf({
          execute: ({ signal }) => {
            agent.abort("enough");
            return Promise.reject(signal?.reason);
          },
        }),
      }),
    });
    expect(await agent.run("?")).toMatchObject({ status: "aborted", endedBy: "abort" });
  });
});

test("an executor without sessions keeps nothing, and the model is told so", async () => {
  const executor = executorOf({
    capabilities: { ...inner.capabilities, sessions: false },
    createSession: (): SandboxSession => {
      throw new Error("there are none");
    },
  });
  const { result, model } = await run(executor);
  expect(model.requests[0]?.systemPrompt).toContain("Nothing stays for your next code.");
  expect(result.output).toBe("undefined");
  expect(outline(result.messages)[2]?.content).toEqual([text('CODE_RESULT: {"result":1}')]);
});
