import { Random } from "../random.js";
import type { BenchmarkCell } from "./benchmark-cell.js";
import type { RunEstimate } from "./benchmark-options.js";
import { type CellSettings, runCell } from "./run-cell.js";

/** Tasks of each suite that are tried. */
const SAMPLE = 5;

/**
 * What cells with language models may take, from what the reference policy takes by each strategy on a few tasks of each suite. A language model takes
 * what it takes: more turns, longer texts, retries.
 * @returns Undefined where no task has a reference program, or none could be tried.
 */
export async function estimateRun(
  cells: readonly BenchmarkCell[],
  settings: CellSettings,
  signal: AbortSignal,
): Promise<RunEstimate | undefined> {
  const sums = { modelCalls: 0, inputTokens: 0, outputTokens: 0, cost: 0 };
  let hasPrices = true;
  let sampledTasks = 0;
  for (const group of Map.groupBy(cells, ({ suite, arm }) => JSON.stringify([suite.name, arm.name])).values()) {
    const sample = sampleOf(group, settings.seed);
    const mean = { modelCalls: 0, inputTokens: 0, outputTokens: 0 };
    for (const cell of sample) {
      const result = await runCell({ ...cell, model: undefined, fault: undefined }, { ...settings, granularity: "level" }, signal).catch(
        () => undefined,
      );
      if (result === undefined) return undefined;
      for (const name of ["modelCalls", "inputTokens", "outputTokens"] as const) mean[name] += result.record[name] / sample.length;
    }
    if (sample.length === 0) return undefined;
    sampledTasks = Math.max(sampledTasks, sample.length);
    for (const { model } of group) {
      sums.modelCalls += mean.modelCalls;
      sums.inputTokens += mean.inputTokens;
      sums.outputTokens += mean.outputTokens;
      if (model?.pricing === undefined) hasPrices = false;
      else sums.cost += (mean.inputTokens * model.pricing.inputPerMTok + mean.outputTokens * model.pricing.outputPerMTok) / 1_000_000;
    }
  }
  const { cost, ...counts } = sums;
  return { ...counts, ...(hasPrices ? { cost } : undefined), sampledTasks };
}

/** One cell for each of a few tasks that have a reference program. */
function sampleOf(cells: readonly BenchmarkCell[], seed: number): readonly BenchmarkCell[] {
  const byTask = new Map(cells.filter(({ task }) => task.program !== undefined).map((cell) => [cell.task.id, cell]));
  const all = [...byTask.values()].sort((a, b) => (a.task.id < b.task.id ? -1 : 1));
  return new Random("estimate", seed).sample(all, Math.min(SAMPLE, all.length));
}
