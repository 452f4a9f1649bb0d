import { type Estimate, wilsonInterval } from "./wilson-interval.js";

/** What {@link pairedScoreInterval} takes: how many tasks were solved by whom. */
export interface PairedCountsOptions {
  /** Solved by both. */
  readonly both: number;
  /** Solved by the first alone. */
  readonly onlyFirst: number;
  /** Solved by the second alone. */
  readonly onlySecond: number;
  /** Solved by neither. */
  readonly neither: number;
  /** @default 0.95 */
  readonly confidence?: number;
}

/**
 * The difference between two shares of solved tasks over the same tasks, with Newcombe's score interval: it has a width also where the two never differed.
 * @throws RangeError for counts that are no such counts.
 * @see R. G. Newcombe, "Improved confidence intervals for the difference between binomial proportions based on paired data", Statistics in Medicine 17, 1998, method 10.
 */
export function pairedScoreInterval({ both, onlyFirst, onlySecond, neither, ...sure }: PairedCountsOptions): Estimate {
  const trials = both + onlyFirst + onlySecond + neither;
  const first = wilsonInterval({ successes: both + onlyFirst, trials, ...sure });
  const second = wilsonInterval({ successes: both + onlySecond, trials, ...sure });
  const correlation = correlationOf({ both, onlyFirst, onlySecond, neither });
  const value = (onlyFirst - onlySecond) / trials;
  const distance = (a: number, b: number) => Math.sqrt(Math.max(0, a ** 2 - 2 * correlation * a * b + b ** 2));
  return {
    value,
    low: Math.max(-1, value - distance(first.value - first.low, second.high - second.value)),
    high: Math.min(1, value + distance(first.high - first.value, second.value - second.low)),
  };
}

/** With the correction for continuity of the paper. */
function correlationOf({ both, onlyFirst, onlySecond, neither }: Required<Omit<PairedCountsOptions, "confidence">>): number {
  const margins = (both + onlyFirst) * (onlySecond + neither) * (both + onlySecond) * (onlyFirst + neither);
  if (margins === 0) return 0;
  const product = both * neither - onlyFirst * onlySecond;
  const half = (both + onlyFirst + onlySecond + neither) / 2;
  return (product > 0 ? Math.max(0, product - half) : product) / Math.sqrt(margins);
}
