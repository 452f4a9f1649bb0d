import { bareAnswer, judge, numberOf, Random, sameNumber, sameNumbers, sameText } from "triact/bench";
import { describe, expect, test } from "vitest";

test.for([
  [" Dunby. ", "Dunby"],
  ['"Dunby"', "Dunby"],
  ["“Dunby”.", "Dunby"],
  ["**Dunby**.", "Dunby"],
  ["`Dunby`", "Dunby"],
  ["it's", "it's"],
  ['"a" and "b', '"a" and "b'],
  ["…and so on...", "…and so on..."],
  ["", ""],
] as const)("%j without what stands around it is %j", ([answer, bare]) => {
  expect(bareAnswer(answer)).toBe(bare);
});

test("a text is the same whatever its case, spacing and article, and not with other words", () => {
  for (const answer of ["the  Old\nHall", "old hall.", '"The Old Hall"', "**Old Hall**"])
    expect(sameText(answer, "The Old Hall"), answer).toBe(true);
  for (const answer of ["It is the Old Hall", "Old", "", "Old Halls"]) expect(sameText(answer, "The Old Hall"), answer).toBe(false);
});

test.for([
  ["12", 12],
  ["-1,234.50", -1_234.5],
  ["$ 12.5", 12.5],
  ["12 €", 12],
  ["1_000", 1_000],
  ["**7**", 7],
  [".5", 0.5],
  ["12 apples", undefined],
  ["1,23", undefined],
  ["1 2", undefined],
  ["", undefined],
  ["0x10", undefined],
  ["1e3", undefined],
] as const)("%j is the number %j", ([answer, number]) => {
  expect(numberOf(answer)).toBe(number);
});

test("numbers are compared with a tolerance, lists of them in their order", () => {
  expect(sameNumber("0.3", 0.1 + 0.2)).toBe(true);
  expect(sameNumber("0.31", 0.3)).toBe(false);
  expect(sameNumber("0.31", 0.3, 0.01)).toBe(true);
  expect(sameNumbers("[1, 2.0, 3]", [1, 2, 3])).toBe(true);
  expect(sameNumbers("1,2", [1, 2])).toBe(true);
  expect(sameNumbers("2, 1", [1, 2])).toBe(false);
  expect(sameNumbers("1, 2, 3", [1, 2])).toBe(false);
  expect(sameNumbers("", [1])).toBe(false);
});

describe("judge", () => {
  test("is content with the wanted changes in any order", () => {
    expect(judge({ wanted: ["a", "b", "a"], made: ["a", "a", "b"] })).toEqual({ solved: true });
    expect(judge({ wanted: [], made: [] })).toEqual({ solved: true });
  });

  test("names what is missing and what nobody asked for, each as often as it is", () => {
    expect(judge({ wanted: ["a", "a", "b"], made: ["a", "c", "c"], answerProblem: "the answer should be 1" })).toEqual({
      solved: false,
      reason: "the answer should be 1; missing: a; missing: b; 2 unwanted changes",
      sideEffects: ["c", "c"],
    });
    expect(judge({ wanted: ["a"], made: ["a", "a"] })).toEqual({ solved: false, reason: "1 unwanted change", sideEffects: ["a"] });
  });
});

describe("random choices", () => {
  test("depend on the seed and its labels alone", () => {
    const draw = (...seed: (number | string)[]) =>
      Array.from(
        { length: 5 },
        (
          (random) => () =>
            random.integer(0, 1e9)
        )(new Random(...seed)),
      );
    expect(draw(1, "a")).toEqual(draw(1, "a"));
    expect(draw(1, "a")).not.toEqual(draw(1, "b"));
    expect(draw(1, "a")).not.toEqual(draw(2, "a"));
    expect(draw(1, 23)).not.toEqual(draw(12, 3));
  });

  test("are even, also for seeds in a row", () => {
    const firsts = Array.from({ length: 6_000 }, (_, seed) => new Random(seed).integer(1, 6));
    for (const face of [1, 2, 3, 4, 5, 6]) expect(Math.abs(firsts.filter((value) => value === face).length - 1_000)).toBeLessThan(120);
  });

  test("shuffle keeps the values, and sample takes different ones", () => {
    const random = new Random(3);
    const values = Array.from({ length: 50 }, (_, index) => index);
    expect(random.shuffle(values).toSorted((a, b) => a - b)).toEqual(values);
    expect(new Set(random.sample(values, 20)).size).toBe(20);
    expect(() => random.sample([1], 2)).toThrow(RangeError);
    expect(() => random.pick([])).toThrow(RangeError);
  });
});
