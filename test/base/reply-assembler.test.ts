import { describe, expect, test } from "vitest";
import type { AgentModelEvent, ToolCallDelta } from "../../src/base/model.js";
import { modelTexts } from "../../src/base/model-texts.js";
import { type AssembledReply, ReplyAssembler } from "../../src/base/reply-assembler.js";

function assemble(events: readonly AgentModelEvent[], taken: readonly string[] = []): AssembledReply {
  let count = 0;
  const source = { generateId: (prefix: string) => `${prefix}_new${++count}`, now: () => 0 };
  const assembler = new ReplyAssembler();
  for (const event of events) assembler.add(event);
  return assembler.finish(source, { hasCallId: (id) => taken.includes(id), providerToolName: () => undefined });
}

function delta(fields: Omit<ToolCallDelta, "type">): AgentModelEvent {
  return { type: "tool-call-delta", ...fields };
}

const finish = (reason: "tool-calls" | "stop" | "max-tokens"): AgentModelEvent => ({ type: "finish", reason });

/** Name and arguments of the calls, without their ids. */
function callsOf(reply: AssembledReply): [string, unknown][] {
  return reply.toolCalls.map(({ toolName, input }) => [toolName, input]);
}

describe("which call a piece belongs to", () => {
  // R01
  test("two calls at index 0 with different ids and names are two calls, in order", () => {
    const reply = assemble([
      delta({ index: 0, toolCallId: "a", toolName: "read", inputText: '{"path":"1"}' }),
      delta({ index: 0, toolCallId: "b", toolName: "read", inputText: '{"path":"2"}' }),
    ]);
    expect(reply.toolCalls).toEqual([
      { toolCallId: "a", toolName: "read", input: { path: "1" } },
      { toolCallId: "b", toolName: "read", input: { path: "2" } },
    ]);
  });

  // R01: later fragments go to the call that came last at the index
  test("a piece without id goes to the newest call at its index", () => {
    const reply = assemble([
      delta({ index: 0, toolCallId: "a", toolName: "read", inputText: "{}" }),
      delta({ index: 0, toolCallId: "b", toolName: "read", inputText: '{"n":' }),
      delta({ index: 0, inputText: "1}" }),
    ]);
    expect(callsOf(reply)).toEqual([
      ["read", {}],
      ["read", { n: 1 }],
    ]);
  });

  // R02
  test("fragments with fresh ids and no name stay one call", () => {
    const reply = assemble([
      delta({ index: 0, toolCallId: "x1", toolName: "t", inputText: "" }),
      delta({ index: 0, toolCallId: "x2", toolName: "", inputText: "{" }),
      delta({ index: 0, toolCallId: "x3", inputText: "}" }),
    ]);
    expect(reply.toolCalls).toEqual([{ toolCallId: "x1", toolName: "t", input: {} }]);
  });

  // R02
  test("a repeated name is not appended, and the last fragment counts also with a finish right behind it", () => {
    const reply = assemble([
      delta({ index: 0, toolCallId: "x", toolName: "t", inputText: '{"a"' }),
      delta({ index: 0, toolCallId: "x", toolName: "t", inputText: ":1}" }),
      finish("tool-calls"),
    ]);
    expect(reply.toolCalls).toEqual([{ toolCallId: "x", toolName: "t", input: { a: 1 } }]);
  });

  // R03
  test("without an index, pieces are told apart by id, and arguments may come before the name", () => {
    const reply = assemble([
      delta({ toolCallId: "a", inputText: '{"n":' }),
      delta({ toolCallId: "a", toolName: "first", inputText: "1}" }),
      delta({ toolCallId: "b", toolName: "second", inputText: '{"n":2}' }),
    ]);
    expect(reply.toolCalls).toEqual([
      { toolCallId: "a", toolName: "first", input: { n: 1 } },
      { toolCallId: "b", toolName: "second", input: { n: 2 } },
    ]);
  });

  test("an absent index is not index 0", () => {
    const reply = assemble([
      delta({ index: 0, toolCallId: "a", toolName: "first", inputText: "{}" }),
      delta({ toolCallId: "b", toolName: "second", inputText: "{}" }),
      delta({ index: 1, toolCallId: "c", toolName: "third", inputText: "{}" }),
    ]);
    expect(reply.toolCalls.map(({ toolCallId }) => toolCallId)).toEqual(["a", "b", "c"]);
  });

  test("interleaved pieces of parallel calls find their call by index", () => {
    const reply = assemble([
      delta({ index: 0, toolCallId: "a", toolName: "t", inputText: '{"n"' }),
      delta({ index: 1, toolCallId: "b", toolName: "t", inputText: '{"n"' }),
      delta({ index: 0, inputText: ":1}" }),
      delta({ index: 1, inputText: ":2}" }),
    ]);
    expect(callsOf(reply)).toEqual([
      ["t", { n: 1 }],
      ["t", { n: 2 }],
    ]);
  });
});

