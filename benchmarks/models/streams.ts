/** Names of the protocols that are measured. */
export const PROTOCOLS = ["anthropic-messages", "openai-responses", "openai-chat"] as const;

/** One of them. */
export type ProtocolName = (typeof PROTOCOLS)[number];

/** What a stream consists of: so many deltas of text, or the arguments of one call with so many characters in all. */
export type StreamShape = { readonly kind: "text"; readonly deltas: number } | { readonly kind: "arguments"; readonly chars: number };

const WORD = "wonderful ";
/** Length of a piece of arguments. */
const PIECE = "x".repeat(64);

/** The body of an answer, as the provider would send it. */
export function streamOf(protocol: ProtocolName, shape: StreamShape): string {
  const events = shape.kind === "text" ? textOf(protocol, shape.deltas) : argumentsOf(protocol, shape.chars);
  if (protocol === "openai-chat") return `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")}data: [DONE]\n\n`;
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

interface WireEvent {
  readonly type?: string;
  readonly [field: string]: unknown;
}

function textOf(protocol: ProtocolName, deltas: number): WireEvent[] {
  return framed(
    protocol,
    "text",
    Array.from({ length: deltas }, () => WORD),
  );
}

function argumentsOf(protocol: ProtocolName, chars: number): WireEvent[] {
  const pieces = Array.from({ length: Math.ceil(chars / PIECE.length) }, () => PIECE);
  return framed(protocol, "arguments", ['{"content":"', ...pieces, '"}']);
}

function framed(protocol: ProtocolName, kind: StreamShape["kind"], pieces: readonly string[]): WireEvent[] {
  switch (protocol) {
    case "anthropic-messages":
      return anthropicEvents(kind, pieces);
    case "openai-responses":
      return responsesEvents(kind, pieces);
    default:
      return chatChunks(kind, pieces);
  }
}

function anthropicEvents(kind: StreamShape["kind"], pieces: readonly string[]): WireEvent[] {
  const isText = kind === "text";
  const block = isText ? { type: "text", text: "" } : { type: "tool_use", id: "toolu_1", name: "write", input: {} };
  const delta = (piece: string) => (isText ? { type: "text_delta", text: piece } : { type: "input_json_delta", partial_json: piece });
  const usage = { input_tokens: 20, output_tokens: 1 };
  return [
    {
      type: "message_start",
      message: { id: "msg_1", type: "message", role: "assistant", model: "m", content: [], stop_reason: null, usage },
    },
    { type: "content_block_start", index: 0, content_block: block },
    ...pieces.map((piece) => ({ type: "content_block_delta", index: 0, delta: delta(piece) })),
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: isText ? "end_turn" : "tool_use", stop_sequence: null }, usage: { output_tokens: 9 } },
    { type: "message_stop" },
  ];
}

function chatChunks(kind: StreamShape["kind"], pieces: readonly string[]): WireEvent[] {
  const isText = kind === "text";
  const chunk = (delta: object, finish: string | null = null) => ({
    id: "chatcmpl-BQ0123456789abcdef",
    object: "chat.completion.chunk",
    created: 1_764_661_832,
    model: "m",
    system_fingerprint: "fp_0123456789",
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  });
  const call = (fields: object) => ({ tool_calls: [{ index: 0, ...fields }] });
  return [
    chunk(
      isText ? { role: "assistant", content: "" } : call({ id: "call_1", type: "function", function: { name: "write", arguments: "" } }),
    ),
    ...pieces.map((piece) => chunk(isText ? { content: piece } : call({ function: { arguments: piece } }))),
    chunk({}, isText ? "stop" : "tool_calls"),
  ];
}

function responsesEvents(kind: StreamShape["kind"], pieces: readonly string[]): WireEvent[] {
  const isText = kind === "text";
  const whole = pieces.join("");
  const item = isText
    ? { id: "msg_1", type: "message", role: "assistant", content: [] }
    : { id: "fc_1", type: "function_call", call_id: "call_1", name: "write", arguments: "" };
  const done = isText ? { ...item, content: [{ type: "output_text", text: whole, annotations: [] }] } : { ...item, arguments: whole };
  const type = isText ? "response.output_text.delta" : "response.function_call_arguments.delta";
  const usage = { input_tokens: 20, output_tokens: 9 };
  return [
    { type: "response.created", sequence_number: 0, response: { id: "resp_1", object: "response", status: "in_progress", output: [] } },
    { type: "response.output_item.added", sequence_number: 1, output_index: 0, item },
    ...pieces.map((delta, index) => ({ type, sequence_number: index + 2, item_id: item.id, output_index: 0, content_index: 0, delta })),
    { type: "response.output_item.done", output_index: 0, item: done },
    { type: "response.completed", response: { id: "resp_1", object: "response", status: "completed", output: [], usage } },
  ];
}
