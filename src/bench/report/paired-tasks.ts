import type { CellRecord } from "../record.js";
import { counts } from "../runner/cell-outcome.js";
import { mcNemar } from "../statistics/mc-nemar.js";
import { minimumDetectableDifference, minimumDetectableMean } from "../statistics/minimum-detectable-difference.js";
import { type ClusteredPair, pairedBootstrap } from "../statistics/paired-bootstrap.js";
import { pairedScoreInterval } from "../statistics/paired-score-interval.js";
import { wilsonInterval } from "../statistics/wilson-interval.js";
import type { EfficiencyMeasure, EfficiencyRatio, PairComparison } from "./analysis.js";
import { tokensOf } from "./section-records.js";

/** One task's cells of two strategies; at least one cell that counts of each. */
export interface PairedTask {
  readonly task: string;
  readonly cluster: string | undefined;
  readonly first: readonly CellRecord[];
  readonly second: readonly CellRecord[];
}

/** The tasks that both sides tried, in the order of the first. */
export function pairTasks(first: readonly CellRecord[], second: readonly CellRecord[]): readonly PairedTask[] {
  const others = Map.groupBy(second.filter(counts), ({ task }) => task);
  return [...Map.groupBy(first.filter(counts), ({ task }) => task)].flatMap(([task, own]) => {
    const other = others.get(task);
    return other === undefined ? [] : [{ task, cluster: own[0]?.template, first: own, second: other }];
  });
}

/** What {@link solvedDifference} says of two strategies. */
export type SolvedDifference = Pick<
  PairComparison,
  "tasks" | "onlyFirst" | "onlySecond" | "difference" | "method" | "clusters" | "p" | "detectable"
>;

/**
 * The difference between the shares solved, with the test that the data allow: with one trial and unrelated tasks McNemar's and Newcombe's interval,
 * with several trials a bootstrap over clusters of tasks, and with one trial of related tasks the larger p-value of the two tests.
 * @param options - `alpha` is the level at which one comparison is tested, for the smallest detectable difference.
 */
export function solvedDifference(tasks: readonly PairedTask[], { seed, alpha }: { seed: number; alpha: number }): SolvedDifference {
  const pairs = tasks.map(({ cluster, first, second }) => ({ cluster, first: shareSolved(first), second: shareSolved(second) }));
  const count = (holds: (pair: ClusteredPair) => boolean) => pairs.filter(holds).length;
  const onlyFirst = count(({ first, second }) => first > second);
  const onlySecond = count(({ first, second }) => first < second);
  const isOneTrial = tasks.every(({ first, second }) => first.length === 1 && second.length === 1);
  const clusters =
    pairs.filter(({ cluster }) => cluster === undefined).length + new Set(pairs.flatMap(({ cluster }) => cluster ?? [])).size;
  const sizes = { tasks: tasks.length, onlyFirst, onlySecond, clusters };
  if (isOneTrial && clusters === tasks.length) {
    const both = count(({ first, second }) => first === 1 && second === 1);
    const difference = pairedScoreInterval({ both, onlyFirst, onlySecond, neither: tasks.length - both - onlyFirst - onlySecond });
    const detectable = detectableWithOneTrial(sizes, alpha);
    return { ...sizes, difference, method: "one-trial", p: mcNemar(sizes).p, ...(detectable === undefined ? undefined : { detectable }) };
  }
  const { value, low, high, standardError, p } = pairedBootstrap({ pairs, seed });
  const method = isOneTrial ? "one-trial-clustered" : "clustered";
  const safeP = isOneTrial ? Math.max(p, mcNemar(sizes).p) : p;
  if (standardError === 0) return { ...sizes, difference: { value }, method, p: value === 0 ? 1 : safeP };
  return { ...sizes, difference: { value, low, high }, method, p: safeP, detectable: minimumDetectableMean({ standardError, alpha }) };
}

/** Where the two never differed, they are taken to differ on as many tasks as that could still hide. */
function detectableWithOneTrial(sizes: Pick<SolvedDifference, "tasks" | "onlyFirst" | "onlySecond">, alpha: number): number | undefined {
  const { tasks, onlyFirst, onlySecond } = sizes;
  const differing = onlyFirst + onlySecond;
  const discordant = differing === 0 ? wilsonInterval({ successes: 0, trials: tasks }).high : differing / tasks;
  return minimumDetectableDifference({ tasks, discordant, alpha });
}

const measures: Readonly<Record<EfficiencyMeasure, (record: CellRecord) => number | undefined>> = {
  modelCalls: ({ modelCalls }) => modelCalls,
  tokens: tokensOf,
  outputTokens: ({ outputTokens }) => outputTokens,
  cost: ({ cost }) => cost,
  wallMs: ({ wallMs }) => wallMs,
};

/** Ratios on the trials that both sides solved; a measure that is not above 0 in each of them is left out. */
export function efficiencyOf(tasks: readonly PairedTask[], seed: number): { ratios: EfficiencyRatio[]; bothSolved: number } {
  const solved = tasks.map((task) => ({ cluster: task.cluster, trials: trialsBothSolved(task) })).filter(({ trials }) => trials.length > 0);
  const ratios = Object.entries(measures).flatMap(([measure, amountOf]) => {
    const pairs = solved.map(({ cluster, trials }) => ({
      cluster,
      first: Math.log(mean(trials.map(([first]) => amountOf(first) ?? Number.NaN))),
      second: Math.log(mean(trials.map(([, second]) => amountOf(second) ?? Number.NaN))),
    }));
    if (pairs.length === 0 || !pairs.every(({ first, second }) => Number.isFinite(first) && Number.isFinite(second))) return [];
    const { value, low, high, p, standardError } = pairedBootstrap({ pairs, seed });
    const isSame = standardError === 0 && value === 0;
    return [
      {
        measure: measure as EfficiencyMeasure,
        tasks: pairs.length,
        value: Math.exp(value),
        low: Math.exp(low),
        high: Math.exp(high),
        p: isSame ? 1 : p,
      },
    ];
  });
  return { ratios, bothSolved: solved.length };
}

function trialsBothSolved({ first, second }: PairedTask): (readonly [CellRecord, CellRecord])[] {
  return first.flatMap((own) => {
    const other = second.find(({ trial }) => trial === own.trial);
    return own.outcome === "solved" && other?.outcome === "solved" ? [[own, other] as const] : [];
  });
}

function shareSolved(records: readonly CellRecord[]): number {
  return records.filter(({ outcome }) => outcome === "solved").length / records.length;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
