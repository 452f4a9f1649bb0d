import fc, { type Arbitrary } from "fast-check";
import type { AgentModelEvent, JsonObject, ToolCallDelta } from "triact";
import { oneIn } from "./cases.ts";

/** A reply as the model means it. */
export type MeantPart =
  | { readonly kind: "text" | "reasoning"; readonly text: string; readonly metadata?: JsonObject }
  | { readonly kind: "calls"; readonly calls: readonly MeantCall[]; readonly style: CallStyle };

export interface MeantCall {
  readonly toolName: string;
  readonly input: JsonObject;
  /** How the arguments are written: plain, all but ASCII escaped, on several lines, or given as a value instead of text. */
  readonly written: "plain" | "escaped" | "lines" | "value" | "behind a placeholder";
  readonly metadata?: JsonObject;
}

/** How a provider says which call a piece belongs to. */
export interface CallStyle {
  readonly by: "index" | "id" | "sequence" | "index 0 for all";
  readonly ids: "first" | "all" | "late" | "fresh" | "none";
  readonly names: "first" | "all" | "late";
}

/** Cuts texts into pieces, in code units; sometimes empty ones. */
export interface Cutter {
  readonly sizes: readonly number[];
  readonly picks: readonly number[];
  /** Every how many events one that says nothing is put in; 0 for never. */
  readonly noiseEvery: number;
}

const words = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 12 }),
  fc.constantFrom("😀👩‍👩‍👧 é 漢字", "", "  \n", "\ud83d", "a\udc00b", '"}]{\\', "x".repeat(40)),
);
const metadata = fc.constantFrom<JsonObject>({ signature: "sig+/=" }, { encrypted: "abc", n: [1] });

const input = fc
  .dictionary(fc.oneof(fc.string({ maxLength: 4 }), words), fc.oneof(fc.jsonValue({ maxDepth: 2 }), words), { maxKeys: 3 })
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonObject);

const meantCall: Arbitrary<MeantCall> = fc
  .record({
    toolName: fc.constantFrom("read", "write"),
    input,
    written: fc.constantFrom<MeantCall["written"][]>("plain", "plain", "escaped", "lines", "value", "behind a placeholder"),
    metadata: oneIn(3, metadata),
  })
  .map(({ metadata: given, ...call }) => (given === undefined ? call : { ...call, metadata: given }));

const style: Arbitrary<CallStyle> = fc.oneof(
  fc.record({
    by: fc.constant("index" as const),
    ids: fc.constantFrom("first" as const, "all" as const, "late" as const, "none" as const),
    names: fc.constantFrom("first" as const, "all" as const),
  }),
  fc.record({ by: fc.constant("index" as const), ids: fc.constant("fresh" as const), names: fc.constant("first" as const) }),
  fc.record({
    by: fc.constant("index" as const),
    ids: fc.constantFrom("first" as const, "all" as const),
    names: fc.constant("late" as const),
  }),
  // a new id without a name and an index goes on with the last call (R02), so that a name may not be late here
  fc.record({ by: fc.constant("id" as const), ids: fc.constant("all" as const), names: fc.constantFrom("first" as const, "all" as const) }),
  fc.record({
    by: fc.constant("sequence" as const),
    ids: fc.constantFrom("first" as const, "all" as const, "none" as const),
    names: fc.constant("first" as const),
  }),
  fc.record({
    by: fc.constant("index 0 for all" as const),
    ids: fc.constantFrom("first" as const, "all" as const),
    names: fc.constant("first" as const),
  }),
);

const meantPart = fc.oneof(
  fc
    .record({
      kind: fc.constantFrom("text" as const, "reasoning" as const),
      text: words,
      metadata: oneIn(3, metadata),
    })
    .map(({ metadata: given, ...part }) => (given === undefined || part.kind === "text" ? part : { ...part, metadata: given })),
  fc.record({ kind: fc.constant("calls" as const), calls: fc.array(meantCall, { minLength: 1, maxLength: 4 }) }),
);

/**
 * A reply of a provider that keeps to one style. It has no parts that leave no event, and two parts of a kind never follow each other, since only a
 * `blockId` could tell them apart.
 */
export const meantReply: Arbitrary<MeantPart[]> = fc.tuple(fc.array(meantPart, { minLength: 1, maxLength: 5 }), style).map(([parts, one]) =>
  parts
    .filter((part) => part.kind === "calls" || part.text !== "" || "metadata" in part)
    .filter((part, at, rest) => part.kind !== rest[at - 1]?.kind)
    .map((part) => (part.kind === "calls" ? { ...part, style: one } : part)),
);

