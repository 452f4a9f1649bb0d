import {
  type AgentModel,
  anthropic,
  createAgent,
  createTool,
  gemini,
  type JsonObject,
  mistral,
  openrouter,
  type ToolDefinition,
} from "triact";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { FakeTiming, protocols, read, requestOf } from "./kit.js";
import { sse, startServer, whole } from "./server.js";

const options = (baseUrl: string) => ({ apiKey: "some-key", baseUrl, maxRetries: 0, timing: new FakeTiming() });
const chunk = (delta: object, finish: string | null = null) => ({ choices: [{ index: 0, delta, finish_reason: finish }] });
const call = (fields: object, more: object = {}) => ({ tool_calls: [{ ...more, function: fields }] });
const end = (reason: string) => chunk({}, reason);

/** Reads chunks of Chat Completions. */
async function readChat(
  chunks: readonly object[],
  make: (url: string) => AgentModel = (url) => protocols["openai-chat"].model(url, { maxRetries: 0 }),
) {
  const server = await startServer(whole(sse(chunks, "data-only")));
  return { ...(await read(make(server.url))), server };
}

/** An agent with one tool, against these streams of Chat Completions. */
async function runChat(make: (url: string) => AgentModel, ...streams: readonly (readonly object[])[]) {
  const server = await startServer(...streams.map((chunks) => whole(sse(chunks, "data-only"))));
  const executed: unknown[] = [];
  const act = createTool({
    name: "act",
    description: "Acts.",
    inputSchema: z.looseObject({}),
    execute: (input) => {
      executed.push(input);
      return "done";
    },
  });
  const result = await createAgent({ model: make(server.url), tools: [act] }).run("Go.");
  return { result, executed, bodies: server.requests.map(({ body }) => body) };
}

const answered = [chunk({ content: "ok" }), end("stop")];
const generic = (url: string) => protocols["openai-chat"].model(url, { maxRetries: 0 });

describe("calls", () => {
  // R03, R07, R08
  test.each<[string, object[], unknown[]]>([
    [
      "no index, two ids",
      [chunk(call({ name: "act", arguments: '{"n":1}' }, { id: "a" })), chunk(call({ name: "act", arguments: '{"n":2}' }, { id: "b" }))],
      [{ n: 1 }, { n: 2 }],
    ],
    [
      "no index, arguments before the name",
      [chunk(call({ arguments: '{"n"' }, { id: "a" })), chunk(call({ name: "act", arguments: ":1}" }, { id: "a" }))],
      [{ n: 1 }],
    ],
    ["a number as id", [chunk(call({ name: "act", arguments: "{}" }, { id: 123, index: 0 }))], [{}]],
    [
      "no id at all",
      [chunk(call({ name: "act", arguments: '{"n":1}' }, { index: 0 })), chunk(call({ name: "act", arguments: '{"n":2}' }, { index: 1 }))],
      [{ n: 1 }, { n: 2 }],
    ],
    [
      "an id that comes late",
      [chunk(call({ name: "act" }, { id: null, index: 0 })), chunk(call({ arguments: "{}" }, { id: "real", index: 0 }))],
      [{}],
    ],
    ["empty arguments", [chunk(call({ name: "act", arguments: "" }, { id: "a", index: 0 }))], [{}]],
    ["null for arguments", [chunk(call({ name: "act", arguments: null }, { id: "a", index: 0 }))], [{}]],
    ["arguments as an object", [chunk(call({ name: "act", arguments: { n: 1 } }, { id: "a", index: 0 }))], [{ n: 1 }]],
    [
      "the last fragment with the finish reason",
      [
        chunk(call({ name: "act", arguments: '{"n"' }, { id: "a", index: 0 })),
        chunk(call({ arguments: ":1}" }, { index: 0 }), "tool_calls"),
      ],
      [{ n: 1 }],
    ],
    [
      "a message instead of a delta",
      [{ choices: [{ message: call({ name: "act", arguments: '{"n":1}' }, { id: "a" }), finish_reason: "tool_calls" }] }],
      [{ n: 1 }],
    ],
  ])("%s", async (_name, chunks, expected) => {
    const { executed, bodies, result } = await runChat(generic, [...chunks, end("tool_calls")], answered);
    expect(executed).toEqual(expected);
    expect(result.status).toBe("completed");
    const ids = bodies[1].messages
      .filter(({ role }: { role: string }) => role === "tool")
      .map(({ tool_call_id }: JsonObject) => tool_call_id);
    expect(ids).toEqual(
      bodies[1].messages.flatMap(({ tool_calls = [] }: { tool_calls?: { id: string }[] }) => tool_calls.map(({ id }) => id)),
    );
    expect(new Set(ids).size).toBe(expected.length);
  });

  // R18
  test("an id that is used again in the next turn gets one of its own", async () => {
    const again = (n: number) => [chunk(call({ name: "act", arguments: `{"n":${n}}` }, { id: "act:0", index: 0 })), end("tool_calls")];
    const { executed, bodies } = await runChat(generic, again(1), again(2), answered);
    expect(executed).toEqual([{ n: 1 }, { n: 2 }]);
    const ids = bodies[2].messages.flatMap(({ tool_calls = [] }: { tool_calls?: { id: string }[] }) => tool_calls.map(({ id }) => id));
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]+$/);
  });
});

