import { isObject, type JsonSchema, setOwn, toJsonValue } from "../json.js";

const made = new WeakMap<JsonSchema, JsonSchema | undefined>();

/**
 * The form of an object schema that providers' strict modes want: every property required, optional ones nullable, no other properties. Keywords
 * outside the subset (`default`, `minLength`, `not` …) are left out; they are checked when the call comes.
 *
 * A call in this form passes the check of the original schema, which reads null as absent where a property is optional but not nullable.
 * @param wire - A schema with `type: "object"` at its root. It is expected to be frozen: the answer is remembered.
 * @returns A frozen schema, or `undefined` where strict mode cannot say what the schema says: a union at the root, open objects and records,
 * tuples, "anything", intersections.
 * @see OpenAI, "Structured model outputs", section "Supported schemas".
 */
export function toStrictSchema(wire: JsonSchema): JsonSchema | undefined {
  if (!made.has(wire)) made.set(wire, convertRoot(wire));
  return made.get(wire);
}

function convertRoot(wire: JsonSchema): JsonSchema | undefined {
  if (wire["type"] !== "object" || wire["anyOf"] !== undefined || wire["oneOf"] !== undefined) return undefined;
  try {
    const writer = new StrictWriter(wire);
    const root = writer.write(wire);
    return toJsonValue({ ...root, ...writer.definitions() }) as JsonSchema;
  } catch (error) {
    if (error instanceof NotStrict) return undefined;
    throw error;
  }
}

/** Leaves the conversion from wherever the schema turns out not to fit. Never gets out of this file. */
class NotStrict extends Error {}

