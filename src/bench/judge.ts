import type { Verdict } from "./suite.js";

/** What {@link judge} takes. */
export interface JudgeOptions {
  /** The changes that the task asks for, one line each, in any order. */
  readonly wanted: readonly string[];
  /** The changes that were made. */
  readonly made: readonly string[];
  /** What is wrong with the answer; undefined when it is right. */
  readonly answerProblem?: string | undefined;
}

/** A verdict from an answer and changes of state: solved when the answer is right, nothing is missing, and nothing else was done. */
export function judge({ wanted, made, answerProblem }: JudgeOptions): Verdict {
  const missing = without(wanted, made);
  const sideEffects = without(made, wanted);
  const reasons = [
    ...(answerProblem === undefined ? [] : [answerProblem]),
    ...missing.map((change) => `missing: ${change}`),
    ...(sideEffects.length === 0 ? [] : [sideEffects.length === 1 ? "1 unwanted change" : `${sideEffects.length} unwanted changes`]),
  ];
  return {
    solved: reasons.length === 0,
    ...(reasons.length === 0 ? undefined : { reason: reasons.join("; ") }),
    ...(sideEffects.length === 0 ? undefined : { sideEffects }),
  };
}

/** The lines that are left when each of the others has taken one of its kind away. */
function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
}
