import { type Schema as CheckerSchema, dereference, type SchemaDraft, type ValidationResult, validate } from "@cfworker/json-schema";
import { messageOf } from "../errors.js";
import { isObject, type JsonSchema, setOwn } from "../json.js";

/** Which keywords hold schemas: one, a list of them, or a map from names to them. */
const HOLDS_SCHEMAS: ReadonlyMap<string, "one" | "list" | "map"> = new Map([
  ["properties", "map"],
  ["patternProperties", "map"],
  ["dependentSchemas", "map"],
  ["dependencies", "map"],
  ["$defs", "map"],
  ["definitions", "map"],
  ["allOf", "list"],
  ["anyOf", "list"],
  ["oneOf", "list"],
  ["prefixItems", "list"],
  ["items", "one"],
  ["additionalItems", "one"],
  ["unevaluatedItems", "one"],
  ["contains", "one"],
  ["additionalProperties", "one"],
  ["unevaluatedProperties", "one"],
  ["propertyNames", "one"],
  ["not", "one"],
  ["if", "one"],
  ["then", "one"],
  ["else", "one"],
]);

/** A schema inside another: `true` and `false` are schemas too. */
export type Subschema = JsonSchema | boolean;

/**
 * A shallow copy of a schema with every direct subschema replaced. What is no schema (`default`, `enum`, lists of names) is kept as it is.
 * @param replace - Gets the subschema and its place as it would read in a path to a value: `.name`, `[]`, `[0]`, `.*`, or `""` for the same value.
 */
export function mapSubschemas(schema: JsonSchema, replace: (subschema: Subschema, place: string) => unknown): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  const mapped = (value: unknown, place: string) => (isSubschema(value) ? replace(value, place) : value);
  for (const [keyword, value] of Object.entries(schema)) {
    const kind = HOLDS_SCHEMAS.get(keyword);
    if (kind === undefined) setOwn(copy, keyword, value);
    else if (Array.isArray(value)) copy[keyword] = value.map((item, index) => mapped(item, listPlace(keyword, index)));
    else if (kind === "map" && isObject(value)) {
      const entries: Record<string, unknown> = {};
      for (const [name, item] of Object.entries(value)) setOwn(entries, name, mapped(item, mapPlace(keyword, name)));
      copy[keyword] = entries;
    } else copy[keyword] = mapped(value, PLACES[keyword] ?? "");
  }
  return copy;
}

function isSubschema(value: unknown): value is Subschema {
  return typeof value === "boolean" || isObject(value);
}

const PLACES: Readonly<Record<string, string>> = { items: "[]", additionalItems: "[]", contains: "[]", additionalProperties: ".*" };

function listPlace(keyword: string, index: number): string {
  return keyword === "prefixItems" || keyword === "items" ? `[${index}]` : "";
}

function mapPlace(keyword: string, name: string): string {
  if (keyword === "properties") return `.${name}`;
  if (keyword === "patternProperties") return ".*";
  return keyword === "$defs" || keyword === "definitions" ? `.${keyword}.${name}` : "";
}

/** A JSON Schema whose references are resolved, ready to be read and checked against. */
export interface LinkedSchema {
  readonly root: Subschema;
  /** What a schema's `$ref` points to; `undefined` when it has none. */
  target(schema: JsonSchema): Subschema | undefined;
  /** Checks a value against a schema of this document, or against one made of its parts. */
  validate(value: unknown, schema: CheckerSchema | Subschema, every?: "every-error"): ValidationResult;
}

/** How {@link linkSchema} reads a document. */
export interface LinkOptions {
  /** @default "2020-12" */
  readonly draft?: SchemaDraft;
  /** Leaves patterns out that do not compile with the `u` flag, for a schema whose own check knows them better. @default false */
  readonly skipBadPatterns?: boolean;
}

/**
 * Resolves the references of a JSON Schema and looks for what a checker would stumble over later: unknown types, keywords of the wrong kind,
 * patterns that do not compile, references that lead nowhere or in a circle.
 * @param document - Plain JSON. It is copied, not changed.
 * @returns The linked schema, or the fault as a text that names its place.
 */
export function linkSchema(document: Subschema, options: LinkOptions = {}): LinkedSchema | { readonly fault: string } {
  const { draft = "2020-12", skipBadPatterns = false } = options;
  const root = withStrictPatterns(structuredClone(document), skipBadPatterns); // the resolver adds fields of its own
  let lookup: Record<string, CheckerSchema | boolean>;
  try {
    lookup = dereference(root as CheckerSchema | boolean);
  } catch (error) {
    return { fault: `is not a JSON Schema that can be used: ${messageOf(error)}` };
  }
  const linked: LinkedSchema = {
    root,
    target: (schema) => {
      const absolute = schema["__absolute_ref__"];
      return typeof absolute === "string" ? (lookup[absolute] as Subschema | undefined) : undefined;
    },
    validate: (value, schema, every) => validate(value, schema as CheckerSchema | boolean, draft, lookup, every === undefined),
  };
  const fault = findFault(root, linked, "") ?? findCircle(root, linked);
  return fault === undefined ? linked : { fault };
}

