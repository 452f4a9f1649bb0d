import fc from "fast-check";
import { nanoid } from "nanoid";
import { type AgentMessage, type AgentSnapshot, createAgent, createTool, DeepResearchRuntime, type Planner, ReActRuntime } from "triact";
import { ScriptedModel, say } from "triact/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { cases } from "../support/cases.ts";
import { MeddlingRuntime } from "../support/runtimes.ts";
import { assertValidHistory, assertValidSnapshot } from "../support/valid-history.ts";
import { buildWorld, drive, useWorldClock, type World, type WorldSpec } from "../support/world.ts";
import { worldSpec } from "../support/world-arbitraries.ts";

beforeEach(useWorldClock);
afterEach(() => {
  vi.useRealTimers();
});

/** What the worlds' tools are called, for a process that only goes on. */
const act = createTool({ name: "act", description: "Acts.", inputSchema: { type: "object" }, execute: () => "acted" });

/** How a run is disturbed, and at which of its events. */
interface Disturbance {
  readonly kind: "none" | "abort" | "restore" | "steer";
  readonly at: number;
}

const disturbance = fc.record({
  kind: fc.constantFrom("none" as const, "abort" as const, "restore" as const, "steer" as const),
  at: fc.nat(40),
});
const planner: Planner = { plan: () => ["Act.", { goal: "Act again.", needs: [1] }, "Do something else."] };
const runtimes = {
  react: new ReActRuntime(),
  meddling: new MeddlingRuntime(),
  planned: new DeepResearchRuntime({ replan: true, evidence: true }),
  parallel: new DeepResearchRuntime({ planner, replan: true, evidence: true, parallel: true }),
};
const runtimeName = fc.constantFrom("react" as const, "react" as const, "meddling" as const, "planned" as const, "parallel" as const);

function disturb({ agent }: World, { kind, at }: Disturbance): void {
  let count = 0;
  agent.subscribe((event) => {
    count += 1;
    if (count !== at + 1) return;
    if (kind === "abort") agent.abort("enough");
    if (kind === "restore") agent.restore(event.snapshot.messages);
    if (kind === "steer") agent.steer("One more thing.");
  });
}

/** The snapshot of every event, as a file on disk would hold it after a crash at that moment. */
function record({ agent }: World): string[] {
  const saved: string[] = [];
  agent.subscribe((event) => {
    const text = JSON.stringify(event.snapshot);
    if (saved.at(-1) !== text) saved.push(text);
  });
  return saved;
}

/** Restores in another process, as it were, and goes on. */
async function expectRestorable(text: string): Promise<void> {
  const saved = JSON.parse(text) as AgentSnapshot;
  assertValidSnapshot(saved);
  const model = new ScriptedModel([say("ok")]);
  const agent = createAgent({ model });
  agent.restore(saved.messages);
  const { messages, pendingToolCalls } = agent.snapshot();
  expect(pendingToolCalls).toEqual([]);
  assertValidHistory(messages, "restored");
  const kept = saved.messages.filter((message) => !waitsForProvider(message));
  expect(known(messages, kept)).toEqual(kept);
  const result = await agent.run("Go on.");
  assertValidHistory(result.messages, "after the restore");
  for (const request of model.requests) assertValidHistory(request.messages, "request after the restore");
}

/** Goes on with the run in another process, as it were. */
async function expectResumable(text: string, runtime: keyof typeof runtimes): Promise<void> {
  const saved = JSON.parse(text) as AgentSnapshot;
  if (saved.status !== "running") return;
  const model = new ScriptedModel(() => say("ok"));
  const agent = createAgent({
    model,
    runtime: runtimes[runtime],
    tools: [act],
    maxIterations: 20,
    generateId: (prefix) => `${prefix}_${nanoid()}`,
  });
  const first = await agent.resume(saved);
  assertValidSnapshot(agent.snapshot());
  const waiting = first.pending?.map(({ toolCallId }) => [toolCallId, { approved: true }]) ?? [];
  const result = first.status === "suspended" ? await agent.resume(agent.snapshot(), Object.fromEntries(waiting)) : first;
  assertValidHistory(result.messages, "after the resume");
  for (const request of model.requests) assertValidHistory(request.messages, "request after the resume");
  expect(agent.snapshot().pendingToolCalls).toEqual([]);
  expect([saved.iteration <= result.iterations, result.runId]).toEqual([true, saved.runId]);
}

/** Whether the provider has begun a call of its own and not answered it. A restored history does without it. */
function waitsForProvider({ content }: AgentMessage): boolean {
  const answered = new Set(content.map((part) => (part.type === "tool-result" ? part.toolCallId : "")));
  return content.some((part) => part.type === "tool-call" && part.providerExecuted === true && !answered.has(part.toolCallId));
}

/** Of some messages those that stand in a list, in their order. */
function known(messages: readonly AgentMessage[], list: readonly AgentMessage[]): AgentMessage[] {
  const ids = new Set(list.map(({ id }) => id));
  return messages.filter(({ id }) => ids.has(id));
}

async function expectValid(spec: WorldSpec, how: Disturbance, runtime: keyof typeof runtimes): Promise<void> {
  const world = buildWorld(spec, { runtime: runtimes[runtime] });
  const saved = record(world);
  disturb(world, how);
  for (const input of ["Go.", "Go on."]) {
    const result = await drive(world.agent, world.agent.run(input));
    assertValidHistory(result.messages, "result");
    assertValidHistory(world.agent.snapshot().messages, "agent");
    expect(world.agent.snapshot().pendingToolCalls).toEqual([]);
  }
  for (const request of world.requests) assertValidHistory(request.messages, "request");
  const isPaused = JSON.stringify(spec).includes('"pause"'); // a paused reply is gone on with from its end
  if (!isPaused) expect(world.requests.map(({ messages }) => messages.at(-1)?.role)).not.toContain("assistant");
  for (const text of saved) {
    await expectRestorable(text);
    await expectResumable(text, runtime);
  }
  world.release();
}

describe("law 2: the history is always valid", () => {
  test("after any failure, abort, stop or restore, in every request, and in every snapshot that a crash leaves", async () => {
    await fc.assert(fc.asyncProperty(worldSpec, disturbance, runtimeName, expectValid), cases(3));
  });

  test("an abort at any event of a run with parallel calls keeps the results that were there", async () => {
    const call = (index: number, does: string) =>
      ({ type: "tool-call-delta", index, toolCallId: `c${index}`, toolName: "act", inputText: JSON.stringify({ does }) }) as const;
    const events = [call(0, "return number"), call(1, "hang"), call(2, "return empty string"), { type: "finish", reason: "stop" } as const];
    const spec: WorldSpec = { turns: [{ events }], toolExecution: "parallel", toolPolicies: {}, hooks: {} };
    for (let at = 0; at < 30; at++) await expectValid(spec, { kind: "abort", at }, "react");
  });

  test("a provider's result that comes after its call was given up is dropped", async () => {
    const call = { type: "tool-call-delta", toolCallId: "p", toolName: "search", inputText: "{}", providerExecuted: true } as const;
    const result = { type: "tool-result", toolCallId: "p", toolName: "search", output: "late" } as const;
    const finish = { type: "finish", reason: "stop" } as const;
    const model = new ScriptedModel([{ events: [call, finish] }, { events: [result, { type: "text-delta", text: "ok" }, finish] }]);
    const objections = ["Go on.", undefined];
    const agent = createAgent({ model, completionPolicy: { completionGuard: () => objections.shift() } });
    assertValidHistory((await agent.run("Go.")).messages);
  });
});
