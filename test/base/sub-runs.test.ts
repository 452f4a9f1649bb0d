import {
  type AgentEvent,
  type AgentRunResult,
  type AgentTool,
  BaseAgentRuntime,
  type Decision,
  type Finish,
  MemorySessionStore,
  ReActRuntime,
  type Reply,
  type Run,
  type SessionChange,
  type SubRunOptions,
} from "triact";
import { callTool, ScriptedModel, type ScriptedTurn, say } from "triact/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { add, build, outline, tool, typesOf } from "./kit.js";

/** Answers with what its sub-runs answer. */
class Delegating extends BaseAgentRuntime {
  override readonly name = "delegating";
  results: AgentRunResult[] = [];
  readonly #options: readonly Partial<SubRunOptions>[];
  constructor(...options: readonly Partial<SubRunOptions>[]) {
    super();
    this.#options = options.length === 0 ? [{}] : options;
  }
  protected override async prepare(run: Run): Promise<Finish> {
    this.results = await Promise.all(
      this.#options.map((options) => run.subRun({ runtime: new ReActRuntime(), input: "Part of it", ...options })),
    );
    return { kind: "finish", outputText: this.results.map(({ outputText }) => outputText).join(" ") };
  }
}

const used = (inputTokens: number) => ({ usage: { inputTokens, outputTokens: 0 } });

/** The events within `nested-event`s of one level. */
function nested(events: readonly AgentEvent[]): AgentEvent[] {
  return events.flatMap((event) => (event.type === "nested-event" ? [event.event] : []));
}

