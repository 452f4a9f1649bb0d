import { type AgentHooks, type AgentOptions, createTool, modelTexts, type ToolApprovalRequest, type ToolPolicies } from "triact";
import { callTool, callTools, say } from "triact/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { build, deferred, errorResult, outline, resultsIn, tool } from "./kit.js";

const ASK = { autoApprove: false } as const;

/** A tool that counts its executions. */
function counted(name: string) {
  const inputs: unknown[] = [];
  return { inputs, tool: tool(name, (input) => `${name} ${inputs.push(input)}`) };
}

/** One call of the tool `pay`, and how it went. */
async function pay(options: AgentOptions) {
  const { inputs, tool: payTool } = counted("pay");
  const { agent, model, events } = build([callTool("pay", { eur: 9 }), say("ok")], { tools: [payTool], ...options });
  const result = await agent.run("?");
  return { result, executions: inputs.length, answer: resultsIn(model.requests[1]?.messages), events };
}

const denial = (reason: string) => [errorResult("call_1", "pay", `Approval for tool pay was denied: ${reason} Nothing was executed.`)];

describe("approval", () => {
  // R47
  test("of one call and denial of the other give each exactly one result, and only the approved one is executed", async () => {
    const [read, write] = [counted("read"), counted("write")];
    const { agent, model } = build(
      [
        callTools([
          { toolName: "read", input: { n: 1 } },
          { toolName: "write", input: { n: 2 } },
        ]),
        say("I may not write."),
      ],
      {
        tools: [read.tool, write.tool],
        toolPolicies: { "*": ASK },
        requestToolApproval: ({ toolName }) =>
          toolName === "read" ? { approved: true } : { approved: false, reason: "disk is read-only" },
      },
    );
    const result = await agent.run("?");
    expect([read.inputs, write.inputs]).toEqual([[{ n: 1 }], []]);
    expect(outline(model.requests[1]?.messages).slice(2)).toEqual([
      { role: "tool", content: [{ type: "tool-result", toolCallId: "call_1", toolName: "read", output: "read 1" }] },
      {
        role: "tool",
        content: [errorResult("call_2", "write", "Approval for tool write was denied: disk is read-only. Nothing was executed.")],
      },
    ]);
    expect(result).toMatchObject({ status: "completed", outputText: "I may not write." });
  });

  // R47
  test("at once for parallel calls keeps the answers with their calls, whatever the order in which they come", async () => {
    const answers = { a: deferred<{ approved: boolean }>(), b: deferred<{ approved: boolean }>() };
    const { agent, model } = build(
      [
        callTools([
          { toolName: "a", input: {} },
          { toolName: "b", input: {} },
        ]),
        say("ok"),
      ],
      {
        toolExecution: "parallel",
        tools: [counted("a").tool, counted("b").tool],
        toolPolicies: { "*": ASK },
        requestToolApproval: ({ toolName }) => {
          if (toolName === "b") answers.b.resolve({ approved: true });
          return answers[toolName as "a" | "b"].promise;
        },
      },
    );
    agent.subscribe((event) => {
      if (event.type === "tool-finished" && event.toolName === "b") answers.a.resolve({ approved: false });
    });
    await agent.run("?");
    expect(resultsIn(model.requests[1]?.messages)).toEqual([
      errorResult("call_1", "a", "Approval for tool a was denied: no reason was given. Nothing was executed."),
      { type: "tool-result", toolCallId: "call_2", toolName: "b", output: "b 1" },
    ]);
  });

  // R47
  test.each<[string, unknown]>([
    ["nothing", undefined],
    ["null", null],
    ["true", true],
    ["text", "yes"],
    ["a list", [true]],
    ["an empty object", {}],
    ["approved as text", { approved: "true" }],
    ["approved as a number", { approved: 1 }],
  ])("that answers %s is a denial", async (_, decision) => {
    const { executions, answer } = await pay({ toolPolicies: { pay: ASK }, requestToolApproval: () => decision as never });
    expect(executions).toBe(0);
    expect(answer).toEqual(denial("the answer to the approval request could not be read."));
  });

  // R47
  test.each<[string, () => never | Promise<never>]>([
    [
      "throws",
      () => {
        throw new Error("no terminal");
      },
    ],
    ["rejects", () => Promise.reject(new Error("no terminal"))],
    ["rejects with text", () => Promise.reject("no terminal")],
  ])("that %s is a denial with the error's words, and the run goes on", async (_, requestToolApproval) => {
    const { result, executions, answer } = await pay({ toolPolicies: { pay: ASK }, requestToolApproval });
    expect(executions).toBe(0);
    expect(answer).toEqual(denial("asking for approval failed (no terminal)."));
    expect(result.status).toBe("completed");
  });

  // R47
  test("that nobody can give is a denial", async () => {
    const { executions, answer, events } = await pay({ toolPolicies: { pay: ASK } });
    expect(executions).toBe(0);
    expect(answer).toEqual(denial("nobody can be asked for approval here."));
    expect(events.filter(({ type }) => type.startsWith("approval-"))).toEqual([]);
  });

  test.each([undefined, "", "  "])("denied with the reason %j says that none was given", async (reason) => {
    const decision = { approved: false, ...(reason === undefined ? undefined : { reason }) };
    const { answer } = await pay({ toolPolicies: { pay: ASK }, requestToolApproval: () => decision });
    expect(answer).toEqual(denial("no reason was given."));
  });

  test("is asked with who, where and what, frozen, and with the run's signal", async () => {
    const asked: ToolApprovalRequest[] = [];
    const { result } = await pay({
      toolPolicies: { pay: ASK },
      requestToolApproval: (request) => {
        asked.push(request);
        return { approved: true };
      },
    });
    expect(asked).toEqual([
      {
        agentId: "agent_1",
        runId: result.runId,
        iteration: 1,
        toolCallId: "call_1",
        toolName: "pay",
        input: { eur: 9 },
        signal: expect.any(AbortSignal),
      },
    ]);
    expect([Object.isFrozen(asked[0]), Object.isFrozen(asked[0]?.input)]).toEqual([true, true]);
  });

  // R45, R47
  test("shows the input that is executed, also after hooks changed it", async () => {
    const shown: unknown[] = [];
    const { inputs, tool: payTool } = counted("pay");
    const { agent, events } = build([callTool("pay", { eur: 9 }), say("ok")], {
      tools: [payTool],
      toolPolicies: { pay: ASK },
      hooks: { beforeTool: () => ({ input: { eur: 5 } }) },
      plugins: [{ name: "p", hooks: { beforeTool: ({ input }) => ({ input: { ...input, to: "ada" } }) } }],
      requestToolApproval: ({ input }) => {
        shown.push(input);
        return { approved: true };
      },
    });
    await agent.run("?");
    expect(shown).toEqual([{ eur: 5, to: "ada" }]);
    expect(inputs).toEqual(shown);
    expect(events.flatMap((event) => (event.type === "approval-requested" ? [event.pending] : []))).toEqual([
      [{ toolCallId: "call_1", toolName: "pay", input: { eur: 5, to: "ada" } }],
    ]);
  });

  test("is not asked for arguments that do not fit, nor for a call that is switched off or skipped", async () => {
    const asked: string[] = [];
    const n = createTool({ name: "n", description: "", inputSchema: z.object({ n: z.number() }), execute: ({ n }) => n });
    const { agent } = build(
      [
        callTools([
          { toolName: "n", input: {} },
          { toolName: "off", input: {} },
          { toolName: "skipped", input: {} },
        ]),
        say("ok"),
      ],
      {
        tools: [n, tool("off", () => 1), tool("skipped", () => 1)],
        toolPolicies: { "*": ASK, off: { enabled: false } },
        hooks: { beforeTool: ({ toolCall }) => ({ skip: toolCall.toolName === "skipped" }) },
        requestToolApproval: ({ toolName }) => ({ approved: asked.push(toolName) > 0 }),
      },
    );
    await agent.run("?");
    expect(asked).toEqual([]);
  });

  test("is told by events: requested, then resolved, with the reason of a denial", async () => {
    const { agent, events } = build(
      [
        callTools([
          { toolName: "a", input: {} },
          { toolName: "b", input: {} },
        ]),
        say("ok"),
      ],
      {
        tools: [counted("a").tool, counted("b").tool],
        toolPolicies: { "*": ASK },
        requestToolApproval: ({ toolName }) => ({ approved: toolName === "a", reason: "not today." }),
      },
    );
    await agent.run("?");
    const told = events.flatMap((event): unknown[][] => {
      switch (event.type) {
        case "approval-requested":
          return [["requested", event.pending, event.snapshot.pendingToolCalls.length]];
        case "approval-resolved":
          return [["resolved", event.toolCallId, event.toolName, event.approved, event.reason]];
        case "tool-started":
          return [["started", event.toolCall.toolCallId]];
        case "tool-finished":
          return [["finished", event.toolCallId, event.errorType]];
        default:
          return [];
      }
    });
    expect(told).toEqual([
      ["started", "call_1"],
      ["requested", [{ toolCallId: "call_1", toolName: "a", input: {} }], 2],
      ["resolved", "call_1", "a", true, undefined],
      ["finished", "call_1", undefined],
      ["started", "call_2"],
      ["requested", [{ toolCallId: "call_2", toolName: "b", input: {} }], 1],
      ["resolved", "call_2", "b", false, "not today."],
      ["finished", "call_2", "denied"],
    ]);
  });
});

