import { isObject, type JsonSchema } from "../../base/json.js";

/** Types nested deeper than this are written as `unknown`. */
const MAX_DEPTH = 12;

/** Schemas that are written for one type. Definitions that use each other would grow without end; what comes after is `unknown`. */
const MAX_SCHEMAS = 400;

/**
 * A JSON Schema as a TypeScript type, with descriptions as comments. It is for models to read: what TypeScript cannot say (patterns, ranges) stands in
 * the comment, and what is too deep, too much or refers to itself is `unknown`.
 */
export function schemaType(schema: unknown, root: JsonSchema = isObject(schema) ? schema : {}): string {
  return new TypeWriter(root).write(schema, { indent: "", open: [] }).text;
}

/** A type, and whether it needs parentheses where it is a part of another one. */
interface Written {
  readonly text: string;
  readonly isCompound?: boolean;
}

/** Where a type stands. */
interface Place {
  readonly indent: string;
  /** References that are being written: one of them again is recursion. */
  readonly open: readonly string[];
}

const UNKNOWN: Written = { text: "unknown" };

class TypeWriter {
  readonly #root: JsonSchema;
  #left = MAX_SCHEMAS;

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  write(schema: unknown, place: Place): Written {
    if (schema === false) return { text: "never" };
    this.#left -= 1;
    if (!isObject(schema) || this.#left < 0 || place.indent.length > MAX_DEPTH * 2) return UNKNOWN;
    const { const: constant, enum: values } = schema;
    if (constant !== undefined) return { text: JSON.stringify(constant) };
    if (Array.isArray(values)) return union(values.map((value) => ({ text: JSON.stringify(value) })));
    return intersection(this.#writeParts(schema, place));
  }

  /** All that a schema says of a value has to hold at once. */
  #writeParts(schema: Record<string, unknown>, place: Place): Written[] {
    const { $ref, anyOf, oneOf, allOf } = schema;
    return [
      ...(typeof $ref === "string" ? [this.#writeReference($ref, place)] : []),
      this.#writeOwn(schema, place),
      ...[anyOf, oneOf].flatMap((branches) => (Array.isArray(branches) ? [union(branches.map((each) => this.write(each, place)))] : [])),
      ...(Array.isArray(allOf) ? allOf.map((each) => this.write(each, place)) : []),
    ];
  }

  #writeReference(reference: string, { indent, open }: Place): Written {
    if (open.includes(reference)) return UNKNOWN;
    return this.write(resolve(this.#root, reference), { indent, open: [...open, reference] });
  }

  #writeOwn(schema: Record<string, unknown>, place: Place): Written {
    const { type } = schema;
    return Array.isArray(type)
      ? union(type.map((each) => this.#writeOfType({ ...schema, type: each }, place)))
      : this.#writeOfType(schema, place);
  }

  #writeOfType(schema: Record<string, unknown>, place: Place): Written {
    switch (schema["type"]) {
      case "string":
      case "number":
      case "boolean":
      case "null":
        return { text: schema["type"] };
      case "integer":
        return { text: "number" };
      case "array":
        return this.#writeArray(schema, place);
      case "object":
        return this.#writeObject(schema, place);
      default:
        return isObject(schema["properties"]) ? this.#writeObject(schema, place) : UNKNOWN;
    }
  }

  #writeArray({ items, prefixItems }: Record<string, unknown>, place: Place): Written {
    const positions = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : undefined;
    if (positions === undefined) return { text: `${asMember(this.write(items, place))}[]` };
    const written = positions.map((item) => this.write(item, place).text);
    const rest = isObject(items) ? [`...${asMember(this.write(items, place))}[]`] : [];
    return { text: `[${[...written, ...rest].join(", ")}]` };
  }

  #writeObject(schema: Record<string, unknown>, { indent, open }: Place): Written {
    const { properties, required } = schema;
    const inner: Place = { indent: `${indent}  `, open };
    const needed = new Set(Array.isArray(required) ? required : []);
    const entries = isObject(properties) ? Object.entries(properties) : [];
    if (entries.length === 0) return { text: this.#writeRecord(schema, inner) };
    const lines = entries.flatMap(([name, property]) => {
      const note = noteOf(property);
      const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
      const line = `${inner.indent}${key}${needed.has(name) ? "" : "?"}: ${this.write(property, inner).text};`;
      return note === "" ? [line] : [`${inner.indent}/** ${note} */`, line];
    });
    if (isObject(schema["additionalProperties"])) lines.push(`${inner.indent}[name: string]: unknown;`);
    return { text: `{\n${lines.join("\n")}\n${indent}}` };
  }

  /** An object whose names are not known. */
  #writeRecord({ properties, additionalProperties, propertyNames, required }: Record<string, unknown>, inner: Place): string {
    if (additionalProperties === false || (isObject(properties) && !isObject(additionalProperties))) return "{}";
    const values = this.write(additionalProperties, inner).text;
    const names = isObject(propertyNames) ? propertyNames["enum"] : undefined;
    if (!Array.isArray(names)) return `Record<string, ${values}>`;
    const record = `Record<${names.map((name) => JSON.stringify(name)).join(" | ") || "never"}, ${values}>`;
    return Array.isArray(required) && names.every((name) => required.includes(name)) ? record : `Partial<${record}>`;
  }
}

const CONSTRAINTS = [
  ...["format", "pattern", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf"],
  ...["minLength", "maxLength", "minItems", "maxItems", "default"],
] as const;

/** Description and constraints of a property, safe inside of a comment. */
function noteOf(property: unknown): string {
  if (!isObject(property)) return "";
  const { description } = property;
  const constraints = CONSTRAINTS.filter((name) => says(property, name)).map((name) => `${name}: ${JSON.stringify(property[name])}`);
  const said = [...(property["type"] === "integer" ? ["integer"] : []), ...constraints].join(", ");
  return inComment([typeof description === "string" ? description : "", said].filter((text) => text !== "").join(" — "));
}

/** Bounds that every integer has say nothing, and the pattern of a format is long and says the same. */
function says(property: Record<string, unknown>, name: string): boolean {
  const value = property[name];
  if (value === undefined || (typeof value === "number" && Math.abs(value) === Number.MAX_SAFE_INTEGER)) return false;
  return name !== "pattern" || property["format"] === undefined;
}

/** Text that cannot end the comment it stands in. */
export function inComment(text: string): string {
  return text
    .replaceAll("*/", "*\\/")
    .replace(/\s*[\n\r\u2028\u2029]\s*/g, " ")
    .trim();
}

function union(types: readonly Written[]): Written {
  const texts = new Set(types.map(({ text }) => text));
  if (texts.has("unknown")) return UNKNOWN;
  if (texts.size < 2) return types[0] ?? { text: "never" };
  return { text: [...texts].join(" | "), isCompound: true };
}

function intersection(types: readonly Written[]): Written {
  const known = types.filter(({ text }) => text !== "unknown");
  const [first = UNKNOWN] = known;
  const texts = new Set(known.map(asMember));
  return texts.size < 2 ? first : { text: [...texts].join(" & "), isCompound: true };
}

function asMember({ text, isCompound }: Written): string {
  return isCompound === true ? `(${text})` : text;
}

function resolve(root: JsonSchema, reference: string): unknown {
  if (!reference.startsWith("#")) return undefined;
  const names = reference.split("/").slice(1).map(nameInPointer);
  return names.reduce<unknown>(
    (at, name) => (Object(at) === at && Object.hasOwn(at as object, name) ? (at as never)[name] : undefined),
    root,
  );
}

function nameInPointer(text: string): string {
  return decoded(text).replaceAll("~1", "/").replaceAll("~0", "~");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a per cent sign that escapes nothing
  }
}