export const cutter: Arbitrary<Cutter> = fc.record({
  sizes: fc.array(fc.nat(6), { minLength: 1, maxLength: 6 }).filter((sizes) => sizes.some((size) => size > 0)),
  picks: fc.array(fc.nat(9), { minLength: 1, maxLength: 8 }),
  noiseEvery: fc.nat(3),
});

/** The id of a call: number of the group in the reply, number of the call in the group. */
export const callId = (group: number, call: number) => `call_${group}_${call}`;

/** Streams a reply in the given way. `blockIds` gives each part one of its own. */
export function streamOf(parts: readonly MeantPart[], cut: Cutter, blockIds = false): AgentModelEvent[] {
  const events = parts.flatMap((part, at): AgentModelEvent[] => {
    if (part.kind === "calls") return callEvents(part, at, cut);
    const block = blockIds ? { blockId: at } : undefined;
    const pieces = piecesOf(part.text, cut).map((text) => ({ type: `${part.kind}-delta` as const, text, ...block }));
    const signature =
      part.metadata === undefined ? [] : [{ type: "reasoning-delta" as const, text: "", metadata: part.metadata, ...block }];
    return [...pieces, ...signature];
  });
  return withNoise(events, cut.noiseEvery);
}

function piecesOf(text: string, { sizes }: Cutter): string[] {
  const pieces: string[] = [];
  for (let from = 0, turn = 0; from < text.length; turn++) {
    const to = from + (sizes[turn % sizes.length] ?? 1);
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}

function callEvents(
  { calls, style: { by, ids, names } }: Extract<MeantPart, { kind: "calls" }>,
  group: number,
  cut: Cutter,
): AgentModelEvent[] {
  const lists = calls.map((call, number) => {
    const id = callId(group, number);
    const bodies = bodiesOf(call, cut);
    return bodies.map((body, at): ToolCallDelta => {
      const first = at === 0;
      const last = at === bodies.length - 1;
      const named = names === "all" || (names === "first" ? first : last);
      const ided = ids === "all" || (ids === "first" ? first : ids === "late" && last);
      return {
        type: "tool-call-delta",
        ...(by === "index" ? { index: group * 10 + number } : by === "index 0 for all" ? { index: 0 } : undefined),
        ...(ided ? { toolCallId: id } : ids === "fresh" ? { toolCallId: first ? id : `${id}_${at}` } : undefined),
        ...(named ? { toolName: call.toolName } : undefined),
        ...body,
      };
    });
  });
  return by === "index" || by === "id" ? interleave(lists, cut.picks) : lists.flat();
}

/** The pieces of the arguments: text, or one value; and metadata with the last of them. */
function bodiesOf({ input: value, written, metadata: given }: MeantCall, cut: Cutter): Partial<ToolCallDelta>[] {
  const bodies: Partial<ToolCallDelta>[] =
    written === "value" ? [{ inputText: "" }, { input: value }] : piecesOf(textOf(value, written), cut).map((inputText) => ({ inputText }));
  if (written === "behind a placeholder") bodies.unshift({ inputText: "{}" });
  if (given !== undefined) bodies.push({ metadata: given });
  return bodies;
}

function textOf(value: JsonObject, written: MeantCall["written"]): string {
  if (written === "lines") return `${JSON.stringify(value, undefined, 2)}\n`;
  if (written !== "escaped") return JSON.stringify(value);
  return JSON.stringify(value).replace(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Mixes the calls' pieces. Each call keeps the order of its own, and no call begins before the one in front of it. */
function interleave<T>(lists: readonly (readonly T[])[], picks: readonly number[]): T[] {
  const next = lists.map(() => 0);
  const mixed: T[] = [];
  for (let turn = 0; ; turn++) {
    const ready = lists.flatMap((list, at) => ((next[at] ?? 0) < list.length && (at === 0 || (next[at - 1] ?? 0) > 0) ? [at] : []));
    const at = ready[(picks[turn % picks.length] ?? 0) % ready.length];
    if (at === undefined) return mixed;
    mixed.push(...(lists[at]?.slice(next[at], (next[at] ?? 0) + 1) ?? []));
    next[at] = (next[at] ?? 0) + 1;
  }
}

const NOISE: readonly AgentModelEvent[] = [
  { type: "usage", inputTokens: 3 },
  { type: "text-delta", text: "" },
  { type: "reasoning-delta", text: "" },
];

function withNoise(events: readonly AgentModelEvent[], every: number): AgentModelEvent[] {
  if (every === 0) return [...events];
  return events.flatMap((event, at) => (at % every === 0 ? [...NOISE.slice(at % 3, (at % 3) + 1), event] : [event]));
}
