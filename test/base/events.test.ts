import type { AgentEvent } from "triact";
import { callTool, say } from "triact/testing";
import { describe, expect, test } from "vitest";
import { build, deferred, settle, tool, typesOf } from "./kit.js";

describe("events, in order,", () => {
  // R38
  test("when an adapter throws a partial reply away and starts again", async () => {
    const { agent, events } = build([
      {
        events: [
          { type: "text-delta", text: "lost " },
          { type: "tool-call-delta", index: 0, toolCallId: "x", toolName: "add", inputText: '{"a":' },
          { type: "reset", reason: "overloaded" },
          { type: "text-delta", text: "kept" },
          { type: "usage", inputTokens: 5, outputTokens: 1 },
        ],
      },
    ]);
    const result = await agent.run("?");
    expect(typesOf(events)).toEqual([
      "run-started",
      "message-added",
      "turn-started",
      "assistant-text-delta",
      "assistant-tool-call-delta",
      "assistant-reset",
      "assistant-text-delta",
      "usage-updated",
      "message-added",
      "assistant-message",
      "turn-finished",
      "run-finished",
    ]);
    expect(events.find(({ type }) => type === "assistant-reset")).toMatchObject({ iteration: 1, reason: "overloaded" });
    const texts = events.flatMap((event) => (event.type === "assistant-text-delta" ? [event.accumulatedText] : []));
    expect(texts).toEqual(["lost ", "kept"]);
    expect(result.messages[1]).toMatchObject({ content: [{ type: "text", text: "kept" }], metrics: { inputTokens: 5, outputTokens: 1 } });
  });

  // R38
  test("tell of usage also when only the lost attempt reported any", async () => {
    const { agent, events } = build([
      { events: [{ type: "usage", inputTokens: 5 }, { type: "reset" }, { type: "text-delta", text: "kept" }] },
    ]);
    const { usage } = await agent.run("?");
    expect(usage.inputTokens).toBe(5);
    expect(events.flatMap((event) => (event.type === "usage-updated" ? [event.usage] : [])).at(-1)).toEqual(usage);
  });

  // R39
  test("when the stream breaks, and the partial reply is not stored", async () => {
    const cause = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
    const broken = new TypeError("terminated", { cause });
    const { agent, events } = build([{ events: [{ type: "text-delta", text: "half" }], throws: broken }, say("again")]);
    const result = await agent.run("?");
    expect(typesOf(events)).toEqual(["run-started", "message-added", "turn-started", "assistant-text-delta", "run-failed"]);
    expect(result).toMatchObject({ status: "failed", endedBy: "error", errorClass: "unknown", outputText: "" });
    expect(result.error).toMatchObject({ name: "ModelError", message: "terminated", cause: broken });
    expect(result.messages).toHaveLength(1);
    expect((await agent.run("again")).outputText).toBe("again");
  });

  test("of a model error carry its class", async () => {
    const { agent, events } = build([{ finishReason: "error", error: "bad key", errorClass: "auth" }]);
    await agent.run("?");
    expect(events.at(-1)).toMatchObject({
      type: "run-failed",
      errorClass: "auth",
      error: { message: "bad key" },
      result: { status: "failed" },
    });
    expect(agent.snapshot()).toMatchObject({ lastError: "bad key", lastErrorClass: "auth" });
  });

  test("of an approval come between start and end of the tool", async () => {
    const { agent, events } = build([callTool("add", { a: 1, b: 1 }), say("ok")], {
      toolPolicies: { add: { autoApprove: false } },
      requestToolApproval: () => ({ approved: true }),
    });
    await agent.run("?");
    expect(typesOf(events).filter((type) => /tool-|approval-requested/.test(type))).toEqual([
      "assistant-tool-call-delta",
      "tool-started",
      "approval-requested",
      "tool-finished",
    ]);
    expect(events.find(({ type }) => type === "approval-requested")).toMatchObject({
      pending: [{ toolCallId: "call_1", toolName: "add", input: { a: 1, b: 1 } }],
    });
  });

  test("reach the onEvent hooks in the order in which they happened, progress reports included", async () => {
    const seen: string[] = [];
    const slow = deferred();
    const { agent } = build([callTool("t"), say("ok")], {
      tools: [
        tool("t", (_, { emitUpdate }) => {
          emitUpdate(1);
          emitUpdate(2);
          void settle().then(() => slow.resolve());
        }),
      ],
      hooks: { onEvent: ({ type }) => (type === "tool-updated" ? slow.promise : undefined) },
      plugins: [
        {
          name: "audit",
          hooks: { onEvent: (event) => void seen.push(event.type === "tool-updated" ? `tool-updated ${event.update}` : event.type) },
        },
      ],
    });
    await agent.run("?");
    expect(seen.filter((line) => line.startsWith("tool-"))).toEqual(["tool-started", "tool-updated 1", "tool-updated 2", "tool-finished"]);
  });

  test("reach the onEvent hook after the subscribers, and the run waits for it", async () => {
    const log: string[] = [];
    const { agent } = build([say("ok")], {
      hooks: {
        onEvent: async ({ type }) => {
          await settle();
          log.push(`hook ${type}`);
        },
      },
    });
    agent.subscribe(({ type }) => log.push(`subscriber ${type}`));
    await agent.run("?");
    const types = [
      "run-started",
      "message-added",
      "turn-started",
      "assistant-text-delta",
      "message-added",
      "assistant-message",
      "turn-finished",
      "run-finished",
    ];
    expect(log).toEqual(types.flatMap((type) => [`subscriber ${type}`, `hook ${type}`]));
  });
});

