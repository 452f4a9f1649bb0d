import type { CellRecord } from "../record.js";
import { counts } from "../runner/cell-outcome.js";
import { holm } from "../statistics/holm.js";
import type { PairComparison } from "./analysis.js";
import { efficiencyOf, pairTasks, solvedDifference } from "./paired-tasks.js";
import { sumOf, tokensOf } from "./section-records.js";

/** Level at which a difference counts as shown. */
export const LEVEL = 0.05;

/** Every pair of strategies of one section; pairs without a shared task are left out. */
export function compareStrategies(arms: ReadonlyMap<string, readonly CellRecord[]>, seed: number): readonly PairComparison[] {
  const names = [...arms.keys()];
  const pairs = names.flatMap((first, index) => names.slice(index + 1).map((second) => ({ first, second })));
  const compared = pairs.flatMap(({ first, second }) => {
    const [own, other] = [arms.get(first) ?? [], arms.get(second) ?? []];
    const tasks = pairTasks(own, other);
    if (tasks.length === 0) return [];
    const { ratios, bothSolved } = efficiencyOf(tasks, seed);
    const solved = solvedDifference(tasks, { seed, alpha: LEVEL / pairs.length });
    return [{ first, second, ...solved, efficiency: ratios, bothSolved, totals: totalsOf(own, other) }];
  });
  const adjusted = holm(compared.map(({ p }) => p));
  return compared.map((pair, index) => {
    const adjustedP = adjusted[index] as number;
    return { ...pair, adjustedP, verdict: verdictOf(pair.difference.value, adjustedP) };
  });
}

function verdictOf(difference: number, adjustedP: number): PairComparison["verdict"] {
  if (adjustedP >= LEVEL) return "none-shown";
  return difference > 0 ? "first" : "second";
}

/** Over the cells, task by task and trial by trial, that both sides have. */
function totalsOf(first: readonly CellRecord[], second: readonly CellRecord[]): PairComparison["totals"] {
  const key = ({ task, trial }: CellRecord) => JSON.stringify([task, trial]);
  const [own, other] = [first.filter(counts), second.filter(counts)];
  const theirs = new Set(other.map(key));
  const shared = new Set(own.map(key).filter((each) => theirs.has(each)));
  const ratio = (number: (record: CellRecord) => number | undefined) => {
    const [top, bottom] = [own, other].map((records) =>
      sumOf(
        records.filter((record) => shared.has(key(record))),
        number,
      ),
    );
    return top !== undefined && bottom !== undefined && bottom > 0 ? top / bottom : undefined;
  };
  const ratios = { modelCalls: ratio(({ modelCalls }) => modelCalls), tokens: ratio(tokensOf), cost: ratio(({ cost }) => cost) };
  return Object.fromEntries(Object.entries(ratios).filter(([, value]) => value !== undefined));
}
