import { isObject, type JsonSchema } from "../../base/json.js";
import type { GuestFunction, GuideLanguage } from "./tool-guide.js";

/** Words of Python, its built-in functions, and what the sandbox has already. */
const TAKEN = new Set(
  `False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or
  pass raise return try while with yield match case type
  abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex copyright credits delattr dict dir divmod
  enumerate eval exec exit filter float format frozenset getattr globals hasattr hash help hex id input int isinstance issubclass iter len license list
  locals map max memoryview min next object oct open ord pow print property quit range repr reversed round set setattr slice sorted staticmethod str sum
  super tuple vars zip Exception ToolError asyncio tools call_tool searchTools describeTool`.split(/\s+/),
);

/** Types nested deeper than this, and what comes after so many, are written as `Any`. */
const MAX_DEPTH = 12;
const MAX_SCHEMAS = 400;

/** How Python is told to the model. */
export const pythonGuide: GuideLanguage = {
  fence: "python",
  taken: TAKEN,
  declarationOf: pythonDeclarationOf,
  typeOf: pythonType,
  searchDeclarations: `async def searchTools(query: str) -> list[TypedDict[{"name": str, "description": str}]]:
    """Finds functions by words of their names and descriptions, the best first."""
async def describeTool(name: str) -> str:
    """The declaration of a function. Read it before you call the function."""`,
};

/** A tool as an async function with keyword arguments. */
function pythonDeclarationOf({ name, tool }: GuestFunction): string {
  const { description, inputSchema, outputSchema, lifecycle } = tool;
  const { properties, required } = inputSchema;
  const needed = new Set(Array.isArray(required) ? required : []);
  const fields = isObject(properties) ? Object.entries(properties) : [];
  const result = outputSchema === undefined ? "Any" : pythonType(outputSchema);
  const canBeKeywords = fields.every(([field]) => isKeyword(field));
  const parameters = canBeKeywords ? keywords(fields, needed, inputSchema) : `input: ${pythonType(inputSchema)}`;
  const notes = canBeKeywords ? fields.map(([field, schema]) => [field, noteOf(schema)]).filter(([, note]) => note !== "") : [];
  const ends = lifecycle.completesRun === true ? " Ends the task when it succeeds." : "";
  const lines = [inDocstring(description + ends), ...notes.map(([field, note]) => `    ${field}: ${note}`)];
  const docstring = lines.length === 1 ? `"""${lines[0]}"""` : `"""${lines.join("\n")}\n    """`;
  return `async def ${name}(${parameters}) -> ${result}:\n    ${docstring}`;
}

/** Those that are needed come first, as Python wants it; after the star the order is free, and all are given by name. */
function keywords(fields: readonly [string, unknown][], needed: ReadonlySet<unknown>, root: JsonSchema): string {
  if (fields.length === 0) return isObject(root["additionalProperties"]) ? "**fields" : "";
  const written = fields.map(([field, schema]) => `${field}: ${pythonType(schema, root)}${needed.has(field) ? "" : " = ..."}`);
  return `*, ${written.join(", ")}`;
}

function isKeyword(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name) && !KEYWORDS.test(name);
}

const KEYWORDS =
  /^(False|None|True|and|as|assert|async|await|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|lambda|nonlocal|not|or|pass|raise|return|try|while|with|yield)$/;

/**
 * A JSON Schema as a type of Python, for models to read: objects are TypedDicts, written in place. What Python cannot say stands in the docstring, and what is too deep, too
 * much or refers to itself is `Any`.
 */
export function pythonType(schema: unknown, root: JsonSchema = isObject(schema) ? schema : {}): string {
  let left = MAX_SCHEMAS;

  function write(part: unknown, depth: number, open: readonly string[]): string {
    left -= 1;
    if (!isObject(part) || left < 0 || depth > MAX_DEPTH) return "Any";
    const { $ref, const: constant, enum: values, anyOf, oneOf, allOf, type } = part;
    const inner = (each: unknown) => write(each, depth + 1, open);
    if (constant !== undefined) return literal([constant]);
    if (Array.isArray(values)) return literal(values);
    if (typeof $ref === "string") return open.includes($ref) ? "Any" : write(resolve(root, $ref), depth + 1, [...open, $ref]);
    if (Array.isArray(anyOf)) return union(anyOf.map(inner));
    if (Array.isArray(oneOf)) return union(oneOf.map(inner));
    if (Array.isArray(allOf)) return allOf.map(inner).find((each) => each !== "Any") ?? "Any";
    if (Array.isArray(type)) return union(type.map((each) => inner({ ...part, type: each })));
    return ofType(part, inner);
  }

  return write(schema, 0, []);
}

function ofType(schema: Record<string, unknown>, write: (schema: unknown) => string): string {
  const { type, items, prefixItems, properties, required, additionalProperties } = schema;
  const simple = typeof type === "string" ? SIMPLE[type] : undefined;
  if (simple !== undefined) return simple;
  if (type === "array") return Array.isArray(prefixItems) ? `tuple[${prefixItems.map(write).join(", ")}]` : `list[${write(items)}]`;
  if (type !== "object" && !isObject(properties)) return "Any";
  const fields = isObject(properties) ? Object.entries(properties) : [];
  if (fields.length === 0) return `dict[str, ${write(additionalProperties)}]`;
  const needed = new Set(Array.isArray(required) ? required : []);
  const written = fields.map(([name, field]) => {
    const text = write(field);
    return `${JSON.stringify(name)}: ${needed.has(name) ? text : `NotRequired[${text}]`}`;
  });
  return `TypedDict[{${written.join(", ")}}]`;
}

const SIMPLE: Readonly<Record<string, string>> = { string: "str", number: "float", integer: "int", boolean: "bool", null: "None" };

function literal(values: readonly unknown[]): string {
  const texts = values.map((value) =>
    value === null ? "None" : value === true ? "True" : value === false ? "False" : JSON.stringify(value),
  );
  return `Literal[${texts.join(", ")}]`;
}

function union(types: readonly string[]): string {
  const each = [...new Set(types)];
  return each.includes("Any") || each.length === 0 ? "Any" : each.join(" | ");
}

const CONSTRAINTS = [
  "format",
  "minimum",
  "exclusiveMinimum",
  "maximum",
  "exclusiveMaximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "default",
];

/** Description and constraints of a parameter. */
function noteOf(schema: unknown): string {
  if (!isObject(schema)) return "";
  const { description } = schema;
  const said = CONSTRAINTS.filter((name) => schema[name] !== undefined && Math.abs(Number(schema[name])) !== Number.MAX_SAFE_INTEGER);
  const constraints = said.map((name) => `${name}: ${JSON.stringify(schema[name])}`).join(", ");
  return inDocstring([typeof description === "string" ? description : "", constraints].filter((text) => text !== "").join(" — "));
}

/** Text that cannot end the docstring it stands in. */
function inDocstring(text: string): string {
  return text
    .replaceAll("\\", "\\\\")
    .replaceAll('"""', "'''")
    .replace(/"$/, "'")
    .replace(/\s*[\n\r\u2028\u2029]\s*/g, " ")
    .trim();
}

function resolve(root: JsonSchema, reference: string): unknown {
  const names = reference.startsWith("#") ? reference.split("/").slice(1) : [];
  return names.reduce<unknown>(
    (at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined),
    reference === "#" || names.length > 0 ? root : undefined,
  );
}
