import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { geometricMeanOfRatios } from "../../../src/bench/statistics/geometric-mean.js";
import { holm } from "../../../src/bench/statistics/holm.js";
import { mcNemar } from "../../../src/bench/statistics/mc-nemar.js";
import { minimumDetectableDifference, tasksNeeded } from "../../../src/bench/statistics/minimum-detectable-difference.js";
import { normalQuantile } from "../../../src/bench/statistics/normal-quantile.js";
import { pairedBootstrap } from "../../../src/bench/statistics/paired-bootstrap.js";
import { passHatK } from "../../../src/bench/statistics/pass-hat-k.js";
import { quantile } from "../../../src/bench/statistics/quantile.js";
import { wilsonInterval } from "../../../src/bench/statistics/wilson-interval.js";

const counts = fc.integer({ min: 1, max: 500 }).chain((trials) => fc.record({ trials: fc.constant(trials), successes: fc.nat(trials) }));
const positive = fc.double({ min: 1e-3, max: 1e6, noNaN: true });
const measured = fc.array(fc.record({ first: positive, second: positive }), { minLength: 1, maxLength: 30 });

test("the normal quantile rises and is symmetric", () => {
  const probability = fc.double({ min: 1e-9, max: 0.5, noNaN: true });
  fc.assert(
    fc.property(probability, probability, (p, q) => {
      expect(normalQuantile(1 - p)).toBeCloseTo(-normalQuantile(p), 6);
      expect(normalQuantile(Math.min(p, q))).toBeLessThanOrEqual(normalQuantile(Math.max(p, q)));
    }),
  );
});

test("Wilson's interval lies in 0 to 1, holds the share, mirrors, and narrows with more trials", () => {
  fc.assert(
    fc.property(counts, ({ successes, trials }) => {
      const { value, low, high } = wilsonInterval({ successes, trials });
      const mirrored = wilsonInterval({ successes: trials - successes, trials });
      const longer = wilsonInterval({ successes: successes * 4, trials: trials * 4 });
      expect(low).toBeGreaterThanOrEqual(0);
      expect(high).toBeLessThanOrEqual(1);
      expect(value).toBeGreaterThanOrEqual(low);
      expect(value).toBeLessThanOrEqual(high);
      expect(mirrored.low).toBeCloseTo(1 - high, 12);
      expect(longer.high - longer.low).toBeLessThan(high - low);
    }),
  );
});

test("McNemar's p does not depend on the order, is a probability, and is 1 for equal counts", () => {
  const count = fc.nat(3_000);
  fc.assert(
    fc.property(count, count, (onlyFirst, onlySecond) => {
      const { p, midP } = mcNemar({ onlyFirst, onlySecond });
      expect(mcNemar({ onlyFirst: onlySecond, onlySecond: onlyFirst })).toEqual({ p, midP });
      expect(p).toBeGreaterThanOrEqual(midP);
      expect(midP).toBeGreaterThanOrEqual(0);
      expect(p).toBeLessThanOrEqual(1);
      expect(mcNemar({ onlyFirst, onlySecond: onlyFirst }).p).toBe(1);
    }),
  );
});

test("Holm's values keep order, are never smaller, and lie between the plain and Bonferroni's", () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 30 }), (pValues) => {
      const adjusted = holm(pValues);
      for (const [index, p] of pValues.entries()) {
        expect(adjusted[index]).toBeGreaterThanOrEqual(p);
        expect(adjusted[index]).toBeLessThanOrEqual(Math.min(1, p * pValues.length) + 1e-12);
        for (const [other, q] of pValues.entries()) if (p < q) expect(adjusted[index]).toBeLessThanOrEqual(adjusted[other] as number);
      }
    }),
  );
});

test("pass^k is the share of the sets of k trials in which all solve, and does not rise with k", () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 9 }), fc.nat(8), (trials, more) => {
      const k = 1 + (more % trials.length);
      const sets = subsets(trials).filter((set) => set.length === k);
      const solved = trials.filter((trial) => trial).length;
      const chance = passHatK({ solved, trials: trials.length, k });
      expect(chance).toBeCloseTo(sets.filter((set) => set.every((trial) => trial)).length / sets.length, 12);
      if (k > 1) expect(chance).toBeLessThanOrEqual(passHatK({ solved, trials: trials.length, k: k - 1 }));
    }),
  );
});

test("the detectable difference is the one that needs just as many tasks, and shrinks with more of them", () => {
  fc.assert(
    fc.property(fc.integer({ min: 20, max: 5_000 }), fc.double({ min: 0.2, max: 1, noNaN: true }), (tasks, discordant) => {
      const difference = minimumDetectableDifference({ tasks, discordant });
      if (difference === undefined) {
        expect(tasksNeeded({ difference: discordant, discordant })).toBeGreaterThan(tasks);
      } else {
        expect(tasksNeeded({ difference, discordant }) / tasks).toBeCloseTo(1, 6);
        expect(minimumDetectableDifference({ tasks: tasks * 2, discordant })).toBeLessThan(difference);
      }
    }),
  );
});

