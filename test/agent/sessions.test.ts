import { type AgentOptions, type AgentSnapshot, type AgentTool, MemorySessionStore, modelTexts, type SessionChange } from "triact";
import { callTool, callTools, say } from "triact/testing";
import { describe, expect, test } from "vitest";
import { AgentSession } from "../../src/agent/sessions/agent-session.ts";
import { AgentState } from "../../src/base/agent-state.ts";
import { build, deferred, errorResult, outline, resultsIn, settle, text, tool } from "../base/kit.js";

const act = tool("act", () => "done");

function withSession(store: MemorySessionStore, turns: Parameters<typeof build>[0], options: AgentOptions = {}) {
  return build(turns, { tools: [act], sessionStore: store, sessionId: "trip", ...options });
}

/** A store that fails from its n-th change on. */
class FailingStore extends MemorySessionStore {
  #left: number;
  constructor(good: number) {
    super();
    this.#left = good;
  }
  override async save(sessionId: string, change: SessionChange): Promise<void> {
    this.#left -= 1;
    if (this.#left < 0) throw new Error("disk full");
    await super.save(sessionId, change);
  }
}

/** A store whose writes end when the test says so. */
class SlowStore extends MemorySessionStore {
  readonly revisions: number[] = [];
  readonly writes: (() => void)[] = [];
  override async save(sessionId: string, change: SessionChange): Promise<void> {
    this.revisions.push(change.revision);
    await new Promise<void>((resolve) => this.writes.push(resolve));
    await super.save(sessionId, change);
  }
}

test("a session is written one state at a time, at whatever moment the next state comes", async () => {
  const { view } = new AgentState({ agentId: "agent_1", runtime: "react" });
  for (let moment = 0; moment < 20; moment++) {
    const store = new SlowStore();
    const session = new AgentSession(store, "trip");
    const checkpoints = [session.checkpoint(view)];
    await settle();
    checkpoints.push(session.checkpoint(view));
    store.writes.shift()?.();
    for (let turn = 0; turn < moment; turn++) await Promise.resolve();
    checkpoints.push(session.checkpoint(view));
    for (let write = 0; write < 3; write++) {
      await settle();
      store.writes.shift()?.();
    }
    await Promise.all(checkpoints);
    expect(store.revisions).toEqual([...new Set(store.revisions)]);
  }
});

describe("an agent with a session", () => {
  test("goes on with the conversation that another agent began", async () => {
    const store = new MemorySessionStore();
    await withSession(store, [say("Hello Ada.")]).agent.run("I am Ada.");
    const { agent, model } = withSession(store, [say("Ada.")], { generateId: (prefix) => `${prefix}_${crypto.randomUUID()}` });
    const result = await agent.run("Who am I?");
    expect(outline(model.requests[0]?.messages).map(({ content }) => content)).toEqual([
      [text("I am Ada.")],
      [text("Hello Ada.")],
      [text("Who am I?")],
    ]);
    expect((await store.load("trip"))?.snapshot).toEqual(JSON.parse(JSON.stringify(agent.snapshot())));
    expect(result.messages).toHaveLength(4);
  });

  test("writes after each message and result, before each call, and at the end; each message once", async () => {
    const changes: SessionChange[] = [];
    class Watched extends MemorySessionStore {
      override async save(sessionId: string, change: SessionChange): Promise<void> {
        changes.push(change);
        await super.save(sessionId, change);
      }
    }
    await withSession(new Watched(), [callTool("act", {}), say("ok")]).agent.run("?");
    const seen = changes.map(({ keep, messages, state }) => [
      keep,
      messages.map(({ role }) => role).join(),
      state.status,
      state.pendingToolCalls[0]?.state,
    ]);
    expect(seen).toEqual([
      [0, "user", "running", undefined],
      [1, "assistant", "running", "queued"],
      [2, "", "running", "started"],
      [2, "tool", "running", undefined], // the result
      [3, "", "running", undefined], // in the history
      [3, "assistant", "running", undefined],
      [4, "", "completed", undefined],
    ]);
  });

  test("that ended before a call was made says so: nothing was executed, and the model may call again", async () => {
    class Killed extends MemorySessionStore {
      override async save(sessionId: string, change: SessionChange): Promise<void> {
        if (change.revision === 3) return new Promise(() => undefined);
        await super.save(sessionId, change);
      }
    }
    const store = new Killed();
    void withSession(store, [callTool("act", {})]).agent.run("?");
    await settle();
    const saved = (await store.load("trip"))?.snapshot as AgentSnapshot;
    expect(saved).toMatchObject({ status: "running", pendingToolCalls: [{ state: "queued" }] });
    const second = build([say("ok")], { tools: [act] });
    await second.agent.resume(saved);
    expect(resultsIn(second.model.requests[0]?.messages)).toEqual([errorResult("call_1", "act", modelTexts.notReached("act"))]);
  });

  test("does not call a tool that the session could not be told of, and fails", async () => {
    let calls = 0;
    const counted = tool("act", () => ++calls);
    const { agent } = withSession(new FailingStore(2), [callTool("act", {}), say("ok")], { tools: [counted] });
    const result = await agent.run("?");
    expect(result).toMatchObject({
      status: "failed",
      endedBy: "error",
      error: { code: "session", message: expect.stringContaining("disk full") },
    });
    expect(calls).toBe(0);
  });

  test("fails when its last state cannot be written", async () => {
    const { agent } = withSession(new FailingStore(2), [say("ok")]);
    expect(await agent.run("?")).toMatchObject({ status: "failed", error: { code: "session" } });
  });

  test("fails with a valid history when the state in which it waits cannot be written", async () => {
    const options: AgentOptions = { toolPolicies: { act: { autoApprove: false } }, requestToolApproval: () => ({ pending: true }) };
    const { agent } = withSession(new FailingStore(2), [callTool("act", {})], options);
    const result = await agent.run("?");
    expect(result).toMatchObject({ status: "failed", error: { code: "session" } });
    expect(resultsIn(result.messages)).toEqual([errorResult("call_1", "act", modelTexts.notReached("act"))]);
  });

  test("refuses to run while another agent has written the session meanwhile", async () => {
    const store = new MemorySessionStore();
    const [one, two] = [withSession(store, [say("a"), say("c")]), withSession(store, [say("b")])];
    await one.agent.run("?");
    await two.agent.run("?");
    expect(await one.agent.run("?")).toMatchObject({
      status: "failed",
      error: { code: "session", message: expect.stringContaining("Another process or agent") },
    });
  });

  test("restored to other messages replaces what is stored", async () => {
    const store = new MemorySessionStore();
    await withSession(store, [say("old")]).agent.run("?");
    const { agent } = withSession(store, [say("new")]);
    agent.restore([]);
    await agent.run("Again");
    expect(outline((await store.load("trip"))?.snapshot.messages).map(({ content }) => content)).toEqual([[text("Again")], [text("new")]]);
  });

  test("of a run that was not finished refuses to run, and resumes what loadSession gives", async () => {
    const store = new MemorySessionStore();
    const options: AgentOptions = { toolPolicies: { act: { autoApprove: false } }, requestToolApproval: () => ({ pending: true }) };
    await withSession(store, [callTool("act", {})], options).agent.run("?");
    const { agent } = withSession(store, [say("ok")], options);
    await expect(agent.run("Go on")).rejects.toMatchObject({ code: "suspended-run" });
    const saved = await agent.loadSession();
    expect(saved).toMatchObject({ status: "suspended", pendingToolCalls: [{ toolCallId: "call_1", state: "awaiting-approval" }] });
    const result = await agent.resume(agent.snapshot(), { call_1: { approved: true } });
    expect(result.status).toBe("completed");
    expect((await store.load("trip"))?.snapshot).toMatchObject({ status: "completed", pendingToolCalls: [] });
  });

  test("writes the answers of people before it acts on them", async () => {
    const store = new MemorySessionStore();
    const gate = deferred();
    const options: AgentOptions = {
      tools: [tool("act", () => gate.promise)],
      toolPolicies: { "*": { autoApprove: false } },
      requestToolApproval: () => ({ pending: true }),
    };
    const calls = callTools([
      { toolName: "act", input: {} },
      { toolName: "act", input: {} },
    ]);
    const first = withSession(store, [calls, say("ok")], options);
    await first.agent.run("?");
    const resuming = first.agent.resume(first.agent.snapshot(), { call_1: { approved: true }, call_2: { approved: true } });
    await new Promise<void>((resolve) => first.agent.subscribe(({ type }) => type === "approval-resolved" && setImmediate(resolve)));
    const stored = (await store.load("trip"))?.snapshot;
    expect(stored?.pendingToolCalls.map(({ state, decision }) => [state, decision])).toEqual([
      ["started", { approved: true }],
      ["awaiting-approval", { approved: true }],
    ]);
    const second = withSession(new MemorySessionStore(), [say("ok")], { ...options, tools: [act] });
    await second.agent.resume(stored as NonNullable<typeof stored>);
    expect(resultsIn(second.model.requests[0]?.messages)).toEqual([
      errorResult("call_1", "act", modelTexts.interrupted("act")),
      { type: "tool-result", toolCallId: "call_2", toolName: "act", output: "done" },
    ]);
    gate.resolve();
    await resuming;
  });

  test("has an id, and a store that is one", () => {
    expect(() => build([], { sessionStore: new MemorySessionStore() })).toThrow(/sessionId: missing/);
    expect(() => build([], { sessionStore: {} as never, sessionId: "x" })).toThrow(/sessionStore: expected a session store/);
  });

  test("asked for without a store says so", async () => {
    await expect(build([]).agent.loadSession()).rejects.toThrow(/no sessionStore/);
  });

  test("that cannot be read says which", async () => {
    class Broken extends MemorySessionStore {
      override async load(): Promise<never> {
        throw new Error("no such disk");
      }
    }
    await expect(withSession(new Broken(), [say("ok")]).agent.run("?")).rejects.toThrow(/Session "trip" could not be read: no such disk/);
  });
});

test("parallel calls are written together, and no state is written after a newer one", async () => {
  const revisions: (readonly [number, number])[] = [];
  class Slow extends MemorySessionStore {
    override async save(sessionId: string, change: SessionChange): Promise<void> {
      await new Promise((resolve) => setImmediate(resolve));
      revisions.push([change.revision, change.state.pendingToolCalls.length]);
      await super.save(sessionId, change);
    }
  }
  const store = new Slow();
  const calls = callTools(Array.from({ length: 20 }, () => ({ toolName: "act", input: {} })));
  const { agent } = withSession(store, [calls, say("ok")], { toolExecution: "parallel", tools: [act as AgentTool] });
  expect((await agent.run("?")).status).toBe("completed");
  expect(revisions.length).toBeLessThan(20);
  expect(revisions.map(([revision]) => revision)).toEqual(revisions.map((_, index) => index + 1));
});

describe("an agent with a session that waits for people", () => {
  /** An agent that has asked for two calls which wait, the snapshot of that, and the way to further agents. */
  async function waiting() {
    let calls = 0;
    const store = new MemorySessionStore();
    const options: AgentOptions = {
      tools: [tool("pay", () => ++calls)],
      toolPolicies: { pay: { autoApprove: false } },
      requestToolApproval: () => ({ pending: true }),
    };
    const pay = { toolName: "pay", input: {} };
    const first = withSession(store, [callTools([pay, pay])], options).agent;
    await first.run("?");
    const snapshot = JSON.parse(JSON.stringify(first.snapshot())) as AgentSnapshot;
    return { snapshot, newAgent: () => withSession(store, [say("Paid.")], options).agent, calls: () => calls };
  }
  const yes = { approved: true };

  test("makes a call once when two agents go on at once", async () => {
    const { newAgent, calls } = await waiting();
    const goOn = async (agent = newAgent()) => agent.resume((await agent.loadSession()) as AgentSnapshot, { call_1: yes, call_2: yes });
    const ends = await Promise.all([goOn(), goOn()]);
    expect([calls(), ends.map(({ status }) => status).sort()]).toEqual([2, ["completed", "failed"]]);
  });

  test("does not go on from a snapshot that its session is further than", async () => {
    const { snapshot, newAgent, calls } = await waiting();
    const second = newAgent();
    expect(await second.resume(snapshot, { call_1: yes })).toMatchObject({ status: "suspended" });
    for (const agent of [second, newAgent()]) {
      await expect(agent.resume(snapshot, { call_1: yes })).rejects.toThrow(
        /its session has the run further than that\. Resume what loadSession/,
      );
    }
    const third = newAgent();
    expect(await third.resume(second.snapshot(), { call_2: yes })).toMatchObject({ status: "completed" });
    for (const agent of [third, newAgent()]) {
      await expect(agent.resume(snapshot, { call_1: yes })).rejects.toThrow(/its session has the end of the run \(status completed\)/);
    }
    expect(calls()).toBe(2);
  });
});
