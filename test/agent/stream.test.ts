import { AgentBusyError, type AgentEvent, createAgent } from "triact";
import { callTool, ScriptedModel, say } from "triact/testing";
import { describe, expect, test } from "vitest";
import { build, deferred, settle, tool, typesOf } from "../base/kit.js";

async function read(stream: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

describe("a stream", () => {
  test("gives the same events as a subscriber gets, and the result", async () => {
    const { agent, events } = build([callTool("add", { a: 1, b: 1 }), say("2")], { seed: 3 });
    const stream = agent.stream("?");
    const lastOf = (list: readonly AgentEvent[]) => list.filter(({ type }) => !type.endsWith("-delta"));
    const streamed = await read(stream);
    expect(typesOf(lastOf(streamed))).toEqual(typesOf(lastOf(events)));
    expect((await stream.result).outputText).toBe("2");
  });

  test("can be left unread: the result alone works", async () => {
    const { agent } = build([say("ok")]);
    expect(await agent.stream("?").result).toMatchObject({ status: "completed", outputText: "ok" });
  });

  test("never waits for a slow reader; what it missed of a text is merged, and nothing is lost", async () => {
    const whole = "The quick brown fox jumps over the lazy dog. ".repeat(5);
    const { agent } = build([say(whole, { reasoning: "a long thought about foxes" })], { seed: 1 });
    const stream = agent.stream("?");
    const result = await stream.result; // not one event was read
    const streamed = await read(stream);
    expect(result.status).toBe("completed");
    expect(typesOf(streamed)).toEqual([
      "run-started",
      "message-added",
      "turn-started",
      "assistant-reasoning-delta",
      "assistant-text-delta",
      "message-added",
      "assistant-message",
      "turn-finished",
      "run-finished",
    ]);
    expect(streamed.flatMap((event) => (event.type === "assistant-text-delta" ? [[event.text, event.accumulatedText]] : []))).toEqual([
      [whole, whole],
    ]);
    expect(streamed.flatMap((event) => (event.type === "assistant-reasoning-delta" ? [event.text] : []))).toEqual([
      "a long thought about foxes",
    ]);
    expect(streamed[4]?.snapshot).toMatchObject({ status: "running", iteration: 1 });
  });

  test("keeps the deltas of parallel calls apart when it merges them", async () => {
    const { agent } = build(
      [
        {
          toolCalls: [
            { toolName: "add", input: { a: 1, b: 22 } },
            { toolName: "add", input: { a: 333, b: 4 } },
          ],
        },
        say("ok"),
      ],
      { seed: 5 },
    );
    const stream = agent.stream("?");
    await stream.result;
    const texts = ["", ""];
    for (const event of await read(stream)) if (event.type === "assistant-tool-call-delta") texts[event.callIndex] += event.inputText;
    expect(texts).toEqual(['{"a":1,"b":22}', '{"a":333,"b":4}']);
  });

  test("does not merge text across a reset", async () => {
    const { agent } = build([{ events: [{ type: "text-delta", text: "lost" }, { type: "reset" }, { type: "text-delta", text: "kept" }] }]);
    const stream = agent.stream("?");
    await stream.result;
    const events = await read(stream);
    expect(events.flatMap((event) => (event.type === "assistant-text-delta" ? [[event.text, event.accumulatedText]] : []))).toEqual([
      ["lost", "lost"],
      ["kept", "kept"],
    ]);
  });

  test("that is left early aborts its run", async () => {
    const { agent } = build([{ hangs: true }]);
    const stream = agent.stream("?");
    for await (const event of stream) if (event.type === "turn-started") break;
    expect(await stream.result).toMatchObject({ status: "aborted", endedBy: "abort" });
    expect(agent.snapshot().lastError).toBe("The run was aborted: The reader of the stream left.");
  });

  // R50: a later run on the same agent starts clean
  test("that was left early leaves an agent that can run at once", async () => {
    const { agent } = build([say("par", { hangs: true }), say("ok")]);
    for await (const event of agent.stream("?")) if (event.type === "assistant-text-delta") break;
    expect(await agent.run("again")).toMatchObject({ status: "completed", outputText: "ok" });
  });

  test("whose reader throws aborts the run and lets the reader's error through", async () => {
    const { agent } = build([{ hangs: true }]);
    const stream = agent.stream("?");
    const reading = (async () => {
      for await (const event of stream) if (event.type === "turn-started") throw new Error("reader");
    })();
    await expect(reading).rejects.toThrow("reader");
    expect((await stream.result).status).toBe("aborted");
  });

  test("can be read once", async () => {
    const { agent } = build([say("ok")]);
    const stream = agent.stream("?");
    await read(stream);
    await expect(read(stream)).rejects.toThrow("The events of a run can be read once. Subscribe for a second reader.");
  });

  // R54
  test("of a busy agent rejects, in the reading and in the result, and does not touch the run under way", async () => {
    const { agent } = build([{ hangs: true }]);
    const running = agent.run("first");
    await settle();
    const stream = agent.stream("second");
    await expect(read(stream)).rejects.toBeInstanceOf(AgentBusyError);
    await expect(stream.result).rejects.toBeInstanceOf(AgentBusyError);
    expect(agent.snapshot().status).toBe("running");
    agent.abort();
    await running;
  });

  // R54
  test("tells of its own run only, not of one that restore() has just ended", async () => {
    const { agent } = build([{ hangs: true }, say("new")]);
    const old = agent.run("old");
    await settle();
    agent.restore([]);
    const stream = agent.stream("new");
    const streamed = await read(stream);
    const { runId } = await stream.result;
    await old;
    expect(new Set(streamed.map((event) => event.runId))).toEqual(new Set([runId]));
    expect(typesOf(streamed)[0]).toBe("run-started");
  });

  // R54
  test("that is left when its run is over aborts no later run", async () => {
    const logging = deferred();
    const { agent } = build([{ hangs: true }, callTool("wait"), say("new")], {
      tools: [tool("wait", () => settle())],
      hooks: { onEvent: ({ type, runId }) => (type === "run-finished" && runId === "run_1" ? logging.promise : undefined) },
    });
    const stream = agent.stream("old");
    const reading = (async () => {
      for await (const event of stream) if (event.type === "run-finished") break;
    })();
    await settle();
    agent.restore([]);
    const later = agent.run("new");
    await reading;
    logging.resolve();
    expect(await later).toMatchObject({ status: "completed", outputText: "new" });
  });

  test("can be aborted by the caller's signal", async () => {
    const controller = new AbortController();
    const { agent } = build([{ hangs: true }]);
    const stream = agent.stream("?", { signal: controller.signal });
    controller.abort("enough");
    expect((await stream.result).status).toBe("aborted");
  });

  test("of a run that cannot start causes no unhandled rejection when nobody looks", async () => {
    const agent = createAgent({ model: new ScriptedModel([]) });
    agent.stream("");
    await settle();
    expect(agent.snapshot().status).toBe("idle");
  });
});
