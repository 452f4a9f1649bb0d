/** What {@link mcNemar} takes: how many tasks were solved by one of the two alone. Tasks that both or neither solved say nothing here. */
export interface McNemarOptions {
  /** Solved by the first alone. */
  readonly onlyFirst: number;
  /** Solved by the second alone. */
  readonly onlySecond: number;
}

/** Two-sided probabilities of a difference at least as large, if the two were equally good. */
export interface McNemarResult {
  /** The exact conditional test. Never too small, and rather too large with few discordant tasks. */
  readonly p: number;
  /** The mid-p variant: closer to its nominal level, and not guaranteed to keep it. */
  readonly midP: number;
}

/**
 * McNemar's test on one trial for each task and strategy.
 * @throws RangeError for counts that are negative or not whole.
 * @see M. W. Fagerland, S. Lydersen, P. Laake, "The McNemar test for binary matched-pairs data", BMC Medical Research Methodology 13:91, 2013.
 */
export function mcNemar({ onlyFirst, onlySecond }: McNemarOptions): McNemarResult {
  for (const [name, count] of Object.entries({ onlyFirst, onlySecond })) {
    if (!Number.isInteger(count) || count < 0) throw new RangeError(`${name}: a whole number from 0 was expected, not ${count}.`);
  }
  const pairs = onlyFirst + onlySecond;
  const fewer = Math.min(onlyFirst, onlySecond);
  let probability = 0;
  let logOfTerm = -pairs * Math.LN2;
  let below = 0;
  for (let count = 0; count <= fewer; count++) {
    probability = Math.exp(logOfTerm);
    below += probability;
    logOfTerm += Math.log(pairs - count) - Math.log(count + 1);
  }
  // With as many on both sides the middle term belongs to both tails, and counts once.
  const p = onlyFirst === onlySecond ? 1 : Math.min(1, 2 * below);
  return { p, midP: onlyFirst === onlySecond ? 1 - probability / 2 : Math.max(0, p - probability) };
}
