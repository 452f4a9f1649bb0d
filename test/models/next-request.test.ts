import {
  type AgentMessageInput,
  type AgentModel,
  Agents,
  type AgentTool,
  anthropic,
  CONTINUE_CUE,
  createAgent,
  createTool,
  deepseek,
  EMPTY_RESULT_TEXT,
  mistral,
  OPENING_CUE,
  type ProviderOptions,
  toMessages,
  toolResult,
  toStrictSchema,
} from "triact";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { seams } from "../base/kit.js";
import { FakeTiming, fixture, type Protocol, protocols, read, requestOf, SECRET } from "./kit.js";
import { type Answer, type ReceivedRequest, startServer, whole } from "./server.js";

const Self: z.ZodType = z.object({
  get next() {
    return Self.optional();
  },
});

const seen: unknown[] = [];
const add = createTool({
  name: "add",
  description: "Adds.",
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: (input) => {
    seen.push(input);
    return input.a + input.b;
  },
});

const play = (protocol: Protocol, name: string): Answer => whole(protocols[protocol].blocks(fixture(protocol, name)));

interface Conversation {
  readonly protocol: Protocol;
  /** Names of streams, one a turn. */
  readonly streams: readonly string[];
  readonly make?: (url: string, options: ProviderOptions) => AgentModel;
  readonly initialMessages?: readonly AgentMessageInput[];
  readonly tools?: readonly AgentTool<unknown>[];
}

/** Runs an agent against a server and returns the bodies it got. */
async function converse({ protocol, streams, make = protocols[protocol].model, initialMessages = [], tools = [add] }: Conversation) {
  const server = await startServer(...streams.map((name) => play(protocol, name)));
  const model = make(server.url, { apiKey: SECRET, timing: new FakeTiming() });
  const agent = Agents.builder()
    .model(model)
    .systemPrompt("Be brief.")
    .tools(...(tools as AgentTool[]))
    .initialMessages(initialMessages)
    .build();
  const result = await agent.run("Add them.");
  return { agent, result, requests: server.requests, bodies: server.requests.map(({ body }: ReceivedRequest) => body) };
}

describe("Anthropic Messages", () => {
  const protocol = "anthropic-messages";

  // R10, R23
  test("a tool turn goes back with thinking, signatures and arguments as they were, results in one message", async () => {
    seen.length = 0;
    const { result, bodies, requests } = await converse({ protocol, streams: ["thinking-and-calls", "text"] });
    expect(result.status).toBe("completed");
    expect(seen).toEqual([
      { a: 1, b: 2 },
      { a: 3, b: 4 },
    ]);
    expect(bodies[1].system).toEqual([{ type: "text", text: expect.stringContaining("Be brief."), cache_control: { type: "ephemeral" } }]);
    expect(bodies[1].messages).toEqual([
      { role: "user", content: [{ type: "text", text: "Add them.", cache_control: { type: "ephemeral" } }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Two sums. First one.", signature: "c2lnLTE=" },
          { type: "redacted_thinking", data: "cmVkYWN0ZWQ=" },
          { type: "text", text: "Adding." },
          { type: "tool_use", id: "toolu_1", name: "add", input: { a: 1, b: 2 } },
          { type: "thinking", thinking: "Second one.", signature: "c2lnLTI=" },
          { type: "tool_use", id: "toolu_2", name: "add", input: { a: 3, b: 4 } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "text", text: "3" }] },
          { type: "tool_result", tool_use_id: "toolu_2", content: [{ type: "text", text: "7" }], cache_control: { type: "ephemeral" } },
        ],
      },
    ]);
    expect(bodies[1].tools).toEqual([
      {
        name: "add",
        description: "Adds.",
        input_schema: expect.objectContaining({ type: "object" }),
        cache_control: { type: "ephemeral" },
      },
    ]);
    expect(requests[1]?.path).toBe("/v1/messages");
    expect(requests[1]?.headers.authorization).toBe(`Bearer ${SECRET}`);
  });

  // R32
  test("a paused reply goes back unchanged, with nothing behind it", async () => {
    const { result, bodies } = await converse({ protocol, streams: ["pause", "text"] });
    expect(result.status).toBe("completed");
    expect(bodies[1].messages.slice(1)).toEqual([
      {
        role: "assistant",
        content: [
          { type: "text", text: "Searching." },
          { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "triact" } },
        ],
      },
    ]);
  });

  test("what the user says in several messages, also behind results, is one message", async () => {
    const server = await startServer(play(protocol, "text"));
    const messages = toMessages(seams(), [
      { role: "user", content: "Go." },
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "c", toolName: "add", input: { a: 1, b: 1 } }] },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "c", toolName: "add", output: 2 }] },
      { role: "user", content: "And" },
      { role: "user", content: "then?" },
    ]);
    await read(protocols[protocol].model(server.url, { promptCache: false }), requestOf({ messages }));
    expect(server.requests[0]?.body.messages.slice(2)).toEqual([
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "c", content: [{ type: "text", text: "2" }] },
          { type: "text", text: "And" },
          { type: "text", text: "then?" },
        ],
      },
    ]);
  });

  test("thinking of another model is left out", async () => {
    const initialMessages: AgentMessageInput[] = [
      { role: "user", content: "Hi" },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "Hm.", metadata: { origin: "anthropic/other", signature: "x" } },
          { type: "text", text: "Hello." },
        ],
      },
    ];
    const { bodies } = await converse({ protocol, streams: ["text"], initialMessages });
    expect(bodies[0].messages[1]).toEqual({ role: "assistant", content: [{ type: "text", text: "Hello." }] });
  });
});

