import { mcNemar, wilsonInterval } from "triact/bench";
import { describe, expect, test } from "vitest";
import type { CellRecord } from "../../../src/bench/record.ts";
import { analyse } from "../../../src/bench/report/analyse.ts";
import type { AnalysisSection } from "../../../src/bench/report/analysis.ts";
import { type GeneratedRun, generateRun, recordedRun } from "./generated-run.ts";

const run = generateRun();
const sectionOf = (generated: GeneratedRun): AnalysisSection => analyse(recordedRun(generated)).sections[0] as AnalysisSection;
const withRecords = (change: (record: CellRecord) => CellRecord): GeneratedRun => ({ ...run, records: run.records.map(change) });
const of = (arm: string) => run.records.filter((record) => record.arm === arm);
const sum = (records: readonly CellRecord[], number: (record: CellRecord) => number) =>
  records.reduce((total, record) => total + number(record), 0);

test("the analysis is plain JSON, and the order of the records does not change it", () => {
  const analysis = analyse(recordedRun(run));
  expect(JSON.parse(JSON.stringify(analysis))).toEqual(analysis);
  expect(analyse(recordedRun({ ...run, records: run.records.toReversed() }))).toEqual(analysis);
});

test("a strategy's numbers are the sums of its records", () => {
  const [strategy] = sectionOf(run).strategies;
  const records = of("react");
  const solved = records.filter(({ outcome }) => outcome === "solved").length;
  expect(strategy).toMatchObject({
    arm: "react",
    cells: 24,
    solvedCells: solved,
    solved: wilsonInterval({ successes: solved, trials: 24 }),
    passHat: [solved / 24],
    modelCalls: sum(records, ({ modelCalls }) => modelCalls),
    inputTokens: sum(records, ({ inputTokens }) => inputTokens),
    outputTokens: sum(records, ({ outputTokens }) => outputTokens),
    tokenRatio: 1,
  });
  expect(strategy?.overheadMsPerTurn).toBeCloseTo(0.8, 9);
  expect(strategy?.ledgerSum).toBe(sum(records, ({ inputTokens, outputTokens }) => inputTokens + outputTokens));
  expect(strategy).not.toHaveProperty("cost");
});

test("the strategies stand in the order of the manifest, and every pair is compared once", () => {
  const { strategies, pairs } = sectionOf(run);
  const [react, codeact, research] = strategies.map(({ arm }) => arm);
  expect(run.manifest.arms.map(({ name }) => name)).toEqual([react, codeact, research]);
  expect(pairs.map(({ first, second }) => [first, second])).toEqual([
    [react, codeact],
    [react, research],
    [codeact, research],
  ]);
});

test("a provider's count is compared with ours", () => {
  const counted = withRecords((record) => ({
    ...record,
    countedInputTokens: record.inputTokens / 2,
    countedOutputTokens: record.outputTokens / 2,
  }));
  expect(sectionOf(counted).strategies.map(({ tokenRatio }) => tokenRatio)).toEqual([2, 2, 2]);
});

test("a ledger that does not sum to the tokens is told", () => {
  expect(sectionOf(run).notes).toEqual([]);
  expect(sectionOf(withRecords((record) => ({ ...record, inputTokens: record.inputTokens + 1 }))).notes).toEqual([
    "The ledger's parts do not sum to the tokens of each strategy: this is an error of the benchmark.",
  ]);
});

describe("pairs", () => {
  test("with one trial and unrelated tasks the test is McNemar's", () => {
    const [pair] = sectionOf(run).pairs;
    const solved = (arm: string) => new Set(of(arm).flatMap(({ outcome, task }) => (outcome === "solved" ? [task] : [])));
    const [first, second] = [solved("react"), solved('codeact:{"finish":"model"}')];
    const onlyFirst = [...first].filter((task) => !second.has(task)).length;
    const onlySecond = [...second].filter((task) => !first.has(task)).length;
    expect(pair).toMatchObject({ method: "one-trial", onlyFirst, onlySecond, p: mcNemar({ onlyFirst, onlySecond }).p, clusters: 24 });
    expect(pair?.difference.value).toBeCloseTo((onlyFirst - onlySecond) / 24, 12);
  });

  test("with several trials tasks of one template are drawn together", () => {
    const several = generateRun({ trials: 3 });
    const related = { ...several, records: several.records.map((record) => ({ ...record, template: `t${record.task.length}` })) };
    expect(sectionOf(several).pairs[0]).toMatchObject({ method: "clustered", clusters: 24 });
    expect(sectionOf(related).pairs[0]).toMatchObject({ method: "clustered", clusters: 2 });
    expect(sectionOf(several).strategies[0]?.passHat).toHaveLength(3);
  });

  test("one trial of related tasks is never more certain than McNemar's test", () => {
    const related = withRecords((record) => ({ ...record, template: `t${Number(record.task.slice(5)) % 8}` }));
    const [pair] = sectionOf(related).pairs;
    expect(pair?.method).toBe("one-trial-clustered");
    expect(pair?.p).toBeGreaterThanOrEqual(sectionOf(run).pairs[0]?.p ?? 1);
  });

  test("a large difference is shown, and named after its side", () => {
    const one = withRecords((record) => ({ ...record, outcome: record.arm === "react" ? "solved" : "wrong" }));
    const [pair] = sectionOf(one).pairs;
    expect(pair).toMatchObject({ verdict: "first", onlyFirst: 24, onlySecond: 0, difference: { value: 1 } });
    expect(pair?.adjustedP).toBe((pair?.p ?? 0) * 3); // the smallest of three
  });

  test("where nothing differs the interval still has a width, and says what could hide", () => {
    const [pair] = sectionOf(withRecords((record) => ({ ...record, outcome: "solved" }))).pairs;
    expect(pair).toMatchObject({ verdict: "none-shown", p: 1, adjustedP: 1 });
    expect(pair?.difference.low).toBeLessThan(-0.1);
    expect(pair?.difference.high).toBeGreaterThan(0.1);
  });

  test("efficiency is that of tasks both solved: one strategy's own successes do not count", () => {
    const doubled = withRecords((record) => {
      const easy = Number(record.task.slice(5)) <= 12;
      const tokens = (record.arm === "react" ? 200 : 100) * (easy ? 1 : 1000);
      const outcome = easy || record.arm.startsWith("codeact") ? ("solved" as const) : ("wrong" as const);
      return { ...record, outcome, inputTokens: tokens, outputTokens: tokens };
    });
    const [pair, , mirrored] = sectionOf(doubled).pairs;
    const tokens = pair?.efficiency.find(({ measure }) => measure === "tokens");
    expect([pair?.bothSolved, mirrored?.bothSolved]).toEqual([12, 12]);
    expect(tokens).toMatchObject({ tasks: 12, value: expect.closeTo(2, 9), low: expect.closeTo(2, 9), high: expect.closeTo(2, 9) });
    expect(pair?.efficiency.map(({ measure }) => measure)).not.toContain("cost");
  });
});

