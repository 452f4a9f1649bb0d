import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import { PARSE, type Parse, RAW } from "./decode-input.js";
import type { JsonSchema } from "./json.js";
import type { Problem } from "./schema-problems.js";
import { REFUSED } from "./wire-schema.js";

/** What is read of a zod schema beyond the Standard Schema interface. */
interface ZodSchema extends StandardJSONSchemaV1 {
  readonly _zod: {
    readonly def: {
      readonly type: string;
      readonly in?: ZodSchema;
      readonly keyType?: ZodSchema;
      readonly valueType?: ZodSchema;
      readonly values?: readonly unknown[];
    };
    readonly bag: { readonly Class?: unknown };
  };
}

/**
 * JSON Schema of a zod schema, with marks for the decoder where zod has no JSON form of its own: dates are date-time text, bigints text of
 * digits, sets lists, maps objects or lists of pairs. Inside a set or map, what refers to itself is "anything".
 */
export function zodToJsonSchema(schema: StandardJSONSchemaV1, io: "input" | "output"): JsonSchema {
  return convert(schema, io, new Set());
}

function convert(schema: StandardJSONSchemaV1, io: "input" | "output", open: Set<StandardJSONSchemaV1>): JsonSchema {
  const part = (inner: ZodSchema | undefined) => (inner === undefined ? {} : convertPart(inner, open));
  const mark = io === "input" ? markInput : markOutput;
  return schema["~standard"].jsonSchema[io]({
    target: "draft-2020-12",
    libraryOptions: {
      unrepresentable: "any",
      override: ({ zodSchema, jsonSchema }: { zodSchema: ZodSchema; jsonSchema: Record<string, unknown> }) =>
        mark(zodSchema, jsonSchema, part),
    },
  });
}

/** Its references would point into a document of its own, so a part that has any is left open. */
function convertPart(schema: ZodSchema, open: Set<StandardJSONSchemaV1>): JsonSchema {
  if (open.has(schema)) return {};
  const { $schema, ...json } = convert(schema, "input", new Set(open).add(schema));
  return JSON.stringify(json).includes('"$ref"') ? {} : json;
}

const DATE_TIME = { type: "string", format: "date-time" };

function markOutput({ _zod: { def } }: ZodSchema, json: Record<string, unknown>): void {
  if (def.type === "date") Object.assign(json, DATE_TIME); // what JSON.stringify makes of it
}

function markInput(schema: ZodSchema, json: Record<string, unknown>, part: (inner: ZodSchema | undefined) => JsonSchema): void {
  const { def, bag } = schema._zod;
  const represent = (parse: Parse, form: JsonSchema) => Object.assign(json, form, { [PARSE]: parse });
  switch (def.type) {
    case "date":
      represent("date", DATE_TIME);
      return;
    case "bigint":
      represent("bigint", { type: "string", pattern: "^-?[0-9]+$" }); // a JSON number loses digits above 2 ** 53
      return;
    case "literal":
      if (!def.values?.some((value) => typeof value === "bigint")) return;
      delete json["const"];
      delete json["type"];
      represent("bigint", { enum: def.values.map((value) => (typeof value === "bigint" ? String(value) : value)) });
      return;
    case "set":
      represent("set", { type: "array", items: part(def.valueType) });
      return;
    case "map":
      markMap(part(def.keyType), part(def.valueType), represent);
      return;
    case "undefined":
    case "void":
      represent("absent", {});
      return;
    case "pipe":
      if (def.in?._zod.def.type === "transform") json[RAW] = true; // z.preprocess
      return;
    case "catch":
      delete json[REFUSED]; // whatever comes, the check has a value
      return;
    case "symbol":
    case "function":
    case "file":
      json[REFUSED] = `a ${def.type}`;
      return;
    case "nan":
      json[REFUSED] = "NaN";
      return;
    case "custom":
      if (typeof bag.Class === "function" && bag.Class !== Object && bag.Class !== Array) {
        json[REFUSED] = `an instance of ${bag.Class.name === "" ? "a class" : bag.Class.name}`;
      }
  }
}

function markMap(key: JsonSchema, value: JsonSchema, represent: (parse: Parse, form: JsonSchema) => void): void {
  if (key["type"] !== "string" || key[PARSE] !== undefined) {
    const pair = { type: "array", prefixItems: [key, value], items: false, minItems: 2, maxItems: 2 };
    represent("map", { type: "array", items: pair });
    return;
  }
  represent("map-object", { type: "object", propertyNames: key, additionalProperties: value });
}

/** What is read of a zod issue beyond the Standard Schema interface. */
interface ZodIssue extends StandardSchemaV1.Issue {
  readonly code?: string;
  readonly expected?: string;
  readonly values?: readonly unknown[];
  readonly errors?: ReadonlyArray<readonly ZodIssue[]>;
  readonly issues?: readonly ZodIssue[];
}

/** What a value of the type looks like in JSON, where the type's name does not say it. */
const JSON_FORMS: ReadonlyMap<string, string> = new Map([
  ["date", "as ISO 8601 text"],
  ["bigint", "as text of digits"],
  ["set", "as a list"],
]);

/** An issue of a zod check in the form that all checks share. */
export function zodProblem(issue: StandardSchemaV1.Issue, parent: readonly PropertyKey[] = []): Problem {
  const { code, expected, values, errors, issues, path, message }: ZodIssue = issue;
  const own = [...parent, ...((path ?? []) as readonly PropertyKey[])];
  const text = message.replace(/^Invalid (?:input|option): /, "");
  switch (code) {
    case "invalid_type": {
      const form = JSON_FORMS.get(expected ?? "");
      return { path: own, text: form === undefined ? text : `${text}; give it ${form}`, received: "named", ...wants("type", expected) };
    }
    case "invalid_value":
      return {
        path: own,
        text,
        ...wants(
          "value",
          values?.map((value) => (typeof value === "string" ? JSON.stringify(value) : String(value))),
        ),
      };
    case "unrecognized_keys":
      return { path: own, text, received: "left-out" };
    case "invalid_union":
      if (errors === undefined || errors.length === 0) return { path: own, text };
      return { path: own, text, branches: errors.map((branch) => branch.map((inner) => zodProblem(inner, own))) };
    case "invalid_key":
      return {
        path: own,
        text: `the name is not allowed: ${(issues ?? []).map((inner) => inner.message).join("; ")}`,
        received: "left-out",
      };
    default:
      return { path: own, text };
  }
}

function wants(mismatch: "type" | "value", expected: string | readonly string[] | undefined): Pick<Problem, "mismatch"> {
  if (expected === undefined) return {};
  return { mismatch: { kind: mismatch, expected: typeof expected === "string" ? expected : expected.join(" or ") } };
}