describe("the provider's own tools", () => {
  test("go back to Anthropic as they came", async () => {
    const server = await startServer(play("anthropic-messages", "server-tool"), play("anthropic-messages", "text"));
    const agent = Agents.builder().model(protocols["anthropic-messages"].model(server.url)).build();
    await agent.run("Capital?");
    await agent.run("More.");
    expect(server.requests[1]?.body.messages[1]).toEqual({
      role: "assistant",
      content: [
        { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "oslo" } },
        {
          type: "web_search_tool_result",
          tool_use_id: "srvtoolu_1",
          content: [
            { type: "web_search_result", title: "Oslo", url: "https://example.com/oslo", encrypted_content: "ZW5j", page_age: null },
          ],
        },
        { type: "text", text: "Oslo is the capital.", citations: [expect.objectContaining({ encrypted_index: "aWR4" })] },
      ],
    });
  });

  test("go back to Responses with the reasoning before them", async () => {
    const server = await startServer(play("openai-responses", "web-search"), play("openai-responses", "text"));
    const agent = Agents.builder().model(protocols["openai-responses"].model(server.url)).build();
    await agent.run("Capital?");
    await agent.run("More.");
    expect(server.requests[1]?.body.input.slice(1, 4)).toEqual([
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "enc-1" },
      { id: "ws_1", type: "web_search_call", status: "completed", action: { type: "search", query: "oslo" } },
      {
        type: "message",
        role: "assistant",
        id: "msg_1",
        phase: "final_answer",
        content: [{ type: "output_text", text: "Oslo.", annotations: [] }],
      },
    ]);
  });
});

