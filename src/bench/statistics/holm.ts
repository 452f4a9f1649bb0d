/**
 * Adjusts the p-values of several comparisons so that the chance of even one false finding among them stays at the level that they are compared with.
 * @param pValues - Each from 0 to 1, in any order.
 * @returns The adjusted values in the same order; compare each with the level itself.
 * @throws RangeError for a value outside of 0 to 1.
 * @see S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of Statistics 6, 1979.
 */
export function holm(pValues: readonly number[]): number[] {
  const adjusted = new Array<number>(pValues.length);
  let largest = 0;
  for (const [rank, { p, index }] of pValues
    .map((p, index) => ({ p, index }))
    .sort((a, b) => a.p - b.p)
    .entries()) {
    if (!(p >= 0 && p <= 1)) throw new RangeError(`A p-value from 0 to 1 was expected, not ${p}.`);
    largest = Math.max(largest, Math.min(1, p * (pValues.length - rank)));
    adjusted[index] = largest;
  }
  return adjusted;
}
