import { AgentConfigError } from "../errors.js";
import { isObject, type JsonSchema, setOwn } from "../json.js";
import { mapSubschemas, type Subschema } from "./json-schema.js";
import { MARKS, mayBeAbsent, PARSE, RAW, REFUSED } from "./schema-marks.js";

/**
 * A marked schema as the model sees it: without marks, and without what can only be absent.
 * @param label - For errors: what the schema belongs to.
 * @throws AgentConfigError naming the path, where the check wants a value that JSON cannot carry.
 */
export function toWireSchema(marked: JsonSchema, label: string): JsonSchema {
  return wireOf(marked, label, false) as JsonSchema;
}

function wireOf(marked: Subschema, path: string, parentIsRaw: boolean): Subschema {
  if (typeof marked === "boolean") return marked;
  const raw = parentIsRaw || marked[RAW] === true;
  if (marked[REFUSED] !== undefined && !raw) {
    throw new AgentConfigError({
      field: path,
      problem: `wants ${String(marked[REFUSED])}, which JSON cannot carry. Take a type that JSON has, and make the value in \`execute\`.`,
    });
  }
  const visible = Object.fromEntries(Object.entries(withoutAbsent(marked)).filter(([keyword]) => !MARKS.has(keyword)));
  const wire = mapSubschemas(visible, (part, place) => wireOf(part, `${path}${place}`, raw));
  for (const keyword of ["anyOf", "oneOf"]) {
    const branches = wire[keyword];
    if (!Array.isArray(branches) || branches.length !== 1) continue;
    delete wire[keyword];
    return { ...branches[0], ...wire };
  }
  return wire;
}

function withoutAbsent(marked: JsonSchema): JsonSchema {
  const result: Record<string, unknown> = { ...marked };
  const properties = marked["properties"];
  if (isObject(properties)) {
    const kept = Object.entries(properties).filter(([, part]) => !isAbsent(part as Subschema));
    result["properties"] = Object.fromEntries(kept);
    const required = (marked["required"] as readonly string[] | undefined)?.filter(
      (name) => !mayBeAbsent((properties[name] ?? {}) as Subschema),
    );
    if (required?.length === 0) delete result["required"];
    else if (required !== undefined) result["required"] = required;
  }
  for (const keyword of ["anyOf", "oneOf"]) {
    const branches = marked[keyword];
    if (Array.isArray(branches)) result[keyword] = possibleBranches(branches);
  }
  return result;
}

/** A branch that JSON cannot carry takes nothing from the others. With no others, it stays to be refused. */
function possibleBranches(branches: readonly Subschema[]): readonly Subschema[] {
  const present = branches.filter((branch) => !isAbsent(branch));
  const possible = present.filter((branch) => typeof branch === "boolean" || branch[REFUSED] === undefined);
  return possible.length > 0 ? possible : present;
}

function isAbsent(marked: Subschema): boolean {
  return typeof marked === "object" && marked[PARSE] === "absent";
}

/** Most names of a record that are written out as properties: each repeats the schema of the value. */
const MAX_LISTED_NAMES = 100;

/**
 * Writes records in the form that most providers and their strict modes know: a record of listed names is an object with these properties, and
 * "names are text" is left out because it is always true.
 */
export function simplifyRecords(schema: JsonSchema): JsonSchema {
  const simple = mapSubschemas(schema, (part) => (typeof part === "boolean" ? part : simplifyRecords(part)));
  const names = simple["propertyNames"];
  if (!isObject(names) || names["type"] !== "string") return simple;
  if (Object.keys(names).length === 1) {
    const { propertyNames, ...rest } = simple;
    return rest;
  }
  const listed = names["const"] === undefined ? names["enum"] : [names["const"]];
  const isListOnly = Object.keys(names).length === 2 && Array.isArray(listed) && listed.length <= MAX_LISTED_NAMES;
  if (!isListOnly || simple["properties"] !== undefined || simple[PARSE] !== undefined) return simple;
  const { propertyNames, additionalProperties = true, ...rest } = simple;
  const properties = {};
  for (const name of listed) setOwn(properties, String(name), additionalProperties);
  return { ...rest, properties, additionalProperties: false };
}

/**
 * The schema with `type: "object"` at its root, which providers demand of a tool's arguments. A reference at the root is replaced by what it points
 * to; a union of objects keeps its branches.
 * @throws AgentConfigError where the schema describes something else.
 */
export function toObjectRoot(schema: JsonSchema, label: string): JsonSchema {
  const { $ref: _ref, ...root } = followRef(schema, schema);
  if (!isObjectSchema(root, schema, [])) {
    const what = root["type"] === undefined ? "something else too" : JSON.stringify(root["type"]);
    throw new AgentConfigError({
      field: label,
      problem: `must describe an object, because a call has named arguments, but describes ${what}. Put it into a property of an object.`,
    });
  }
  const { type: _type, $defs, definitions, ...rest } = root;
  const json = JSON.stringify(rest);
  const used = Object.entries({ $defs, definitions }).filter(
    ([keyword, schemas]) => schemas !== undefined && json.includes(`"#/${keyword}/`),
  );
  return { type: "object", ...rest, ...Object.fromEntries(used) };
}

function followRef(schema: JsonSchema, document: JsonSchema): JsonSchema {
  let result = schema;
  for (let step = 0; step < 10 && result["$ref"] !== undefined; step++) {
    const target = targetOf(result, document);
    if (target === undefined) return result;
    const { $ref, ...rest } = result;
    result = { ...target, ...rest };
  }
  return result;
}

function targetOf(schema: JsonSchema, document: JsonSchema): JsonSchema | undefined {
  const [, keyword, name] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(String(schema["$ref"])) ?? [];
  if (keyword === undefined || name === undefined) return schema["$ref"] === "#" ? document : undefined;
  const definitions = document[keyword];
  const target = isObject(definitions) ? definitions[decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~")] : undefined;
  return isObject(target) ? target : undefined;
}

function isObjectSchema(part: unknown, document: JsonSchema, open: readonly unknown[]): boolean {
  if (!isObject(part) || open.includes(part)) return false;
  const within = [...open, part];
  const type = part["type"];
  if (type !== undefined) return type === "object" || (Array.isArray(type) && type.length === 1 && type[0] === "object");
  if (part["$ref"] !== undefined && !isObjectSchema(targetOf(part, document), document, within)) return false;
  for (const keyword of ["anyOf", "oneOf"]) {
    const branches = part[keyword];
    if (Array.isArray(branches) && !branches.every((branch) => isObjectSchema(branch, document, within))) return false;
  }
  if (Array.isArray(part["allOf"])) return part["allOf"].some((member) => isObjectSchema(member, document, within));
  return !["const", "enum", "not", PARSE].some((keyword) => part[keyword] !== undefined);
}
