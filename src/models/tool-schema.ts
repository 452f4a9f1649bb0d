import { isObject, type JsonSchema, setOwn } from "../base/json.js";

const made = new WeakMap<JsonSchema, JsonSchema>();

/**
 * A tool's schema as every provider takes it: with `properties`, and without a union or an intersection at its root, for which OpenAI and Anthropic
 * refuse the whole request. The properties of all branches are listed then, those required that every branch requires; which of them go together stands
 * in the description and is checked when the call comes.
 * @param schema - A schema with `type: "object"` at its root. It is expected to be frozen: the answer is remembered.
 */
export function toolSchema(schema: JsonSchema): JsonSchema {
  const known = made.get(schema) ?? convert(schema);
  made.set(schema, known);
  return known;
}

const LISTS = ["anyOf", "oneOf", "allOf"] as const;

function convert(schema: JsonSchema): JsonSchema {
  if (!LISTS.some((keyword) => Array.isArray(schema[keyword])))
    return isObject(schema["properties"]) ? schema : { ...schema, properties: {} };
  const { anyOf: _anyOf, oneOf: _oneOf, allOf: _allOf, additionalProperties: _others, ...rest } = schema;
  const { properties, required } = shapeOf(schema, { document: schema, depth: 0 });
  const all = {};
  for (const [name, forms] of properties) setOwn(all, name, oneOf(forms));
  const description = [schema["description"], ...choicesOf(schema)].filter((text) => typeof text === "string").join("\n");
  return { ...rest, ...(description === "" ? undefined : { description }), properties: all, required: [...required] };
}

interface Shape {
  /** What each property may be. */
  readonly properties: Map<string, unknown[]>;
  readonly required: ReadonlySet<string>;
}

interface Place {
  readonly document: JsonSchema;
  readonly depth: number;
}

const MAX_DEPTH = 5; // of branches inside of branches; a schema may refer to itself

function shapeOf(schema: unknown, { document, depth }: Place): Shape {
  const properties = new Map<string, unknown[]>();
  const node = resolve(schema, document);
  if (node === undefined || depth > MAX_DEPTH) return { properties, required: new Set() };
  const required = new Set(namesIn(node["required"]));
  const own = isObject(node["properties"]) ? Object.entries(node["properties"]) : [];
  for (const [name, form] of own) properties.set(name, [form]);
  for (const keyword of LISTS) {
    const branches = node[keyword];
    if (!Array.isArray(branches)) continue;
    const shapes = branches.map((branch) => shapeOf(branch, { document, depth: depth + 1 }));
    for (const shape of shapes)
      for (const [name, forms] of shape.properties) properties.set(name, [...(properties.get(name) ?? []), ...forms]);
    for (const name of shapes.flatMap((shape) => [...shape.required])) {
      if (keyword === "allOf" || shapes.every((shape) => shape.required.has(name))) required.add(name);
    }
  }
  return { properties, required };
}

function resolve(schema: unknown, document: JsonSchema): JsonSchema | undefined {
  if (!isObject(schema)) return undefined;
  const [, keyword = "", name = ""] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(String(schema["$ref"] ?? "")) ?? [];
  const definitions = document[keyword];
  if (!isObject(definitions) || !Object.hasOwn(definitions, name)) return schema;
  const definition = definitions[name];
  return isObject(definition) ? { ...definition, ...schema } : schema;
}

function namesIn(required: unknown): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

/** Fixed values of several branches as one list, anything else as a union. */
function oneOf(forms: readonly unknown[]): unknown {
  const distinct = [...new Map(forms.map((form) => [JSON.stringify(form), form])).values()];
  if (distinct.length === 1) return distinct[0];
  const fixed = distinct.map(
    (form) => (isObject(form) && (typeof form["const"] === "string" ? [form["const"]] : form["enum"])) || undefined,
  );
  if (fixed.every((values) => Array.isArray(values) && values.every((value) => typeof value === "string")))
    return { type: "string", enum: [...new Set(fixed.flat())] };
  return { anyOf: distinct };
}

/** Which properties go together, for each union: names in the order of the branches, those that may be left out with a question mark. */
function choicesOf(schema: JsonSchema): string[] {
  return [schema["anyOf"], schema["oneOf"]].flatMap((branches) => {
    if (!Array.isArray(branches)) return [];
    const sets = branches.map((branch) => {
      const { properties, required } = shapeOf(branch, { document: schema, depth: 1 });
      return `{ ${[...properties].map(([name, forms]) => entryOf(name, { forms, isRequired: required.has(name) })).join(", ")} }`;
    });
    return [`Give one of these sets of properties: ${sets.join(" or ")}`];
  });
}

function entryOf(name: string, { forms, isRequired }: { forms: readonly unknown[]; isRequired: boolean }): string {
  const [form] = forms;
  const fixed = isObject(form) && form["const"] !== undefined ? `: ${JSON.stringify(form["const"])}` : "";
  return `${name}${isRequired ? "" : "?"}${fixed}`;
}
