import type { Finding, RunComparison } from "./compare-runs.js";
import { NONE, points, probability, ratio, shortNames } from "./format-numbers.js";
import { type Block, measureNames } from "./report-blocks.js";

/** What a comparison of two runs says: regressions first. */
export function comparisonBlocks({ strategies, regressions, improvements, notes }: RunComparison): readonly Block[] {
  const names = shortNames(
    strategies.map(({ arm }) => arm),
    20,
  );
  const rows = strategies.map(({ section, difference: { value, low, high }, adjustedP, efficiency, detectable }, index) => [
    `${names[index]} · ${section}`,
    points(value),
    low === undefined ? NONE : `${points(low)} to ${points(high)}`,
    probability(adjustedP),
    detectable === undefined ? NONE : (detectable * 100).toFixed(1),
    ratio(efficiency.find(({ measure }) => measure === "tokens")?.value),
  ]);
  const columns = [
    { title: "strategy", align: "left" },
    ...["points", "95%", "p (Holm)", "could show", "tokens"].map((title) => ({ title, align: "right" }) as const),
  ] as const;
  const verdict = regressions.length === 0 ? "No regression beyond the noise." : `Regressions beyond the noise: ${regressions.length}.`;
  return [
    { kind: "heading", level: 1, text: "Later run against earlier run" },
    { kind: "text", text: verdict },
    ...(regressions.length === 0 ? [] : [{ kind: "list", items: regressions.map(sentence) } as const]),
    ...(improvements.length === 0
      ? []
      : [{ kind: "text", text: "Improvements:" } as const, { kind: "list", items: improvements.map(sentence) } as const]),
    { kind: "table", columns, rows },
    ...(notes.length === 0 ? [] : [{ kind: "list", items: notes } as const]),
  ];
}

function sentence({ section, arm, measure, value, low, high, adjustedP }: Finding): string {
  const write = measure === "solved" ? points : ratio;
  const what = measure === "solved" ? "solved, in percentage points" : `${measureNames[measure]} on the tasks that both solved`;
  const interval = low === undefined ? "" : `, 95% ${write(low)} to ${write(high)}`;
  return `${arm}, ${section}: ${what} ${write(value)}${interval}, p ${probability(adjustedP)}.`;
}