describe("OpenAI Responses", () => {
  const protocol = "openai-responses";

  // R10, R11, R27
  test("a tool turn goes back with each reasoning item directly before its call", async () => {
    seen.length = 0;
    const { bodies, requests } = await converse({ protocol, streams: ["reasoning-and-calls", "text"] });
    expect(seen).toEqual([
      { a: 1, b: 2 },
      { a: 3, b: 4 },
    ]);
    expect(bodies[1]).toMatchObject({ store: false, include: ["reasoning.encrypted_content"], stream: true });
    expect(bodies[1].instructions).toContain("Be brief.");
    expect(bodies[1].input).toEqual([
      { type: "message", role: "user", content: [{ type: "input_text", text: "Add them." }] },
      { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Two sums." }], encrypted_content: "enc-1" },
      { type: "function_call", id: "fc_1", call_id: "call_a", name: "add", arguments: '{"a":1,"b":2}' },
      { type: "reasoning", id: "rs_2", summary: [], encrypted_content: "enc-2" },
      { type: "function_call", id: "fc_2", call_id: "call_b", name: "add", arguments: '{"a":3,"b":4}' },
      { type: "function_call_output", call_id: "call_a", output: "3" },
      { type: "function_call_output", call_id: "call_b", output: "7" },
    ]);
    expect(requests[1]?.path).toBe("/v1/responses");
    expect(requests[1]?.headers.authorization).toBe(`Bearer ${SECRET}`);
  });

  // R11
  test("item ids that change from event to event do not matter", async () => {
    seen.length = 0;
    await converse({ protocol, streams: ["unstable-ids", "text"] });
    expect(seen).toEqual([
      { a: 1, b: 2 },
      { a: 3, b: 4 },
    ]);
  });

  // R27
  test("a message of several texts stays one item, with its reasoning before it", async () => {
    const text = (content_index: number, delta: string) => ({ type: "response.output_text.delta", output_index: 1, content_index, delta });
    const reasoning = { id: "rs_1", type: "reasoning", summary: [], encrypted_content: "enc-1" };
    const content = ["One.", "Two."].map((words) => ({ type: "output_text", text: words, annotations: [] }));
    const events = [
      { type: "response.output_item.done", output_index: 0, item: reasoning },
      { type: "response.output_item.added", output_index: 1, item: { id: "msg_1", type: "message", content: [] } },
      text(0, "One."),
      text(1, "Two."),
      { type: "response.output_item.done", output_index: 1, item: { id: "msg_1", type: "message", content } },
      { type: "response.completed", response: { output: [] } },
    ];
    const server = await startServer(whole(protocols[protocol].blocks(events)));
    const agent = Agents.builder().model(protocols[protocol].model(server.url)).build();
    await agent.run("Count.");
    await agent.run("More.");
    expect(server.requests[1]?.body.input.slice(1, 3)).toEqual([
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "enc-1" },
      { type: "message", role: "assistant", id: "msg_1", content },
    ]);
  });

  // R27
  test("a call whose reasoning cannot go back goes without the id that would ask for it", async () => {
    const events = fixture(protocol, "reasoning-and-calls").map((event) => {
      const { item } = event as { item?: Record<string, unknown> };
      return item?.["type"] === "reasoning" ? { ...event, item: { ...item, encrypted_content: null } } : event;
    });
    const server = await startServer(whole(protocols[protocol].blocks(events)), play(protocol, "text"));
    await Agents.builder().model(protocols[protocol].model(server.url)).tools(add).build().run("Add them.");
    expect(server.requests[1]?.body.input.slice(1, 3)).toEqual([
      { type: "function_call", call_id: "call_a", name: "add", arguments: '{"a":1,"b":2}' },
      { type: "function_call", call_id: "call_b", name: "add", arguments: '{"a":3,"b":4}' },
    ]);
  });

  // R27
  test.each([undefined, "rs_0"])("reasoning whose item is gone is left out, also before one that followed %s", async (follows) => {
    const metadata = (more: object) => ({ origin: "openai/gpt-5-test", ...more });
    const initialMessages: AgentMessageInput[] = [
      { role: "user", content: "Hi" },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "", metadata: metadata({ itemId: "rs_1", encryptedContent: "e" }) },
          { type: "text", text: "Hello.", metadata: metadata({ itemId: "msg_2", ...(follows === undefined ? undefined : { follows }) }) },
        ],
      },
    ];
    const { bodies } = await converse({ protocol, streams: ["text"], initialMessages });
    expect(bodies[0].input.map(({ type }: { type: string }) => type)).toEqual(["message", "message", "message"]);
    // its id would say that reasoning has to stand before it
    expect(bodies[0].input[1].id).toBe(follows === undefined ? "msg_2" : undefined);
  });

  test("a call whose reasoning came without its encrypted form goes back without the id that ties it to that reasoning", async () => {
    const item = { type: "reasoning", id: "rs_1", summary: [] };
    const call = (id: string) => ({
      type: "function_call",
      id: `fc_${id}`,
      call_id: `call_${id}`,
      name: "add",
      arguments: '{"a":1,"b":2}',
    });
    const events = [item, call("1"), call("2")].map((each, index) => ({
      type: "response.output_item.done",
      output_index: index,
      item: each,
    }));
    const first = whole(protocols[protocol].blocks([...events, { type: "response.completed", response: { output: [] } }]));
    const server = await startServer(first, play(protocol, "text"));
    await createAgent({ model: protocols[protocol].model(server.url), tools: [add] as AgentTool[] }).run("Add them.");
    const sent: { type: string; id?: string }[] = server.requests[1]?.body.input;
    expect(sent.map(({ type, id }) => [type, id])).toEqual([
      ["message", undefined],
      ["function_call", undefined],
      ["function_call", undefined],
      ["function_call_output", undefined],
      ["function_call_output", undefined],
    ]);
  });
});