describe("waiting for a person", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("counts neither in the tool's timeout nor in the duration that afterTool is told", async () => {
    const answer = deferred<{ approved: boolean }>();
    const durations: number[] = [];
    const slow = tool("slow", () => new Promise((resolve) => setTimeout(() => resolve("done"), 30)), { timeoutMs: 50 });
    const { agent, model, events } = build([callTool("slow"), say("ok")], {
      now: Date.now,
      tools: [slow],
      toolPolicies: { slow: ASK },
      requestToolApproval: () => answer.promise,
      hooks: { afterTool: ({ durationMs }) => void durations.push(durationMs) },
    });
    const running = agent.run("?");
    await vi.advanceTimersByTimeAsync(3_600_000);
    answer.resolve({ approved: true });
    await vi.advanceTimersByTimeAsync(30);
    await vi.runAllTimersAsync(); // a run that worked for long lets the process breathe
    await running;
    expect(resultsIn(model.requests[1]?.messages).map(({ output }) => output)).toEqual(["done"]);
    expect(durations).toEqual([30]);
    expect(events.flatMap((event) => (event.type === "tool-finished" ? [event.durationMs] : []))).toEqual([3_600_030]);
  });

  test("does not count in what the model is told of an aborted tool", async () => {
    const answer = deferred<{ approved: boolean }>();
    const { agent } = build([callTool("hang")], {
      now: Date.now,
      tools: [tool("hang", () => new Promise(() => undefined))],
      toolPolicies: { hang: ASK },
      requestToolApproval: () => answer.promise,
    });
    const running = agent.run("?");
    await vi.advanceTimersByTimeAsync(60_000);
    answer.resolve({ approved: true });
    await vi.advanceTimersByTimeAsync(25);
    agent.abort();
    expect(resultsIn((await running).messages)).toEqual([errorResult("call_1", "hang", modelTexts.aborted("hang", 25))]);
  });
});

