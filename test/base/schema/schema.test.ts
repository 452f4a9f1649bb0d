import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import type { JsonSchema } from "../../../src/base/json.js";
import { compileSchema, type InferInput, type InferOutput, type Schema } from "../../../src/base/schema/schema.js";
import { compile, freeze, label, problemsOf, refusal, valueFor } from "./schema-helpers.js";

class Account {
  readonly id = 1;
}

describe("null for what is optional (R60)", () => {
  const fields = z.object({
    plain: z.string(),
    optional: z.string().optional(),
    nullable: z.string().nullable(),
    nullish: z.string().nullish(),
    fallback: z.string().default("x"),
    nullableFallback: z.string().nullable().default("x"),
  });
  const input = { plain: "p", optional: null, nullable: null, nullish: null, fallback: null, nullableFallback: null };
  const output = { plain: "p", nullable: null, nullish: null, fallback: "x", nullableFallback: null };

  test("null becomes absent where a property is optional but not nullable, and defaults apply", () => {
    expect(valueFor(fields, freeze(input))).toStrictEqual(output);
  });

  test("null for a required property that is not nullable stays an error", () => {
    expect(problemsOf(fields, { ...input, plain: null })).toEqual(["plain: expected string, received null"]);
  });

  test("only what is required is required in the wire schema, and nullable is told there", () => {
    expect(compile(fields).wire).toEqual({
      type: "object",
      properties: {
        plain: { type: "string" },
        optional: { type: "string" },
        nullable: { type: ["string", "null"] },
        nullish: { type: ["string", "null"] },
        fallback: { type: "string", default: "x" },
        nullableFallback: { type: ["string", "null"], default: "x" },
      },
      required: ["plain", "nullable"],
    });
  });

  test("it works nested, in lists, in records and behind every wrapper", () => {
    const schema = z.object({
      object: fields,
      list: z.array(fields),
      record: z.record(z.string(), fields),
      wrapped: fields.readonly().brand<"b">().optional(),
      lazy: z.lazy(() => fields),
    });
    const nested = { object: input, list: [input, input], record: { a: input }, wrapped: input, lazy: input };
    const right = { object: output, list: [output, output], record: { a: output }, wrapped: output, lazy: output };
    expect(valueFor(schema, freeze(nested))).toStrictEqual(right);
  });

  test("null as a value of a record is kept, or refused, but never dropped", () => {
    expect(valueFor(z.record(z.string(), z.number().nullable()), { a: null })).toEqual({ a: null });
    expect(problemsOf(z.record(z.string(), z.number()), { a: null })).toEqual(["a: expected number, received null"]);
  });

  test("null for a field of any type is kept", () => {
    expect(valueFor(z.object({ a: z.any(), b: z.unknown().optional() }), { a: null, b: null })).toEqual({ a: null, b: null });
  });

  test("a recursive schema is followed through its references", () => {
    const node = z.object({
      name: z.string(),
      note: z.string().optional(),
      get children() {
        return z.array(node).optional();
      },
    });
    const tree = { name: "a", note: null, children: [{ name: "b", note: null, children: [{ name: "c", note: "n", children: null }] }] };
    expect(valueFor(node, freeze(tree))).toEqual({ name: "a", children: [{ name: "b", children: [{ name: "c", note: "n" }] }] });
    expect(compile(node).wire).toMatchObject({ properties: { children: { items: { $ref: "#" } } } });
  });

  test("in a union the first branch that fits decides", () => {
    const schema = z.object({
      it: z.discriminatedUnion("kind", [
        z.object({ kind: z.literal("a"), note: z.string().optional() }),
        z.object({ kind: z.literal("b"), note: z.string().nullable() }),
      ]),
    });
    expect(valueFor(schema, { it: { kind: "a", note: null } })).toStrictEqual({ it: { kind: "a" } });
    expect(valueFor(schema, { it: { kind: "b", note: null } })).toStrictEqual({ it: { kind: "b", note: null } });
  });

  test("a union of objects without a tag is told apart by what is required and by types", () => {
    const schema = z.union([
      z.object({ city: z.string(), days: z.number().optional() }),
      z.object({ lat: z.number(), days: z.number().nullable() }),
    ]);
    expect(valueFor(schema, { city: "Bern", days: null })).toStrictEqual({ city: "Bern" });
    expect(valueFor(schema, { lat: 4, days: null })).toStrictEqual({ lat: 4, days: null });
  });

  test("a branch that was meant but does not fit is decoded too, so that only real problems are told", () => {
    const schema = z.object({ it: z.object({ a: z.string(), b: z.string().optional() }).nullable() });
    expect(problemsOf(schema, { it: { a: 1, b: null } })).toEqual(["it.a: expected string, received number (1)"]);
  });

  test("in an intersection null is absent where both sides let it be", () => {
    const schema = z.intersection(z.object({ a: z.string().optional(), c: z.string().nullish() }), z.object({ b: z.number().optional() }));
    expect(valueFor(schema, { a: null, b: null, c: null })).toStrictEqual({ c: null });
    const json = { allOf: [{ properties: { a: { type: "string" } } }, { properties: { b: { type: "number" } } }] };
    expect(valueFor(json, { a: null, b: 1 })).toStrictEqual({ b: 1 });
  });

  test("null at the end of a tuple is a shorter tuple where the element is optional", () => {
    const schema = z.tuple([z.string(), z.number().optional(), z.string().optional()]);
    expect(valueFor(schema, ["a", null, null])).toEqual(["a"]);
    expect(valueFor(schema, ["a", 1, null])).toEqual(["a", 1]);
    expect(valueFor(z.tuple([z.object({ o: z.string().optional() }), z.number().nullable()]), [{ o: null }, null])).toEqual([{}, null]);
  });

  test("the input is not changed, and what needs no change is not copied", () => {
    const same = { deep: [1, 2] };
    const seen: unknown[] = [];
    const schema = z.object({ same: z.custom((value) => seen.push(value) > 0), other: z.string().optional() });
    const given = freeze({ same, other: null });
    valueFor(schema, given);
    expect(seen).toEqual([same]);
    expect(seen[0]).toBe(same);
    expect(given).toEqual({ same, other: null });
  });
});

