import { normalQuantile } from "./normal-quantile.js";

/** How sure a comparison is to be. */
export interface DetectionOptions {
  /** Level of the two-sided test. Divide it by the number of pairs when several are compared. @default 0.05 */
  readonly alpha?: number;
  /** Chance that the test finds a difference of that size. @default 0.8 */
  readonly power?: number;
}

/** What {@link minimumDetectableDifference} takes. */
export interface PairedDetectionOptions extends DetectionOptions {
  /** Number of tasks, each solved or not by each of the two. */
  readonly tasks: number;
  /** Share of the tasks on which the two differ, above 0 and up to 1: that which was observed, or a guess before a run. */
  readonly discordant: number;
}

/**
 * The smallest difference between two shares of solved tasks that a paired comparison of this size would have found: a run that shows nothing has
 * not excluded a smaller one.
 * @returns From 0 to `discordant`; `undefined` when even a difference of that size, all one way, would not have been found.
 * @throws RangeError for numbers outside of their range.
 * @see R. J. Connor, "Sample Size for Testing Differences in Proportions for the Paired-Sample Design", Biometrics 43, 1987, page 209.
 */
export function minimumDetectableDifference({ tasks, discordant, ...sure }: PairedDetectionOptions): number | undefined {
  if (!(tasks >= 1)) throw new RangeError(`tasks: a number from 1 was expected, not ${tasks}.`);
  if (!(discordant > 0 && discordant <= 1)) throw new RangeError(`discordant: above 0 and up to 1 was expected, not ${discordant}.`);
  const found = (difference: number) => tasksNeeded({ difference, discordant, ...sure }) <= tasks;
  if (!found(discordant)) return undefined;
  let [low, high] = [0, discordant];
  while (high - low > 1e-12) {
    const middle = (low + high) / 2;
    if (found(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** What {@link tasksNeeded} takes. */
export interface TasksNeededOptions extends DetectionOptions {
  /** Difference between the two shares of solved tasks, above 0 and up to `discordant`. */
  readonly difference: number;
  /** Share of the tasks on which the two differ. */
  readonly discordant: number;
}

/**
 * How many tasks a paired comparison needs to find a difference. Round it up.
 * @throws RangeError for numbers outside of their range.
 * @see Connor 1987, page 209.
 */
export function tasksNeeded({ difference, discordant, alpha = 0.05, power = 0.8 }: TasksNeededOptions): number {
  if (!(difference > 0 && difference <= discordant)) {
    throw new RangeError(`difference: above 0 and up to ${discordant} was expected, not ${difference}.`);
  }
  const underNone = normalQuantile(1 - alpha / 2) * Math.sqrt(discordant);
  const underDifference = normalQuantile(power) * Math.sqrt(discordant - difference ** 2);
  return ((underNone + underDifference) / difference) ** 2;
}

/** What {@link minimumDetectableMean} takes. */
export interface MeanDetectionOptions extends DetectionOptions {
  /** Standard error of the mean difference, for example that of {@link pairedBootstrap}. */
  readonly standardError: number;
}

/**
 * The same for a mean of differences with a known standard error, as with several trials for each task.
 * @see H. S. Bloom, "Minimum Detectable Effects", Evaluation Review 19(5), 1995.
 */
export function minimumDetectableMean({ standardError, alpha = 0.05, power = 0.8 }: MeanDetectionOptions): number {
  return (normalQuantile(1 - alpha / 2) + normalQuantile(power)) * standardError;
}
