import {
  type AgentOptions,
  type AgentSnapshot,
  type AgentTool,
  createTool,
  modelTexts,
  type RequestToolApproval,
  type ToolCallDecisions,
} from "triact";
import { callTool, callTools, say } from "triact/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { LineRuntime } from "../support/runtimes.js";
import { assertValidHistory } from "../support/valid-history.js";
import { build, done, errorResult, outline, resultsIn, text, tool, typesOf } from "./kit.js";

const LATER: RequestToolApproval = () => ({ pending: true });
const ASK = { autoApprove: false } as const;

/** A tool that keeps what it was called with. */
function recording(name: string) {
  const inputs: unknown[] = [];
  const recorded = createTool({
    name,
    description: `Does ${name}.`,
    inputSchema: z.object({ n: z.number() }),
    execute: (input) => `${name} ${inputs.push(input)}`,
  });
  return { inputs, tool: recorded as AgentTool };
}

const THREE_CALLS = {
  ...callTools([
    { toolName: "read", input: { n: 1 } },
    { toolName: "pay", input: { n: 2 } },
    { toolName: "pay", input: { n: 3 } },
  ]),
  usage: { inputTokens: 10, outputTokens: 5 },
};

/** An agent that has asked for `read`, `pay` and `pay`; both payments wait. */
async function suspended(options: AgentOptions = {}) {
  const [read, pay] = [recording("read"), recording("pay")];
  const config: AgentOptions = { tools: [read.tool, pay.tool], toolPolicies: { pay: ASK }, requestToolApproval: LATER, ...options };
  const first = build([THREE_CALLS], config);
  const result = await first.agent.run("?");
  const saved = JSON.parse(JSON.stringify(first.agent.snapshot())) as AgentSnapshot;
  /** Goes on in a second agent, as another process would. */
  const resume = async (decisions: ToolCallDecisions, more: AgentOptions = {}, snapshot = saved) => {
    const second = build([say("Done.")], { ...config, ...more });
    return { ...second, result: await second.agent.resume(snapshot, decisions) };
  };
  return { first, result, saved, resume, read, pay };
}

