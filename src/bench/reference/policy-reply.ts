import type { MessagePart } from "../../base/message.js";
import type { AgentModelEvent, AgentModelRequest, FinishReason } from "../../base/model.js";
import { Random } from "../random.js";
import type { TokenCounter } from "../token-counter.js";
import type { Intent } from "./policy-protocol.js";

/** A reply of the policy, before it is streamed. */
export interface PolicyReply {
  readonly text: string;
  readonly calls: readonly ReplyCall[];
  /** @default "tool-calls" with calls, else "stop" */
  readonly finishReason?: FinishReason;
}

/** A native call as it is written; the arguments need not be JSON. */
export interface ReplyCall {
  readonly toolName: string;
  readonly inputText: string;
}

/** What an intent looks like when it is said as it should be. */
export function replyOf(intent: Intent): PolicyReply {
  switch (intent.kind) {
    case "calls":
      return { text: "", calls: intent.calls.map(({ toolName, input }) => ({ toolName, inputText: JSON.stringify(input) })) };
    case "code":
      return { text: JSON.stringify({ type: "code", language: intent.language, code: intent.code }), calls: [] };
    case "final":
      return { text: JSON.stringify({ type: "final", output: intent.output }), calls: [] };
    case "plan":
      return { text: JSON.stringify({ steps: intent.steps }), calls: [] };
    case "text":
      return { text: intent.text, calls: [] };
  }
}

/** What {@link replyEvents} needs besides the reply. */
export interface ReplyEventsOptions {
  /** What is answered. */
  readonly request: AgentModelRequest;
  /** Counts both. */
  readonly counter: TokenCounter;
  /** Chooses where the text is cut. */
  readonly seed: number;
}

/** A reply as a stream of events, cut into deltas at seeded places, with its usage. */
export function replyEvents(reply: PolicyReply, { request, counter, seed }: ReplyEventsOptions): AgentModelEvent[] {
  const { text, calls, finishReason = calls.length > 0 ? "tool-calls" : "stop" } = reply;
  const cut = cutter(seed, text.length + calls.length);
  const earlier = request.messages.reduce((sum, { content }) => sum + content.filter(({ type }) => type === "tool-call").length, 0);
  return [
    ...cut(text).map((piece) => ({ type: "text-delta", text: piece }) as const),
    ...calls.flatMap(({ toolName, inputText }, index) => {
      const [first = "", ...rest] = cut(inputText);
      return [
        { type: "tool-call-delta", index, toolCallId: `call_${earlier + index + 1}`, toolName, inputText: first } as const,
        ...rest.map((piece) => ({ type: "tool-call-delta", index, inputText: piece }) as const),
      ];
    }),
    { type: "usage", inputTokens: counter.request(request), outputTokens: counter.reply({ content: contentOf(reply) }) },
    { type: "finish", reason: finishReason },
  ];
}

/** The reply as it will stand in the history, so that it is counted in the same way there. */
function contentOf({ text, calls }: PolicyReply): MessagePart[] {
  const parts = calls.map(({ toolName, inputText }): MessagePart => ({ type: "text", text: `${toolName} ${inputText}` }));
  return text === "" ? parts : [{ type: "text", text }, ...parts];
}

const SHORTEST_DELTA = 4;
const LONGEST_DELTA = 60;

function cutter(seed: number, length: number): (text: string) => string[] {
  const random = new Random("deltas", seed, length);
  return (text) => {
    const pieces: string[] = [];
    for (let from = 0; from < text.length; ) {
      const to = from + random.integer(SHORTEST_DELTA, LONGEST_DELTA);
      pieces.push(text.slice(from, to));
      from = to;
    }
    return pieces;
  };
}