// R31
describe("reasons", () => {
  test.each([
    ["stop", "stop", undefined],
    ["length", "max-tokens", undefined],
    ["content_filter", "content-filter", undefined],
    ["model_length", "max-tokens", undefined],
    ["banana", "unknown", "banana"],
  ])("%s is %s", async (said, reason, error) => {
    const { finishReason, finishError } = await readChat([chunk({ content: "x" }), end(said)]);
    expect([finishReason, finishError]).toEqual([reason, error]);
  });

  test("a refusal keeps its text", async () => {
    const { finishReason, finishError, content } = await readChat([chunk({ refusal: "I can" }), chunk({ refusal: "not." }), end("stop")]);
    expect([finishReason, finishError, content]).toEqual(["refusal", "I cannot.", [{ type: "text", text: "I cannot." }]]);
  });

  test("DeepSeek out of resources is an overload", async () => {
    const { error } = await readChat([chunk({ content: "x" }), end("insufficient_system_resource")]);
    expect(error?.errorClass).toBe("overloaded");
  });

  test("an error inside a chunk is that error", async () => {
    const { error } = await readChat([chunk({ content: "x" }), { error: { code: 429, message: "Upstream is rate-limited" }, choices: [] }]);
    expect(error?.errorClass).toBe("rate_limit");
  });

  test.each(["refusal", "banana"])("Anthropic: %s", async (said) => {
    const events = [
      { type: "message_start", message: { usage: { input_tokens: 1, output_tokens: 1 } } },
      { type: "message_delta", delta: { stop_reason: said }, usage: { output_tokens: 2 } },
      { type: "message_stop" },
    ];
    const server = await startServer(whole(sse(events, "named")));
    const { finishReason, finishError } = await read(protocols["anthropic-messages"].model(server.url));
    expect([finishReason, finishError]).toEqual(said === "refusal" ? ["refusal", "refusal"] : ["unknown", "banana"]);
  });

  test.each([
    ["max_output_tokens", "max-tokens"],
    ["content_filter", "content-filter"],
    ["banana", "unknown"],
  ])("Responses: incomplete because of %s is %s", async (said, reason) => {
    const events = [{ type: "response.incomplete", response: { incomplete_details: { reason: said }, output: [] } }];
    const server = await startServer(whole(sse(events, "named")));
    expect((await read(protocols["openai-responses"].model(server.url))).finishReason).toBe(reason);
  });
});

test("Mistral's reasoning in parts of the content is read as reasoning", async () => {
  const { content } = await readChat(
    [
      chunk({ content: [{ type: "thinking", thinking: [{ type: "text", text: "Hm" }] }] }),
      chunk({ content: [{ type: "thinking", thinking: [{ type: "text", text: "m." }] }] }),
      chunk({ content: [{ type: "text", text: "42" }] }),
      end("stop"),
    ],
    (url) => mistral("magistral", options(url)),
  );
  expect(content).toMatchObject([
    { type: "reasoning", text: "Hmm." },
    { type: "text", text: "42" },
  ]);
});

