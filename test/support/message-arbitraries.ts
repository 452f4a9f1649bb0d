import fc, { type Arbitrary } from "fast-check";
import type { AgentMessageInput, MessagePart } from "triact";
import { oneIn } from "./cases.ts";

const text = fc.constantFrom("Hello.", "", " \n", "half \ud800", "😀");
const callId = fc.constantFrom("a", "b", "c", "d");
const toolName = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("act", "look") },
  { weight: 1, arbitrary: fc.constantFrom("a.b", "", "9") },
);

const callPart = fc.record({
  type: fc.constant("tool-call" as const),
  toolCallId: callId,
  toolName,
  input: fc.constantFrom({}, { n: 1 }, { text: "\udc00" }),
});
const providerCall = callPart.map((part) => ({ ...part, providerExecuted: true }));
const resultPart = fc.record({ type: fc.constant("tool-result" as const), toolCallId: callId, toolName, output: fc.nat(99) });
const textPart = text.map((value): MessagePart => ({ type: "text", text: value }));
const reasoningPart = text.map((value): MessagePart => ({ type: "reasoning", text: value, metadata: { signature: "sig" } }));
const imagePart = fc.constant<MessagePart>({ type: "image", data: "AAAA", mediaType: "image/png" });

const part: Arbitrary<MessagePart> = fc.oneof(
  { weight: 4, arbitrary: callPart },
  { weight: 4, arbitrary: resultPart },
  { weight: 2, arbitrary: textPart },
  { weight: 1, arbitrary: reasoningPart },
  { weight: 1, arbitrary: providerCall },
  { weight: 1, arbitrary: imagePart },
);

const id = oneIn(3, fc.constantFrom("m1", "m2", "half\ud800"));

/** Messages as a careless caller may have put them together: any part in any message, ids used twice, results anywhere. */
export const looseMessages: Arbitrary<AgentMessageInput[]> = fc.array(
  fc
    .oneof(
      fc.record({
        role: fc.constantFrom("user" as const, "assistant" as const, "tool" as const),
        content: fc.array(part, { maxLength: 4 }),
        id,
      }),
      fc.record({ role: fc.constant("assistant" as const), content: fc.array(callPart, { minLength: 1, maxLength: 3 }), id }),
      fc.record({ role: fc.constant("tool" as const), content: fc.array(resultPart, { minLength: 1, maxLength: 3 }), id }),
      fc.record({ role: fc.constant("user" as const), content: text, id }),
    )
    .map(({ id: given, ...message }): AgentMessageInput => (given === undefined ? message : { ...message, id: given })),
  { maxLength: 8 },
);

/** One exchange of a valid history. Ids are filled in by {@link validMessages}. */
const exchange = fc.oneof(
  fc.constant<AgentMessageInput[]>([{ role: "user", content: "Go." }]),
  fc.constant<AgentMessageInput[]>([{ role: "assistant", content: "Gone." }]),
  fc.nat(3).map((count): AgentMessageInput[] => {
    const calls = Array.from({ length: count + 1 }, (_, index) => ({ toolCallId: `${index}`, toolName: "act" }));
    return [
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "", metadata: { s: "x" } },
          ...calls.map((call) => ({ type: "tool-call" as const, ...call, input: {} })),
        ],
      },
      ...calls.map((call) => ({ role: "tool" as const, content: [{ type: "tool-result" as const, ...call, output: 1 }] })),
    ];
  }),
  fc.constant<AgentMessageInput[]>([
    {
      role: "assistant",
      content: [
        { type: "tool-call", toolCallId: "own", toolName: "search", input: {}, providerExecuted: true },
        { type: "tool-result", toolCallId: "own", toolName: "search", output: [] },
        { type: "text", text: "Found." },
      ],
    },
  ]),
);

/** A history that is valid already, with ids of its own. */
export const validMessages: Arbitrary<AgentMessageInput[]> = fc.array(exchange, { maxLength: 6 }).map((exchanges) =>
  exchanges.flatMap((messages, number) =>
    messages.map(({ content, ...message }) => ({
      ...message,
      content:
        typeof content === "string"
          ? content
          : content.map((each) => ("toolCallId" in each ? { ...each, toolCallId: `call_${number}_${each.toolCallId}` } : each)),
    })),
  ),
);