describe("ids", () => {
  // R08
  test.each([
    ["absent", undefined, "call_new1"],
    ["empty", "", "call_new1"],
    ["numeric", 123, "123"],
    ["null", null, "call_new1"],
  ])("an id that is %s becomes text or a new id", (_, toolCallId, expected) => {
    const id = toolCallId === undefined ? undefined : { toolCallId };
    const reply = assemble([delta({ index: 0, toolName: "t", inputText: "{}", ...id })]);
    expect(reply.toolCalls).toEqual([{ toolCallId: expected, toolName: "t", input: {} }]);
  });

  // R08
  test("an id that comes late is used", () => {
    const reply = assemble([
      delta({ index: 0, toolCallId: null, toolName: "t", inputText: "{" }),
      delta({ index: 0, toolCallId: "real", inputText: "}" }),
    ]);
    expect(reply.toolCalls).toEqual([{ toolCallId: "real", toolName: "t", input: {} }]);
  });

  // R08
  test("two calls without ids in one reply are two calls with ids of their own", () => {
    const reply = assemble([delta({ toolName: "t", inputText: '{"n":1}' }), delta({ toolName: "t", inputText: '{"n":2}' })]);
    expect(reply.toolCalls).toEqual([
      { toolCallId: "call_new1", toolName: "t", input: { n: 1 } },
      { toolCallId: "call_new2", toolName: "t", input: { n: 2 } },
    ]);
  });

  // R18
  test("a second call under an id of the same reply is dropped and reported", () => {
    const reply = assemble([
      delta({ index: 0, toolCallId: "a", toolName: "t", inputText: '{"n":1}' }),
      delta({ index: 1, toolCallId: "a", toolName: "t", inputText: '{"n":2}' }),
    ]);
    expect(reply.toolCalls).toEqual([{ toolCallId: "a", toolName: "t", input: { n: 1 } }]);
    expect(reply.content).toEqual([{ type: "tool-call", toolCallId: "a", toolName: "t", input: { n: 1 } }]);
    expect(reply.droppedCallIds).toEqual(["a"]);
  });

  // R18
  test("an id that stands in the history already is replaced, in the part and in the call", () => {
    const reply = assemble([delta({ index: 0, toolCallId: "t:0", toolName: "t", inputText: "{}" })], ["t:0"]);
    expect(reply.toolCalls).toEqual([{ toolCallId: "call_new1", toolName: "t", input: {} }]);
    expect(reply.content).toEqual([{ type: "tool-call", toolCallId: "call_new1", toolName: "t", input: {} }]);
  });
});

