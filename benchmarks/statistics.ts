/**
 * The middle value; of an even number of values the mean of the two in the middle.
 * @throws RangeError for an empty list.
 */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle];
  const lower = sorted[sorted.length % 2 === 1 ? middle : middle - 1];
  if (upper === undefined || lower === undefined) throw new RangeError("An empty list has no median.");
  return (lower + upper) / 2;
}

/**
 * The value that a quarter of the values lie below.
 * @throws RangeError for an empty list.
 */
export function lowerQuartile(values: readonly number[]): number {
  const value = values.toSorted((left, right) => left - right)[values.length >> 2];
  if (value === undefined) throw new RangeError("An empty list has no quartile.");
  return value;
}

/** All values added up; 0 for none. */
export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
