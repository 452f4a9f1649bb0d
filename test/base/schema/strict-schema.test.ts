import { isDeepStrictEqual } from "node:util";
import { Validator } from "@cfworker/json-schema";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { isObject, type JsonObject, type JsonSchema, type JsonValue, toJsonValue } from "../../../src/base/json.js";
import { compileSchema, type Schema } from "../../../src/base/schema/schema.js";
import { toStrictSchema } from "../../../src/base/schema/strict-schema.js";

const strictOf = (schema: Schema): JsonSchema | undefined => toStrictSchema(compileSchema(schema, { label: "tool t", object: true }).wire);

describe("the strict form (R60)", () => {
  test("every property is required, optional ones are nullable, and no others are allowed", () => {
    const schema = z.object({
      plain: z.string().min(2).describe("a name"),
      optional: z.number().int().positive().optional(),
      nullable: z.boolean().nullable(),
      nullish: z.iso.date().nullish(),
      fallback: z.enum(["a", "b"]).default("a"),
      literal: z.literal("x").optional(),
      nested: z.object({ inner: z.array(z.string()).max(3).optional() }).optional(),
    });
    expect(strictOf(schema)).toEqual({
      type: "object",
      properties: {
        plain: { type: "string", description: "a name" },
        optional: { type: ["integer", "null"], exclusiveMinimum: 0, maximum: Number.MAX_SAFE_INTEGER },
        nullable: { type: ["boolean", "null"] },
        nullish: { anyOf: [{ type: "string", format: "date", pattern: z.iso.date()._zod.def.pattern?.source }, { type: "null" }] },
        fallback: { anyOf: [{ type: "string", enum: ["a", "b"] }, { type: "null" }] },
        literal: { anyOf: [{ type: "string", enum: ["x"] }, { type: "null" }] },
        nested: {
          type: ["object", "null"],
          properties: { inner: { type: ["array", "null"], items: { type: "string" }, maxItems: 3 } },
          required: ["inner"],
          additionalProperties: false,
        },
      },
      required: ["plain", "optional", "nullable", "nullish", "fallback", "literal", "nested"],
      additionalProperties: false,
    });
  });

  test("recursion keeps its references, and only definitions in use are there", () => {
    const schema = {
      type: "object",
      properties: { tree: { $ref: "#/$defs/Tree", description: "all" } },
      $defs: { Tree: { type: "object", properties: { next: { $ref: "#/$defs/Tree" } } }, Unused: {} },
    };
    expect(strictOf(schema)).toEqual({
      type: "object",
      properties: { tree: { anyOf: [{ $ref: "#/$defs/Tree" }, { type: "null" }] } },
      required: ["tree"],
      additionalProperties: false,
      $defs: {
        Tree: {
          type: "object",
          properties: { next: { anyOf: [{ $ref: "#/$defs/Tree" }, { type: "null" }] } },
          required: ["next"],
          additionalProperties: false,
        },
      },
    });
    const self = z.object({
      get next() {
        return self.optional();
      },
    });
    expect(strictOf(self)?.["properties"]).toEqual({ next: { anyOf: [{ $ref: "#" }, { type: "null" }] } });
  });

  test("a union inside is an anyOf", () => {
    const branch = (kind: string) => z.object({ kind: z.literal(kind), note: z.string().optional() });
    const strict = strictOf(z.object({ it: z.discriminatedUnion("kind", [branch("a"), branch("b")]).optional() }));
    const strictBranch = (kind: string) => ({
      type: "object",
      properties: { kind: { type: "string", enum: [kind] }, note: { type: ["string", "null"] } },
      required: ["kind", "note"],
      additionalProperties: false,
    });
    expect(strict?.["properties"]).toEqual({ it: { anyOf: [strictBranch("a"), strictBranch("b"), { type: "null" }] } });
  });

  test("a record of listed names can be said", () => {
    expect(strictOf(z.object({ on: z.partialRecord(z.enum(["mon"]), z.number()) }))?.["properties"]).toEqual({
      on: { type: "object", properties: { mon: { type: ["number", "null"] } }, required: ["mon"], additionalProperties: false },
    });
  });

  test.each([
    ["a union at the root", z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])],
    ["a record", z.object({ a: z.record(z.string(), z.string()) })],
    ["an open object", z.object({ a: z.looseObject({ b: z.string() }) })],
    ["an object without properties", { type: "object", properties: { a: { type: "object" } } }],
    ["anything", z.object({ a: z.any() })],
    ["never", z.object({ a: z.never().optional() })],
    ["a tuple", z.object({ a: z.tuple([z.string()]) })],
    ["a list of anything", { type: "object", properties: { a: { type: "array" } } }],
    ["an intersection", { type: "object", properties: { a: { allOf: [{ type: "object" }, { required: ["b"] }] } } }],
    ["a condition", { type: "object", properties: { a: { type: "string" } }, if: {}, additionalProperties: false }],
    ["a pattern of names", { type: "object", properties: {}, patternProperties: { "^x": {} }, additionalProperties: false }],
    ["a required name that is not described", { type: "object", properties: {}, required: ["a"], additionalProperties: false }],
    ["a value that is an object", { type: "object", properties: { a: { const: { b: 1 } } } }],
  ])("%s cannot be said", (_, schema) => {
    expect(strictOf(schema)).toBeUndefined();
  });

  test("it is frozen and remembered", () => {
    const { wire } = compileSchema(z.object({ a: z.string() }), { label: "tool t", object: true });
    expect(toStrictSchema(wire)).toBe(toStrictSchema(wire));
    expect(Object.isFrozen(toStrictSchema(wire)?.["properties"])).toBe(true);
  });
});