describe("arguments", () => {
  // R05
  test.each([
    ["a leading placeholder", ["{}", '{"a":1}'], { a: 1 }],
    ["white space behind the object", ['{"a":1}', " \n"], { a: 1 }],
    ["the same object sent again", ['{"a":1}', '{"a":1}'], { a: 1 }],
    ["text that parses before its end", ["{}", "  "], {}],
  ])("%s does not end the call early", (_, pieces, input) => {
    const events = pieces.map((inputText, at) =>
      delta(at === 0 ? { index: 0, toolCallId: "a", toolName: "t", inputText } : { index: 0, inputText }),
    );
    expect(callsOf(assemble(events))).toEqual([["t", input]]);
  });

  // R05
  test("two different objects are an error that shows what came", () => {
    const [call] = assemble([delta({ index: 0, toolCallId: "a", toolName: "t", inputText: '{"a":1}{"a":2}' })]).toolCalls;
    expect(call?.problem?.errorType).toBe("invalid-json");
    expect(call?.problem?.text).toMatch(/^Tool call t emitted invalid JSON arguments: .* Received: "\{\\"a\\":1\}\{\\"a\\":2\}"$/);
    expect(call?.input).toEqual({});
  });

  // R07
  test.each([
    ["empty text", { inputText: "" }],
    ["nothing", {}],
    ["null", { inputText: null, input: null }],
    ["the text null", { inputText: "null" }],
    ["white space", { inputText: " \n " }],
  ])("%s means no arguments", (_, fields) => {
    expect(callsOf(assemble([delta({ index: 0, toolCallId: "a", toolName: "t", ...fields }), finish("tool-calls")]))).toEqual([["t", {}]]);
  });

  // R07, R14
  test.each(["{", '{"a"', '{"a":"x', '{"a":"\\u00', '{"a":[1,{"b":2}', '{"a":tru', '{"a":-', '{"a":1.', '{"a":1'])(
    "arguments that end in %s are cut off, whatever the finish reason says",
    (inputText) => {
      const reply = assemble([delta({ index: 0, toolCallId: "a", toolName: "t", inputText }), finish("tool-calls")]);
      expect(reply.truncated).toBe(true);
      expect(reply.toolCalls).toEqual([
        { toolCallId: "a", toolName: "t", input: {}, problem: { errorType: "truncated", text: modelTexts.cutOff("t") } },
      ]);
    },
  );

  test.each(["{a:1}", '{"a":}', "[1,]", '{"a":1,}', '{"a" 1}', "tru3", '{"a":"say "hi""}', '{"a":01}', '{"a":"\n"}', "}"])(
    "%s is invalid, not cut off",
    (inputText) => {
      const reply = assemble([delta({ index: 0, toolCallId: "a", toolName: "t", inputText }), finish("tool-calls")]);
      expect(reply.truncated).toBe(false);
      expect(reply.toolCalls[0]?.problem?.errorType).toBe("invalid-json");
    },
  );

  // R13
  test("a reply cut by the output limit executes none of its calls, complete ones included", () => {
    const reply = assemble([
      delta({ index: 0, toolCallId: "a", toolName: "t", inputText: '{"n":1}' }),
      delta({ index: 1, toolCallId: "b", toolName: "t", inputText: '{"n":"ab' }),
      finish("max-tokens"),
    ]);
    expect(reply.truncated).toBe(true);
    expect(reply.toolCalls.map(({ problem, input }) => [problem?.errorType, input])).toEqual([
      ["truncated", { n: 1 }],
      ["truncated", {}],
    ]);
  });

  test("arguments that are no object are an error", () => {
    const reply = assemble([delta({ index: 0, toolCallId: "a", toolName: "t", inputText: "[1]" })]);
    expect(reply.toolCalls[0]?.problem?.text).toBe(
      modelTexts.invalidJson("t", 'expected a JSON object, received an array. Received: "[1]"'),
    );
  });

  test("an object that was encoded twice is decoded", () => {
    expect(callsOf(assemble([delta({ index: 0, toolCallId: "a", toolName: "t", inputText: '"{\\"n\\":1}"' })]))).toEqual([["t", { n: 1 }]]);
  });

  test("arguments given as a value go before text", () => {
    expect(callsOf(assemble([delta({ index: 0, toolCallId: "a", toolName: "t", input: { n: 1 } })]))).toEqual([["t", { n: 1 }]]);
  });

  test("arguments of 4 MB that are cut off are recognised without exhausting the stack", () => {
    const inputText = `{"a":"${'x\\n"'.slice(0, 3).repeat(1_400_000)}`;
    expect(assemble([delta({ index: 0, toolCallId: "a", toolName: "t", inputText })]).truncated).toBe(true);
  });
});

describe("names", () => {
  // R17
  test.each([
    ["", "unnamed_tool"],
    ["files.read", "files_read"],
    ["9lives", "_9lives"],
    ["x".repeat(70), "x".repeat(64)],
  ])("the name %j is kept for the error and replaced in the history", (toolName, legal) => {
    const reply = assemble([delta({ index: 0, toolCallId: "a", toolName, inputText: "{}" })]);
    expect(reply.toolCalls).toEqual([{ toolCallId: "a", toolName: legal, input: {}, unknownName: toolName }]);
    expect(reply.content).toEqual([{ type: "tool-call", toolCallId: "a", toolName: legal, input: {} }]);
  });
});