describe("a run within a run", () => {
  test("has a conversation of its own, with the tools of the run that it is in", async () => {
    const runtime = new Delegating();
    const { agent, model, events } = build([callTool("add", { a: 1, b: 2 }, used(5)), say("3", used(7))], { runtime, agentId: "root" });
    const result = await agent.run("Add");
    expect(result).toMatchObject({ status: "completed", outputText: "3", iterations: 0, usage: { inputTokens: 12 } });
    expect(outline(model.requests[0]?.messages)).toEqual([{ role: "user", content: [{ type: "text", text: "Part of it" }] }]);
    expect(outline(result.messages)).toHaveLength(2);
    expect(runtime.results[0]).toMatchObject({ status: "completed", runtime: "react", usage: { inputTokens: 12 } });
    expect(runtime.results[0]?.agentId).not.toBe(result.agentId);
    expect(typesOf(events).filter((type) => type !== "nested-event")).toEqual([
      "run-started",
      "message-added",
      "usage-updated",
      "usage-updated",
      "message-added",
      "run-finished",
    ]);
    const within = nested(events);
    expect(typesOf(within)).toContain("tool-finished");
    expect(typesOf(within).at(-1)).toBe("run-finished");
    expect(new Set(within.map(({ runId }) => runId)).size).toBe(1);
    expect(within[0]?.runId).not.toBe(result.runId);
    expect(within[0]?.snapshot).toMatchObject({ parentAgentId: "root", runtime: "react" });
  });

  test("goes through the hooks and policies of the agent; its events reach onEvent hooks once", async () => {
    const seen: string[] = [];
    const { agent } = build([callTool("add", { a: 1, b: 2 }), say("no")], {
      runtime: new Delegating(),
      toolPolicies: { add: { enabled: false, reason: "closed" } },
      hooks: {
        beforeModel: () => void seen.push("beforeModel"),
        onEvent: (event) => {
          if (event.type === "tool-finished") seen.push("as an event of its own");
          if (event.type === "nested-event" && event.event.type === "tool-finished") seen.push(event.event.errorType ?? "");
        },
      },
    });
    await agent.run("Add");
    expect(seen).toEqual(["beforeModel", "disabled", "beforeModel"]);
  });

  test("can be given other settings, but no completion policy or output of the run that it is in", async () => {
    const other = new ScriptedModel([say("deep")]);
    const runtime = new Delegating({
      settings: { model: other, systemPrompt: "Be deep.", tools: [], agentRole: "diver", maxIterations: 1 },
    });
    let guarded = 0;
    const completionGuard = () => {
      guarded += 1;
      return undefined;
    };
    const { agent, events } = build([], { runtime, completionPolicy: { completionGuard } });
    expect(await agent.run("Dive")).toMatchObject({ outputText: "deep" });
    expect(guarded).toBe(1);
    expect(other.requests[0]?.systemPrompt).toMatch(/^Be deep\.\n/);
    expect(other.requests[0]?.tools).toEqual([]);
    expect(events.find((event) => event.type === "nested-event")).toMatchObject({ agentRole: "diver" });
  });

  test("answers in text where the run that it is in has to answer in a form", async () => {
    const runtime = new Delegating();
    const { agent, model } = build([say('{"n": 1}')], { runtime, output: z.object({ n: z.number() }) });
    expect(await agent.run("Count")).toMatchObject({ status: "completed", output: { n: 1 } });
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(["add", "done"]);
    expect(runtime.results[0]?.output).toBeUndefined();
  });

  test("leaves the session of the agent alone", async () => {
    const written: string[] = [];
    class Recording extends MemorySessionStore {
      override save(sessionId: string, change: SessionChange): Promise<void> {
        written.push(change.state.runtime);
        return super.save(sessionId, change);
      }
    }
    const { agent } = build([say("part")], { runtime: new Delegating(), sessionStore: new Recording(), sessionId: "s" });
    await agent.run("Go");
    expect(new Set(written)).toEqual(new Set(["delegating"]));
  });

  test("ends when the run that it is in is aborted, and tells so before that one does", async () => {
    const runtime = new Delegating();
    const { agent, events } = build([{ hangs: true }], { runtime });
    const running = agent.run("Go");
    setImmediate(() => agent.abort("enough"));
    expect(await running).toMatchObject({ status: "aborted", endedBy: "abort" });
    expect(runtime.results).toEqual([]); // what follows the sub-run is not reached
    expect(nested(events).at(-1)).toMatchObject({ type: "run-finished", result: { status: "aborted" } });
    expect(events.at(-1)).toMatchObject({ type: "run-finished", result: { status: "aborted" } });
  });

  test("ends before the run that it is in also when that one was about to see what a reply means", async () => {
    class Reviewing extends BaseAgentRuntime {
      override readonly name = "reviewing";
      protected override async interpret({ text }: Reply, run: Run): Promise<Decision> {
        await run.subRun({ runtime: new ReActRuntime(), input: text });
        return { kind: "finish", outputText: text };
      }
    }
    const { agent, events } = build([say("done"), { hangs: true }], { runtime: new Reviewing() });
    agent.subscribe(({ type }) => {
      if (type === "nested-event") setImmediate(() => agent.abort("enough"));
    });
    expect(await agent.run("Go")).toMatchObject({ status: "aborted", endedBy: "abort" });
    expect(nested(events).at(-1)).toMatchObject({ type: "run-finished", result: { status: "aborted" } });
  });

  test("may be ended alone", async () => {
    const runtime = new Delegating({ signal: AbortSignal.abort("not needed") });
    const { agent } = build([], { runtime });
    expect(await agent.run("Go")).toMatchObject({ status: "completed" });
    expect(runtime.results).toEqual([expect.objectContaining({ status: "aborted" })]);
  });

  test("stops at the limits of the run that it is in, what others within it used included", async () => {
    const turns: ScriptedTurn[] = [say("a", used(60)), callTool("add", { a: 1, b: 1 }, used(60)), say("too much", used(60))];
    const runtime = new Delegating({}, {});
    const { agent, model } = build(turns, { runtime, limits: { maxTokens: 100 } });
    const result = await agent.run("Go");
    expect(runtime.results).toEqual([
      expect.objectContaining({ status: "completed" }),
      expect.objectContaining({ status: "failed", endedBy: "token-limit" }),
    ]);
    expect(result.usage.inputTokens).toBe(120);
    expect(model.requests).toHaveLength(2);
  });

  test("gets its share of what is left", async () => {
    const runtime = new Delegating({ share: 0.25 });
    const { agent } = build([callTool("add", { a: 1, b: 1 }, used(26)), say("too much", used(1))], { runtime, limits: { maxTokens: 100 } });
    await agent.run("Go");
    expect(runtime.results).toEqual([expect.objectContaining({ status: "failed", endedBy: "token-limit" })]);
  });

  test("gets its share of what is left, not of what there was", async () => {
    class Spending extends Delegating {
      protected override async prepare(run: Run): Promise<Finish> {
        await run.ask({ purpose: "look", messages: "How?" });
        return super.prepare(run);
      }
    }
    const runtime = new Spending({ share: 0.5 });
    const { agent } = build([say("So.", used(60)), callTool("add", { a: 1, b: 1 }, used(21)), say("too much")], {
      runtime,
      limits: { maxTokens: 100 },
    });
    await agent.run("Go");
    expect(runtime.results).toEqual([expect.objectContaining({ status: "failed", endedBy: "token-limit" })]);
  });

  test("is out of time when the run that it is in is", async () => {
    const runtime = new Delegating();
    const { agent } = build([{ hangs: true }], { runtime, limits: { timeoutMs: 20 }, now: Date.now });
    expect(await agent.run("Go")).toMatchObject({ status: "failed", endedBy: "time-limit" });
  });

  test("cannot wait for people: an approval that would is a denial", async () => {
    const { agent } = build([callTool("add", { a: 1, b: 2 }), say("not allowed")], {
      runtime: new Delegating(),
      toolPolicies: { "*": { autoApprove: false } },
      requestToolApproval: () => ({ pending: true }),
    });
    expect(await agent.run("Go")).toMatchObject({ status: "completed", outputText: "not allowed" });
  });

  test("may be in a run within a run", async () => {
    const { agent, events } = build([say("core", used(5))], { runtime: new Delegating({ runtime: new Delegating() }) });
    const result = await agent.run("Go");
    expect(result).toMatchObject({ outputText: "core", usage: { inputTokens: 5 } });
    expect(typesOf(nested(nested(events)))).toContain("turn-finished");
  });

  test("does not cost a listener's events when nobody listens", async () => {
    const model = new ScriptedModel([say("quiet")]);
    const runtime = new Delegating();
    const { createAgent } = await import("triact");
    expect(await createAgent({ model, runtime, tools: [add] as AgentTool[] }).run("Go")).toMatchObject({ outputText: "quiet" });
  });
});

describe("a run that its process left before its first turn", () => {
  test("is prepared again when it is taken up", async () => {
    let prepared = 0;
    class Counting extends BaseAgentRuntime {
      override readonly name = "counting";
      protected override prepare(run: Run): Promise<void> {
        prepared += 1;
        return run.addNote(`Prepared ${prepared}`);
      }
    }
    const { agent, events } = build([say("ok"), say("ok again")], { runtime: new Counting(), tools: [tool("t", () => 1)] });
    await agent.run("Go");
    const early = events.find(({ type }) => type === "message-added")?.snapshot;
    expect(early).toMatchObject({ status: "running", iteration: 0 });
    const { agent: second } = build([say("taken up")], { runtime: new Counting(), tools: [tool("t", () => 1)] });
    const result = await second.resume(JSON.parse(JSON.stringify(early)));
    expect(prepared).toBe(2);
    expect(outline(result.messages).map(({ role }) => role)).toEqual(["user", "user", "assistant"]);
  });
});
