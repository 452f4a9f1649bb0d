import fc, { type Arbitrary } from "fast-check";
import type { AgentModelEvent, FinishReason } from "triact";
import { oneIn } from "./cases.ts";
import { RETURNED_NAMES, THROWN_NAMES } from "./nasty-values.ts";
import { type Deed, deedText, HOOK_RETURN_NAMES, type TurnSpec, type WorldSpec } from "./world.ts";

const thrownName = fc.constantFrom(...THROWN_NAMES);
const failing: Arbitrary<Deed> = fc.record({ do: fc.constantFrom("throw" as const, "reject" as const), value: thrownName });
const hanging: Arbitrary<Deed> = fc.constantFrom<Deed>({ do: "hang" }, { do: "hang" }, { do: "abort" });

/** What a tool is told to do. */
export const toolDeed: Arbitrary<Deed> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("return" as const), value: fc.constantFrom(...RETURNED_NAMES) }) },
  { weight: 3, arbitrary: failing },
  { weight: 1, arbitrary: hanging },
);

/** What a hook or callback does. */
export const hookDeed: Arbitrary<Deed> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Deed>({ do: "return", value: "nothing" }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("return" as const), value: fc.constantFrom(...HOOK_RETURN_NAMES) }) },
  { weight: 1, arbitrary: failing },
  { weight: 1, arbitrary: hanging },
);

const synchronous = hookDeed.map((deed): Deed => (deed.do === "throw" || deed.do === "return" ? deed : { do: "return", value: "text" }));

const approval: Arbitrary<Deed> = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Deed>({ do: "return", value: "approved" }) },
  { weight: 1, arbitrary: hookDeed },
);

const toolName = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom("act", "timed", "gated", "off", "done") },
  { weight: 1, arbitrary: fc.constantFrom("nope", "", "files.read", "9lives", "constructor", "__proto__", "x".repeat(70), "act\ud800") },
);

const inputText = fc.oneof(
  { weight: 5, arbitrary: toolDeed.map((deed) => JSON.stringify({ does: deedText(deed) })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("{", "[1]", '{"does":5}', "", "null", '{"does":"hang', "{does:1}", '{"does":"a"}{"does":"b"}', '"text"'),
  },
);

const call: Arbitrary<AgentModelEvent> = fc
  .record({
    id: fc.constantFrom("t:0", "t:0", "t:1", "t:1", "t:2", "half\ud800", "", undefined),
    toolName,
    inputText,
    providerExecuted: oneIn(12, fc.constant(true)),
  })
  .map(({ id, providerExecuted, ...delta }) => ({
    type: "tool-call-delta" as const,
    ...delta,
    ...(id === undefined ? undefined : { toolCallId: id }),
    ...(providerExecuted === undefined ? undefined : { providerExecuted }),
  }));

const words = fc.constantFrom("Hello.", "", "  ", "half \ud800", "\udc00other half");

const event: Arbitrary<AgentModelEvent> = fc.oneof(
  { weight: 3, arbitrary: words.map((text) => ({ type: "text-delta" as const, text })) },
  { weight: 1, arbitrary: words.map((text) => ({ type: "reasoning-delta" as const, text, metadata: { signature: "sig" } })) },
  { weight: 5, arbitrary: call },
  {
    weight: 1,
    arbitrary: fc.constantFrom<AgentModelEvent>(
      { type: "usage", inputTokens: 5, outputTokens: Number.NaN },
      { type: "media", data: "AAAA", mediaType: "image/png" },
      { type: "reset", reason: "again" },
      { type: "tool-result", toolCallId: "t:0", toolName: "act", output: "from the provider" },
    ),
  },
);

const FINISH_REASONS: readonly FinishReason[] = ["stop", "max-tokens", "refusal", "content-filter", "pause", "aborted", "error", "unknown"];

const finish: Arbitrary<readonly AgentModelEvent[]> = fc.oneof(
  { weight: 8, arbitrary: fc.constant([{ type: "finish" as const, reason: "stop" as const }]) },
  { weight: 3, arbitrary: fc.constantFrom(...FINISH_REASONS).map((reason) => [{ type: "finish" as const, reason, error: "their words" }]) },
  {
    weight: 1,
    arbitrary: fc.constant([{ type: "finish" as const, reason: "error" as const, errorClass: "context_window_exceeded" as const }]),
  },
  { weight: 1, arbitrary: fc.constantFrom([], [null as never], [{ type: "no such event" } as never]) },
);

/** One reply of a model that may break off or break down anywhere. */
export const turn: Arbitrary<TurnSpec> = fc
  .record({
    events: fc.array(event, { maxLength: 4 }),
    end: finish,
    afterwards: oneIn(10, fc.oneof(failing, hanging)),
  })
  .map(({ events, end, afterwards }) => (afterwards === undefined ? { events: [...events, ...end] } : { events, afterwards }));

const policy = fc.record({ enabled: fc.boolean(), autoApprove: fc.boolean() }, { requiredKeys: [] });
const rarely = <T>(arbitrary: Arbitrary<T>) => oneIn(6, arbitrary);
const deeds = fc.array(hookDeed, { minLength: 1, maxLength: 4 });

/** Drops the keys that are undefined. */
function present<T extends object>(value: T): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as never;
}

/** An agent with a script, and everything that can go wrong with it. */
export const worldSpec: Arbitrary<WorldSpec> = fc
  .record({
    turns: fc.array(turn, { minLength: 1, maxLength: 4 }),
    toolExecution: fc.constantFrom("sequential" as const, "parallel" as const),
    ownPolicy: oneIn(4, policy),
    hooks: fc
      .record({
        beforeRun: rarely(deeds),
        afterRun: rarely(deeds),
        beforeModel: rarely(deeds),
        afterModel: rarely(deeds),
        beforeTool: rarely(deeds),
        afterTool: rarely(deeds),
        onEvent: rarely(deeds),
      })
      .map(present),
    approvals: fc.option(fc.array(approval, { minLength: 1, maxLength: 3 }), { nil: undefined }),
    prepareTurn: rarely(deeds),
    completionGuard: rarely(deeds),
    consumePendingUserMessage: rarely(fc.array(synchronous, { minLength: 1, maxLength: 4 })),
    subscriber: rarely(deeds),
    pluginSetup: oneIn(12, fc.array(fc.oneof(failing, hanging), { minLength: 1, maxLength: 2 })),
  })
  .map(({ ownPolicy, ...spec }) => ({
    ...present(spec),
    toolPolicies: { gated: { autoApprove: false }, off: { enabled: false }, ...(ownPolicy === undefined ? undefined : { act: ownPolicy }) },
  }));
