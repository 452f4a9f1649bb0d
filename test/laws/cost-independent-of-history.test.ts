import fc, { type Arbitrary } from "fast-check";
import { AgentContext, type AgentEvent, type AgentMessage, type AgentModelEvent, createTool, ReActRuntime, toMessages } from "triact";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { resolveOptions } from "../../src/agent/agent-config.js";
import { cases } from "../support/cases.ts";
import { ElementCounter } from "../support/element-counter.ts";

const source = { generateId: (prefix: string) => `${prefix}_${Math.random()}`, now: () => 0 };

/** A history of so many messages, with tool calls among them. */
function history(length: number): AgentMessage[] {
  return Array.from({ length: Math.ceil(length / 4) }, (_, at) =>
    toMessages(source, [
      { role: "user", content: "Go." },
      { role: "assistant", content: [{ type: "tool-call", toolCallId: `old_${at}`, toolName: "act", input: {} }] },
      { role: "tool", content: [{ type: "tool-result", toolCallId: `old_${at}`, toolName: "act", output: 1 }] },
      { role: "assistant", content: "Done." },
    ]),
  ).flat();
}

const act = createTool({
  name: "act",
  description: "",
  inputSchema: z.object({ updates: z.number() }),
  execute: ({ updates }, { emitUpdate }) => {
    for (let count = 0; count < updates; count++) emitUpdate(count);
    return 1;
  },
});

/** What one reply streams, besides the least. */
interface More {
  readonly deltas: readonly AgentModelEvent[];
  readonly calls: number;
  readonly updates: number;
}

/** How the run is watched. */
interface Watch {
  readonly subscriber: boolean;
  readonly onEvent: boolean;
  readonly toolHooks: boolean;
  readonly toolExecution: "sequential" | "parallel";
}

const delta: Arbitrary<AgentModelEvent> = fc.constantFrom<AgentModelEvent>(
  { type: "text-delta", text: "x" },
  { type: "reasoning-delta", text: "x" },
  { type: "usage", inputTokens: 5 },
  { type: "media", data: "AAAA", mediaType: "image/png" },
  { type: "reset" },
);
const more: Arbitrary<More> = fc.record({ deltas: fc.array(delta, { maxLength: 30 }), calls: fc.nat(5), updates: fc.nat(5) });
const watch: Arbitrary<Watch> = fc.record({
  subscriber: fc.boolean(),
  onEvent: fc.boolean(),
  toolHooks: fc.boolean(),
  toolExecution: fc.constantFrom("sequential" as const, "parallel" as const),
});

/** How often a run of two turns touches the messages of a history of the given length. */
async function touches(length: number, { deltas, calls, updates }: More, watched: Watch, onEvent: (event: AgentEvent) => void) {
  const call = (index: number): AgentModelEvent => ({
    type: "tool-call-delta",
    index,
    toolCallId: `new_${index}`,
    toolName: "act",
    inputText: JSON.stringify({ updates }),
  });
  const replies: AgentModelEvent[][] = [
    [...deltas, ...Array.from({ length: calls + 1 }, (_, index) => call(index)), { type: "finish", reason: "stop" }],
    [
      { type: "text-delta", text: "The end." },
      { type: "finish", reason: "stop" },
    ],
  ];
  const model = {
    async *stream() {
      yield* replies.shift() ?? [];
    },
  };
  const hooks = {
    ...(watched.onEvent ? { onEvent } : undefined),
    ...(watched.toolHooks ? { beforeTool: () => ({ appendContext: "before" }), afterTool: () => undefined } : undefined),
  };
  const counter = new ElementCounter();
  const { settings } = resolveOptions({ model, tools: [act], hooks, toolExecution: watched.toolExecution });
  const context = new AgentContext(settings, { runtime: { name: "react" }, messages: counter.history(history(length)) });
  if (watched.subscriber) context.events.subscribe(onEvent);
  const input = toMessages(source, "Go.");
  let status = "";
  const count = await counter.during(async () => {
    ({ status } = await new ReActRuntime().run(context, { input }));
  });
  expect(status).toBe("completed");
  return count;
}

/** What the additional events cost with a history of this length. */
async function costOf(extra: More, length: number, watched: Watch) {
  const least = await touches(length, { deltas: [], calls: 0, updates: 0 }, watched, () => undefined);
  const whole = await touches(length, extra, watched, () => undefined);
  expect(least).toBeGreaterThanOrEqual(length); // each request is a list of its own, and the counter sees it
  return whole - least;
}

const SUBSCRIBED: Watch = { subscriber: true, onEvent: false, toolHooks: false, toolExecution: "sequential" };

describe("law 5: cost per delta and per event does not depend on the length of the history", () => {
  test("more deltas, calls and updates touch a history of 1,000 messages no more often than one of 8", async () => {
    await fc.assert(
      fc.asyncProperty(more, watch, async (extra, watched) => {
        expect(await costOf(extra, 1_000, watched)).toBe(await costOf(extra, 8, watched));
      }),
      cases(0.4),
    );
  });

  test("reading the snapshot on each of 200 deltas costs as much as reading it on one", async () => {
    const cost = (count: number) => {
      const deltas = Array.from({ length: count }, (): AgentModelEvent => ({ type: "text-delta", text: "x" }));
      return touches(1_000, { deltas, calls: 0, updates: 0 }, SUBSCRIBED, (event) => {
        if (event.type === "assistant-text-delta" && event.iteration === 1) void event.snapshot;
      });
    };
    const once = await cost(1);
    expect(once).toBeGreaterThanOrEqual(await cost(0));
    expect(await cost(200)).toBe(once);
  });

  test("events of one state share one snapshot, with or without its being read in between", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 2, maxLength: 40 }), async (reads) => {
        const events: AgentEvent[] = [];
        const deltas = reads.map((): AgentModelEvent => ({ type: "text-delta", text: "x" }));
        await touches(8, { deltas, calls: 0, updates: 0 }, SUBSCRIBED, (event) => {
          if (event.type !== "assistant-text-delta" || event.iteration !== 1) return;
          if (reads[events.length] === true) void event.snapshot;
          events.push(event);
        });
        expect(events.length).toBe(reads.length);
        expect(new Set(events.map(({ snapshot }) => snapshot)).size).toBe(1);
      }),
      cases(0.5),
    );
  });
});
