import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import type { JsonSchema } from "../json.js";
import { mapSubschemas, type Subschema } from "./json-schema.js";
import { PARSE, type Parse, RAW, REFUSED } from "./schema-marks.js";
import type { Problem } from "./schema-problems.js";

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
 * JSON Schema of a zod schema, with marks for the decoder where zod has no JSON form of its own: dates are date-time text, bigints text of digits,
 * sets lists, maps objects or lists of pairs.
 */
export function zodToJsonSchema(schema: StandardJSONSchemaV1, io: "input" | "output"): JsonSchema {
  return new ZodConversion(io).convertRoot(schema);
}

class ZodConversion {
  readonly #io: "input" | "output";
  /** Definitions made for what is inside sets and maps, and their names. */
  readonly #definitions: Record<string, JsonSchema> = {};
  readonly #names = new Map<StandardJSONSchemaV1, string>();
  #count = 0;
  constructor(io: "input" | "output") {
    this.#io = io;
  }

  convertRoot(schema: StandardJSONSchemaV1): JsonSchema {
    const json = this.#convert(schema);
    if (Object.keys(this.#definitions).length === 0) return json;
    return { ...json, $defs: { ...(json["$defs"] as object | undefined), ...this.#definitions } };
  }

  #convert(schema: StandardJSONSchemaV1): JsonSchema {
    const mark = this.#io === "input" ? markInput : markOutput;
    const { $schema, ...json } = schema["~standard"].jsonSchema[this.#io]({
      target: "draft-2020-12",
      libraryOptions: {
        unrepresentable: "any",
        override: ({ zodSchema, jsonSchema }: { zodSchema: ZodSchema; jsonSchema: Record<string, unknown> }) =>
          mark(zodSchema, jsonSchema, (inner) => this.#convertPart(inner)),
      },
    });
    return json;
  }

  /** zod does not look into sets and maps. What is inside is converted by itself; if it has references, it moves to the definitions. */
  #convertPart(schema: ZodSchema | undefined): JsonSchema {
    if (schema === undefined) return {};
    const known = this.#names.get(schema);
    if (known !== undefined) return { $ref: `#/$defs/${known}` };
    const name = `part${this.#count++}`;
    this.#names.set(schema, name);
    const json = this.#convert(schema);
    if (JSON.stringify(json).includes('"$ref"')) {
      this.#move(json, name);
      return { $ref: `#/$defs/${name}` };
    }
    this.#names.delete(schema);
    return json;
  }

  #move({ $defs = {}, ...json }: JsonSchema, name: string): void {
    const parts = new Set(this.#names.values());
    const move = (schema: Subschema): Subschema => {
      if (typeof schema === "boolean") return schema;
      const moved = mapSubschemas(schema, move);
      const [, target] = /^#(?:\/\$defs\/(.*))?$/.exec(String(moved["$ref"] ?? "")) ?? [];
      if (moved["$ref"] === "#") return { ...moved, $ref: `#/$defs/${name}` };
      return target === undefined || parts.has(target) ? moved : { ...moved, $ref: `#/$defs/${name}-${target}` };
    };
    this.#definitions[name] = move(json) as JsonSchema;
    for (const [inner, schema] of Object.entries($defs as Record<string, JsonSchema>)) {
      this.#definitions[`${name}-${inner}`] = move(schema) as JsonSchema;
    }
  }
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
  readonly key?: unknown;
}

/** What a value of the type looks like in JSON, where the type's name does not say it. */
const JSON_FORMS: ReadonlyMap<string, string> = new Map([
  ["date", "as ISO 8601 text"],
  ["bigint", "as text of digits"],
  ["set", "as a list"],
]);

/** An issue of a zod check in the form that all checks share. One about the value of a map entry counts as those inside it. */
export function zodProblems(issue: StandardSchemaV1.Issue, parent: readonly PropertyKey[] = []): Problem[] {
  const { key, issues = [], ...rest }: ZodIssue = issue;
  if (rest.code !== "invalid_element") return [zodProblem(issue, parent)];
  const place = [...parent, ...((rest.path ?? []) as readonly PropertyKey[]), typeof key === "number" ? key : String(key)];
  return issues.flatMap((inner) => zodProblems(inner, place));
}

function zodProblem(issue: ZodIssue, parent: readonly PropertyKey[]): Problem {
  const { code, expected, values, errors, issues, path, message } = issue;
  const own = [...parent, ...((path ?? []) as readonly PropertyKey[])];
  const text = message.replace(/^Invalid (?:input|option): /, "");
  switch (code) {
    case "invalid_type": {
      const form = JSON_FORMS.get(expected ?? "");
      const exact = form === undefined ? text : text.replace(`expected ${expected}`, `expected ${expected} ${form}`);
      return { path: own, text: exact, received: "named", ...wants("type", expected) };
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
      return { path: own, text, branches: errors.map((branch) => branch.flatMap((inner) => zodProblems(inner, own))) };
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