describe("what JSON does not have (R62)", () => {
  test("a date is date-time text, and is parsed back", () => {
    const schema = z.object({ when: z.date(), maybe: z.date().nullish(), list: z.array(z.date().min(new Date(0))).optional() });
    expect(compile(schema).wire["properties"]).toMatchObject({ when: { type: "string", format: "date-time" } });
    const value = valueFor(schema, { when: "2024-02-29T10:00:00+02:00", maybe: null, list: ["2024-01-01"] });
    expect(value).toEqual({ when: new Date("2024-02-29T08:00:00Z"), maybe: null, list: [new Date("2024-01-01T00:00:00Z")] });
  });

  test.each([
    ["2024-01-01", "2024-01-01T00:00:00.000Z"],
    ["2024-01-01T10:30", "2024-01-01T10:30:00.000Z"],
    ["2024-01-01 10:30:15.5", "2024-01-01T10:30:15.500Z"],
    ["2024-01-01t10:30:15z", "2024-01-01T10:30:15.000Z"],
    ["2024-01-01T10:30:15-0530", "2024-01-01T16:00:15.000Z"],
  ])("%s is the date %s, wherever the host is", (text, iso) => {
    expect(valueFor(z.date(), text)).toEqual(new Date(iso));
  });

  test.each(["tomorrow", "2024-02-30", "2023-02-29T10:00:00Z", "2024-13-01", "2024-01-01T25:00", "1704067200000", "01/02/2024"])(
    "%s is no date, and the check says so",
    (text) => {
      expect(problemsOf(z.object({ when: z.date() }), { when: text })).toEqual([
        `when: expected date as ISO 8601 text, received string (${JSON.stringify(text)})`,
      ]);
    },
  );

  test("text that the schema wants as text stays text, whatever its format", () => {
    expect(valueFor(z.object({ at: z.iso.datetime() }), { at: "2024-01-01T00:00:00Z" })).toEqual({ at: "2024-01-01T00:00:00Z" });
    expect(valueFor(z.union([z.iso.datetime(), z.date()]), "2024-01-01T00:00:00Z")).toBe("2024-01-01T00:00:00Z");
  });

  test("a bigint is text of digits and loses none of them", () => {
    const schema = z.object({ id: z.bigint(), one: z.literal(1n), either: z.literal([2n, "x"]), many: z.array(z.bigint()).default([3n]) });
    expect(compile(schema).wire).toMatchObject({ properties: { id: { type: "string", pattern: "^-?[0-9]+$" }, one: { enum: ["1"] } } });
    expect(valueFor(schema, { id: "-9007199254740993", one: "1", either: "x" })).toEqual({
      id: -9007199254740993n,
      one: 1n,
      either: "x",
      many: [3n],
    });
    expect(valueFor(z.bigint(), 12)).toBe(12n);
    expect(problemsOf(z.object({ id: z.bigint() }), { id: 2 ** 53 })).toEqual([
      "id: expected bigint as text of digits, received number (9007199254740992)",
    ]);
  });

  test("a set is a list, a map an object or a list of pairs", () => {
    const schema = z.object({ set: z.set(z.date()), byName: z.map(z.string(), z.date()), pairs: z.map(z.number(), z.set(z.string())) });
    expect(compile(schema).wire["properties"]).toEqual({
      set: { type: "array", items: { type: "string", format: "date-time" } },
      byName: { type: "object", additionalProperties: { type: "string", format: "date-time" } },
      pairs: {
        type: "array",
        items: {
          type: "array",
          prefixItems: [{ type: "number" }, { type: "array", items: { type: "string" } }],
          items: false,
          minItems: 2,
          maxItems: 2,
        },
      },
    });
    expect(valueFor(schema, freeze({ set: ["2024-01-01"], byName: { a: "2024-01-01" }, pairs: [[1, ["x"]]] }))).toEqual({
      set: new Set([new Date("2024-01-01")]),
      byName: new Map([["a", new Date("2024-01-01")]]),
      pairs: new Map([[1, new Set(["x"])]]),
    });
    expect(problemsOf(schema, { set: "x", byName: { a: "b" }, pairs: [[1, [2]]] })).toEqual([
      'set: expected set as a list, received string ("x")',
      'byName.a: expected date as ISO 8601 text, received string ("b")',
      "pairs[1]: expected string, received number",
    ]);
  });

  test("a set whose elements refer to themselves is kept as a definition", () => {
    const node = z.object({
      at: z.date(),
      get inner() {
        return z.set(node).optional();
      },
    });
    const value = valueFor(node, { at: "2024-01-01", inner: [{ at: "2024-01-02", inner: [{ at: "2024-01-03", inner: null }] }] });
    const innermost = { at: new Date("2024-01-03") };
    expect(value).toEqual({ at: new Date("2024-01-01"), inner: new Set([{ at: new Date("2024-01-02"), inner: new Set([innermost]) }]) });
  });

  test("a place that may only be undefined is left out", () => {
    const schema = z.object({
      a: z.undefined(),
      b: z.void(),
      c: z.union([z.string(), z.undefined()]),
      d: z.void().optional(),
      e: z.number(),
    });
    expect(compile(schema).wire).toEqual({
      type: "object",
      properties: { c: { type: "string" }, e: { type: "number" } },
      required: ["e"],
    });
    expect(valueFor(schema, { e: 1 })).toEqual({ a: undefined, b: undefined, c: undefined, e: 1 });
    expect(valueFor(schema, { a: null, b: null, c: null, d: null, e: 1 })).toEqual({ e: 1 });
    expect(valueFor(schema, { c: "x", e: 1 })).toEqual({ c: "x", e: 1 });
  });

  test("transforms are described by what goes in, and run", () => {
    const schema = z.object({
      length: z.string().transform((text) => text.length),
      trimmed: z.preprocess((value) => (typeof value === "string" ? value.trim() : value), z.string().min(1)),
      number: z.coerce.number(),
      piped: z.string().pipe(z.coerce.date()),
      flag: z.stringbool(),
      day: z.codec(z.iso.date(), z.date(), { decode: (text) => new Date(text), encode: (date) => date.toISOString() }),
      free: z.transform((value) => [value]),
      caught: z.number().catch(7),
      even: z.number().refine((value) => value % 2 === 0, "must be even"),
      coerced: z.coerce.date(),
    });
    expect(compile(schema).wire["properties"]).toMatchObject({
      length: { type: "string" },
      trimmed: { type: "string" },
      number: { type: "number" },
      piped: { type: "string" },
      flag: { type: "string" },
      day: { type: "string", format: "date" },
      free: {},
      caught: { type: "number" },
      even: { type: "number" },
      coerced: { type: "string", format: "date-time" },
    });
    const input = { length: "abc", trimmed: " x ", number: "4", piped: "2024-01-01", flag: "yes", day: "2024-01-01", caught: "?", even: 2 };
    const date = new Date("2024-01-01");
    expect(valueFor(schema, freeze({ ...input, free: 1, coerced: "2024-01-01" }))).toEqual({
      ...{ length: 3, trimmed: "x", number: 4, piped: date, flag: true, day: date, free: [1], caught: 7, even: 2, coerced: date },
    });
  });

  test("under z.preprocess nothing is parsed back: it gets the JSON value", () => {
    const seen: unknown[] = [];
    const schema = z.object({
      date: z.preprocess((value) => {
        seen.push(value);
        return new Date(String(value));
      }, z.date()),
      account: z.preprocess(() => new Account(), z.instanceof(Account)),
    });
    expect(valueFor(schema, { date: "2024-01-01", account: 1 })).toEqual({ date: new Date("2024-01-01"), account: new Account() });
    expect(seen).toEqual(["2024-01-01"]);
  });

  test("a custom type that may be JSON is anything", () => {
    const schema = z.object({ px: z.custom<`${number}px`>((value) => typeof value === "string" && value.endsWith("px")) });
    expect(compile(schema).wire["properties"]).toEqual({ px: {} });
    expect(valueFor(schema, { px: "4px" })).toEqual({ px: "4px" });
    expect(problemsOf(schema, { px: "4em" })).toEqual(['px: Invalid input, received "4em"']);
  });

  test.each([
    ["an instance of Account", z.instanceof(Account)],
    ["a function", z.function()],
    ["a symbol", z.symbol()],
    ["a file", z.file()],
    ["NaN", z.nan()],
  ])("%s is refused at registration, with tool and path", (what, field) => {
    const error = refusal(() => compile(z.object({ list: z.array(z.object({ bad: field })) })));
    expect(error.field).toBe("tool t.inputSchema.list[].bad");
    expect(error.message).toBe(
      `tool t.inputSchema.list[].bad: wants ${what}, which JSON cannot carry. Take a type that JSON has, and make the value in \`execute\`.`,
    );
  });

  test("a branch of a union that JSON cannot carry takes nothing from the others", () => {
    const schema = z.object({ who: z.union([z.instanceof(Account), z.string()]) });
    expect(compile(schema).wire["properties"]).toEqual({ who: { type: "string" } });
    expect(valueFor(schema, { who: "me" })).toEqual({ who: "me" });
  });

  test("an output schema is never refused", () => {
    const schema = z.object({
      at: z.date(),
      id: z.bigint(),
      run: z.instanceof(Account),
      length: z.string().transform((text) => text.length),
    });
    expect(compileSchema(schema, { label, io: "output" }).wire["properties"]).toEqual({
      at: { type: "string", format: "date-time" },
      id: {},
      run: {},
      length: {},
    });
  });
});