describe("an event", () => {
  test("carries run, turn and a snapshot that is plain JSON, and cannot be changed", async () => {
    const { agent, events } = build([callTool("add", { a: 1, b: 1 }), say("2", { usage: { inputTokens: 1 } })]);
    agent.subscribe(() => undefined); // deltas of one subscriber are its own
    await agent.run("?");
    expect(new Set(events.map(({ runId }) => runId))).toEqual(new Set(["run_1"]));
    for (const event of events) {
      expect(JSON.parse(JSON.stringify(event.snapshot))).toEqual(event.snapshot);
      expect(Object.isFrozen(event)).toBe(true);
      expect(() => Object.assign(event.snapshot.usage, { inputTokens: 9 })).toThrow(TypeError);
    }
  });

  test("comes once to each subscriber until it unsubscribes", async () => {
    const { agent } = build([say("one"), say("two")]);
    const seen: string[] = [];
    const stop = agent.subscribe(() => void seen.push("first"));
    agent.subscribe(() => void seen.push("second"));
    await agent.run("?");
    stop();
    stop();
    await agent.run("?");
    const count = (who: string) => seen.filter((each) => each === who).length;
    expect([count("first"), count("second")]).toEqual([8, 16]);
  });

  test("is not delivered any more to a subscriber that another one took away while it was delivered", async () => {
    const { agent } = build([say("ok")]);
    const seen: string[] = [];
    const stops: (() => void)[] = [];
    agent.subscribe(() => {
      for (const stop of stops) stop();
    });
    stops.push(agent.subscribe(({ type }: AgentEvent) => void seen.push(type)));
    await agent.run("?");
    expect(seen).toEqual([]);
  });
});

describe("a subscriber that names types", () => {
  test("gets those alone, in order, beside one that gets all", async () => {
    const { agent, events } = build([callTool("add", { a: 1, b: 2 }), say("3")]);
    const some: AgentEvent[] = [];
    agent.subscribe((event) => some.push(event), { types: ["tool-finished", "run-finished"] });
    await agent.run("?");
    expect(typesOf(some)).toEqual(["tool-finished", "run-finished"]);
    expect(some).toEqual(events.filter(({ type }) => type === "tool-finished" || type === "run-finished"));
  });

  test("is taken away like any other, and the same function may be there twice", async () => {
    const { agent } = build([say("1"), say("2")]);
    const heard: string[] = [];
    const listener = ({ type }: AgentEvent) => void heard.push(type);
    agent.subscribe(listener, { types: ["run-started"] });
    const end = agent.subscribe(listener, { types: ["run-started", "run-finished"] });
    await agent.run("?");
    end();
    await agent.run("?");
    expect(heard).toEqual(["run-started", "run-started", "run-finished", "run-started"]);
  });

  test("needs a list", () => {
    const { agent } = build([]);
    expect(() => agent.subscribe(() => undefined, { types: "run-started" as never })).toThrow(
      "subscribe: expected a list of types of events.",
    );
  });
});
