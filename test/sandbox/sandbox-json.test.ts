import { expect, test } from "vitest";
import { cutText, parseJson } from "../../src/sandbox/sandbox-json.js";

const limits = { maxChars: 1_000, maxNesting: 3 };

test.for(['{"__proto__":{"x":1},"a":1}', '{"\\u005f_proto__":{"x":1},"a":1}', '{"a":1,"b":{"__proto__":1}}'])(
  "prototype keys are left out: %s",
  (text) => {
    const parsed = parseJson(text, limits);
    expect(JSON.stringify(parsed)).not.toContain("__proto__");
    expect(parsed).toMatchObject({ ok: true, value: { a: 1 } });
  },
);

test.for([
  ["[[[[1]]]]", "it is nested more than 3 levels deep"],
  [`{"a":{"b":{"c":[]}}}`, "it is nested more than 3 levels deep"],
  [`"${"x".repeat(1_000)}"`, "it has 1002 characters; 1000 are allowed"],
  ["[1", "it is not JSON"],
  ["", "it is not JSON"],
] as const)("%s is refused", ([text, problem]) => {
  expect(parseJson(text, limits)).toEqual({ ok: false, problem });
});

test("brackets in strings are no levels", () => {
  expect(parseJson('["[[[[", "\\"[[[["]', limits)).toMatchObject({ ok: true });
});

test("a cut keeps surrogate pairs whole and says how much is gone", () => {
  expect(cutText("ab😀cd", 3)).toBe("ab… [4 more characters]");
  expect(cutText("ab😀cd", 4)).toBe("ab😀… [2 more characters]");
  expect(cutText("abc", 3)).toBe("abc");
});
