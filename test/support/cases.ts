import fc, { type Arbitrary, type Parameters } from "fast-check";

/**
 * How many cases a property tries, and from which seed.
 *
 * `TRIACT_RUNS` sets the number of cases of a property of ordinary cost [30], `TRIACT_SEED` the seed. Without either the seed is fixed, so that a
 * red run was made red by the change at hand; with `TRIACT_RUNS` alone it is random, to look further.
 * @param share - Cost of this property: 0.5 tries half as many cases.
 */
export function cases<T = unknown>(share = 1): Parameters<T> {
  const { TRIACT_RUNS, TRIACT_SEED } = process.env;
  const numRuns = Math.max(1, Math.round(Number(TRIACT_RUNS ?? 30) * share));
  const seed = TRIACT_SEED === undefined ? (TRIACT_RUNS === undefined ? 20_260_301 : undefined) : Number(TRIACT_SEED);
  return { numRuns, ...(seed === undefined ? undefined : { seed }) };
}

/** The arbitrary in one case of so many, else undefined. */
export function oneIn<T>(count: number, arbitrary: Arbitrary<T>): Arbitrary<T | undefined> {
  return fc.oneof({ weight: count - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}