describe("Chat Completions", () => {
  const protocol = "openai-chat";

  // R10
  test("a tool turn goes back with its arguments, and reasoning only where it is wanted", async () => {
    seen.length = 0;
    const { bodies, requests } = await converse({ protocol, streams: ["reasoning-and-calls", "text"] });
    expect(seen).toEqual([
      { a: 1, b: 2 },
      { a: 3, b: 4 },
    ]);
    expect(bodies[1].stream_options).toEqual({ include_usage: true });
    expect(bodies[1].messages).toEqual([
      { role: "system", content: expect.stringContaining("Be brief.") },
      { role: "user", content: "Add them." },
      {
        role: "assistant",
        content: "Adding.",
        tool_calls: [
          { id: "call_a", type: "function", function: { name: "add", arguments: '{"a":1,"b":2}' } },
          { id: "call_b", type: "function", function: { name: "add", arguments: '{"a":3,"b":4}' } },
        ],
      },
      { role: "tool", tool_call_id: "call_a", content: "3" },
      { role: "tool", tool_call_id: "call_b", content: "7" },
    ]);
    expect(requests[1]?.path).toBe("/v1/chat/completions");
  });

  // R25
  test.each([
    ["deepseek-r1", undefined],
    ["deepseek-reasoner", "Two sums."],
    ["deepseek-v4-pro", "Two sums."],
  ])("%s gets its reasoning back within a tool turn: %s", async (modelId, expected) => {
    const make = (url: string, options: ProviderOptions) => deepseek(modelId, { ...options, baseUrl: url });
    const { bodies } = await converse({ protocol, streams: ["reasoning-and-calls", "text"], make });
    expect(bodies[1].messages[2].reasoning_content).toBe(expected);
  });

  // R25
  test("a call without reasoning goes back with an empty one where the field must be there", async () => {
    const make = (url: string, options: ProviderOptions) => deepseek("deepseek-reasoner", { ...options, baseUrl: url });
    const { agent, bodies, requests } = await converse({ protocol, streams: ["parallel-index-zero", "text"], make });
    expect(bodies[1].messages[2]).toMatchObject({ content: "", reasoning_content: "" });
    await agent.run("Thanks.");
    expect(requests[2]?.body.messages[2]).not.toHaveProperty("reasoning_content");
  });

  // R01, R02
  test.each([
    [
      "parallel-index-zero",
      [
        { a: 1, b: 2 },
        { a: 3, b: 4 },
      ],
    ],
    ["fresh-id-per-fragment", [{ a: 1, b: 2 }]],
  ])("%s", async (name, inputs) => {
    seen.length = 0;
    await converse({ protocol, streams: [name, "text"] });
    expect(seen).toEqual(inputs);
  });

  // R13, R14
  test("a call that the limit cut is not executed and goes back as valid JSON", async () => {
    seen.length = 0;
    const { bodies } = await converse({ protocol, streams: ["length", "text"] });
    expect(seen).toEqual([]);
    expect(bodies[1].messages[2].tool_calls[0].function.arguments).toBe("{}");
    expect(bodies[1].messages[3].content).toMatch(/^TOOL_ERROR: \{"errorType":"tool-error","error":"The output limit cut/);
  });

  test("Mistral gets the seed under its own name", async () => {
    const server = await startServer(play("openai-chat", "text"));
    await read(mistral("m", { apiKey: SECRET, baseUrl: server.url }), requestOf({ options: { seed: 7 } }));
    expect(server.requests[0]?.body).toMatchObject({ random_seed: 7 });
    expect(server.requests[0]?.body).not.toHaveProperty("seed");
  });

  test("Mistral gets ids of nine letters and an assistant message between results and user", async () => {
    const make = (url: string, options: ProviderOptions) => mistral("mistral-large", { ...options, baseUrl: url });
    const initialMessages: AgentMessageInput[] = [
      { role: "user", content: "Hi" },
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "call:0", toolName: "add", input: { a: 1, b: 1 } }] },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "call:0", toolName: "add", output: 2 }] },
    ];
    const { bodies } = await converse({ protocol, streams: ["text"], make, initialMessages });
    const [, , call, result, bridge, last] = bodies[0].messages;
    expect(call.tool_calls[0].id).toMatch(/^[a-z0-9]{9}$/);
    expect(result.tool_call_id).toBe(call.tool_calls[0].id);
    expect([bridge.role, last.role]).toEqual(["assistant", "user"]);
  });
});

