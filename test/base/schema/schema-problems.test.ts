import { describe, expect, test } from "vitest";
import { z } from "zod";
import { compile, problemsOf, standard, valueFor } from "./schema-helpers.js";

describe("problems", () => {
  test("they name the path, what was expected and what came", () => {
    const schema = z.object({
      days: z.array(z.object({ from: z.string() })),
      size: z.enum(["s", "m"]),
      name: z.string().min(3),
      mail: z.email("give a mail address"),
      "x-y z": z.number(),
    });
    const input = { days: [{ from: "a" }, { from: 5 }], name: "ab", mail: "x", "x-y z": [1] };
    expect(problemsOf(schema, input)).toEqual([
      "days[1].from: expected string, received number (5)",
      'size: expected one of "s"|"m", received nothing',
      'name: Too small: expected string to have >=3 characters, received "ab"',
      'mail: give a mail address, received "x"',
      '["x-y z"]: expected number, received array ([1])',
    ]);
  });

  test("a long value is cut without splitting a code point", () => {
    const text = `${"x".repeat(78)}😀😀`;
    expect(problemsOf(z.object({ a: z.number() }), { a: text })).toEqual([
      `a: expected number, received string ("${"x".repeat(78)}… [5 more characters])`,
    ]);
  });

  test("after ten of them the rest is counted", () => {
    const problems = problemsOf(
      z.array(z.string()),
      Array.from({ length: 13 }, (_, index) => index),
    );
    expect(problems).toHaveLength(11);
    expect(problems[9]).toBe("[9]: expected string, received number (9)");
    expect(problems[10]).toBe("… and 3 more");
  });

  test.each([
    ["the types are listed when none fits", true, ["it: expected object or number or array, received true"]],
    ["the branch with the right type is told", { kind: "a", x: 1 }, ["it.x: expected string, received number (1)"]],
    ["the branch with the right type is told, deep down", [1, "b"], ['it[1]: expected number, received string ("b")']],
  ])("of a union, %s", (_, it, problems) => {
    const schema = z.object({ it: z.union([z.object({ kind: z.literal("a"), x: z.string() }), z.number(), z.array(z.number())]) });
    expect(problemsOf(schema, { it })).toEqual(problems);
  });

  test("of a union of tagged objects, the one with the right tag is told", () => {
    const schema = z.union([
      z.object({ kind: z.literal("a"), x: z.string() }),
      z.object({ kind: z.literal("b"), y: z.string() }),
      z.object({ kind: z.literal("b"), z: z.string() }),
    ]);
    expect(problemsOf(schema, { kind: "a", x: 1 })).toEqual(["x: expected string, received number (1)"]);
    expect(problemsOf(schema, { kind: "b" })).toEqual([
      "fits none of 2 forms: (1) y: expected string, received undefined; (2) z: expected string, received undefined",
    ]);
  });

  test("an unknown tag is told with those that there are", () => {
    const schema = z.discriminatedUnion("kind", [z.object({ kind: z.literal("a") }), z.object({ kind: z.literal("b") })]);
    expect(problemsOf(schema, { kind: "c" })).toEqual(["kind: Invalid discriminator value. Expected 'a' | 'b', received \"c\""]);
  });

  test("a name of a record that is not allowed is told with the reason", () => {
    expect(problemsOf(z.record(z.string().min(2), z.number()), { a: 1 })).toEqual([
      "a: the name is not allowed: Too small: expected string to have >=2 characters",
    ]);
  });

  test("a check that throws is a problem, not an exception", async () => {
    const schema = z.object({
      a: z.string().refine(() => {
        throw new Error("boom");
      }),
    });
    expect(await compile(schema).check({ a: "x" })).toEqual({ ok: false, problems: ["the check itself failed: boom"] });
    const thrower = standard({
      validate: () => {
        throw new Error("at once");
      },
    });
    expect(compile(thrower).check({})).toEqual({ ok: false, problems: ["the check itself failed: at once"] });
  });

  test("an asynchronous check is awaited, and its rejection is a problem", async () => {
    const schema = z.object({ a: z.string().refine(async (value) => value === "x", "must be x"), b: z.string().optional() });
    expect(await compile(schema).check({ a: "x", b: null })).toEqual({ ok: true, value: { a: "x" } });
    expect(await compile(schema).check({ a: "y" })).toEqual({ ok: false, problems: ['a: must be x, received "y"'] });
    const rejecting = standard({ validate: () => Promise.reject(new Error("later")) });
    expect(await compile(rejecting).check({})).toEqual({ ok: false, problems: ["the check itself failed: later"] });
  });

  test("a synchronous check answers at once", () => {
    expect(compile(z.object({ a: z.date() })).check({ a: "2024-01-01" })).not.toBeInstanceOf(Promise);
  });
});

describe("names from the prototype", () => {
  test("a property called constructor or toString is only what was sent", () => {
    const schema = z.object({
      constructor: z.string().optional(),
      toString: z.number().optional(),
      hasOwnProperty: z.string().default("x"),
    });
    expect(valueFor(schema, {})).toEqual({ hasOwnProperty: "x" });
    expect(valueFor(schema, { constructor: "c", toString: null })).toEqual({ constructor: "c", hasOwnProperty: "x" });
    const json = { type: "object", properties: { constructor: { type: "string" }, toString: { type: "number", default: 1 } } };
    expect(valueFor(json, {})).toStrictEqual({ toString: 1 });
    expect(problemsOf({ ...json, required: ["constructor"] }, {})).toEqual(["constructor: is required, but missing"]);
  });

  test("__proto__ never becomes the prototype", () => {
    const input = JSON.parse('{"__proto__":{"admin":true},"a":null,"list":[{"__proto__":{"admin":true},"a":null}]}');
    const json = { properties: { a: { type: "string" }, list: { items: { $ref: "#" } } } };
    for (const schema of [json, z.looseObject({ a: z.string().optional() }), z.object({ a: z.string().optional() })]) {
      const value = valueFor(schema, input) as { admin?: boolean };
      expect(value.admin).toBeUndefined();
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    }
    const declared = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"object","default":{"admin":true}}}}');
    const value = valueFor(declared, {}) as { admin?: boolean };
    expect(value.admin).toBeUndefined();
    expect(Object.keys(value)).toEqual(["__proto__"]);
  });
});