describe("the wire schema", () => {
  test("it is frozen plain JSON without $schema and without marks", () => {
    const { wire } = compile(z.object({ when: z.date(), list: z.array(z.preprocess((value) => value, z.string())) }));
    expect(Object.isFrozen(wire)).toBe(true);
    expect(Object.isFrozen((wire["properties"] as JsonSchema)["when"])).toBe(true);
    expect(JSON.parse(JSON.stringify(wire))).toEqual(wire);
    expect(JSON.stringify(wire)).not.toMatch(/~|\$schema/);
  });

  test("records of listed names are objects with these properties", () => {
    const days = z.enum(["mon", "tue"]);
    const property = { type: "number" };
    const properties = { mon: property, tue: property };
    expect(compile(z.record(days, z.number())).wire).toEqual({
      type: "object",
      properties,
      required: ["mon", "tue"],
      additionalProperties: false,
    });
    expect(compile(z.partialRecord(days, z.number())).wire).toEqual({ type: "object", properties, additionalProperties: false });
    expect(valueFor(z.partialRecord(days, z.number()), { mon: 1, tue: null })).toEqual({ mon: 1 });
    expect(problemsOf(z.record(days, z.number()), { mon: 1, tue: 2, wed: 3 })).toEqual(['Unrecognized key: "wed"']);
  });

  test("strict and loose objects, enums, literals and tuples say what they are", () => {
    const schema = z.object({
      strict: z.strictObject({ a: z.string() }),
      loose: z.looseObject({ a: z.string().optional() }),
      size: z.enum(["s", "m"]),
      one: z.literal(1),
      pair: z.tuple([z.string(), z.number()]),
      json: z.json(),
    });
    expect(compile(schema).wire).toMatchObject({
      properties: {
        strict: { additionalProperties: false },
        loose: { additionalProperties: {} },
        size: { enum: ["s", "m"] },
        one: { const: 1 },
        pair: { prefixItems: [{ type: "string" }, { type: "number" }], minItems: 2 },
        json: { $ref: "#/$defs/__schema0" },
      },
    });
    const input = { strict: { a: "x" }, loose: { a: null, more: null }, size: "s", one: 1, pair: ["a", 1], json: { a: [null] } };
    expect(valueFor(schema, freeze(input))).toEqual({ ...input, loose: { more: null } });
  });

  test("a pattern that only JavaScript takes refuses no tool", () => {
    const schema = z.object({ a: z.union([z.date(), z.string().regex(/^8[\w-x]$/)]), b: z.tuple([]), c: z.string().optional() });
    expect(valueFor(schema, { a: "8x", b: [], c: null })).toEqual({ a: "8x", b: [] });
  });

  test("a reference at the root is replaced by what it points to", () => {
    expect(compile(z.object({ a: z.string() }).meta({ id: "Thing", title: "A thing" })).wire).toEqual({
      type: "object",
      title: "A thing",
      properties: { a: { type: "string" } },
      required: ["a"],
    });
  });

  test.each([
    ["a discriminated union", z.discriminatedUnion("k", [z.object({ k: z.literal("a") }), z.object({ k: z.literal("b") })]), "oneOf"],
    ["a union", z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]), "anyOf"],
    [
      "an intersection of a union",
      z.object({ x: z.string() }).and(z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])),
      "anyOf",
    ],
    ["JSON Schema with references", { anyOf: [{ $ref: "#/$defs/A" }], $defs: { A: { type: "object" } } }, "anyOf"],
  ])("%s at the root is an object with branches", (_, schema, keyword) => {
    const { wire } = compile(schema);
    expect(wire["type"]).toBe("object");
    expect(wire[keyword]).toBeInstanceOf(Array);
  });

  test.each([
    ["text", z.string(), 'describes "string"'],
    ["a list", { type: "array", items: {} }, 'describes "array"'],
    ["an object or null", z.object({}).nullable(), "describes something else too"],
    ["an object or text", z.union([z.object({}), z.string()]), "describes something else too"],
    ["a date", z.date(), 'describes "string"'],
    ["never", z.never(), "describes something else too"],
    ["a constant", { const: 1 }, "describes something else too"],
  ])("%s at the root is refused for a tool", (_, schema, problem) => {
    const error = refusal(() => compile(schema as Schema));
    expect(error.field).toBe(label);
    expect(error.message).toContain(problem);
  });

  test("a root that says nothing becomes an open object", () => {
    expect(compile({}).wire).toEqual({ type: "object" });
    expect(compile(z.any()).wire).toEqual({ type: "object" });
    expect(compile({ properties: { a: { type: "string" } } }).wire).toEqual({ type: "object", properties: { a: { type: "string" } } });
  });
});

test("types follow the schema", () => {
  const schema = z.object({ a: z.string().transform(Number), b: z.number().default(1) });
  expectTypeOf<InferOutput<typeof schema>>().toEqualTypeOf<{ a: number; b: number }>();
  expectTypeOf<InferInput<typeof schema>>().toEqualTypeOf<{ a: string; b?: number | undefined }>();
  expectTypeOf<InferOutput<{ readonly type: "object" }>>().toEqualTypeOf<Record<string, unknown>>();
  expectTypeOf(schema).toExtend<Schema>();
});