/** A schema, the inputs it takes, how an input reads in strict mode, and what zod itself would have to be given. */
interface Sample {
  readonly schema: z.ZodType;
  readonly plain: fc.Arbitrary<JsonValue>;
  readonly toStrict: (input: JsonValue) => JsonValue;
  readonly toNative: (input: JsonValue) => unknown;
}

type Shape =
  | { readonly kind: "leaf"; readonly leaf: keyof typeof leaves }
  | { readonly kind: "array" | "record" | "set"; readonly of: Shape }
  | { readonly kind: "object"; readonly fields: readonly Field[] }
  | { readonly kind: "union"; readonly branches: readonly (readonly Field[])[] };
interface Field {
  readonly mode: "plain" | "optional" | "nullable" | "nullish" | "default";
  readonly shape: Shape;
}

const same = (input: JsonValue) => input;

const leaves = {
  string: { schema: z.string(), plain: fc.string(), fallback: "d", toNative: same },
  number: { schema: z.number(), plain: fc.integer(), fallback: 7, toNative: same },
  boolean: { schema: z.boolean(), plain: fc.boolean(), fallback: true, toNative: same },
  enum: { schema: z.enum(["x", "y"]), plain: fc.constantFrom("x", "y"), fallback: "y", toNative: same },
  date: {
    schema: z.date(),
    plain: fc.date({ noInvalidDate: true, min: new Date("0100-01-01"), max: new Date("9999-01-01") }).map((date) => date.toISOString()),
    fallback: new Date(0),
    toNative: (input: JsonValue) => new Date(String(input)),
  },
  bigint: { schema: z.bigint(), plain: fc.bigInt().map(String), fallback: 5n, toNative: (input: JsonValue) => BigInt(String(input)) },
} as const;

const { shape: shapes, fields: objects } = fc.letrec<{ shape: Shape; fields: Field[] }>((tie) => ({
  shape: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.record({ kind: fc.constant("leaf"), leaf: fc.constantFrom(...(Object.keys(leaves) as (keyof typeof leaves)[])) }),
    fc.record({ kind: fc.constantFrom("array", "record", "set"), of: tie("shape") }),
    fc.record({ kind: fc.constant("object"), fields: tie("fields") }),
    fc.record({ kind: fc.constant("union"), branches: fc.array(tie("fields"), { minLength: 2, maxLength: 3 }) }),
  ) as fc.Arbitrary<Shape>,
  fields: fc.array(fc.record({ mode: fc.constantFrom("plain", "optional", "nullable", "nullish", "default"), shape: tie("shape") }), {
    maxLength: 4,
  }) as fc.Arbitrary<Field[]>,
}));

function build(shape: Shape): Sample {
  switch (shape.kind) {
    case "leaf":
      return { ...leaves[shape.leaf], toStrict: same };
    case "object":
      return buildObject(shape.fields, {});
    case "union":
      return buildUnion(shape.branches);
    case "array":
    case "set": {
      const { schema, plain, toStrict, toNative } = build(shape.of);
      const isSet = shape.kind === "set";
      return {
        schema: isSet ? z.set(schema) : z.array(schema),
        plain: fc.array(plain, { maxLength: 3 }),
        toStrict: (input) => (input as JsonValue[]).map(toStrict),
        toNative: (input) => (isSet ? new Set((input as JsonValue[]).map(toNative)) : (input as JsonValue[]).map(toNative)),
      };
    }
    case "record": {
      const { schema, plain, toStrict, toNative } = build(shape.of);
      const each = <T>(input: JsonValue, change: (value: JsonValue) => T): Record<string, T> =>
        Object.fromEntries(Object.entries(input as JsonObject).map(([name, value]) => [name, change(value)]));
      return {
        schema: z.record(z.string(), schema),
        plain: fc.dictionary(fc.constantFrom("k", "constructor", "1", "f0"), plain, { maxKeys: 3 }),
        toStrict: (input) => each(input, toStrict),
        toNative: (input) => each(input, toNative),
      };
    }
  }
}

