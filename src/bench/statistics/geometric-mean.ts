/** The same measure of two strategies on one task. */
export interface MeasuredPair {
  readonly first: number;
  readonly second: number;
}

/**
 * How many times as much the first takes as the second, in the geometric mean over tasks: each task counts the same, and swapping the two gives
 * the reciprocal.
 * @param pairs - At least one; every number above 0.
 * @throws RangeError otherwise.
 * @see P. J. Fleming, J. J. Wallace, "How Not to Lie with Statistics: The Correct Way to Summarize Benchmark Results", CACM 29(3), 1986.
 */
export function geometricMeanOfRatios(pairs: readonly MeasuredPair[]): number {
  if (pairs.length === 0) throw new RangeError("A mean of no ratios was asked for.");
  const logs = pairs.map(({ first, second }) => {
    if (!(first > 0 && second > 0)) throw new RangeError(`A ratio of numbers above 0 was expected, not ${first} to ${second}.`);
    return Math.log(first) - Math.log(second);
  });
  return Math.exp(logs.reduce((sum, log) => sum + log, 0) / logs.length);
}
