/** What {@link passHatK} takes: one task's trials. */
export interface PassHatKOptions {
  /** How many of the trials solved the task. */
  readonly solved: number;
  /** How often the task was tried: 1 or more. */
  readonly trials: number;
  /** From 1 to `trials`. */
  readonly k: number;
}

/**
 * pass^k: the chance that `k` trials of a task *all* solve it, without bias from the trials that there are. With `k` 1 it is the share solved.
 * Average it over the tasks.
 * @throws RangeError for counts that are no such counts.
 * @see S. Yao et al., "τ-bench: A Benchmark for Tool-Agent-User Interaction in Real-World Domains", arXiv:2406.12045, 2024.
 */
export function passHatK({ solved, trials, k }: PassHatKOptions): number {
  if (!Number.isInteger(trials) || trials < 1) throw new RangeError(`trials: a whole number from 1 was expected, not ${trials}.`);
  if (!Number.isInteger(solved) || solved < 0 || solved > trials) {
    throw new RangeError(`solved: a whole number from 0 to ${trials} was expected, not ${solved}.`);
  }
  if (!Number.isInteger(k) || k < 1 || k > trials) throw new RangeError(`k: a whole number from 1 to ${trials} was expected, not ${k}.`);
  // C(solved, k) / C(trials, k), factor by factor so that nothing overflows.
  let chance = 1;
  for (let drawn = 0; drawn < k; drawn++) chance *= Math.max(0, solved - drawn) / (trials - drawn);
  return chance;
}