const KEPT: Readonly<Record<string, readonly string[]>> = {
  string: ["pattern", "format"],
  number: ["multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
  integer: ["multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
  array: ["minItems", "maxItems"],
  boolean: [],
  null: [],
  object: [],
};
const FORMATS = new Set<unknown>(["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"]);
/** They decide which other properties there may be, so they cannot be left out where every property must be listed. */
const UNSAYABLE = ["patternProperties", "dependentSchemas", "dependencies", "if", "$dynamicRef", "$recursiveRef"];
const DEFINITION = /^#\/(\$defs|definitions)\/([^/]+)$/;

class StrictWriter {
  readonly #document: JsonSchema;
  readonly #definitions = new Map<string, JsonSchema>();
  constructor(document: JsonSchema) {
    this.#document = document;
  }

  /** Those that are in use. */
  definitions(): { $defs?: Record<string, JsonSchema> } {
    if (this.#definitions.size === 0) return {};
    const $defs = {};
    for (const [name, schema] of this.#definitions) setOwn($defs, name, schema);
    return { $defs };
  }

  write(schema: unknown): JsonSchema {
    if (!isObject(schema) || UNSAYABLE.some((keyword) => schema[keyword] !== undefined)) throw new NotStrict();
    if (schema["$ref"] !== undefined) return this.#writeRef(schema);
    if (Array.isArray(schema["allOf"]) && !schema["allOf"].every(isRefinement)) throw new NotStrict();
    const notes = pick(schema, ["title", "description"]);
    const branches = schema["anyOf"] ?? schema["oneOf"];
    if (branches !== undefined) return { ...notes, anyOf: this.#writeBranches(schema, branches) };
    const values = schema["const"] === undefined ? schema["enum"] : [schema["const"]];
    if (Array.isArray(values)) return { ...notes, ...writeValues(values) };
    return { ...notes, ...this.#writeTyped(schema) };
  }

  #writeTyped(schema: JsonSchema): JsonSchema {
    const types = ([] as unknown[]).concat(schema["type"] ?? []) as string[];
    if (types.length === 0) throw new NotStrict();
    const result: Record<string, unknown> = { type: schema["type"] };
    for (const type of types) Object.assign(result, pick(schema, KEPT[type] ?? []));
    if (!FORMATS.has(result["format"])) delete result["format"];
    if (types.includes("array")) result["items"] = this.#writeItems(schema);
    if (types.includes("object")) Object.assign(result, this.#writeObject(schema));
    return result;
  }

  #writeRef(schema: JsonSchema): JsonSchema {
    if (["properties", "anyOf", "oneOf", "allOf", "items"].some((keyword) => schema[keyword] !== undefined)) throw new NotStrict();
    const pointer = String(schema["$ref"]);
    if (pointer === "#") return { $ref: pointer };
    const [, keyword, encoded] = DEFINITION.exec(pointer) ?? [];
    const definitions = keyword === undefined ? undefined : this.#document[keyword];
    const name = decodeURIComponent(encoded ?? "")
      .replaceAll("~1", "/")
      .replaceAll("~0", "~");
    if (!isObject(definitions) || !Object.hasOwn(definitions, name)) throw new NotStrict();
    if (!this.#definitions.has(name)) {
      this.#definitions.set(name, {}); // before it is written: it may refer to itself
      this.#definitions.set(name, this.write(definitions[name]));
    }
    return { $ref: `#/$defs/${encoded}` };
  }

  #writeBranches(schema: JsonSchema, branches: unknown): JsonSchema[] {
    const both = schema["anyOf"] !== undefined && schema["oneOf"] !== undefined;
    if (both || schema["properties"] !== undefined || schema["items"] !== undefined || schema["enum"] !== undefined) throw new NotStrict();
    return (branches as unknown[]).map((branch) => this.write(branch));
  }

  #writeItems(schema: JsonSchema): JsonSchema {
    if (schema["prefixItems"] !== undefined || schema["items"] === undefined) throw new NotStrict();
    return this.write(schema["items"]);
  }

  #writeObject(schema: JsonSchema): JsonSchema {
    const others = schema["additionalProperties"];
    const source = schema["properties"];
    if ((others !== undefined && others !== false) || (source === undefined && others !== false)) throw new NotStrict();
    const required = new Set((schema["required"] as readonly string[] | undefined) ?? []);
    const entries = Object.entries((source as Record<string, unknown> | undefined) ?? {});
    if ([...required].some((name) => !entries.some(([known]) => known === name))) throw new NotStrict();
    const properties = {};
    for (const [name, part] of entries) {
      const isOptional = !required.has(name) || (isObject(part) && part["default"] !== undefined);
      const strict = this.write(part);
      setOwn(properties, name, isOptional ? this.#nullable(strict) : strict);
    }
    return { properties, required: entries.map(([name]) => name), additionalProperties: false };
  }

  #nullable(strict: JsonSchema): JsonSchema {
    const { type, anyOf, enum: values, const: value } = strict;
    if (Array.isArray(anyOf)) return anyOf.some(isNull) ? strict : { ...strict, anyOf: [...anyOf, { type: "null" }] };
    if (type === "null" || (Array.isArray(type) && type.includes("null"))) return strict;
    if (type === undefined || values !== undefined || value !== undefined) {
      const { title, description, ...rest } = strict;
      return { ...pick(strict, ["title", "description"]), anyOf: [rest, { type: "null" }] };
    }
    return { ...strict, type: [...([] as unknown[]).concat(type), "null"] };
  }
}

/** Whether a member of an `allOf` only narrows a plain value, so that leaving it out leaves the shape as it is. */
function isRefinement(member: unknown): boolean {
  return isObject(member) && Object.keys(member).every((keyword) => ["pattern", "format", "multipleOf"].includes(keyword));
}

function writeValues(values: readonly unknown[]): JsonSchema {
  const types = [...new Set(values.map((value) => (value === null ? "null" : typeof value)))];
  if (types.includes("object") || types.length === 0) throw new NotStrict();
  return { type: types.length === 1 ? types[0] : types, enum: values };
}

function isNull(schema: JsonSchema): boolean {
  const type = schema["type"];
  return type === "null" || (Array.isArray(type) && type.includes("null"));
}

function pick(schema: JsonSchema, keywords: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(keywords.filter((keyword) => schema[keyword] !== undefined).map((keyword) => [keyword, schema[keyword]]));
}
