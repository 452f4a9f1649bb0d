import type { SandboxTool } from "../sandbox/code-executor.js";
import type { ContractTools } from "./executor-contract.js";

/** Calls of tools by code. */
export function toolTests({ testWith, expect, run, programs }: ContractTools): void {
  testWith("a tool is called by its name, through tools and through callTool", async (executor) => {
    expect(await run(executor, programs.threeWays)).toMatchObject({ result: [3, 4, 5], toolCallCount: 3 });
  });

  testWith("what a tool throws is an error with name and message alone", async (executor) => {
    expect(await run(executor, programs.caught("fail({})"))).toMatchObject({ result: ["RangeError", "it is broken", true, false] });
    expect(await run(executor, programs.caught("failNow({})"))).toMatchObject({ result: ["ToolError", "a string", true, false] });
    expect(await run(executor, programs.caught("refuse({})"))).toMatchObject({ result: ["DeniedError", "not allowed", true, false] });
    expect(await run(executor, programs.caught(programs.unknownTool))).toMatchObject({
      result: ["TypeError", 'There is no tool "nothing". The tools are: add, echo, fail, failNow, refuse, later, never.', true, false],
    });
  });

  testWith("arguments arrive as plain JSON, and what has no JSON form is refused with its path", async (executor) => {
    expect(await run(executor, programs.echoedTime)).toMatchObject({
      result: { a: [1, { "b c": "1970-01-01T00:00:00.000Z" }] },
    });
    for (const [expression, problem] of programs.refusedInputs)
      expect(await run(executor, programs.caught(expression))).toMatchObject({
        result: ["TypeError", `The argument of echo cannot be sent ${problem}.`, true, false],
      });
    const [expression, message] = programs.tooManyArguments;
    expect(await run(executor, programs.caught(expression))).toMatchObject({ result: ["TypeError", message, true, false] });
  });

  testWith("prototype keys cross in neither direction", async (executor) => {
    const seen: unknown[] = [];
    const look: SandboxTool = (input) => {
      seen.push(input);
      return { kind: "value", value: JSON.parse('{"__proto__":{"bad":1},"a":2}') };
    };
    expect(await run(executor, programs.prototypeKeys, { tools: { look } })).toMatchObject({ result: [true, ["a"], true] });
    expect(JSON.stringify(seen)).toEqual('[{"constructor":{"prototype":{}},"b":1}]');
  });

  testWith("calls run at once, but not more than may", async (executor) => {
    let now = 0;
    let most = 0;
    const work: SandboxTool = async () => {
      now += 1;
      most = Math.max(most, now);
      await new Promise((resolve) => setTimeout(resolve, 2));
      now -= 1;
      return { kind: "value", value: null };
    };
    const result = await run(executor, programs.parallelCalls, {
      tools: { work },
      limits: { maxParallelToolCalls: 4 },
    });
    expect({ status: result.status, most }).toEqual({ status: "completed", most: 4 });
  });

  testWith("a tool ends the execution, and the code goes no further", async (executor) => {
    const reached: unknown[] = [];
    const reach: SandboxTool = (input) => {
      reached.push(input);
      return { kind: "value", value: null };
    };
    const finish: SandboxTool = () => ({ kind: "end", value: "the answer" });
    const result = await run(executor, programs.finishThenReach, {
      tools: { finish, reach },
    });
    expect(result).toMatchObject({ status: "ended", callId: 1, value: "the answer", logs: [{ text: "a" }] });
    expect(reached).toEqual([]);
  });

  testWith("calls that run when another one ends the execution are waited for", async (executor) => {
    let done = false;
    const slow: SandboxTool = async () => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      done = true;
      return { kind: "value", value: null };
    };
    const result = await run(executor, programs.slowAndFinish, { tools: { slow, finish: () => ({ kind: "end" }) } });
    expect({ status: result.status, done }).toEqual({ status: "ended", done: true });
  });

  testWith("a call that waits for a person stops the clock", async (executor) => {
    const ask: SandboxTool = async (_input, call) => {
      const resume = call.pauseClock();
      await new Promise((resolve) => setTimeout(resolve, 250));
      resume();
      return { kind: "value", value: "yes" };
    };
    expect(await run(executor, programs.waitFor("ask"), { tools: { ask }, limits: { timeoutMs: 200 } })).toMatchObject({
      status: "completed",
      result: "yes",
    });
  });

  testWith("an abort settles at once and tells the tool", async (executor) => {
    const controller = new AbortController();
    let reason: unknown;
    const wait: SandboxTool = (_input, call) => {
      call.signal.addEventListener("abort", () => {
        reason = (call.signal.reason as Error).message;
      });
      controller.abort();
      return new Promise(() => undefined);
    };
    const result = await run(executor, programs.waitFor("wait"), { tools: { wait }, signal: controller.signal });
    expect(result).toMatchObject({ status: "failed", error: { code: "aborted" } });
    expect(reason).toEqual("The execution was aborted.");
    expect(await run(executor, programs.one, { signal: controller.signal })).toMatchObject({ error: { code: "aborted" } });
  });

  testWith("intrinsics that the code replaces change nothing for calls", async (executor) => {
    expect(await run(executor, programs.brokenBuiltIns)).toMatchObject({ result: 3 });
  });

  testWith("tools cannot be replaced", async (executor) => {
    for (const code of programs.replacedTools) expect(await run(executor, code)).toMatchObject({ result: 2 });
  });
}
