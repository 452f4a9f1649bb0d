import { expect, test } from "vitest";
import type { CellRecord } from "../../../src/bench/record.ts";
import { compareRuns } from "../../../src/bench/report/compare-runs.ts";
import { generateRun, recordedRun } from "./generated-run.ts";

const run = generateRun({ tasks: 30 });
const changed = (change: (record: CellRecord) => Partial<CellRecord>) =>
  recordedRun({ ...run, records: run.records.map((record) => ({ ...record, ...change(record) })) });
const before = recordedRun(run);

test("a run against itself has no regression and no improvement", () => {
  const { regressions, improvements, notes, strategies } = compareRuns({ before, after: before });
  expect({ regressions, improvements, notes }).toEqual({ regressions: [], improvements: [], notes: [] });
  expect(strategies.map(({ arm, difference }) => [arm, difference.value])).toHaveLength(3);
});

test("fewer solved tasks beyond the noise are a regression, and a few are not", () => {
  const worse = (count: number) =>
    changed(({ arm, task }) => (arm === "react" && Number(task.slice(5)) <= count ? { outcome: "wrong" } : {}));
  expect(compareRuns({ before, after: worse(4) }).regressions).toEqual([]);
  const { regressions } = compareRuns({ before, after: worse(25) });
  expect(regressions).toMatchObject([{ arm: "react", measure: "solved", section: "crossover · reference" }]);
  expect(regressions[0]?.adjustedP).toBeLessThan(0.01);
  expect(regressions[0]?.high).toBeLessThan(0);
});

test("more tokens than the tolerance are a regression, and fewer an improvement", () => {
  const scaled = (factor: number) =>
    changed(({ arm, inputTokens, outputTokens }) =>
      arm === "react" ? { inputTokens: inputTokens * factor, outputTokens: outputTokens * factor } : {},
    );
  expect(compareRuns({ before, after: scaled(1.04) }).regressions).toEqual([]);
  expect(compareRuns({ before, after: scaled(1.2) }).regressions).toMatchObject([
    { arm: "react", measure: "tokens", value: expect.closeTo(1.2, 9) },
  ]);
  expect(compareRuns({ before, after: scaled(1.2), tolerance: 0.25 }).regressions).toEqual([]);
  expect(compareRuns({ before, after: scaled(0.5) })).toMatchObject({
    regressions: [],
    improvements: [{ measure: "tokens", value: expect.closeTo(0.5, 9) }],
  });
});

test("another granularity of the reference policy is said", () => {
  const manifests = (granularity: "call" | "whole") => before.manifests.map((manifest) => ({ ...manifest, granularity }));
  const [byCall, whole] = [
    { ...before, manifests: manifests("call") },
    { ...before, manifests: manifests("whole") },
  ];
  expect(compareRuns({ before: byCall, after: whole }).notes).toEqual([
    "The reference policy acted by call, then by whole: calls and tokens differ for that reason alone.",
  ]);
});

test("what cannot be compared is said", () => {
  const other = generateRun({ tasks: 30, seed: 2, arms: [{ name: "new", skill: 1, calls: () => 1 }] });
  expect(compareRuns({ before, after: recordedRun(other) }).notes).toEqual([
    "The seeds differ (1, then 2): tasks of generated suites have the same names and other content.",
    "crossover · reference, new: not compared, the earlier run has no such strategy on these tasks.",
    ...['codeact:{"finish":"model"}', "deep-research", "react"].map(
      (arm) => `crossover · reference, ${arm}: not compared, the later run has no such strategy on these tasks.`,
    ),
  ]);
});
