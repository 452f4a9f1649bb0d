import { type AgentMessageInput, type AgentTool, BaseAgentRuntime, createTool, cutText, toJsonValue } from "triact";
import { callTool, type RecordedRequest, say } from "triact/testing";
import { describe, expect, test } from "vitest";
import { build, outline, resultsIn, text, tool } from "./kit.js";

const HIGH = "\ud83d";
const LOW = "\ude00";
const EMOJI = "\ud83d\ude00";
const LOST = "\ufffd";

/** Strings in a value that are not well-formed, keys included, by path. */
function broken(value: unknown, path = ""): string[] {
  if (typeof value === "string") return value.isWellFormed() ? [] : [path];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [...broken(key, `${path}{key}`), ...broken(item, `${path}.${key}`)]);
}

function brokenIn(requests: readonly RecordedRequest[]): string[] {
  return requests.flatMap((request) => broken(request));
}

describe("cutText", () => {
  // R88
  test.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])("at %d around two emojis never splits one, and counts what is gone", (maxChars) => {
    const whole = `ab${EMOJI}c${EMOJI}de`; // 9 code units
    const cut = cutText(whole, maxChars);
    const ends = [0, 1, 2, 2, 4, 5, 5, 7, 8, 9];
    const end = ends[maxChars] ?? 0;
    expect(cut).toBe(maxChars >= 9 ? whole : `${whole.slice(0, end)}… [${9 - end} more characters]`);
    expect(cut.isWellFormed()).toBe(true);
  });

  // R88
  test.each([1, 2, 3, 64, 199, 200])("at limit minus one letters plus one emoji (limit %d) leaves the emoji out", (limit) => {
    const letters = "x".repeat(limit - 1);
    expect(cutText(letters + EMOJI, limit)).toBe(`${letters}… [2 more characters]`);
    expect(cutText(letters + EMOJI, limit + 1)).toBe(letters + EMOJI);
  });

  test("leaves text alone that is short enough, and knows the empty one", () => {
    expect([cutText("", 0), cutText("abc", 3), cutText("abc", 0)]).toEqual(["", "abc", "… [3 more characters]"]);
  });

  test("keeps parts of a longer cluster whole as code points", () => {
    const family = "\ud83d\udc68\u200d\ud83d\udc69";
    for (let limit = 0; limit <= family.length; limit++) expect(cutText(family, limit).isWellFormed()).toBe(true);
  });
});

describe("deltas that are cut in the middle of an emoji", () => {
  // R88: joined before they are made well-formed
  test.each([1, 2, 3, 4, 5, 6, 7, 8])("give whole text, reasoning and arguments (seed %d)", async (seed) => {
    const whole = `${EMOJI}`.repeat(20);
    const inputs: unknown[] = [];
    const { agent, model } = build([callTool("t", { [whole]: whole }, { text: whole, reasoning: whole }), say(whole)], {
      seed,
      tools: [tool("t", (input) => inputs.push(input))],
    });
    const result = await agent.run("?");
    expect(inputs).toEqual([{ [whole]: whole }]);
    expect(outline(model.requests[1]?.messages)[1]?.content).toEqual([
      { type: "reasoning", text: whole },
      text(whole),
      { type: "tool-call", toolCallId: "call_1", toolName: "t", input: { [whole]: whole } },
    ]);
    expect(result.outputText).toBe(whole);
  });

  // R88
  test("into blocks of their own are two halves, and neither spoils the request", async () => {
    const { agent, model } = build([
      {
        events: [
          { type: "text-delta", text: `a${HIGH}`, blockId: 1 },
          { type: "text-delta", text: `${LOW}b`, blockId: 2 },
        ],
      },
      say("ok"),
    ]);
    await agent.run("?");
    await agent.run("?");
    expect(outline(model.requests[1]?.messages)[1]?.content).toEqual([text(`a${LOST}`), text(`${LOST}b`)]);
  });
});

/** A tool that returns what it is given. */
const returns = (output: unknown) => tool("t", () => output);

