import type { AgentRunResult } from "../base/agent-runtime.js";
import { messageOf } from "../base/errors.js";
import type { AgentUsage } from "../base/usage.js";
import { oneLine, safeText } from "./safe-text.js";
import type { Output, Paint } from "./terminal.js";

const paints: Readonly<Record<AgentRunResult["status"], Paint>> = {
  completed: "green",
  failed: "red",
  aborted: "yellow",
  suspended: "yellow",
};

/** How a run ended and what has to be done: some lines, safe to show. */
export function describeEnd(result: AgentRunResult, { hint, output }: { hint: string | undefined; output: Output }): string {
  const { status, endedBy, error, reason, pending = [] } = result;
  const how = status === "completed" || status === "suspended" ? status : `${status} (${endedBy})`;
  const why = error === undefined ? reason : messageOf(error);
  const waiting = pending.map((call) => `  waits: ${describeCall(call)}\n`);
  return [
    `${output.paint(paints[status], how)}${why === undefined ? "" : `: ${safeText(why)}`}\n`,
    ...waiting,
    ...(hint === undefined ? [] : [`${hint}\n`]),
  ].join("");
}

/** A call on one line, safe to show. */
export function describeCall({ toolCallId, toolName, input }: { toolCallId: string; toolName: string; input: unknown }): string {
  return `${oneLine(toolCallId, 100)} ${oneLine(toolName, 64)} ${oneLine(input, 200)}`;
}

/** What a run took, on one line. */
export function describeUsage({ iterations, usage }: AgentRunResult, milliseconds: number): string {
  return `${count(iterations, "turn")} · ${tokens(usage)} · ${duration(milliseconds)}`;
}

function tokens({ inputTokens, outputTokens, cacheReadTokens, totalCost }: AgentUsage): string {
  const cached = cacheReadTokens === 0 ? "" : ` (${cacheReadTokens} cached)`;
  const cost = totalCost === undefined ? "" : ` · cost ${Number(totalCost.toPrecision(3))}`;
  return `${inputTokens} tokens in${cached}, ${outputTokens} out${cost}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** A length of time for people. */
export function duration(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}
