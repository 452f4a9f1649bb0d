import { isObject, type JsonSchema } from "../../base/json.js";

/** Types nested deeper than this are written as `unknown`. */
const MAX_DEPTH = 12;

/**
 * A JSON Schema as a TypeScript type, with descriptions as comments. It is for models to read: what TypeScript cannot say (patterns, ranges) stands in
 * the comment, and what is too deep or refers to itself is `unknown`.
 */
export function schemaType(schema: unknown, root: JsonSchema = isObject(schema) ? schema : {}): string {
  return new TypeWriter(root).write(schema, "", []);
}

class TypeWriter {
  readonly #root: JsonSchema;

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  /** @param open - References that are being written: one of them again is recursion. */
  write(schema: unknown, indent: string, open: readonly string[]): string {
    if (!isObject(schema) || indent.length > MAX_DEPTH * 2) return schema === false ? "never" : "unknown";
    const { $ref, const: constant, enum: values, anyOf, oneOf, allOf, type } = schema;
    if (typeof $ref === "string") return this.#writeReference($ref, indent, open);
    if (constant !== undefined) return JSON.stringify(constant);
    if (Array.isArray(values)) return union(values.map((value) => JSON.stringify(value)));
    const alternatives = anyOf ?? oneOf;
    if (Array.isArray(alternatives)) return union(alternatives.map((each) => this.write(each, indent, open)));
    if (Array.isArray(allOf)) return allOf.map((each) => inUnion(this.write(each, indent, open))).join(" & ") || "unknown";
    if (Array.isArray(type)) return union(type.map((each) => this.#writeOfType({ ...schema, type: each }, indent, open)));
    return this.#writeOfType(schema, indent, open);
  }

  #writeReference(reference: string, indent: string, open: readonly string[]): string {
    if (open.includes(reference)) return "unknown";
    return this.write(resolve(this.#root, reference), indent, [...open, reference]);
  }

  #writeOfType(schema: Record<string, unknown>, indent: string, open: readonly string[]): string {
    switch (schema["type"]) {
      case "string":
        return "string";
      case "integer":
      case "number":
        return "number";
      case "boolean":
        return "boolean";
      case "null":
        return "null";
      case "array":
        return this.#writeArray(schema, indent, open);
      default:
        return schema["type"] === "object" || isObject(schema["properties"]) ? this.#writeObject(schema, indent, open) : "unknown";
    }
  }

  #writeArray({ items, prefixItems }: Record<string, unknown>, indent: string, open: readonly string[]): string {
    if (Array.isArray(prefixItems)) return `[${prefixItems.map((item) => this.write(item, indent, open)).join(", ")}]`;
    return `${inUnion(this.write(items, indent, open))}[]`;
  }

  #writeObject(schema: Record<string, unknown>, indent: string, open: readonly string[]): string {
    const { properties, required, additionalProperties } = schema;
    const entries = isObject(properties) ? Object.entries(properties) : [];
    const needed = new Set(Array.isArray(required) ? required : []);
    const inner = `${indent}  `;
    const lines = entries.flatMap(([name, property]) => {
      const note = noteOf(property);
      const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
      const line = `${inner}${key}${needed.has(name) ? "" : "?"}: ${this.write(property, inner, open)};`;
      return note === "" ? [line] : [`${inner}/** ${note} */`, line];
    });
    if (lines.length === 0)
      return isObject(additionalProperties) ? `Record<string, ${this.write(additionalProperties, inner, open)}>` : "{}";
    if (isObject(additionalProperties)) lines.push(`${inner}[name: string]: unknown;`);
    return `{\n${lines.join("\n")}\n${indent}}`;
  }
}

const CONSTRAINTS = ["format", "pattern", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "default"] as const;

/** Description and constraints of a property, safe inside of a comment. */
function noteOf(property: unknown): string {
  if (!isObject(property)) return "";
  const { description } = property;
  const constraints = CONSTRAINTS.flatMap((name) => (property[name] === undefined ? [] : [`${name}: ${JSON.stringify(property[name])}`]));
  return inComment([typeof description === "string" ? description : "", constraints.join(", ")].filter((text) => text !== "").join(" — "));
}

/** Text that cannot end the comment it stands in. */
export function inComment(text: string): string {
  return text
    .replaceAll("*/", "*\\/")
    .replace(/\s*\n\s*/g, " ")
    .trim();
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(" | ") || "never";
}

function inUnion(type: string): string {
  return /^[^{[]*[|&]/.test(type) ? `(${type})` : type;
}

function resolve(root: JsonSchema, reference: string): unknown {
  if (!reference.startsWith("#")) return undefined;
  const names = reference
    .split("/")
    .slice(1)
    .map((name) => decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~"));
  return names.reduce<unknown>(
    (at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : Array.isArray(at) ? at[Number(name)] : undefined),
    root,
  );
}