describe("blocks", () => {
  test("text, reasoning and calls stand in the order in which they began", () => {
    const reply = assemble([
      { type: "reasoning-delta", text: "think" },
      { type: "text-delta", text: "a" },
      { type: "text-delta", text: "b" },
      delta({ index: 0, toolCallId: "c", toolName: "t", inputText: "{" }),
      { type: "text-delta", text: "z" },
      delta({ index: 0, inputText: "}" }),
    ]);
    expect(reply.content).toEqual([
      { type: "reasoning", text: "think" },
      { type: "text", text: "ab" },
      { type: "tool-call", toolCallId: "c", toolName: "t", input: {} },
      { type: "text", text: "z" },
    ]);
  });

  // R23
  test("a signature that comes behind its reasoning stays with it, byte for byte", () => {
    const reply = assemble([
      { type: "reasoning-delta", text: "one", blockId: 0 },
      { type: "reasoning-delta", text: "", blockId: 0, metadata: { signature: "sig+/=1" } },
      { type: "reasoning-delta", text: "two", blockId: 1 },
      { type: "reasoning-delta", text: "", blockId: 1, metadata: { signature: "sig2" } },
      { type: "reasoning-delta", text: "", redacted: true, blockId: 2, metadata: { data: "xyz" } },
    ]);
    expect(reply.content).toEqual([
      { type: "reasoning", text: "one", metadata: { signature: "sig+/=1" } },
      { type: "reasoning", text: "two", metadata: { signature: "sig2" } },
      { type: "reasoning", text: "", redacted: true, metadata: { data: "xyz" } },
    ]);
  });

  // R28
  test("empty and blank text leaves no part", () => {
    const reply = assemble([
      { type: "text-delta", text: "" },
      { type: "text-delta", text: "  \n" },
      delta({ index: 0, toolCallId: "a", toolName: "t", inputText: "{}" }),
    ]);
    expect(reply.content.map(({ type }) => type)).toEqual(["tool-call"]);
  });

  // R88
  test("a surrogate pair that was cut is joined, a lone half is replaced", () => {
    const pair = "😀";
    const reply = assemble([
      { type: "text-delta", text: `a${pair.charAt(0)}` },
      { type: "text-delta", text: `${pair.charAt(1)}${pair.charAt(0)}` },
      delta({ index: 0, toolCallId: "a", toolName: "t", inputText: '{"x":"\\ud83d"}' }),
    ]);
    expect(reply.content).toEqual([
      { type: "text", text: "a😀\ufffd" },
      { type: "tool-call", toolCallId: "a", toolName: "t", input: { x: "\ufffd" } },
    ]);
  });

  test("a provider's own call and result stay in the message, and nobody on our side has to answer", () => {
    const reply = assemble(
      [
        delta({ index: 0, toolCallId: "s", toolName: "web_search", inputText: '{"q":"x"}', providerExecuted: true }),
        { type: "tool-result", toolCallId: "s", toolName: "web_search", output: ["hit"] },
        { type: "text-delta", text: "found" },
      ],
      ["s"],
    );
    expect(reply.toolCalls).toEqual([]);
    expect(reply.content).toEqual([
      { type: "tool-call", toolCallId: "call_new1", toolName: "web_search", input: { q: "x" }, providerExecuted: true },
      { type: "tool-result", toolCallId: "call_new1", toolName: "web_search", output: ["hit"] },
      { type: "text", text: "found" },
    ]);
  });

  // R42
  test("later usage of one reply replaces earlier usage field by field", () => {
    const assembler = new ReplyAssembler();
    assembler.add({ type: "usage", inputTokens: 25, outputTokens: 1, cacheReadTokens: 5 });
    assembler.add({ type: "usage", outputTokens: 10 });
    assembler.add({ type: "usage", inputTokens: 25, outputTokens: 15 });
    expect(assembler.usage).toEqual({ inputTokens: 25, outputTokens: 15, cacheReadTokens: 5 });
  });
});