function buildUnion(branches: readonly (readonly Field[])[]): Sample {
  const samples = [...branches.map((fields, index) => buildObject(fields, { tag: `t${index}` })), { ...leaves.number, toStrict: same }];
  return {
    schema: z.union(samples.map((sample) => sample.schema)),
    plain: fc.oneof(...samples.map((sample) => sample.plain)),
    toStrict: (input) => branchOf(samples, input).toStrict(input),
    toNative: (input) => branchOf(samples, input).toNative(input),
  };
}

function branchOf(samples: readonly Sample[], input: JsonValue): Sample {
  const sample = isObject(input) ? samples[Number(String(input["tag"]).slice(1))] : samples.at(-1);
  if (sample === undefined) throw new Error("no such branch");
  return sample;
}

function buildObject(fields: readonly Field[], tag: { tag?: string }): Sample {
  const members = fields.map(({ mode, shape }, index) => {
    const sample = build(shape);
    const fallback = shape.kind === "leaf" ? leaves[shape.leaf].fallback : undefined;
    return { name: `f${index}`, sample, ...inMode(mode, sample, fallback) };
  });
  const schemas = Object.fromEntries(members.map(({ name, schema }) => [name, schema]));
  const required = members.filter(({ canMiss }) => !canMiss).map(({ name }) => name);
  const values = Object.fromEntries(members.map(({ name, plain }) => [name, plain]));
  return {
    schema: z.object({ ...(tag.tag === undefined ? {} : { tag: z.literal(tag.tag) }), ...schemas }),
    plain: fc.record(values, { requiredKeys: required }).map((object) => ({ ...object, ...tag }) as JsonValue),
    toStrict: (input) => {
      const object = input as JsonObject;
      const strict = members.map(({ name, sample }) => [name, object[name] === null ? null : present(object[name], sample)]);
      return { ...tag, ...Object.fromEntries(strict) };
    },
    toNative: (input) => {
      const given = members.filter(({ name }) => Object.hasOwn(input as JsonObject, name));
      const native = given.map(({ name, sample }) => {
        const value = (input as JsonObject)[name] ?? null;
        return [name, value === null ? null : sample.toNative(value)];
      });
      return { ...tag, ...Object.fromEntries(native) };
    },
  };
}

function present(value: JsonValue | undefined, sample: Sample): JsonValue {
  return value === undefined ? null : sample.toStrict(value);
}

/** A nullish property is never left out: in strict mode null is all it can be, and null stays null. */
function inMode(mode: Field["mode"], { schema, plain }: Sample, fallback: unknown) {
  switch (mode) {
    case "plain":
      return { schema, plain, canMiss: false };
    case "nullable":
      return { schema: schema.nullable(), plain: fc.option(plain), canMiss: false };
    case "nullish":
      return { schema: schema.nullish(), plain: fc.option(plain), canMiss: false };
    case "default":
      return { schema: fallback === undefined ? schema.optional() : schema.default(fallback), plain, canMiss: true };
    case "optional":
      return { schema: schema.optional(), plain, canMiss: true };
  }
}

const samples = objects.chain((fields) => {
  const { plain, toStrict } = buildObject(fields, {});
  return plain.map((input) => ({ fields, input: toJsonValue(input), strictInput: toJsonValue(toStrict(input)) }));
});

test("for every schema and input, the check takes what the wire schema allows as zod would, and the strict form gives the same", () => {
  let strictSchemas = 0;
  fc.assert(
    fc.property(samples, ({ fields, input, strictInput }) => {
      const { schema, toNative } = buildObject(fields, {});
      const { wire, check } = compileSchema(schema, { label: "tool t", object: true });
      expect(new Validator(structuredClone(wire), "2020-12").validate(input).errors).toEqual([]);
      const result = check(input);
      // not toStrictEqual, which takes an own property called constructor for the class
      expect(isDeepStrictEqual(result, { ok: true, value: schema.parse(toNative(input)) }) || result).toBe(true);
      expect(isDeepStrictEqual(check(strictInput), result) || check(strictInput)).toBe(true);
      const strict = toStrictSchema(wire);
      if (strict === undefined) return;
      strictSchemas++;
      expect(new Validator(structuredClone(strict), "2020-12").validate(strictInput).errors).toEqual([]);
    }),
    { numRuns: 300 },
  );
  expect(strictSchemas).toBeGreaterThan(10);
});

test("the generated schemas reach every kind and mode", () => {
  const seen = new Set<string>();
  for (const shape of fc.sample(shapes, 500)) {
    seen.add(shape.kind);
    if (shape.kind === "object") for (const { mode } of shape.fields) seen.add(mode);
  }
  expect([...seen].sort()).toEqual(
    ["array", "default", "leaf", "nullable", "nullish", "object", "optional", "plain", "record", "set", "union"].sort(),
  );
});