describe("a run whose approvals are pending", () => {
  // R47
  test("executes the other calls and ends suspended, with the open calls in result and snapshot", async () => {
    const { first, result, saved, read, pay } = await suspended();
    const waiting = (toolCallId: string, n: number) => ({ toolCallId, toolName: "pay", input: { n }, state: "awaiting-approval" });
    expect(result).toMatchObject({ status: "suspended", endedBy: "approval-pending", iterations: 1 });
    expect(result.pending).toEqual([waiting("call_2", 2), waiting("call_3", 3)]);
    expect(Object.isFrozen(result.pending)).toBe(true);
    expect([read.inputs, pay.inputs]).toEqual([[{ n: 1 }], []]);
    expect(saved).toMatchObject({ status: "suspended", finishReason: "tool-calls", pendingToolCalls: result.pending });
    expect(resultsIn(saved.messages)).toEqual([{ type: "tool-result", toolCallId: "call_1", toolName: "read", output: "read 1" }]);
    expect(typesOf(first.events).slice(-6)).toEqual([
      "tool-finished",
      "tool-started",
      "approval-requested",
      "tool-started",
      "approval-requested",
      "run-finished",
    ]);
  });

  test("refuses another run until it is resumed or given up", async () => {
    const { first } = await suspended();
    await expect(first.agent.run("Go on")).rejects.toMatchObject({ code: "suspended-run" });
    await expect(first.agent.continue()).rejects.toMatchObject({ code: "suspended-run" });
    first.agent.restore(first.agent.snapshot().messages);
    expect(resultsIn(first.agent.snapshot().messages).slice(1)).toEqual([
      errorResult("call_2", "pay", modelTexts.interrupted("pay")),
      errorResult("call_3", "pay", modelTexts.interrupted("pay")),
    ]);
    expect(first.agent.snapshot()).toMatchObject({ status: "idle", pendingToolCalls: [] });
  });

  test("goes on in another process: the approved call is executed, the refused one is told with its reason, the finished one is left alone", async () => {
    const { resume, read, pay } = await suspended();
    const { result, model, events } = await resume({ call_2: { approved: true }, call_3: { approved: false, reason: "too dear" } });
    expect([read.inputs, pay.inputs]).toEqual([[{ n: 1 }], [{ n: 2 }]]);
    expect(resultsIn(model.requests[0]?.messages)).toEqual([
      { type: "tool-result", toolCallId: "call_1", toolName: "read", output: "read 1" },
      { type: "tool-result", toolCallId: "call_2", toolName: "pay", output: "pay 1" },
      errorResult("call_3", "pay", modelTexts.denied("pay", "too dear.")),
    ]);
    expect(result).toMatchObject({ status: "completed", outputText: "Done.", iterations: 2 });
    expect(typesOf(events)).toEqual(
      [
        "run-started",
        "tool-started",
        "approval-resolved",
        "tool-finished",
        "tool-started",
        "approval-resolved",
        "tool-finished",
        "message-added",
        "message-added",
        "message-added",
        "turn-finished",
        "turn-started",
        "assistant-text-delta",
        "message-added",
        "assistant-message",
        "turn-finished",
        "run-finished",
      ].flatMap((type) => (type === "assistant-text-delta" ? typesOf(events).filter((each) => each === type) : type)),
    );
    expect(events[0]).toMatchObject({ type: "run-started", resumed: true });
  });

  test("is the same run when it goes on: id, turns and usage", async () => {
    const { result: before, resume } = await suspended();
    const { result } = await resume({ call_2: { approved: true }, call_3: { approved: true } });
    expect(result.runId).toBe(before.runId);
    expect(result.usage).toMatchObject({ inputTokens: 10, outputTokens: 5, totalInputTokens: 10, totalOutputTokens: 5 });
  });

  test("asks nobody again for an answer that was given", async () => {
    let asked = 0;
    const { resume } = await suspended();
    await resume({ call_2: { approved: true }, call_3: { approved: true } }, { requestToolApproval: () => ({ approved: ++asked > 0 }) });
    expect(asked).toBe(0);
  });

  test("is suspended again while some calls are undecided, and neither executes nor asks twice", async () => {
    const { resume, pay } = await suspended();
    const once = await resume({ call_3: { approved: true } });
    expect(once.result).toMatchObject({ status: "suspended", pending: [{ toolCallId: "call_2" }], iterations: 1 });
    expect(once.model.requests).toEqual([]);
    const between = JSON.parse(JSON.stringify(once.agent.snapshot())) as AgentSnapshot;
    const twice = await resume({ call_2: { approved: true } }, {}, between);
    expect(pay.inputs).toEqual([{ n: 3 }, { n: 2 }]);
    expect(resultsIn(twice.model.requests[0]?.messages).map(({ toolCallId, output }) => [toolCallId, output])).toEqual([
      ["call_1", "read 1"],
      ["call_2", "pay 2"],
      ["call_3", "pay 1"],
    ]);
    expect(twice.result.status).toBe("completed");
  });

  test("executes the arguments that a person changed, and tells the model of them", async () => {
    const { resume, pay } = await suspended();
    const { model } = await resume({ call_2: { approved: true, input: { n: 20 } }, call_3: { approved: false } });
    expect(pay.inputs).toEqual([{ n: 20 }]);
    expect(outline(model.requests[0]?.messages).at(-1)).toEqual({
      role: "user",
      content: [text(modelTexts.inputEdited({ toolName: "pay", toolCallId: "call_2" }, { n: 20 }))],
    });
  });

  test("gives the reason of a refusal to the model, whatever arguments came with it", async () => {
    const { resume } = await suspended();
    const { model } = await resume({ call_2: { approved: false, reason: "too dear", input: { n: "two" } }, call_3: { approved: false } });
    expect(resultsIn(model.requests[0]?.messages)[1]).toEqual(errorResult("call_2", "pay", modelTexts.denied("pay", "too dear.")));
  });

  test("executes the arguments that a hook made and a person saw, without asking the hook again", async () => {
    let hooked = 0;
    const hooks = {
      beforeTool: ({ input }: { input: object }) => ({
        input: { n: 100 + Number(Object.values(input)[0]) },
        appendContext: `note ${++hooked}`,
      }),
    };
    const { resume, pay, result } = await suspended({ hooks });
    expect(result.pending?.map(({ input }) => input)).toEqual([{ n: 102 }, { n: 103 }]);
    const { model } = await resume({ call_2: { approved: true }, call_3: { approved: true } });
    expect(pay.inputs).toEqual([{ n: 102 }, { n: 103 }]);
    expect(hooked).toBe(3);
    const note = JSON.stringify(outline(model.requests[0]?.messages).at(-1));
    expect(note.match(/note \d/g)).toEqual(["note 1", "note 2", "note 3"]);
  });

  test("does not execute an approved call that the policy forbids by now", async () => {
    const { resume, pay } = await suspended();
    const forbidden = { pay: { enabled: false, reason: "closed" } };
    const { model } = await resume({ call_2: { approved: true }, call_3: { approved: true } }, { toolPolicies: forbidden });
    expect(pay.inputs).toEqual([]);
    expect(resultsIn(model.requests[0]?.messages)[1]).toEqual(errorResult("call_2", "pay", modelTexts.disabled("pay", "closed")));
  });

  test("ends by a completion tool of the suspended turn once the other calls are answered", async () => {
    const pay = recording("pay");
    const config: AgentOptions = { tools: [done as AgentTool, pay.tool], toolPolicies: { pay: ASK }, requestToolApproval: LATER };
    const calls = callTools([
      { toolName: "done", input: { answer: "paid" } },
      { toolName: "pay", input: { n: 1 } },
    ]);
    const first = build([calls], config);
    expect((await first.agent.run("?")).status).toBe("suspended");
    const second = build([], config);
    const result = await second.agent.resume(first.agent.snapshot(), { call_2: { approved: true } });
    expect(result).toMatchObject({ status: "completed", endedBy: "completion-tool", output: { answer: "paid" } });
    expect(pay.inputs).toHaveLength(1);
  });

  test("can be suspended again by a later turn", async () => {
    const pay = recording("pay");
    const config: AgentOptions = { tools: [pay.tool], toolPolicies: { pay: ASK }, requestToolApproval: LATER };
    const { agent } = build([callTool("pay", { n: 1 }), callTool("pay", { n: 2 }), say("ok")], config);
    await agent.run("?");
    const again = await agent.resume(agent.snapshot(), { call_1: { approved: true } });
    expect(again).toMatchObject({ status: "suspended", pending: [{ input: { n: 2 } }], iterations: 2 });
    const [open] = again.pending ?? [];
    const result = await agent.resume(agent.snapshot(), { [open?.toolCallId ?? ""]: { approved: true } });
    expect([result.status, result.iterations, pay.inputs.length]).toEqual(["completed", 3, 2]);
  });

  test("counts its turns on: the limit holds for the whole run", async () => {
    const { resume } = await suspended({ maxIterations: 1 });
    const { result } = await resume({ call_2: { approved: true }, call_3: { approved: true } });
    expect(result).toMatchObject({ status: "failed", endedBy: "max-iterations", iterations: 1 });
  });

  test("goes on once, however often it is asked at a time", async () => {
    const { first, pay } = await suspended();
    const decisions = { call_2: { approved: true }, call_3: { approved: true, input: { n: 4 } } };
    const saved = first.agent.snapshot();
    const second = build([say("Done.")], { tools: [pay.tool], toolPolicies: { pay: ASK } });
    const all = await Promise.allSettled([1, 2, 3].map(() => second.agent.resume(saved, decisions)));
    expect(all.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected", "rejected"]);
    expect(pay.inputs).toEqual([{ n: 2 }, { n: 4 }]);
  });

  test("takes tools of plugins up, and their schemas", async () => {
    const pay = recording("pay");
    const config: AgentOptions = {
      tools: [],
      plugins: [{ name: "shop", setup: () => ({ tools: [pay.tool] }) }],
      toolPolicies: { pay: ASK },
      requestToolApproval: LATER,
    };
    const first = build([callTool("pay", { n: 1 })], config);
    await first.agent.run("?");
    const second = build([say("ok")], config);
    await expect(second.agent.resume(first.agent.snapshot(), { call_1: { approved: true, input: {} } })).rejects.toThrow(
      /does not fit the schema of pay/,
    );
    await second.agent.resume(first.agent.snapshot(), { call_1: { approved: true } });
    expect(pay.inputs).toEqual([{ n: 1 }]);
  });

  test("tells the model when the tool is gone", async () => {
    const { resume } = await suspended();
    const { model, result } = await resume({ call_2: { approved: true }, call_3: { approved: false } }, { tools: [] });
    expect(resultsIn(model.requests[0]?.messages)[1]).toEqual(errorResult("call_2", "pay", modelTexts.unknownTool("pay", [])));
    expect(result.status).toBe("completed");
  });

  test("keeps going when a hook stops or throws while it goes on", async () => {
    const { resume } = await suspended();
    const thrown = await resume(
      { call_2: { approved: true }, call_3: { approved: true } },
      { hooks: { afterTool: () => Promise.reject(new Error("boom")) } },
    );
    expect(
      resultsIn(thrown.model.requests[0]?.messages)
        .slice(1)
        .every(({ isError }) => isError === true),
    ).toBe(true);
    const again = await suspended();
    const stopped = await again.resume(
      { call_2: { approved: true }, call_3: { approved: true } },
      { hooks: { afterTool: () => ({ stop: true, reason: "enough" }) } },
    );
    expect([stopped.result.status, stopped.result.endedBy, again.pay.inputs]).toEqual(["aborted", "hook-stop", [{ n: 2 }]]);
    expect(stopped.agent.snapshot().pendingToolCalls).toEqual([]);
  });

  test("can be aborted while it goes on", async () => {
    const slow = tool("pay", () => new Promise<never>(() => undefined));
    const first = build([callTool("pay", {})], { tools: [slow], toolPolicies: { pay: ASK }, requestToolApproval: LATER });
    await first.agent.run("?");
    const resuming = first.agent.resume(first.agent.snapshot(), { call_1: { approved: true } });
    first.agent.subscribe(({ type }) => type === "approval-resolved" && first.agent.abort("enough"));
    expect(await resuming).toMatchObject({ status: "aborted", endedBy: "abort" });
    expect(first.agent.snapshot()).toMatchObject({ status: "aborted", pendingToolCalls: [] });
  });

  test("that is aborted before it goes on says of the waiting calls that nothing was executed", async () => {
    const { first, pay } = await suspended();
    const result = await first.agent.resume(first.agent.snapshot(), {}, { signal: AbortSignal.abort() });
    expect([result.status, pay.inputs]).toEqual(["aborted", []]);
    expect(resultsIn(result.messages).slice(1)).toEqual([
      errorResult("call_2", "pay", modelTexts.notReached("pay")),
      errorResult("call_3", "pay", modelTexts.notReached("pay")),
    ]);
  });

  test("fails with a valid history when an afterRun hook throws", async () => {
    const afterRun = () => Promise.reject(new Error("boom"));
    const { first, result } = await suspended({ hooks: { afterRun }, logger: { error: () => undefined, warn: () => undefined } });
    expect(result).toMatchObject({ status: "failed", error: { message: expect.stringContaining("boom") } });
    expect(result.messages).toEqual(first.agent.snapshot().messages);
    assertValidHistory(result.messages);
  });

  test("stays suspended when the agent that takes it up is configured wrongly", async () => {
    const { saved, pay } = await suspended();
    const wrong = build([], { tools: [pay.tool], plugins: [{ name: "none" }], completionPolicy: { requireCompletionTool: true } });
    await expect(wrong.agent.resume(saved, { call_2: { approved: true } })).rejects.toMatchObject({ code: "agent-config" });
    const { status, runId, pendingToolCalls } = wrong.agent.snapshot();
    expect([status, runId, pendingToolCalls.length]).toEqual(["suspended", saved.runId, 2]);
  });

  test("works for a runtime whose calls stand in no message: nothing is executed twice", async () => {
    const [read, pay] = [recording("read"), recording("pay")];
    const config: AgentOptions = {
      runtime: new LineRuntime(),
      tools: [read.tool, pay.tool],
      toolPolicies: { pay: ASK },
      requestToolApproval: LATER,
    };
    const first = build([say('read {"n":1}\npay {"n":2}')], config);
    const before = await first.agent.run("?");
    expect(before).toMatchObject({ status: "suspended", pending: [{ toolName: "pay", ordinal: 1 }] });
    const saved = JSON.parse(JSON.stringify(first.agent.snapshot())) as AgentSnapshot;
    const second = build([say("Done.")], config);
    const [open] = before.pending ?? [];
    const result = await second.agent.resume(saved, { [open?.toolCallId ?? ""]: { approved: true } });
    expect([read.inputs, pay.inputs]).toEqual([[{ n: 1 }], [{ n: 2 }]]);
    const told = outline(second.model.requests[0]?.messages)
      .slice(2)
      .map(({ content }) => (content as { text: string }[])[0]?.text);
    expect(told.map((line) => line?.slice(0, 32))).toEqual(['TOOL_RESULT: {"output":"read 1",', 'TOOL_RESULT: {"output":"pay 1","']);
    expect(result.status).toBe("completed");
  });
});

describe("resume refuses before anything runs", () => {
  test.each<[string, ToolCallDecisions, RegExp]>([
    [
      "a decision for an unknown call",
      { call_9: { approved: true } },
      /call_9: the snapshot has no pending call of this id. Pending: call_2, call_3/,
    ],
    ["a decision for a call that is finished", { call_1: { approved: true } }, /call_1: the snapshot has no pending call/],
    ["decisions that are none", null as never, /decisions: expected an object of answers by toolCallId/],
    ["decisions in a map", new Map([["call_2", { approved: true }]]) as never, /decisions: expected an object/],
    ["a decision that says nothing", { call_2: {} as never }, /decisions.call_2.approved/],
    ["an unknown field of a decision", { call_2: { approved: true, note: 1 } as never }, /decisions.call_2/],
    ["changed arguments that are no object", { call_2: { approved: true, input: [1] as never } }, /decisions.call_2.input/],
    [
      "changed arguments against the schema",
      { call_2: { approved: true, input: { n: "two" } } },
      /decisions.call_2.input does not fit the schema of pay/,
    ],
  ])("%s", async (_, decisions, message) => {
    const { resume, pay } = await suspended();
    await expect(resume(decisions)).rejects.toThrow(message);
    expect(pay.inputs).toEqual([]);
  });

  test("a second answer to a call", async () => {
    const { saved, resume } = await suspended();
    const pendingToolCalls = saved.pendingToolCalls.map((call) => ({ ...call, decision: { approved: true } }));
    await expect(resume({ call_2: { approved: false } }, {}, { ...saved, pendingToolCalls })).rejects.toThrow(
      "call_2: the call was decided already",
    );
    const { result } = await resume({}, {}, { ...saved, pendingToolCalls });
    expect(result.status).toBe("completed");
  });

  test.each<[string, (saved: AgentSnapshot) => unknown, RegExp]>([
    ["no snapshot", () => "text", /The snapshot cannot be used: it/],
    ["another version", (saved) => ({ ...saved, version: 2 }), /version/],
    ["a snapshot of a finished run", (saved) => ({ ...saved, status: "completed" }), /nothing to resume/],
    [
      "a snapshot of another runtime",
      (saved) => ({ ...saved, runtime: "codeact" }),
      /belong to the runtime "codeact", and this agent has "react"/,
    ],
    ["a message that is none", (saved) => ({ ...saved, messages: [{ role: "system", content: "?" }] }), /message 0: role must be/],
    [
      "a pending call that no message holds",
      (saved) => ({ ...saved, pendingToolCalls: [{ toolCallId: "call_7", toolName: "pay", input: {}, state: "awaiting-approval" }] }),
      /pending call call_7 does not stand in the last message/,
    ],
  ])("%s", async (_, change, message) => {
    const { saved, resume, pay } = await suspended();
    await expect(resume({}, {}, change(saved) as AgentSnapshot)).rejects.toThrow(message);
    expect(pay.inputs).toEqual([]);
  });

  test("while a run is under way", async () => {
    const { saved } = await suspended();
    const { agent } = build([callTool("slow", {}), say("ok")], {
      tools: [tool("slow", () => new Promise((resolve) => setImmediate(resolve)))],
    });
    const running = agent.run("?");
    await expect(agent.resume(saved)).rejects.toMatchObject({ code: "agent-busy" });
    await running;
  });
});

describe("a snapshot of a process that ended", () => {
  test("has the calls that were under way told as uncertain, and the others kept", async () => {
    const [read, pay] = [recording("read"), recording("pay")];
    const snapshots: AgentSnapshot[] = [];
    const config: AgentOptions = { tools: [read.tool, pay.tool] };
    const first = build([THREE_CALLS, say("ok")], config);
    first.agent.subscribe((event) => {
      if (event.type === "tool-started") snapshots.push(JSON.parse(JSON.stringify(event.snapshot)) as AgentSnapshot);
    });
    await first.agent.run("?");
    const second = build([say("I will look.")], config);
    const result = await second.agent.resume(snapshots[1] as AgentSnapshot);
    expect(resultsIn(second.model.requests[0]?.messages)).toEqual([
      { type: "tool-result", toolCallId: "call_1", toolName: "read", output: "read 1" },
      errorResult("call_2", "pay", modelTexts.interrupted("pay")),
      errorResult("call_3", "pay", modelTexts.interrupted("pay")),
    ]);
    expect(result.status).toBe("completed");
  });

  test("ends at once when the answer was there already", async () => {
    const snapshots: AgentSnapshot[] = [];
    const first = build([say("The answer.")]);
    first.agent.subscribe((event) => {
      if (event.type === "message-added") snapshots.push(event.snapshot);
    });
    await first.agent.run("?");
    const second = build([]);
    expect(await second.agent.resume(snapshots[1] as AgentSnapshot)).toMatchObject({
      status: "completed",
      outputText: "The answer.",
      iterations: 1,
    });
  });
});
