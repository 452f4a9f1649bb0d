import { type AgentEvent, Agents, createTool } from "triact";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { FakeTiming, fixture, type Protocol, protocols, read, requestOf } from "./kit.js";
import { type Answer, answer, resetAfter, startServer, whole } from "./server.js";

const names = Object.keys(protocols) as Protocol[];
const text = (protocol: Protocol): Answer => whole(protocols[protocol].blocks(fixture(protocol, "text")));
const callsOf = {
  "anthropic-messages": "thinking-and-calls",
  "openai-chat": "reasoning-and-calls",
  "openai-responses": "reasoning-and-calls",
} as const;
const overloaded = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };

/** Asks a server that gives these answers. */
async function ask(protocol: Protocol, answers: readonly Answer[], options: { maxRetries?: number } = {}) {
  const server = await startServer(...answers);
  const timing = new FakeTiming();
  const reply = await read(protocols[protocol].model(server.url, { timing, ...options }));
  return { server, timing, ...reply };
}

describe.each(names)("%s", (protocol) => {
  test.each<[string, number, Record<string, string>, number]>([
    ["full jitter, a half of 500 ms", 529, {}, 250],
    ["Retry-After in seconds", 429, { "retry-after": "7" }, 7_000],
    ["Retry-After as a date", 503, { "retry-after": new Date(1_030_000).toUTCString() }, 30_000],
    ["Retry-After: 0, which says nothing", 429, { "retry-after": "0" }, 250],
    ["Retry-After with a date that has passed", 503, { "retry-after": new Date(0).toUTCString() }, 250],
    ["retry-after-ms", 429, { "retry-after-ms": "1234", "retry-after": "9" }, 1_234],
    ["a fault of the server", 500, {}, 250],
  ])("waits before it asks again: %s", async (_name, status, headers, wait) => {
    const { timing, finishReason, server, events } = await ask(protocol, [answer(status, overloaded, headers), text(protocol)]);
    expect(timing.waits).toEqual([wait]);
    expect(finishReason).toBe("stop");
    expect(server.requests).toHaveLength(2);
    expect(events.some(({ type }) => type === "reset")).toBe(false);
    expect(timing.pending).toBe(0);
  });

  test("gives up after three retries, each with more patience", async () => {
    const { timing, error, server } = await ask(protocol, [answer(503, overloaded)]);
    expect(timing.waits).toEqual([250, 500, 1_000]);
    expect(server.requests).toHaveLength(4);
    expect(error).toMatchObject({ errorClass: "overloaded", message: expect.stringContaining("(after 4 tries)") });
  });

  test("waits no longer than the run may take", async () => {
    const server = await startServer(text(protocol), answer(429, overloaded, { "retry-after": "30" }));
    const model = protocols[protocol].model(server.url);
    await read(model); // loads the SDK, which takes longer than the run may
    const agent = Agents.builder().model(model).limits({ timeoutMs: 300 }).build();
    expect(await agent.run("Hello")).toMatchObject({ status: "failed", endedBy: "time-limit" });
    expect(server.requests).toHaveLength(2);
  });

  test("does not wait longer than a minute", async () => {
    const { timing, error, server } = await ask(protocol, [answer(429, { error: { message: "Slow down." } }, { "retry-after": "61" })]);
    expect([timing.waits, server.requests.length, error?.errorClass]).toEqual([[], 1, "rate_limit"]);
  });

  test.each([
    [400, "invalid_request"],
    [401, "auth"],
    [402, "billing"],
    [404, "invalid_request"],
    [413, "invalid_request"],
  ])("does not ask again after HTTP %d", async (status, errorClass) => {
    const { error, server } = await ask(protocol, [answer(status, {}), text(protocol)]);
    expect(error?.errorClass).toBe(errorClass);
    expect(server.requests).toHaveLength(1);
  });

  test("does not ask again when the server says that it is of no use", async () => {
    const { server } = await ask(protocol, [answer(503, overloaded, { "x-should-retry": "false" }), text(protocol)]);
    expect(server.requests).toHaveLength(1);
  });

  // R38, R39
  test("a stream that is lost after half a call starts again, after a reset, and the call runs once", async () => {
    const blocks = protocols[protocol].blocks(fixture(protocol, callsOf[protocol]));
    const server = await startServer(resetAfter(blocks, blocks.length - 6), whole(blocks), text(protocol));
    const executed: unknown[] = [];
    const add = createTool({
      name: "add",
      description: "Adds.",
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      execute: (input) => {
        executed.push(input);
        return 0;
      },
    });
    const agent = Agents.builder()
      .model(protocols[protocol].model(server.url, { timing: new FakeTiming() }))
      .tools(add)
      .build();
    const events: AgentEvent[] = [];
    agent.subscribe((event) => events.push(event));
    const result = await agent.run("Add.");
    expect(result.status).toBe("completed");
    expect(executed).toEqual([
      { a: 1, b: 2 },
      { a: 3, b: 4 },
    ]);
    expect(events.filter(({ type }) => type === "assistant-reset")).toHaveLength(1);
    expect(result.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool", "assistant"]);
  });

  // R38
  test.each([0, 3])("an overload inside the stream after %d events is tried again", async (count) => {
    const blocks = protocols[protocol].blocks(fixture(protocol, "text"));
    const broken = [...blocks.slice(0, count), `event: error\ndata: ${JSON.stringify(overloaded)}\n\n`];
    const reply = await ask(protocol, [whole(broken), whole(blocks)]);
    expect(reply.content).toMatchObject([{ type: "text", text: "Grüße, Welt 🌍!" }]);
    expect(reply.timing.waits).toEqual([250]);
  });

  // R50
  test("an abort in the wait ends at once, leaves no timer, and nothing is asked again", async () => {
    const server = await startServer(answer(429, overloaded, { "retry-after": "59" }), text(protocol));
    const timing = new FakeTiming();
    timing.runs = false;
    const controller = new AbortController();
    const reading = read(protocols[protocol].model(server.url, { timing }), requestOf({ signal: controller.signal }));
    while (timing.waits.length === 0) await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    const reply = await reading;
    expect(reply.finishReason).toBe("aborted");
    expect([timing.waits, timing.pending, server.requests.length]).toEqual([[59_000], 0, 1]);
  });

  test("leaving the stream early closes its connection and leaves no timer", async () => {
    const blocks = protocols[protocol].blocks(fixture(protocol, "text"));
    const closed = Promise.withResolvers<void>();
    const server = await startServer((response) => {
      response.on("close", () => closed.resolve());
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(blocks.slice(0, -2).join(""));
    });
    const timing = new FakeTiming();
    for await (const event of protocols[protocol].model(server.url, { timing }).stream(requestOf())) if (event.type === "text-delta") break;
    await closed.promise;
    expect(timing.pending).toBe(0);
  });

  test("an aborted run closes the connection and keeps no listener on its signal", async () => {
    const closed = Promise.withResolvers<void>();
    const server = await startServer((response) => {
      response.on("close", () => closed.resolve());
    });
    const timing = new FakeTiming();
    const agent = Agents.builder().model(protocols[protocol].model(server.url, { timing })).build();
    const running = agent.run("Hello");
    while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    agent.abort();
    expect((await running).status).toBe("aborted");
    await closed.promise;
    expect(timing.pending).toBe(0);
  });
});
