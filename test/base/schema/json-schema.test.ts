import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Schema } from "../../../src/base/schema/schema.js";
import { compile, freeze, label, problemsOf, refusal, standard, valueFor } from "./schema-helpers.js";

describe("plain JSON Schema", () => {
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      city: { type: "string", minLength: 2 },
      unit: { enum: ["c", "f"], default: "c" },
      range: { type: "object", properties: { from: { type: "integer", default: 1 }, to: { type: "integer" } }, default: {} },
      tree: { $ref: "#/$defs/Tree" },
    },
    required: ["city"],
    additionalProperties: false,
    $defs: {
      Tree: {
        type: "object",
        properties: { name: { type: "string" }, next: { $ref: "#/$defs/Tree" }, kind: { const: "t" } },
        required: ["name"],
      },
    },
  } as const;

  test("defaults of absent properties are filled in, nested too", () => {
    expect(valueFor(schema, { city: "Bern" })).toEqual({ city: "Bern", unit: "c", range: { from: 1 } });
    expect(valueFor(schema, { city: "Bern", unit: null, range: { from: null, to: 3 } })).toEqual({
      city: "Bern",
      unit: "c",
      range: { from: 1, to: 3 },
    });
  });

  test("a default also serves a property that is called required", () => {
    const required = { properties: { a: { type: "string", default: "x" } }, required: ["a"] };
    expect(valueFor(required, {})).toEqual({ a: "x" });
    expect(valueFor({ anyOf: [required, { type: "null" }] }, {})).toEqual({ a: "x" });
  });

  test("null is read as absent through references", () => {
    const value = valueFor(schema, freeze({ city: "Bern", unit: "f", range: {}, tree: { name: "a", next: { name: "b", next: null } } }));
    expect(value).toEqual({ city: "Bern", unit: "f", range: { from: 1 }, tree: { name: "a", next: { name: "b" } } });
  });

  test("problems are told in the same way, and only where they are", () => {
    const input = { city: "B", unit: "k", tree: { next: { name: 5, kind: "u" } }, more: [] };
    expect(problemsOf(schema, input)).toEqual([
      'city: String is too short (1 < 2), received "B"',
      'unit: expected "c" or "f", received "k"',
      "tree.name: is required, but missing",
      "tree.next.name: expected string, received number (5)",
      'tree.next.kind: expected "t", received "u"',
      "more: is not allowed here, received []",
    ]);
  });

  test("a union is told by the branch that was meant", () => {
    const union = {
      properties: {
        it: {
          anyOf: [
            { type: "string" },
            {
              type: "object",
              properties: { kind: { const: "a" }, n: { type: "number" } },
              required: ["kind"],
              additionalProperties: false,
            },
            { type: "array", items: { type: "number" } },
          ],
        },
        one: { oneOf: [{ type: "integer" }, { type: "number" }] },
      },
    };
    expect(problemsOf(union, { it: true })).toEqual(["it: expected string or object or array, received true"]);
    expect(problemsOf(union, { it: { kind: "a", n: "x" } })).toEqual(['it.n: expected number, received string ("x")']);
    expect(problemsOf(union, { it: [1, "x"] })).toEqual(['it[1]: expected number, received string ("x")']);
    expect(problemsOf(union, { it: { kind: "a", z: 1 } })).toEqual(["it.z: is not allowed here, received 1"]);
    expect(problemsOf(union, { one: 1 })).toEqual(["one: fits more than one of the allowed forms, and may fit only one, received 1"]);
  });

  test("the draft that it names is the one it is checked by", () => {
    const tuple = { $schema: "http://json-schema.org/draft-07/schema#", items: [{ type: "string" }], additionalItems: false };
    expect(problemsOf({ type: "object", properties: { a: tuple }, $schema: tuple.$schema }, { a: ["x", 1] })).toEqual([
      "a[1]: is not allowed here, received 1",
    ]);
    const old = { $schema: "http://json-schema.org/draft-04/schema#", properties: { a: { minimum: 1, exclusiveMinimum: true } } };
    expect(problemsOf(old, { a: 1 })).toHaveLength(1);
  });

  test("a pattern that escapes more than it has to is understood", () => {
    const pattern = { properties: { a: { type: "string", pattern: "^[a-z\\_\\-]+\\-\\:$" } } };
    expect(valueFor(pattern, { a: "a_-:" })).toEqual({ a: "a_-:" });
    expect(compile(pattern).wire).toEqual({ type: "object", ...pattern });
    expect(valueFor({ properties: { a: { pattern: "^[\\w-.]+$" } } }, { a: "a-." })).toEqual({ a: "a-." });
  });

  test("marks of other schemas mean nothing in it", () => {
    const marked = { properties: { a: { type: "string", "~parse": "date" } } };
    expect(valueFor(marked, { a: "2024-01-01" })).toEqual({ a: "2024-01-01" });
  });

  test("nothing at all is a problem", () => {
    expect(problemsOf({}, undefined)).toEqual(["expected a value, received nothing"]);
  });

  test.each([
    ["an unknown type", { properties: { a: { type: "strin" } } }, "a.type must be a type name or a list of them"],
    ["a reference to nowhere", { properties: { a: { $ref: "#/$defs/X" } } }, 'a.$ref points to "#/$defs/X", which does not exist'],
    ["a reference in a circle", { properties: { a: { $ref: "#/properties/a" } } }, "has a $ref that leads back to itself"],
    ["a bad pattern", { properties: { a: { items: { pattern: "(" } } } }, 'a.[].pattern must be a regular expression, but is "("'],
    ["a list of required names that is none", { required: true }, "required must be a list of property names, but is true"],
    ["properties that are none", { properties: ["a"] }, "properties must be an object of schemas"],
    ["an empty union", { anyOf: [] }, "anyOf must be a list of schemas with one or more entries"],
    ["a dynamic reference", { $dynamicRef: "#x" }, "$dynamicRef must be left out"],
    ["a bigint", { default: 1n }, "is not plain JSON: A bigint is not JSON (at default)"],
    ["zod fields without z.object", { a: z.string() }, 'is an object with a schema under "a", not a schema. Wrap it'],
  ])("%s is refused at registration", (_, malformed, problem) => {
    expect(refusal(() => compile(malformed)).message).toContain(`${label}: ${problem}`);
  });

  test("what is no schema at all is refused", () => {
    for (const value of [undefined, null, "string", 4, [], true]) expect(refusal(() => compile(value as never)).field).toBe(label);
  });
});

