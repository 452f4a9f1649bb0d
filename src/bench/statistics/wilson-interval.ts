import { normalQuantile } from "./normal-quantile.js";

/** A value with the interval in which it lies with some confidence. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** What {@link wilsonInterval} takes. */
export interface WilsonIntervalOptions {
  /** How often it went well: a whole number from 0 to `trials`. */
  readonly successes: number;
  /** How often it was tried: 1 or more. */
  readonly trials: number;
  /** @default 0.95 */
  readonly confidence?: number;
}

/**
 * The share of successes, with Wilson's score interval without continuity correction: it stays between 0 and 1 and is honest also for few trials
 * and for shares near 0 or 1.
 * @throws RangeError for counts that are no such counts.
 * @see R. G. Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17, 1998, method 3.
 */
export function wilsonInterval({ successes, trials, confidence = 0.95 }: WilsonIntervalOptions): Estimate {
  if (!Number.isInteger(trials) || trials < 1) throw new RangeError(`trials: a whole number from 1 was expected, not ${trials}.`);
  if (!Number.isInteger(successes) || successes < 0 || successes > trials) {
    throw new RangeError(`successes: a whole number from 0 to ${trials} was expected, not ${successes}.`);
  }
  const z = normalQuantile(1 - (1 - confidence) / 2);
  const value = successes / trials;
  const scale = 1 + z ** 2 / trials;
  const center = (value + z ** 2 / (2 * trials)) / scale;
  const half = (z * Math.sqrt((value * (1 - value)) / trials + z ** 2 / (4 * trials ** 2))) / scale;
  return {
    value,
    low: successes === 0 ? 0 : Math.max(0, center - half),
    high: successes === trials ? 1 : Math.min(1, center + half),
  };
}
