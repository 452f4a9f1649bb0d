import { describe, expect, test } from "vitest";
import { geometricMeanOfRatios } from "../../../src/bench/statistics/geometric-mean.js";
import { holm } from "../../../src/bench/statistics/holm.js";
import { mcNemar } from "../../../src/bench/statistics/mc-nemar.js";
import {
  minimumDetectableDifference,
  minimumDetectableMean,
  tasksNeeded,
} from "../../../src/bench/statistics/minimum-detectable-difference.js";
import { normalQuantile } from "../../../src/bench/statistics/normal-quantile.js";
import { pairedBootstrap } from "../../../src/bench/statistics/paired-bootstrap.js";
import { pairedScoreInterval } from "../../../src/bench/statistics/paired-score-interval.js";
import { passHatK } from "../../../src/bench/statistics/pass-hat-k.js";
import { quantile } from "../../../src/bench/statistics/quantile.js";
import { wilsonInterval } from "../../../src/bench/statistics/wilson-interval.js";

test.for([
  [0.25, -0.6744897501960817],
  [0.001, -3.0902323061678136],
  [1e-20, -9.262340089798407],
] as const)("the normal quantile of %d is that of Wichura 1988, Applied Statistics 37(3), algorithm AS 241", ([p, point]) => {
  expect(normalQuantile(p)).toBeCloseTo(point, 13);
});

test.for([
  [81, 263, 0.2553, 0.3662],
  [15, 148, 0.0624, 0.1605],
  [0, 20, 0, 0.1611],
  [1, 29, 0.0061, 0.1718],
] as const)(
  "Wilson's interval of %d in %d is that of Newcombe 1998, Statistics in Medicine 17, table I, method 3",
  ([successes, trials, low, high]) => {
    const interval = wilsonInterval({ successes, trials });
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
    expect(interval.value).toBe(successes / trials);
  },
);

describe("McNemar's tests are those of Fagerland, Lydersen and Laake 2013, BMC Medical Research Methodology 13:91", () => {
  test.for([
    ["airway hyper-responsiveness (Bentur et al. 2009)", 1, 7, 0.07, 0.039, 3],
    ["complete response (Cavo et al. 2012)", 6, 16, 0.0525, 0.0347, 4],
  ] as const)("%s", ([, onlyFirst, onlySecond, p, midP, digits]) => {
    const result = mcNemar({ onlyFirst, onlySecond });
    expect(result.p).toBeCloseTo(p, digits);
    expect(result.midP).toBeCloseTo(midP, digits);
  });
});

test.for([
  ["Newcombe 1998, Statistics in Medicine 17, page 2635, table with 36, 12, 2, 0", [36, 12, 2, 0], [0.0569, 0.3404]],
  ["Fagerland, Lydersen and Laake 2014, Statistics in Medicine 33, airway hyper-responsiveness", [1, 1, 7, 12], [-0.5069, -0.0256]],
] as const)("the paired score interval is that of %s", ([, [both, onlyFirst, onlySecond, neither], [low, high]]) => {
  const interval = pairedScoreInterval({ both, onlyFirst, onlySecond, neither });
  expect(interval.value).toBeCloseTo((onlyFirst - onlySecond) / (both + onlyFirst + onlySecond + neither), 12);
  expect(interval.low).toBeCloseTo(low, 4);
  expect(interval.high).toBeCloseTo(high, 4);
});

test("the bootstrap's standard error of a mean is that of Efron and Tibshirani 1993, table 2.2 (mouse data, treatment group)", () => {
  const pairs = [94, 197, 16, 38, 99, 141, 23].map((first) => ({ first, second: 0 }));
  const result = pairedBootstrap({ pairs, seed: 1, resamples: 100_000 });
  expect(result.value).toBeCloseTo(86.86, 2); // page 11
  expect(Math.abs(result.standardError - 23.36)).toBeLessThan(0.2); // the limit for infinitely many resamples
});

test("the bootstrap finds Darwin's crossed plants taller (Fisher 1935, The Design of Experiments, chapter III)", () => {
  const eighthsOfInch = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48];
  const result = pairedBootstrap({ pairs: eighthsOfInch.map((first) => ({ first, second: 0 })), seed: 1 });
  expect(result.value * 15).toBeCloseTo(314, 9); // the total that Fisher gives
  expect(result.low).toBeGreaterThan(0);
  expect(result.p).toBeLessThan(0.05); // Fisher's t test: 4.97 per cent
});

describe("Holm's procedure", () => {
  test("gives the adjusted values of the worked example in Wikipedia, Holm–Bonferroni method", () => {
    const adjusted = holm([0.01, 0.04, 0.03, 0.005]);
    expect(adjusted.map((p) => Number(p.toFixed(10)))).toEqual([0.03, 0.06, 0.06, 0.02]);
  });

  test("rejects the first three of fifteen hypotheses in Benjamini and Hochberg 1995, JRSS B 57", () => {
    const pValues = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.324, 0.4262, 0.5719, 0.6528, 0.759, 1];
    expect(holm(pValues).filter((p) => p <= 0.05)).toHaveLength(3);
  });
});

test("pass^k is hypergeometric: four of four from four good ones in eight is one in seventy (Fisher 1935, The Design of Experiments, chapter II, the tea tasting)", () => {
  expect(passHatK({ solved: 4, trials: 8, k: 4 })).toBeCloseTo(1 / 70, 12);
});

describe("the detectable difference follows Connor 1987, Biometrics 43, page 209", () => {
  test("23 pairs find 0.45 against 0.05 with a power of 80 per cent (powerandsamplesize.com, McNemar's Z-test, 2-sided)", () => {
    expect(Math.ceil(tasksNeeded({ difference: 0.4, discordant: 0.5 }))).toBe(23);
    expect(minimumDetectableDifference({ tasks: 23, discordant: 0.5 })).toBeLessThan(0.4);
    expect(minimumDetectableDifference({ tasks: 22, discordant: 0.5 })).toBeGreaterThan(0.4);
  });

  test("155 pairs find an odds ratio of 2 at 45 per cent discordance (clinicaltrials-tools, McNemar's test)", () => {
    expect(Math.ceil(tasksNeeded({ difference: 0.15, discordant: 0.45 }))).toBe(155);
  });
});

test("the multiplier of the standard error is Bloom's 2.80 (Bloom 1995, Evaluation Review 19(5): two-sided, 0.05, 80 per cent)", () => {
  expect(minimumDetectableMean({ standardError: 1 })).toBeCloseTo(2.8, 2);
});

test("the geometric mean is that of Fleming and Wallace 1986, CACM 29(3) (benchmarks E, F, H, I, K on processors M and R)", () => {
  const m = [244, 70, 153, 33_527, 368];
  const r = [417, 83, 66, 39_449, 772];
  const pairs = m.map((first, index) => ({ first, second: r[index] ?? Number.NaN }));
  expect(geometricMeanOfRatios(pairs)).toBeCloseTo(0.86, 2);
});

test("the quantile is definition 7 of Hyndman and Fan 1996, on the data of NIST/SEMATECH e-Handbook, section 7.2.6.2", () => {
  const gauge = [95.1772, 95.1567, 95.1937, 95.1959, 95.1442, 95.061, 95.1591, 95.1195, 95.1065, 95.0925, 95.199, 95.1682];
  expect(quantile(gauge, 0.9)).toBeCloseTo(95.1937 + 0.9 * (95.1959 - 95.1937), 10);
  expect(quantile(gauge, 0.5)).toBeCloseTo((95.1567 + 95.1591) / 2, 10);
});
