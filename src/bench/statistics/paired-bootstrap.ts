import { Random } from "../random.js";
import type { MeasuredPair } from "./geometric-mean.js";
import { quantile } from "./quantile.js";
import type { Estimate } from "./wilson-interval.js";

/** One task's measure of two strategies: shares solved over its trials, tokens, or anything else. */
export interface ClusteredPair extends MeasuredPair {
  /** Tasks of one cluster, such as variants of one template, are drawn together. @default a cluster of its own */
  readonly cluster?: string | undefined;
}

/** What {@link pairedBootstrap} takes. */
export interface PairedBootstrapOptions<Pair extends ClusteredPair> {
  /** One for each task; at least one. */
  readonly pairs: readonly Pair[];
  /** The same seed gives the same interval. */
  readonly seed: number;
  /** @default 10_000 */
  readonly resamples?: number;
  /** @default 0.95 */
  readonly confidence?: number;
  /** What is estimated. It is 0 when the two do not differ. @default the mean of `first - second` over the tasks */
  readonly statistic?: (pairs: readonly Pair[]) => number;
}

/** A difference between two strategies. */
export interface BootstrapResult extends Estimate {
  readonly standardError: number;
  /**
   * Two-sided: twice the share of the resamples on the other side of 0. Never below 2 / (resamples + 1), nor below what an exact sign test of the clusters
   * could give: three tasks that all say the same say it with a chance of a quarter.
   */
  readonly p: number;
  /** Number of clusters that were drawn from. With few, below about 20, the interval is too narrow. */
  readonly clusters: number;
}

/**
 * The difference between two strategies over the same tasks, with a percentile interval: tasks are drawn with replacement, whole clusters at a time.
 * @throws RangeError without pairs.
 * @see B. Efron, R. J. Tibshirani, "An Introduction to the Bootstrap", 1993, chapters 6 and 13; A. C. Davison, D. V. Hinkley, "Bootstrap Methods and their Application", 1997, section 3.8 (clusters).
 */
export function pairedBootstrap<Pair extends ClusteredPair>(options: PairedBootstrapOptions<Pair>): BootstrapResult {
  const { pairs, seed, resamples = 10_000, confidence = 0.95 } = options;
  if (pairs.length === 0) throw new RangeError("pairs: at least one task was expected.");
  if (!Number.isInteger(resamples) || resamples < 1)
    throw new RangeError(`resamples: a whole number from 1 was expected, not ${resamples}.`);
  const clusters = clustersOf(pairs);
  const random = new Random(seed, "paired bootstrap");
  const draw = options.statistic === undefined ? drawMean(clusters) : drawStatistic(clusters, options.statistic);
  const values = Float64Array.from({ length: resamples }, () => draw(random));
  const tail = (1 - confidence) / 2;
  return {
    value: (options.statistic ?? meanDifference)(pairs),
    low: quantile(Array.from(values), tail),
    high: quantile(Array.from(values), 1 - tail),
    standardError: standardDeviation(values),
    p: Math.min(1, Math.max(twoSided(values), 2 ** (1 - clusters.length))),
    clusters: clusters.length,
  };
}

function clustersOf<Pair extends ClusteredPair>(pairs: readonly Pair[]): Pair[][] {
  const named = Map.groupBy(pairs, ({ cluster }) => cluster);
  const alone = named.get(undefined) ?? [];
  named.delete(undefined);
  return [...named.values(), ...alone.map((pair) => [pair])];
}

/** The default statistic from the sums of each cluster: thousands of tasks take no longer than their clusters. */
function drawMean(clusters: readonly (readonly ClusteredPair[])[]): (random: Random) => number {
  const sums = clusters.map((cluster) => meanDifference(cluster) * cluster.length);
  return (random) => {
    let [sum, count] = [0, 0];
    for (let drawn = 0; drawn < clusters.length; drawn++) {
      const index = random.integer(0, clusters.length - 1);
      sum += sums[index] as number;
      count += (clusters[index] as readonly ClusteredPair[]).length;
    }
    return sum / count;
  };
}

function drawStatistic<Pair>(clusters: readonly (readonly Pair[])[], statistic: (pairs: readonly Pair[]) => number) {
  return (random: Random) => statistic(clusters.flatMap(() => random.pick(clusters)));
}

function meanDifference(pairs: readonly MeasuredPair[]): number {
  return pairs.reduce((sum, { first, second }) => sum + first - second, 0) / pairs.length;
}

function standardDeviation(values: Float64Array): number {
  if (values.length < 2) return 0;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
}

function twoSided(values: Float64Array): number {
  const share = (count: number) => (count + 1) / (values.length + 1);
  const atMost = share(values.filter((value) => value <= 0).length);
  const atLeast = share(values.filter((value) => value >= 0).length);
  return Math.min(1, 2 * Math.min(atMost, atLeast));
}
