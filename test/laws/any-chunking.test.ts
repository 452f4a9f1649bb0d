import fc from "fast-check";
import { type AgentModelEvent, createAgent, type JsonValue, type MessagePart, textOf } from "triact";
import { callTools, ScriptedModel, say } from "triact/testing";
import { describe, expect, test } from "vitest";
import { ReplyAssembler } from "../../src/base/reply-assembler.js";
import { cases } from "../support/cases.ts";
import { callId, cutter, type MeantPart, meantReply, streamOf } from "../support/chunking.ts";

/** The content that a reply means, made without an assembler. */
function contentOf(parts: readonly MeantPart[]): MessagePart[] {
  return parts.flatMap((part, group): MessagePart[] => {
    if (part.kind === "calls") {
      return part.calls.map(({ toolName, input, metadata }, number) => ({
        type: "tool-call",
        toolCallId: part.style.ids === "none" ? "minted" : callId(group, number),
        toolName,
        input: wellFormed(input) as typeof input,
        ...(metadata === undefined ? undefined : { metadata }),
      }));
    }
    const { kind: type, text, metadata } = part;
    if (type === "text" ? text.trim() === "" : text === "" && metadata === undefined) return [];
    return [{ type, text: text.toWellFormed(), ...(metadata === undefined ? undefined : { metadata }) }];
  });
}

function wellFormed(value: JsonValue): JsonValue {
  const text = JSON.stringify(value);
  return JSON.parse(text.replace(/\\ud[89a-f][0-9a-f]{2}/g, "\ufffd")) as JsonValue; // halves are the only surrogates that JSON.stringify escapes
}

function assemble(events: readonly AgentModelEvent[]) {
  const assembler = new ReplyAssembler();
  for (const event of events) assembler.add(event);
  return assembler.finish({ generateId: () => "minted", now: () => 0 });
}

/** As text, because a key may be `__proto__`, and order counts. */
const shown = (value: unknown) => JSON.stringify(value, undefined, 1);

describe("law 3: any chunking gives the same message", () => {
  test("however text, reasoning and calls are cut, numbered, named and mixed, the content is what the model meant", () => {
    fc.assert(
      fc.property(meantReply, cutter, fc.boolean(), (parts, cut, blockIds) => {
        const reply = assemble(streamOf(parts, cut, blockIds));
        expect(shown(reply.content)).toBe(shown(contentOf(parts)));
        expect(reply.truncated).toBe(false);
        expect(reply.droppedCallIds).toEqual([]);
        const calls = reply.content.filter((part) => part.type === "tool-call");
        expect(reply.toolCalls.map(({ toolCallId, input, problem }) => [toolCallId, input, problem])).toEqual(
          calls.map(({ toolCallId, input }) => [toolCallId, input, undefined]),
        );
      }),
      cases(25),
    );
  });

  test("blocks of one kind that follow each other are kept apart by their block ids", () => {
    const blocks = fc.array(fc.record({ kind: fc.constantFrom("text" as const, "reasoning" as const), text: fc.string({ minLength: 1 }) }));
    fc.assert(
      fc.property(blocks, cutter, (parts, cut) => {
        expect(shown(assemble(streamOf(parts, { ...cut, noiseEvery: 0 }, true)).content)).toBe(shown(contentOf(parts)));
      }),
      cases(5),
    );
  });

  test("a reply that the output limit cut inside its arguments is cut off wherever it was cut before", () => {
    fc.assert(
      fc.property(cutter, fc.nat(60), (cut, length) => {
        const text = JSON.stringify({ path: "a/é😀", lines: ['"x\\', 1.5e3, null, true, { deep: [] }] });
        const whole = text.slice(0, 1 + (length % (text.length - 1)));
        const pieces: string[] = [];
        for (let from = 0, turn = 0; from < whole.length; turn++) {
          const to = from + (cut.sizes[turn % cut.sizes.length] ?? 1);
          pieces.push(whole.slice(from, to));
          from = to;
        }
        const events = pieces.map((inputText) => ({ type: "tool-call-delta" as const, index: 0, toolName: "write", inputText }));
        const reply = assemble([...events, { type: "finish", reason: "tool-calls" }]);
        expect(reply.toolCalls.map(({ problem, input }) => [problem?.errorType, input])).toEqual([["truncated", {}]]);
      }),
      cases(5),
    );
  });

  test("an agent's events hold all of the text and arguments, and its message is the same, however the model streams", async () => {
    await fc.assert(
      fc.asyncProperty(meantReply, cutter, async (parts, cut) => {
        const events = [...streamOf(parts, cut), { type: "finish", reason: "pause" } as const];
        const agent = createAgent({ model: new ScriptedModel([{ events }, say("The end.")]), generateId: () => "minted" });
        const stream = agent.stream("Go.");
        const texts: string[] = [];
        const inputs = new Map<number, string>();
        let accumulated = "";
        for await (const event of stream) {
          if (event.iteration !== 1) continue;
          if (event.type === "assistant-text-delta") {
            texts.push(event.text);
            accumulated = event.accumulatedText;
          }
          if (event.type === "assistant-tool-call-delta") {
            inputs.set(event.callIndex, (inputs.get(event.callIndex) ?? "") + event.inputText);
          }
        }
        const whole = parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("");
        expect([texts.join(""), accumulated]).toEqual([whole, whole]);
        const meant = parts.flatMap((part) => (part.kind === "calls" ? part.calls : []));
        expect(inputs.size).toBe(meant.length);
        const { messages } = await stream.result;
        const reply = messages.find(({ role }) => role === "assistant");
        if (contentOf(parts).some(({ type }) => type !== "reasoning")) {
          expect(shown(reply?.content)).toBe(shown(contentOf(parts)));
        }
      }),
      cases(4),
    );
  });

  test("a scripted model says the same with any seed", async () => {
    const turns = [
      callTools(
        [
          { toolName: "look", input: { at: "😀 \u{10ffff}" } },
          { toolName: "look", input: {} },
        ],
        { text: "Looking 👀.", reasoning: "Hm…" },
      ),
      say("Seen 👁️."),
    ];
    const contents = async (seed?: number) => {
      const agent = createAgent({ model: new ScriptedModel(turns, seed === undefined ? {} : { seed }) });
      const { messages } = await agent.run("Look.");
      return messages.map(({ content }) => content);
    };
    const expected = await contents();
    expect(textOf({ content: expected.at(-1) ?? [] })).toBe("Seen 👁️.");
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        expect(await contents(seed)).toEqual(expected);
      }),
      cases(1),
    );
  });
});