describe.each(Object.keys(protocols) as Protocol[])("%s", (protocol) => {
  const messagesOf = (body: { messages?: unknown[]; input?: unknown[] }) =>
    (body.messages ?? body.input ?? []) as Record<string, unknown>[];

  // R85
  test("a history that ends with the model's words gets a cue, one that begins with them a beginning", async () => {
    const server = await startServer(play(protocol, "text"));
    const initialMessages: AgentMessageInput[] = [{ role: "assistant", content: "Welcome." }];
    await read(protocols[protocol].model(server.url), requestOf({ messages: toMessages(seams(), initialMessages) }));
    const messages = messagesOf(server.requests[0]?.body);
    expect(messages.at(-1)?.["role"]).toBe("user");
    expect(JSON.stringify(messages.at(-1))).toContain(CONTINUE_CUE);
    if (protocol === "anthropic-messages") expect(JSON.stringify(messages[0])).toContain(OPENING_CUE);
  });

  // R29
  test.each([[undefined], [null], [""], ["  "], [[]], [{}]])("a tool that returns %j gives a present, non-empty result", async (output) => {
    const nothing = createTool({
      name: "add",
      description: "Nothing.",
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      execute: () => output as never,
    });
    const stream = {
      "anthropic-messages": "thinking-and-calls",
      "openai-chat": "reasoning-and-calls",
      "openai-responses": "reasoning-and-calls",
    }[protocol];
    const { bodies } = await converse({ protocol, streams: [stream, "text"], tools: [nothing] });
    const expected = Array.isArray(output) ? "[]" : typeof output === "object" && output !== null ? "{}" : EMPTY_RESULT_TEXT;
    const last = messagesOf(bodies[1]).at(-1) as Record<string, unknown>;
    const content = last["output"] ?? last["content"];
    const text = Array.isArray(content) ? content.at(-1).content[0].text : content;
    expect(text).toBe(expected);
  });

  // R16
  test("illegal tool names get legal ones on the wire, and come back as their own", async () => {
    const server = await startServer(play(protocol, "text"));
    const names = ["a.b", "a_b", "constructor", `${"x".repeat(64)}1`, `${"x".repeat(64)}2`];
    const tools = names.map((name) => ({ name, description: "", inputSchema: { type: "object" } }));
    await read(protocols[protocol].model(server.url), requestOf({ tools }));
    const sent = server.requests[0]?.body.tools.map(
      (tool: { name?: string; function?: { name: string } }) => tool.name ?? tool.function?.name,
    );
    expect(new Set(sent).size).toBe(5);
    for (const name of sent) expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
    expect(sent.slice(1, 3)).toEqual(["a_b", "constructor"]);
  });

  // R88
  test("half a character never leaves", async () => {
    const server = await startServer(play(protocol, "text"));
    const tools = [{ name: "t", description: "half \ud83d", inputSchema: { type: "object", description: "\ude00" } }];
    await read(protocols[protocol].model(server.url), requestOf({ systemPrompt: "S \ud83d", tools }));
    const text = JSON.stringify(server.requests[0]?.body);
    expect(text).toContain("\ufffd");
    expect(text).not.toMatch(/\\u[dD][89a-fA-F]/);
  });

  test("images and files of a tool result reach the model", async () => {
    const picture = createTool({
      name: "add",
      description: "Draws.",
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      execute: () => toolResult({ output: "drawn", content: [{ type: "image", data: "iVBORw0KGgo=", mediaType: "image/png" }] }),
    });
    const stream = {
      "anthropic-messages": "thinking-and-calls",
      "openai-chat": "reasoning-and-calls",
      "openai-responses": "reasoning-and-calls",
    }[protocol];
    const { bodies } = await converse({ protocol, streams: [stream, "text"], tools: [picture] });
    const messages = messagesOf(bodies[1]);
    expect(JSON.stringify(messages).match(/iVBORw0KGgo=/g)).toHaveLength(2);
    const last = messages.at(-1);
    if (protocol === "openai-chat") expect(last?.["role"]).toBe("user");
    if (protocol === "openai-responses")
      expect(last?.["output"]).toEqual([
        { type: "input_text", text: "drawn" },
        { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=", detail: "auto" },
      ]);
  });

  test("options, forced choice, strict schemas and a format reach the wire", async () => {
    const server = await startServer(play(protocol, "text"));
    const inputSchema = { type: "object", properties: { a: { type: "number" }, b: { type: "string" } }, required: ["a"] };
    const model = protocols[protocol].model(server.url, { strictTools: true });
    expect(model.capabilities).toEqual({ structuredOutput: true });
    const options = { temperature: 0.5, maxOutputTokens: 100, toolChoice: { toolName: "t" }, providerOptions: { user: "u1" } } as const;
    await read(
      model,
      requestOf({ tools: [{ name: "t", description: "", inputSchema }], options, responseFormat: { name: "answer", schema: inputSchema } }),
    );
    const body = server.requests[0]?.body;
    expect(body).toMatchObject({ user: "u1" });
    expect(body.temperature).toBe(protocol === "anthropic-messages" ? undefined : 0.5);
    const strict = JSON.parse(JSON.stringify(toStrictSchema(inputSchema)));
    if (protocol === "openai-chat") {
      expect(body).toMatchObject({ max_completion_tokens: 100, tool_choice: { type: "function", function: { name: "t" } } });
      expect(body.tools[0].function).toMatchObject({ strict: true, parameters: strict });
      expect(body.response_format).toEqual({ type: "json_schema", json_schema: { name: "answer", schema: strict, strict: true } });
    } else if (protocol === "openai-responses") {
      expect(body).toMatchObject({ max_output_tokens: 100, tool_choice: { type: "function", name: "t" } });
      expect(body.text).toEqual({ format: { type: "json_schema", name: "answer", schema: strict, strict: true } });
    } else {
      expect(body).toMatchObject({ max_tokens: 100, tool_choice: { type: "tool", name: "t" } });
      expect(body.output_config).toEqual({ format: { type: "json_schema", schema: { ...inputSchema, additionalProperties: false } } });
    }
  });
});

describe("the format of Anthropic's replies", () => {
  const formatOf = async (output: z.ZodType) => {
    const server = await startServer(play("anthropic-messages", "text"));
    const model = protocols["anthropic-messages"].model(server.url);
    await createAgent({ model, output, systemPrompt: "Be brief.", maxIterations: 1 }).run("Hello");
    return server.requests[0]?.body;
  };

  test("has closed objects, also inside of each other, and none of the keywords that are refused", async () => {
    const output = z.object({
      name: z.string().min(2).describe("Full name."),
      count: z.int().positive().max(9).optional(),
      inner: z.object({ at: z.iso.date(), kind: z.enum(["a", "b"]).nullable() }),
      list: z
        .array(z.object({ a: z.number() }))
        .min(1)
        .max(4),
    });
    const { output_config } = await formatOf(output);
    expect(output_config.format.schema).toEqual({
      type: "object",
      properties: {
        name: { type: "string", description: 'Full name.\n{"minLength":2}' },
        count: { type: "integer", description: '{"exclusiveMinimum":0,"maximum":9}' },
        inner: {
          type: "object",
          properties: {
            at: { type: "string", format: "date", description: expect.stringContaining('"pattern"') },
            kind: { anyOf: [{ enum: ["a", "b"] }, { type: "null" }] },
          },
          required: ["at", "kind"],
          additionalProperties: false,
        },
        list: {
          type: "array",
          items: { type: "object", properties: { a: { type: "number" } }, required: ["a"], additionalProperties: false },
          minItems: 1,
          description: '{"maxItems":4}',
        },
      },
      required: ["name", "inner", "list"],
      additionalProperties: false,
    });
  });

  test.each([
    ["a record", z.object({ r: z.record(z.string(), z.number()) })],
    ["anything", z.object({ a: z.any() })],
    ["a tuple", z.object({ t: z.tuple([z.string(), z.number()]) })],
    ["a schema that holds itself", z.object({ self: Self })],
  ])("with %s is asked for in words", async (_what, output) => {
    const { output_config, system } = await formatOf(output);
    expect(output_config).toBeUndefined();
    expect(system[0].text).toMatch(/^Be brief\.[\s\S]*\n\nAnswer with JSON alone, .* \{"type":"object"/);
  });
});

// R59
test("a forced choice is relaxed while Anthropic's model thinks", async () => {
  const server = await startServer(play("anthropic-messages", "text"));
  const tools = [{ name: "t", description: "", inputSchema: { type: "object" } }];
  await read(
    protocols["anthropic-messages"].model(server.url),
    requestOf({ tools, options: { toolChoice: "required", reasoning: { maxTokens: 2_000 }, temperature: 0 } }),
  );
  expect(server.requests[0]?.body).toMatchObject({ tool_choice: { type: "auto" }, thinking: { type: "enabled", budget_tokens: 2_000 } });
  expect(server.requests[0]?.body).not.toHaveProperty("temperature");
});

test.each([
  ["claude-haiku-4-5", { maxTokens: 2_000 }, { type: "enabled", budget_tokens: 2_000 }, undefined],
  ["claude-haiku-4-5", "low", { type: "enabled", budget_tokens: 4_096 }, undefined],
  ["claude-sonnet-4-6", { maxTokens: 2_000 }, { type: "enabled", budget_tokens: 2_000 }, undefined],
  ["claude-sonnet-4-6", "minimal", { type: "adaptive" }, { effort: "low" }],
  ["claude-opus-4-7", { maxTokens: 2_000 }, { type: "adaptive" }, { effort: "low" }],
  ["claude-opus-5", { maxTokens: 20_000 }, { type: "adaptive" }, { effort: "high" }],
  ["claude-opus-5", "none", { type: "disabled" }, undefined],
  ["claude-opus-4-20250514", "high", { type: "enabled", budget_tokens: 24_576 }, undefined],
  ["claude-3-7-sonnet-latest", "minimal", { type: "enabled", budget_tokens: 1_024 }, undefined],
] as const)("%s thinks %j in the way that it takes", async (modelId, reasoning, thinking, outputConfig) => {
  const server = await startServer(play("anthropic-messages", "text"));
  await read(anthropic(modelId, { apiKey: SECRET, baseUrl: server.url }), requestOf({ options: { reasoning } }));
  expect(server.requests[0]?.body.thinking).toEqual(thinking);
  expect(server.requests[0]?.body.output_config).toEqual(outputConfig);
});

// R41
test.each(Object.keys(protocols) as Protocol[])("%s: 1,000 prompt tokens of which 900 were cached", async (protocol) => {
  const { result } = await converse({ protocol, streams: ["text"] });
  expect(result.usage).toMatchObject({ inputTokens: 1_000, cacheReadTokens: 900, outputTokens: 15 });
});