test("a provider that failed counts apart, and is never wrong", () => {
  const failed = withRecords((record) =>
    record.arm === "react" && record.task === "task-1" ? { ...record, outcome: "provider-error" } : record,
  );
  const { strategies, pairs, notes } = sectionOf(failed);
  expect(strategies[0]).toMatchObject({ cells: 23, providerErrors: 1, outcomes: { "provider-error": 1 } });
  expect(pairs[0]?.tasks).toBe(23);
  expect(notes[0]).toBe("1 cell was left out of every share and comparison: the provider failed.");
});

test("suites, models and faults have a section each, those without a fault first", () => {
  const runs = [
    generateRun({ fault: "429" }),
    generateRun({ suites: ["workday", "crossover"] }),
    generateRun({ model: "gpt", isReference: false }),
  ];
  const { sections, claims } = analyse(recordedRun(...runs));
  expect(sections.map(({ title, isReference }) => `${title} ${isReference}`)).toEqual([
    "crossover · gpt false",
    "crossover · reference true",
    "workday · reference true",
    "crossover · reference · fault 429 true",
  ]);
  expect(claims.kind).toBe("mixed");
});

test("m3tooleval is reported in its usable and its unflagged tasks", () => {
  const flags = [undefined, ["format_conflict"], ["ambiguous"]];
  const m3 = generateRun({ suites: ["m3tooleval"] });
  const records = m3.records.map(({ flags: _, ...record }) => {
    const own = flags[Number(record.task.slice(5)) % 3];
    return own === undefined ? record : { ...record, flags: own };
  });
  const { sections } = analyse(recordedRun({ ...m3, records }));
  expect(sections.map(({ part, tasks }) => [part, tasks])).toEqual([
    ["usable tasks", 16],
    ["unflagged tasks", 8],
  ]);
});

test("a curve goes through the values of one knob, over all cells, and says where it crosses", () => {
  const { curves } = sectionOf(run);
  expect(curves.map(({ knob, values }) => [knob, values])).toEqual([["fanOut", [1, 2, 4, 8, 16, 32]]]);
  const [line] = curves[0]?.lines ?? [];
  const atOne = of("react").filter(({ knobs }) => knobs?.["fanOut"] === 1);
  expect(line?.points[0]).toMatchObject({
    cells: 4,
    tokens: sum(atOne, ({ inputTokens, outputTokens }) => inputTokens + outputTokens) / 4,
  });
  expect(curves[0]?.crossings).toEqual([
    { cheaper: 'codeact:{"finish":"model"}', dearer: "react", from: 4 },
    { cheaper: "deep-research", dearer: "react", from: 8 },
  ]);
});

test("tasks on which the strategies differ are listed", () => {
  const { disagreements, grid } = sectionOf(run);
  const differing = grid.filter(({ attempts }) => new Set(attempts.map(([attempt]) => attempt?.outcome === "solved")).size > 1);
  expect(new Set(disagreements)).toEqual(new Set(differing.map(({ task }) => task)));
  expect(grid.map(({ task }) => task)).toEqual(Array.from({ length: 24 }, (_, index) => `task-${index + 1}`));
});

test.for([
  [
    "reference-policy",
    generateRun(),
    "They do not show success rates or rankings of strategies with a language model, nor latency, nor money.",
  ],
  ["real-models", generateRun({ isReference: false, model: "gpt" }), "They do not show which strategy is better on other tasks"],
] as const)("a run of kind %s says what it may not claim", ([kind, generated, text]) => {
  const { claims } = analyse(recordedRun(generated));
  expect(claims.kind).toBe(kind);
  expect(claims.mayNot).toContain(text);
});