const TYPES = new Set<unknown>(["string", "number", "integer", "boolean", "null", "array", "object"]);
const KINDS: ReadonlyArray<readonly [keywords: readonly string[], wanted: string, test: (value: unknown) => boolean]> = [
  [["type"], `a type name or a list of them (${[...TYPES].join(", ")})`, isType],
  [["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"], "an object of schemas", isSchemaMap],
  [["allOf", "anyOf", "oneOf"], "a list of schemas with one or more entries", (value) => isSchemaList(value) && value.length > 0],
  [["prefixItems"], "a list of schemas", isSchemaList],
  [["items"], "a schema", (value) => isSubschema(value) || isSchemaList(value)],
  [["additionalProperties", "additionalItems", "propertyNames", "contains", "not", "if", "then", "else"], "a schema", isSubschema],
  [["required"], "a list of property names", (value) => Array.isArray(value) && value.every((name) => typeof name === "string")],
  [["enum"], "a list", Array.isArray],
  [["pattern"], "a regular expression", (value) => typeof value === "string" && compiles(value)],
  [
    ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minimum", "maximum", "multipleOf"],
    "a number",
    (value) => typeof value === "number",
  ],
  [["$ref"], "text", (value) => typeof value === "string"],
  [["$dynamicRef"], "left out, because it is not supported; use $ref", () => false],
];

function findFault(schema: Subschema, linked: LinkedSchema, path: string): string | undefined {
  if (typeof schema === "boolean") return undefined;
  for (const [keywords, wanted, test] of KINDS) {
    const keyword = keywords.find((name) => Object.hasOwn(schema, name) && !test(schema[name]));
    if (keyword !== undefined) return `${path}${keyword} must be ${wanted}, but is ${JSON.stringify(schema[keyword])}`;
  }
  for (const pattern of Object.keys((schema["patternProperties"] as object | undefined) ?? {})) {
    if (!compiles(pattern)) return `${path}patternProperties has a key that is no regular expression: ${JSON.stringify(pattern)}`;
  }
  if (schema["$ref"] !== undefined && linked.target(schema) === undefined) {
    return `${path}$ref points to ${JSON.stringify(schema["$ref"])}, which does not exist`;
  }
  let fault: string | undefined;
  mapSubschemas(schema, (subschema, place) => {
    fault ??= findFault(subschema, linked, `${path}${place === "" ? "" : `${place.replace(/^\./, "")}.`}`);
  });
  return fault;
}

/** A schema that is reached from itself without going into the value would be checked for ever. */
function findCircle(root: Subschema, linked: LinkedSchema): string | undefined {
  const done = new Set<Subschema>();
  const open = new Set<Subschema>();
  function visit(schema: Subschema): string | undefined {
    if (typeof schema === "boolean" || done.has(schema)) return undefined;
    if (open.has(schema)) return "has a $ref that leads back to itself";
    open.add(schema);
    const lists = ["allOf", "anyOf", "oneOf"].flatMap((keyword) => (schema[keyword] as Subschema[] | undefined) ?? []);
    const single = ["not", "if", "then", "else"].map((keyword) => schema[keyword] as Subschema | undefined);
    for (const next of [linked.target(schema), ...lists, ...single]) {
      const fault = next === undefined ? undefined : visit(next);
      if (fault !== undefined) return fault;
    }
    open.delete(schema);
    done.add(schema);
    return undefined;
  }
  function visitAll(schema: Subschema): string | undefined {
    let fault = visit(schema);
    if (typeof schema === "object") {
      mapSubschemas(schema, (subschema) => {
        fault ??= visitAll(subschema);
      });
    }
    return fault;
  }
  return visitAll(root);
}

function isType(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 && value.every((name) => TYPES.has(name)) : TYPES.has(value);
}

function isSchemaMap(value: unknown): boolean {
  return isObject(value) && Object.values(value).every(isSubschema);
}

function isSchemaList(value: unknown): value is Subschema[] {
  return Array.isArray(value) && value.every(isSubschema);
}

function compiles(pattern: string): boolean {
  try {
    new RegExp(pattern, "u");
    return true;
  } catch {
    return false; // the caller says which pattern it was
  }
}

/** A copy in which patterns compile with the `u` flag wherever they can be made to. */
function withStrictPatterns(schema: Subschema, skipBad: boolean): Subschema {
  if (typeof schema === "boolean") return schema;
  const copy = mapSubschemas(schema, (part) => withStrictPatterns(part, skipBad));
  const pattern = copy["pattern"];
  if (typeof pattern === "string") {
    copy["pattern"] = toStrictPattern(pattern);
    if (skipBad && !compiles(toStrictPattern(pattern))) delete copy["pattern"];
  }
  const byPattern = copy["patternProperties"];
  if (isObject(byPattern)) {
    const entries = Object.entries(byPattern).map(([key, part]) => [toStrictPattern(key), part] as const);
    copy["patternProperties"] = Object.fromEntries(skipBad ? entries.filter(([key]) => compiles(key)) : entries);
  }
  return copy;
}

/**
 * Many written patterns escape more than the `u` flag allows (`\_`, `\-`), or have a bare hyphen after a class (`[\w-.]`). The same characters by
 * number are always allowed.
 */
function toStrictPattern(pattern: string): string {
  if (compiles(pattern)) return pattern;
  const byNumber = (char: string) => `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`;
  return pattern
    .replace(/(\\[wdsWDS])-(?!\])/g, (_, letters: string) => `${letters}${byNumber("-")}`)
    .replace(/\\([-_:;"'#@!%&,<>=~` ])/g, (_, char: string) => byNumber(char));
}