describe("a policy", () => {
  // R47
  test("that switches a tool off tells the model its reason", async () => {
    const { executions, answer } = await pay({ toolPolicies: { pay: { enabled: false, reason: "the budget is spent" } } });
    expect(executions).toBe(0);
    expect(answer).toEqual([
      errorResult("call_1", "pay", "The policy does not allow tool pay: the budget is spent. Nothing was executed."),
    ]);
  });

  test.each<[string, ToolPolicies, "runs" | "disabled" | "denied"]>([
    ["nothing", {}, "runs"],
    ["everything on", { "*": { enabled: true, autoApprove: true } }, "runs"],
    ["everything off", { "*": { enabled: false } }, "disabled"],
    ["everything off but this", { "*": { enabled: false }, pay: { enabled: true } }, "runs"],
    ["everything on but this", { "*": { enabled: true }, pay: { enabled: false } }, "disabled"],
    ["all to be asked for", { "*": ASK }, "denied"],
    ["all to be asked for but this", { "*": ASK, pay: { autoApprove: true } }, "runs"],
    ["all to be asked for, this one on", { "*": ASK, pay: { enabled: true } }, "denied"],
    ["all off, this one to be asked for", { "*": { enabled: false }, pay: ASK }, "disabled"],
    ["off and free", { pay: { enabled: false, autoApprove: true } }, "disabled"],
    ["another tool off", { other: { enabled: false } }, "runs"],
  ])("of %s: the tool's own entry goes over the wildcard, field by field", async (_, toolPolicies, outcome) => {
    const logger = { warn: () => undefined, error: () => undefined };
    const { executions, events } = await pay({ toolPolicies, logger });
    const errorTypes = events.flatMap((event) => (event.type === "tool-finished" ? [event.errorType ?? "runs"] : []));
    expect([executions, errorTypes]).toEqual([outcome === "runs" ? 1 : 0, [outcome]]);
  });

  test.each<[string, AgentHooks["beforeTool"][], ToolPolicies, string]>([
    [
      "the second hook's word goes over the first's",
      [() => ({ policy: { enabled: false } }), () => ({ policy: { enabled: true } })],
      {},
      "runs",
    ],
    [
      "what the second hook leaves out stays",
      [() => ({ policy: { enabled: false } }), () => ({ policy: { autoApprove: true } })],
      {},
      "disabled",
    ],
    [
      "what the second hook has as undefined stays",
      [() => ({ policy: { enabled: false } }), () => ({ policy: { enabled: undefined, reason: "x" } as never })],
      {},
      "disabled",
    ],
    [
      "an undefined approval stays as the first hook had it",
      [() => ({ policy: ASK }), () => ({ policy: { autoApprove: undefined } as never })],
      {},
      "denied",
    ],
    [
      "an undefined field leaves the configured one",
      [() => ({ policy: { enabled: undefined } as never })],
      { pay: { enabled: false } },
      "disabled",
    ],
    ["an override of the wildcard", [() => ({ policy: { enabled: true } })], { "*": { enabled: false } }, "runs"],
  ])("of several hooks: %s", async (_, [first, second], toolPolicies, outcome) => {
    const { events } = await pay({
      toolPolicies,
      hooks: { ...(first === undefined ? undefined : { beforeTool: first }) },
      plugins: second === undefined ? [] : [{ name: "p", hooks: { beforeTool: second } }],
    });
    expect(events.flatMap((event) => (event.type === "tool-finished" ? [event.errorType ?? "runs"] : []))).toEqual([outcome]);
  });

  test("of a hook holds for its call alone, and its reason reaches the model", async () => {
    const { inputs, tool: payTool } = counted("pay");
    let calls = 0;
    const { agent, model } = build([callTool("pay"), callTool("pay"), say("ok")], {
      tools: [payTool],
      hooks: { beforeTool: () => (++calls === 1 ? { policy: { enabled: false, reason: "Try again later!" } } : undefined) },
    });
    await agent.run("?");
    expect(inputs).toHaveLength(1);
    expect(resultsIn(model.requests[2]?.messages)).toEqual([
      errorResult("call_1", "pay", "The policy does not allow tool pay: Try again later! Nothing was executed."),
      { type: "tool-result", toolCallId: "call_2", toolName: "pay", output: "pay 1" },
    ]);
  });
});