describe("other Standard Schema libraries", () => {
  test("they are asked for JSON Schema without options of zod, and their issues are told", () => {
    const asked: unknown[] = [];
    const schema = standard({
      jsonSchema: (options) => {
        asked.push(options);
        return { $schema: "x", type: "object", properties: { a: { type: "string" }, b: { type: "string" } }, required: ["a"] };
      },
      validate: (value) => ("b" in (value as object) ? { issues: [{ message: "no b", path: [{ key: "b" }] }] } : { value }),
    });
    const { wire, check } = compile(schema);
    expect(asked).toEqual([{ target: "draft-2020-12" }]);
    expect(wire).toEqual({ type: "object", properties: { a: { type: "string" }, b: { type: "string" } }, required: ["a"] });
    expect(check({ a: "x", b: null })).toEqual({ ok: true, value: { a: "x" } });
    expect(check({ a: "x", b: "y" })).toEqual({ ok: false, problems: ['b: no b, received "y"'] });
  });

  test("a schema may be a function", () => {
    const schema = Object.assign(() => undefined, standard({}));
    expect(compile(schema as unknown as Schema).check({ a: 1 })).toEqual({ ok: true, value: { a: 1 } });
  });

  test("a library that cannot convert is named with its reason", () => {
    const schema = standard({
      jsonSchema: () => {
        throw new Error("no dates");
      },
    });
    expect(refusal(() => compile(schema)).message).toBe("tool t.inputSchema: cannot be turned into JSON Schema: no dates");
  });

  test("a schema without JSON Schema is refused with what to do", () => {
    const { jsonSchema, ...old } = z.string()["~standard"];
    expect(refusal(() => compile({ "~standard": old } as never)).message).toBe(
      "tool t.inputSchema: is a schema of zod that gives no JSON Schema. Use zod 4.2 or later, and not zod/mini.",
    );
  });
});