test("OpenRouter's reasoning details go back whole, and its cost is the cost", async () => {
  const details = (text: string, more: object = {}) =>
    chunk({ reasoning: text, reasoning_details: [{ type: "reasoning.text", index: 0, text, ...more }] });
  const usage = { choices: [], usage: { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8, cost: 0.25 } };
  const first = [
    details("I "),
    details("act.", { signature: "sig" }),
    chunk(call({ name: "act", arguments: "{}" }, { id: "a", index: 0 })),
    end("tool_calls"),
    usage,
  ];
  const { bodies, result } = await runChat((url) => openrouter("anthropic/claude", options(url)), first, answered);
  expect(bodies[1].messages[2].reasoning_details).toEqual([{ type: "reasoning.text", index: 0, text: "I act.", signature: "sig" }]);
  expect(result.usage.totalCost).toBe(0.25);
});

test("Gemini's thought signatures go back with their call", async () => {
  const extra_content = { google: { thought_signature: "c2ln" } };
  const first = [
    chunk({ tool_calls: [{ index: 0, id: "a", type: "function", function: { name: "act", arguments: "{}" }, extra_content }] }),
    end("tool_calls"),
  ];
  const { bodies } = await runChat((url) => gemini("gemini-3-pro", options(url)), first, answered);
  expect(bodies[1].messages[2]).not.toHaveProperty("content");
  expect(bodies[1].messages[2].tool_calls[0].extra_content).toEqual(extra_content);
});

test("Moonshot's usage, in the choice and with its own name for cached tokens, is the usage", async () => {
  const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12, cached_tokens: 6 };
  const { usage: counted } = await readChat([{ choices: [{ index: 0, delta: { content: "a" }, finish_reason: "stop", usage }] }]);
  expect(counted).toEqual({ inputTokens: 10, outputTokens: 2, cacheReadTokens: 6 });
});

test("elements that are null are nothing", async () => {
  const { content, finishReason } = await readChat([
    { choices: null },
    { choices: [{ delta: { tool_calls: [null], content: "a" } }] },
    { choices: [{ delta: null, finish_reason: "stop" }] },
  ]);
  expect([content, finishReason]).toEqual([[{ type: "text", text: "a" }], "stop"]);
});

test("an error that is a whole chunk is that error", async () => {
  const { error } = await readChat([{ object: "error", message: "This model's maximum context length is 4096 tokens.", code: 400 }]);
  expect(error?.errorClass).toBe("context_window_exceeded");
});

test("reasoning that a server leaves out of its count is counted", async () => {
  const usage = {
    choices: [],
    usage: { prompt_tokens: 291, completion_tokens: 26, total_tokens: 513, completion_tokens_details: { reasoning_tokens: 196 } },
  };
  const reply = await readChat([...answered, usage]);
  expect(reply.usage).toEqual({ inputTokens: 291, outputTokens: 222, reasoningTokens: 196 });
});

// R42
test("Anthropic's counts replace each other, and cached tokens are a part of the prompt", async () => {
  const start = {
    type: "message_start",
    message: { usage: { input_tokens: 100, output_tokens: 1, cache_read_input_tokens: 900, cache_creation_input_tokens: 50 } },
  };
  const deltas = [10, 15].map((output_tokens) => ({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens } }));
  const server = await startServer(whole(sse([start, ...deltas, { type: "message_stop" }], "named")));
  const { usage } = await read(protocols["anthropic-messages"].model(server.url));
  expect(usage).toEqual({ inputTokens: 1_050, outputTokens: 15, cacheReadTokens: 900, cacheWriteTokens: 50 });
});