test("the geometric mean of ratios turns over with its pairs, and scales", () => {
  fc.assert(
    fc.property(measured, (pairs) => {
      const mean = geometricMeanOfRatios(pairs);
      expect(geometricMeanOfRatios(pairs.map(({ first, second }) => ({ first: second, second: first }))) * mean).toBeCloseTo(1, 9);
      expect(geometricMeanOfRatios(pairs.map(({ first, second }) => ({ first: first * 2, second }))) / mean).toBeCloseTo(2, 9);
    }),
  );
});

test("quantiles rise from the smallest to the largest value, in whatever order the values come", () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(fc.array(positive, { minLength: 1 }), share, share, (values, a, b) => {
      expect(quantile(values, 0)).toBe(Math.min(...values));
      expect(quantile(values, 1)).toBe(Math.max(...values));
      expect(quantile(values, Math.min(a, b))).toBeLessThanOrEqual(quantile(values, Math.max(a, b)) + 1e-6);
      expect(quantile(values.toReversed(), a)).toBe(quantile(values, a));
    }),
  );
});

describe("the paired bootstrap", () => {
  test("gives the same numbers for the same seed, and other ones for another", () => {
    const pairs = [1, 0, 0, 1, 1, 0, 1].map((first, index) => ({ first, second: index % 2 }));
    expect(pairedBootstrap({ pairs, seed: 3 })).toEqual(pairedBootstrap({ pairs, seed: 3 }));
    expect(pairedBootstrap({ pairs, seed: 3 }).standardError).not.toBe(pairedBootstrap({ pairs, seed: 4 }).standardError);
  });

  test("holds its estimate, and turns its sign with the pairs", () => {
    fc.assert(
      fc.property(measured, fc.integer(), (pairs, seed) => {
        const result = pairedBootstrap({ pairs, seed, resamples: 400, confidence: 0.99 });
        const swapped = pairs.map(({ first, second }) => ({ first: second, second: first }));
        const turned = pairedBootstrap({ pairs: swapped, seed, resamples: 400, confidence: 0.99 });
        expect(turned.value).toBeCloseTo(-result.value, 6);
        expect(turned.low).toBeCloseTo(-result.high, 4);
        expect(turned.p).toBeCloseTo(result.p, 12);
      }),
      { numRuns: 30 },
    );
  });

  test("draws whole clusters: tasks that repeat a template add nothing, and clusters of one are no clusters", () => {
    const single = [3, -1, 4, 1, -5, 9, 2, 6].map((first, index) => ({ first, second: 0, cluster: `template ${index}` }));
    const repeated = single.flatMap((pair) => [pair, pair, pair]);
    const once = pairedBootstrap({ pairs: single, seed: 7 });
    expect(pairedBootstrap({ pairs: repeated, seed: 7 })).toEqual(once);
    expect(pairedBootstrap({ pairs: single.map(({ first, second }) => ({ first, second })), seed: 7 })).toEqual(once);
    const pretended = pairedBootstrap({ pairs: repeated.map(({ first, second }) => ({ first, second })), seed: 7 });
    expect(pretended.standardError).toBeLessThan(once.standardError * 0.7);
  });

  test("takes any statistic", () => {
    const pairs = [10, 20, 40, 80].map((second) => ({ first: second * 2, second }));
    const logOfRatio = pairedBootstrap({ pairs, seed: 1, statistic: (some) => Math.log(geometricMeanOfRatios(some)) });
    expect(logOfRatio.low).toBeCloseTo(Math.LN2, 12);
    expect(logOfRatio.high).toBeCloseTo(Math.LN2, 12);
    expect(logOfRatio.p).toBe(0.125);
  });

  test("is never more certain than an exact sign test of its clusters", () => {
    const pairsOf = (count: number, cluster?: string) =>
      Array.from({ length: count }, () => ({ first: 2, second: 1, ...(cluster === undefined ? undefined : { cluster }) }));
    const p = (count: number, cluster?: string) => pairedBootstrap({ pairs: pairsOf(count, cluster), seed: 1 }).p;
    expect([1, 2, 3, 6].map((count) => p(count))).toEqual([1, 0.5, 0.25, 0.03125]);
    expect(p(20)).toBeCloseTo(2 / 10_001, 12);
    expect(p(20, "one")).toBe(1);
  });
});

test.for([
  ["no trials", () => wilsonInterval({ successes: 0, trials: 0 })],
  ["more successes than trials", () => wilsonInterval({ successes: 3, trials: 2 })],
  ["half a task", () => mcNemar({ onlyFirst: 0.5, onlySecond: 1 })],
  ["a p-value above 1", () => holm([0.1, 1.1])],
  ["k above the number of trials", () => passHatK({ solved: 1, trials: 2, k: 3 })],
  ["no values", () => quantile([], 0.5)],
  ["a ratio to nothing", () => geometricMeanOfRatios([{ first: 1, second: 0 }])],
  ["no pairs", () => pairedBootstrap({ pairs: [], seed: 1 })],
  ["no discordance", () => minimumDetectableDifference({ tasks: 10, discordant: 0 })],
  ["a probability of 1", () => normalQuantile(1)],
] as const)("%s is refused", ([, call]) => {
  expect(call).toThrow(RangeError);
});

function subsets<T>(values: readonly T[]): T[][] {
  return Array.from({ length: 2 ** values.length }, (_, bits) => values.filter((_value, index) => (bits >> index) % 2 === 1));
}
