import { type AgentEvent, type AgentHooks, type AgentModel, type AgentModelEvent, createAgent } from "triact";
import { describe, expect, test } from "vitest";
import { seams, tool } from "./kit.js";

const DELTAS = 20_000;
const PIECE = "0123456789abcdef".repeat(4); // 64 characters

/** What was done while a function ran, in units that do not depend on the machine. */
interface Work {
  /** Calls of functions that copy, freeze or serialize. */
  calls: number;
  /** Elements of arrays that were copied or gone through. */
  elements: number;
  /** Characters that were parsed, serialized, searched or copied. */
  chars: number;
}

const COPYING = ["concat", "filter", "flatMap", "map", "slice", "toReversed", "toSorted", "toSpliced", "with"] as const;
const SEARCHING = ["includes", "indexOf", "find", "findIndex", "findLast", "some", "every"] as const;
const TEXTUAL = ["slice", "trim", "toWellFormed", "isWellFormed", "split", "replaceAll", "includes", "indexOf", "endsWith"] as const;

/** Counts what a function does with lists and text. */
async function workOf(run: () => Promise<void>): Promise<Work> {
  const work: Work = { calls: 0, elements: 0, chars: 0 };
  const undo: (() => void)[] = [];
  const spy = (owner: object, name: string, count: (self: unknown, first: unknown) => void) => {
    const methods = owner as Record<string, (...values: unknown[]) => unknown>;
    const original = methods[name];
    if (original === undefined) throw new Error(`There is no ${name}.`);
    methods[name] = function spied(this: unknown, ...values: unknown[]) {
      count(this, values[0]);
      return original.apply(this, values);
    };
    undo.push(() => {
      methods[name] = original;
    });
  };
  const list = (value: unknown) => {
    work.calls += 1;
    if (Array.isArray(value)) work.elements += value.length;
  };
  const chars = (value: unknown) => {
    if (typeof value === "string") work.chars += value.length;
  };
  for (const name of [...COPYING, ...SEARCHING]) spy(Array.prototype, name, list);
  for (const name of TEXTUAL) spy(String.prototype, name, chars);
  spy(Object, "freeze", (_, value) => list(value));
  spy(globalThis, "structuredClone", (_, value) => list(value));
  spy(JSON, "stringify", (_, value) => list(value));
  spy(JSON, "parse", (_, value) => chars(value));
  try {
    await run();
  } finally {
    for (const each of undo) each();
  }
  return work;
}

/** Twice the input may be at most about twice the work; growth with the square would be four times. */
function expectLinear(half: Work, whole: Work): void {
  for (const unit of ["calls", "elements", "chars"] as const) {
    expect(whole[unit] / Math.max(1, half[unit]), `${unit}: ${half[unit]} → ${whole[unit]}`).toBeLessThan(2.5);
  }
}

type Delta = (piece: string, index: number, count: number) => AgentModelEvent;

const text: Delta = (piece) => ({ type: "text-delta", text: piece });
const reasoning: Delta = (piece) => ({ type: "reasoning-delta", text: piece });
const opening = (index: number, count: number, piece: string) =>
  index === 0 ? `{"text":"${piece}` : index === count - 1 ? `${piece}"}` : piece;
const byIndex: Delta = (piece, index, count) => ({
  type: "tool-call-delta",
  index: 0,
  inputText: opening(index, count, piece),
  ...(index === 0 ? { toolCallId: "a", toolName: "write" } : undefined),
});
const byId: Delta = (piece, index, count) => ({
  type: "tool-call-delta",
  toolCallId: "a",
  toolName: "write",
  inputText: opening(index, count, piece),
});
const freshIds: Delta = (piece, index, count) => ({
  type: "tool-call-delta",
  index: 0,
  toolCallId: `id_${index}`,
  ...(index === 0 ? { toolName: "write" } : undefined),
  inputText: opening(index, count, piece),
});
const bare: Delta = (piece, index, count) => ({
  type: "tool-call-delta",
  ...(index === 0 ? { toolName: "write" } : undefined),
  inputText: opening(index, count, piece),
});
const nameAgain: Delta = (piece, index, count) => ({ type: "tool-call-delta", toolName: "write", inputText: opening(index, count, piece) });

const idOnce: Delta = (piece, index, count) => ({ ...nameAgain(piece, index, count), ...(index === 0 ? { toolCallId: "a" } : undefined) });
const positionOnce: Delta = (piece, index, count) => ({ ...nameAgain(piece, index, count), ...(index === 0 ? { index: 0 } : undefined) });

/** Streams so many deltas to an agent with a subscriber that reads all there is to read, and tells what came out. */
async function streamed(delta: Delta, count: number, listen: (event: AgentEvent) => void): Promise<string> {
  const received: string[] = [];
  const write = tool("write", (input) => received.push((input as { text: string }).text));
  let asked = 0;
  const model: AgentModel = {
    async *stream() {
      if (++asked > 1) yield { type: "text-delta", text: "ok" };
      else for (let index = 0; index < count; index++) yield delta(PIECE, index, count);
      if (asked === 1 && delta === reasoning) yield { type: "text-delta", text: "ok" };
      yield { type: "finish", reason: "stop" };
    },
  };
  const agent = createAgent({ ...seams(), model, tools: [write] });
  agent.subscribe(listen);
  const { status, messages } = await agent.run("?");
  expect(status).toBe("completed");
  const [first] = messages[1]?.content ?? [];
  return received[0] ?? (first?.type === "text" || first?.type === "reasoning" ? first.text : "");
}

