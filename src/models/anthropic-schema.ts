import { isObject, type JsonSchema, setOwn } from "../base/json.js";

/**
 * A schema for a reply's format in the form that Anthropic takes: every object closed, and no keyword that it refuses. What is left out is told in the
 * description; it is checked when the answer comes.
 * @returns `undefined` where that form cannot say what the schema says: open objects and records, tuples, "anything", intersections, recursion.
 * @see Anthropic, "Structured outputs", section "JSON Schema limitations".
 */
export function anthropicFormatSchema(schema: JsonSchema): JsonSchema | undefined {
  try {
    return write(schema, { document: schema, within: [] });
  } catch (error) {
    if (error instanceof NotSayable) return undefined;
    throw error;
  }
}

/** Leaves the conversion from wherever the schema turns out not to fit. Never gets out of this file. */
class NotSayable extends Error {}

interface Place {
  readonly document: JsonSchema;
  /** The definitions that the schema stands in. */
  readonly within: readonly string[];
}

const FORMATS = new Set<unknown>(["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"]);
/** Keywords that say nothing of a value, and those that are written anew. */
const NOT_TOLD = new Set(
  "$schema $id $comment $defs definitions title description default examples type enum const properties required additionalProperties items anyOf oneOf".split(
    " ",
  ),
);
const UNSAYABLE = [
  "allOf",
  "not",
  "if",
  "patternProperties",
  "dependentSchemas",
  "dependencies",
  "prefixItems",
  "$dynamicRef",
  "$recursiveRef",
];

function write(schema: unknown, place: Place): JsonSchema {
  if (!isObject(schema) || UNSAYABLE.some((keyword) => schema[keyword] !== undefined)) throw new NotSayable();
  if (schema["$ref"] !== undefined) return writeRef(schema, place);
  const branches = schema["anyOf"] ?? schema["oneOf"];
  const written: Record<string, unknown> = {};
  if (Array.isArray(branches)) {
    if (schema["properties"] !== undefined || schema["items"] !== undefined) throw new NotSayable();
    written["anyOf"] = branches.map((branch) => write(branch, place));
  } else if (schema["const"] !== undefined || schema["enum"] !== undefined) writeValues(schema, written);
  else writeTyped(schema, written, place);
  return withNotes(schema, written);
}

/** In place of the reference stands what it refers to: what is said beside it may not be. */
function writeRef(schema: Record<string, unknown>, { document, within }: Place): JsonSchema {
  const pointer = String(schema["$ref"]);
  const [, keyword = "", encoded = ""] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(pointer) ?? [];
  const definitions = document[keyword];
  const name = decodeURIComponent(encoded).replaceAll("~1", "/").replaceAll("~0", "~");
  if (!isObject(definitions) || !Object.hasOwn(definitions, name) || within.includes(pointer)) throw new NotSayable();
  return write(definitions[name], { document, within: [...within, pointer] });
}

function writeValues(schema: Record<string, unknown>, written: Record<string, unknown>): void {
  const values = schema["const"] === undefined ? schema["enum"] : [schema["const"]];
  if (!Array.isArray(values) || values.length === 0 || values.some((value) => typeof value === "object" && value !== null))
    throw new NotSayable();
  written["enum"] = values;
}

function writeTyped(schema: Record<string, unknown>, written: Record<string, unknown>, place: Place): void {
  const types = ([] as unknown[]).concat(schema["type"] ?? []);
  if (types.length === 0) throw new NotSayable();
  written["type"] = schema["type"];
  if (types.includes("object")) writeObject(schema, written, place);
  if (types.includes("array")) {
    written["items"] = write(schema["items"], place);
    if (isTaken("minItems", schema["minItems"])) written["minItems"] = schema["minItems"];
  }
  if (types.includes("string") && isTaken("format", schema["format"])) written["format"] = schema["format"];
}

function writeObject(schema: Record<string, unknown>, written: Record<string, unknown>, place: Place): void {
  const { properties: source, additionalProperties: others } = schema;
  if ((others !== undefined && others !== false) || (source === undefined && others !== false)) throw new NotSayable();
  const properties = {};
  for (const [name, part] of Object.entries((source as Record<string, unknown> | undefined) ?? {}))
    setOwn(properties, name, write(part, place));
  const required = (schema["required"] as readonly string[] | undefined) ?? [];
  if (required.some((name) => !Object.hasOwn(properties, name))) throw new NotSayable();
  Object.assign(written, { properties, required, additionalProperties: false });
}

function isTaken(keyword: string, value: unknown): boolean {
  return keyword === "format" ? FORMATS.has(value) : keyword === "minItems" && (value === 0 || value === 1);
}

/** Title and description, and in the description what the form has no place for. */
function withNotes(schema: Record<string, unknown>, written: Record<string, unknown>): JsonSchema {
  const untold = Object.entries(schema).filter(([keyword, value]) => !NOT_TOLD.has(keyword) && !isTaken(keyword, value));
  const { title, description } = schema;
  const rules = untold.length === 0 ? undefined : JSON.stringify(Object.fromEntries(untold));
  const notes = [description, rules].filter((note) => typeof note === "string").join("\n");
  return { ...written, ...(title === undefined ? undefined : { title }), ...(notes === "" ? undefined : { description: notes }) };
}
