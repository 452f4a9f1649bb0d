/**
 * A quantile of a sample, between the two values that it falls between: 0.5 is the median, 0.95 the value that one in twenty exceeds.
 * @param values - At least one, in any order.
 * @param share - From 0 to 1.
 * @throws RangeError without values, or for another share.
 * @see R. J. Hyndman, Y. Fan, "Sample Quantiles in Statistical Packages", The American Statistician 50(4), 1996, definition 7 (that of R and of spreadsheets).
 */
export function quantile(values: readonly number[], share: number): number {
  if (values.length === 0) throw new RangeError("A quantile of no values was asked for.");
  if (!(share >= 0 && share <= 1)) throw new RangeError(`A share from 0 to 1 was expected, not ${share}.`);
  const sorted = Float64Array.from(values).sort();
  const position = share * (sorted.length - 1);
  const below = sorted[Math.floor(position)] as number;
  const above = sorted[Math.ceil(position)] as number;
  return below === above ? below : below + (position - Math.floor(position)) * (above - below);
}