describe("half an emoji", () => {
  // R88
  test("from the model, in text, reasoning, arguments, names, ids and metadata, leaves every request well-formed", async () => {
    const metadata = { [HIGH]: { list: [LOW] } };
    const { agent, model } = build([
      {
        events: [
          { type: "reasoning-delta", text: HIGH, metadata },
          { type: "text-delta", text: LOW, metadata },
          { type: "media", data: HIGH, mediaType: LOW, metadata },
          {
            type: "tool-call-delta",
            index: 0,
            toolCallId: `a${HIGH}`,
            toolName: "add",
            inputText: `{"a":1,"b":1,"${HIGH}":"${LOW}"}`,
            metadata,
          },
          { type: "tool-call-delta", index: 1, toolCallId: "b", toolName: `t${HIGH}`, inputText: `{"x":"\\ud83d"}` },
          { type: "tool-call-delta", index: 2, toolCallId: "c", toolName: "add", inputText: `{${HIGH}` },
          { type: "tool-call-delta", index: 3, toolCallId: "d", toolName: "add", input: { [HIGH]: LOW } },
          { type: "tool-call-delta", index: 4, toolCallId: `p${HIGH}`, toolName: "web", inputText: "{}", providerExecuted: true },
          { type: "tool-result", toolCallId: `p${HIGH}`, toolName: `w${LOW}`, output: { [HIGH]: [LOW] }, metadata },
          { type: "finish", reason: "tool-calls" },
        ],
      },
      say("ok"),
    ]);
    await agent.run("?");
    expect(brokenIn(model.requests)).toEqual([]);
    expect(model.requests).toHaveLength(2);
    const calls = model.requests[1]?.messages[1]?.content.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : []));
    expect(calls).toEqual([`a${LOST}`, "b", "c", "d", `p${LOST}`]);
    expect(resultsIn(model.requests[1]?.messages).map(({ toolCallId }) => toolCallId)).toEqual([`p${LOST}`, `a${LOST}`, "b", "c", "d"]);
  });

  // R88
  test.each<[string, AgentTool]>([
    ["text", returns(`x${HIGH}`)],
    ["a value deep inside, and a key", returns({ list: [{ [LOW]: HIGH }] })],
    ["what its toJSON gives", returns({ toJSON: () => HIGH })],
    [
      "an error",
      tool("t", () => {
        throw new Error(HIGH);
      }),
    ],
    ["a rejection", tool("t", () => Promise.reject(LOW))],
  ])("from a tool, as %s, leaves every request well-formed", async (_, t) => {
    const { agent, model } = build([callTool("t"), say("ok")], { tools: [t] });
    await agent.run("?");
    expect(brokenIn(model.requests)).toEqual([]);
    expect(JSON.stringify(resultsIn(model.requests[1]?.messages))).toContain(LOST);
  });

  // R88
  test("from the caller and the user, in input, steering, prompts and notes, leaves every request well-formed", async () => {
    const objections = [`guard ${HIGH}`];
    const { agent, model } = build([say("one"), say("two"), say("three")], {
      systemPrompt: `prompt ${HIGH}`,
      initialMessages: [{ role: "user", content: `initial ${LOW}` }],
      completionPolicy: { completionGuard: () => objections.shift() },
      consumePendingUserMessage: (() => {
        const waiting = [undefined, `pending ${HIGH}`];
        return () => waiting.shift();
      })(),
    });
    agent.steer(`steer ${HIGH}`);
    await agent.run([{ id: HIGH, role: "user", content: [{ type: "text", text: LOW }], metadata: { [HIGH]: LOW } }]);
    await agent.run(`text ${HIGH}`);
    expect(brokenIn(model.requests)).toEqual([]);
    expect(model.requests.at(-1)?.messages.flatMap((message) => (message.role === "user" ? message.content : []))).toEqual([
      text(`initial ${LOST}`),
      text(LOST),
      text(`steer ${LOST}`),
      text(`guard ${LOST}`),
      text(`pending ${LOST}`),
      text(`text ${LOST}`),
    ]);
  });

  // R88
  test("from hooks and policies, in every text they may give, leaves every request well-formed", async () => {
    let calls = 0;
    const { agent, model } = build([callTool("a"), callTool("b"), callTool("c"), callTool("d"), callTool("e"), say("ok")], {
      tools: ["a", "b", "c", "d", "e"].map((name) => tool(name, () => name)),
      toolPolicies: { b: { enabled: false, reason: HIGH }, c: { autoApprove: false } },
      requestToolApproval: () => ({ approved: false, reason: LOW }),
      hooks: {
        beforeTool: ({ toolCall }) => ({
          appendContext: `before ${HIGH}`,
          ...(toolCall.toolName === "d" ? { skip: true, reason: HIGH } : undefined),
          ...(toolCall.toolName === "e" ? { input: { [HIGH]: LOW } } : undefined),
        }),
        afterTool: () => ({ appendContext: `after ${LOW}`, result: { output: { [HIGH]: LOW }, content: [{ type: "text", text: HIGH }] } }),
        beforeModel: ({ request }) => ({ messages: [...request.messages, { role: "user", content: `hook ${HIGH} ${calls++}` }] }),
      },
      prepareTurn: ({ messages, systemPrompt }) => ({
        systemPrompt: `${systemPrompt} ${HIGH}`,
        messages: [...messages, { role: "user", content: LOW }],
      }),
    });
    await agent.run("?");
    expect(calls).toBe(6);
    expect(brokenIn(model.requests)).toEqual([]);
  });

  // R88
  test("from restored messages leaves every request well-formed, and calls with their results", async () => {
    const saved: AgentMessageInput[] = [
      { id: HIGH, role: "user", content: HIGH, metadata: { [LOW]: HIGH } },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: LOW, metadata: { signature: HIGH } },
          { type: "text", text: HIGH },
          { type: "tool-call", toolCallId: HIGH, toolName: `t${LOW}`, input: { [HIGH]: LOW } },
        ],
        modelInfo: { id: HIGH, provider: LOW },
      },
      {
        role: "tool",
        content: [{ type: "tool-result", toolCallId: HIGH, toolName: `t${LOW}`, output: HIGH, content: [{ type: "text", text: LOW }] }],
      },
    ];
    const { agent, model } = build([say("ok")]);
    agent.restore(saved);
    await agent.run("?");
    expect(brokenIn(model.requests)).toEqual([]);
    expect(resultsIn(model.requests[0]?.messages)).toEqual([
      { type: "tool-result", toolCallId: LOST, toolName: "t_", output: LOST, content: [text(LOST)] },
    ]);
  });

  // R88: one bad character in a description spoils every request of the agent
  test("from the configuration, in descriptions, schemas and model options, leaves every request well-formed", async () => {
    const odd = createTool({
      name: "odd",
      description: HIGH,
      inputSchema: { type: "object", properties: { a: { type: "string", description: LOW, enum: [HIGH] } } },
      execute: () => 1,
    });
    const { agent, model } = build([say("ok")], {
      tools: [odd],
      modelOptions: { stopSequences: [HIGH], providerOptions: { [LOW]: { user: HIGH } } },
    });
    await agent.run("?");
    expect(brokenIn(model.requests)).toEqual([]);
  });

  // R88
  test("from a runtime's own instructions leaves every request well-formed", async () => {
    class Odd extends BaseAgentRuntime {
      override readonly name = "odd";
      protected override instructions(): string {
        return `cut in the middle ${HIGH}`;
      }
    }
    const { agent, model } = build([say("ok")], { runtime: new Odd() });
    await agent.run("?");
    expect(brokenIn(model.requests)).toEqual([]);
  });

  test("becomes the replacement character in JSON values, keys included, and whole emojis stay", () => {
    expect(toJsonValue({ [`k${HIGH}`]: [`${LOW}v`, EMOJI] })).toEqual({ [`k${LOST}`]: [`${LOST}v`, EMOJI] });
  });
});