test("Anthropic declares tools that are gone when the history has calls", async () => {
  const events = [
    { type: "message_start", message: {} },
    { type: "message_delta", delta: { stop_reason: "end_turn" } },
  ];
  const server = await startServer(whole(sse(events, "named")));
  const tools: ToolDefinition[] = [];
  const messages = [
    { id: "1", role: "user", createdAt: 0, content: [{ type: "text", text: "Go." }] },
    { id: "2", role: "assistant", createdAt: 0, content: [{ type: "tool-call", toolCallId: "c", toolName: "act", input: {} }] },
    { id: "3", role: "tool", createdAt: 0, content: [{ type: "tool-result", toolCallId: "c", toolName: "act", output: "done" }] },
  ] as const;
  await read(anthropic("claude-sonnet-4-6", options(server.url)), requestOf({ messages, tools }));
  expect(server.requests[0]?.body).toMatchObject({ tools: [{ name: "act" }], tool_choice: { type: "none" } });
});

test("what a protocol cannot take of a tool's result is noted, so that the conversation can go on", async () => {
  const streams = {
    "anthropic-messages": [{ type: "message_delta", delta: { stop_reason: "end_turn" } }],
    "openai-responses": [{ type: "response.completed", response: {} }],
    "openai-chat": answered,
  };
  const video = { type: "media", data: "AAAA", mediaType: "video/mp4" } as const;
  const messages = [
    { id: "1", role: "user", createdAt: 0, content: [{ type: "text", text: "Go." }] },
    { id: "2", role: "assistant", createdAt: 0, content: [{ type: "tool-call", toolCallId: "c", toolName: "act", input: {} }] },
    {
      id: "3",
      role: "tool",
      createdAt: 0,
      content: [{ type: "tool-result", toolCallId: "c", toolName: "act", output: "done", content: [video] }],
    },
  ] as const;
  for (const [name, { model, blocks }] of Object.entries(protocols)) {
    const server = await startServer(whole(blocks(streams[name as keyof typeof streams])));
    expect((await read(model(server.url), requestOf({ messages }))).finishReason).toBe("stop");
    expect(JSON.stringify(server.requests[0]?.body)).toMatch(
      /done.*An attachment could not be shown: .* takes no video of type video\/mp4/,
    );
  }
});

test("what a protocol cannot take is refused before anything is sent", async () => {
  const server = await startServer();
  const messages = [{ id: "1", role: "user", createdAt: 0, content: [{ type: "media", data: "AAAA", mediaType: "video/mp4" }] }] as const;
  for (const { model } of Object.values(protocols)) {
    const { error } = await read(model(server.url), requestOf({ messages }));
    expect(error).toMatchObject({ errorClass: "invalid_request", message: expect.stringMatching(/takes no video of type video\/mp4/) });
  }
  expect(server.requests).toEqual([]);
});

describe.each(Object.keys(protocols) as (keyof typeof protocols)[])("a text file, %s", (protocol) => {
  const readFile = async (data: string) => {
    const server = await startServer(whole(sse([], "data-only")));
    const messages = [{ id: "1", role: "user", createdAt: 0, content: [{ type: "file", data, mediaType: "text/plain" }] }] as const;
    const { error } = await read(protocols[protocol].model(server.url, { maxRetries: 0 }), requestOf({ messages }));
    return { error, sent: JSON.stringify(server.requests[0]?.body) };
  };

  test.each(["data:text/plain,h%C3%A9llo%20there", "data:text/plain;charset=utf-8;base64,aMOpbGxvIHRoZXJl", "aMOpbGxvIHRoZXJl"])(
    "is read from %s",
    async (data) => {
      const { sent } = await readFile(data);
      expect(sent).toContain(protocol === "anthropic-messages" ? '"data":"héllo there"' : "data:text/plain;base64,aMOpbGxvIHRoZXJl");
    },
  );

  test.each(["not base64 at all!", "data:text/plain,%E0%A4%A"])("that is %s is refused before anything is sent", async (data) => {
    const { error, sent } = await readFile(data);
    expect(error?.errorClass).toBe("invalid_request");
    expect(sent).toBeUndefined();
  });
});
