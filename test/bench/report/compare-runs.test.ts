import { expect, test } from "vitest";
import type { CellRecord } from "../../../src/bench/record.ts";
import { compareRuns } from "../../../src/bench/report/compare-runs.ts";
import { generatedArms, generateRun, recordedRun } from "./generated-run.ts";

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
    'crossover · reference, codeact:{"finish":"model"}, deep-research, react: not compared, the later run has no such strategy on these tasks.',
  ]);
});

test("why it cannot be compared is said", () => {
  const changed = (fields: Partial<CellRecord>) => {
    const run = generateRun({ tasks: 30, arms: generatedArms.slice(0, 1) });
    return recordedRun({ ...run, records: run.records.map((record) => ({ ...record, ...fields })) });
  };
  const reasons = (fields: Partial<CellRecord>) =>
    compareRuns({ before: changed({}), after: changed(fields) }).notes.map((text) => text.split(": not compared, ")[1]);
  expect(reasons({ suiteVersion: "2" })).toEqual([
    "the earlier run has version 1 of the suite, and this is version 2.",
    "the later run has version 2 of the suite, and this is version 1.",
  ]);
  expect(reasons({ suite: "other" })).toEqual(["the earlier run has no tasks of this suite.", "the later run has no tasks of this suite."]);
  expect(reasons({ model: "other" })).toEqual(["the earlier run was with another model.", "the later run was with another model."]);
  expect(reasons({ fault: "empty" })).toEqual(["the earlier run was without this fault.", "the later run was with faults only."]);
});

test("a comparison of few unrelated tasks says so", () => {
  const few = recordedRun(generateRun({ tasks: 3 }));
  expect(compareRuns({ before: few, after: few }).notes).toEqual([
    "There are few unrelated groups of tasks: take every interval and every p-value as a rough guide.",
  ]);
});
