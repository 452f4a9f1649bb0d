import type { ToolCallDecision, ToolCallDecisions } from "../base/policy.js";
import type { AskedCall } from "./ask-about-call.js";
import type { FlagValues } from "./parse-flags.js";
import { UsageError } from "./usage-error.js";

const ALL = "all";

interface Answer {
  readonly flag: string;
  readonly toolCallId: string;
  readonly decision: ToolCallDecision;
}

/**
 * The answers that `--approve` and `--reject` give to the calls that wait. An answer to one call goes before an answer to all.
 * @throws UsageError for a call that does not wait, or that is answered twice.
 */
export function readDecisions(values: FlagValues, waiting: readonly AskedCall[]): ToolCallDecisions {
  const ids = new Set(waiting.map(({ toolCallId }) => toolCallId));
  const answers = [
    ...values.texts("approve").map((text): Answer => ({ flag: `--approve ${text}`, toolCallId: text, decision: { approved: true } })),
    ...values.texts("reject").map((text) => rejection(text, ids)),
  ];
  const decisions = new Map<string, ToolCallDecision>();
  for (const { flag, toolCallId, decision } of answers) {
    if (toolCallId !== ALL && !ids.has(toolCallId)) {
      throw new UsageError({ problem: `${flag}: no call of this id waits. Waiting: ${[...ids].join(", ") || "none"}.` });
    }
    if (decisions.has(toolCallId)) throw new UsageError({ problem: `${flag}: ${toolCallId} was answered by another flag already.` });
    decisions.set(toolCallId, decision);
  }
  const forAll = decisions.get(ALL);
  return Object.fromEntries(
    [...ids].flatMap((id) => {
      const decision = decisions.get(id) ?? forAll;
      return decision === undefined ? [] : [[id, decision] as const];
    }),
  );
}

/** An id may itself hold an equals sign. */
function rejection(text: string, ids: ReadonlySet<string>): Answer {
  const flag = `--reject ${text}`;
  const at = text.indexOf("=");
  if (at < 0 || ids.has(text)) return { flag, toolCallId: text, decision: { approved: false } };
  return { flag, toolCallId: text.slice(0, at), decision: { approved: false, reason: text.slice(at + 1) } };
}