describe("20,000 deltas of 64 characters with a subscriber that reads snapshot and text each time", () => {
  // R90
  test.each<[string, Delta]>([
    ["text", text],
    ["reasoning", reasoning],
    ["arguments at a position", byIndex],
    ["arguments under an id, with the name each time", byId],
    ["arguments with a fresh id each time", freshIds],
    ["arguments with neither position nor id", bare],
    ["arguments with the name each time and neither position nor id", nameAgain],
    ["arguments with the name each time and the id once", idOnce],
    ["arguments with the name each time and the position once", positionOnce],
  ])("as %s cost twice as much as 10,000", async (_, delta) => {
    const work = async (count: number) => {
      const seen = { deltas: 0, chars: 0, snapshots: new Set<unknown>() };
      const done = await workOf(async () => {
        const whole = await streamed(delta, count, (event) => {
          if (!event.type.endsWith("-delta") || event.iteration !== 1) return;
          seen.deltas += 1;
          seen.snapshots.add(event.snapshot);
          if (event.type === "assistant-text-delta") seen.chars = event.accumulatedText.length;
        });
        expect(whole).toHaveLength(count * PIECE.length);
      });
      expect(seen.deltas).toBeGreaterThanOrEqual(count);
      expect(seen.snapshots.size).toBe(1); // nothing of the state changes while a reply is streamed
      if (delta === text) expect(seen.chars).toBe(count * PIECE.length);
      return done;
    };
    expectLinear(await work(500), await work(1_000)); // growth with the square is found out here, in a moment
    const [half, whole] = [await work(DELTAS / 2), await work(DELTAS)];
    expectLinear(half, whole);
    expect(whole.chars).toBeLessThan(DELTAS * PIECE.length * 8); // the whole text is gone through a few times, not once a delta
  });
});

/** Runs so many turns with one tool call each. */
async function turns(count: number, { hooks, listen }: { hooks?: AgentHooks; listen?: (event: AgentEvent) => void }): Promise<void> {
  let asked = 0;
  const model: AgentModel = {
    async *stream() {
      asked += 1;
      if (asked > count) yield { type: "text-delta", text: "ok" };
      else yield { type: "tool-call-delta", index: 0, toolCallId: `call_${asked}`, toolName: "t", inputText: "{}" };
      yield { type: "finish", reason: "stop" };
    },
  };
  const agent = createAgent({
    ...seams(),
    model,
    tools: [tool("t", () => 1)],
    maxIterations: count + 1,
    ...(hooks === undefined ? undefined : { hooks }),
  });
  if (listen !== undefined) agent.subscribe(listen);
  const { status, messages } = await agent.run("?");
  expect([status, messages.length]).toEqual(["completed", 2 * count + 2]);
}

const HOOKS: AgentHooks = {
  beforeModel: ({ request }) => void request.messages.length,
  afterModel: ({ assistantMessage }) => void assistantMessage.content,
  beforeTool: ({ input }) => void input,
  afterTool: ({ result }) => void result.output,
};

describe("5,000 turns with a tool call each", () => {
  // R90, R53
  test.each<[string, Parameters<typeof turns>[1]]>([
    ["nobody watching", {}],
    ["hooks", { hooks: HOOKS }],
    ["hooks for everything, events too", { hooks: { ...HOOKS, onEvent: () => undefined }, listen: ({ type }) => void type }],
  ])("and %s copy no more for a turn at the end than for one at the start", async (_, watch) => {
    const half = await workOf(() => turns(2_500, watch));
    const whole = await workOf(() => turns(5_000, watch));
    expect(whole.calls / half.calls).toBeLessThan(2.1);
    expect(whole.chars / Math.max(1, half.chars)).toBeLessThan(2.1);
  });

  // R90: nothing but the list of a request may be as long as the history
  test("take one list as long as the history a turn, and not one for each event or hook", async () => {
    const whole = await workOf(() => turns(1_000, { hooks: HOOKS, listen: ({ type }) => void type }));
    const requests = (1_000 * 1_001 * 2) / 2; // 1, 3, 5, … messages
    expect(whole.elements).toBeLessThan(requests * 2.5); // copied once, frozen once
  });

  // R90
  test("share one snapshot among the events between two changes, and none is copied for an event that is not read", async () => {
    const read = new Set<unknown>();
    const seen: AgentEvent[] = [];
    const unread = await workOf(() => turns(300, { listen: (event) => void seen.push(event) }));
    const all = await workOf(() => turns(300, { listen: ({ snapshot }) => void read.add(snapshot) }));
    expect(read.size).toBeLessThan(seen.length);
    expect(all.elements).toBeGreaterThan(unread.elements);
  });

  // R90
  test("before a run make the run's own events no dearer", async () => {
    const work = async (length: number) => {
      const history = Array.from({ length }, (_, at) => ({
        role: at % 2 === 0 ? ("user" as const) : ("assistant" as const),
        content: "x",
      }));
      let asked = 0;
      const model: AgentModel = {
        async *stream() {
          for (let index = 0; index < 500; index++) yield { type: "text-delta", text: "x" };
          asked += 1;
          yield { type: "finish", reason: "stop" };
        },
      };
      const agent = createAgent({ ...seams(), model, initialMessages: history });
      agent.subscribe(({ type, snapshot }) => void [type, snapshot.status]);
      const { calls } = await workOf(async () => void (await agent.run("?")));
      expect(asked).toBe(1);
      return calls;
    };
    expect((await work(10_000)) - (await work(10))).toBeLessThan(100);
  });
});
