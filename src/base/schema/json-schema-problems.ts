import type { OutputUnit } from "@cfworker/json-schema";
import { isObject, type JsonSchema } from "../json.js";
import type { LinkedSchema, Subschema } from "./json-schema.js";
import type { Problem } from "./schema-problems.js";

/** Checks a value against a JSON Schema and gives what is wrong with it, without the errors that only say that something inside is wrong. */
export function jsonSchemaProblems(linked: LinkedSchema, value: unknown): Problem[] {
  const { valid, errors } = linked.validate(value, linked.root, "every-error");
  return valid ? [] : problemsOf(errors, { linked, value });
}

interface Checked {
  readonly linked: LinkedSchema;
  readonly value: unknown;
}

/** Keywords whose errors are followed by those of the schemas they hold. */
const HOLDERS = new Set(
  (
    "$ref $recursiveRef allOf properties patternProperties additionalProperties unevaluatedProperties propertyNames items prefixItems " +
    "additionalItems unevaluatedItems dependentSchemas dependencies if contains"
  ).split(" "),
);

function problemsOf(errors: readonly OutputUnit[], checked: Checked): Problem[] {
  const problems: Problem[] = [];
  for (let index = 0; index < errors.length; index++) {
    const unit = errors[index];
    if (unit === undefined) continue;
    if (unit.keyword === "anyOf" || unit.keyword === "oneOf") {
      const inner = errors.slice(index + 1).filter((other) => isWithin(other, unit));
      problems.push(unionProblem(unit, inner, checked));
      index += inner.length;
    } else if (!isHolder(unit, errors[index + 1])) {
      problems.push(...leafProblems(unit, checked));
    }
  }
  return problems;
}

/** An error of a holder that nothing follows (an empty list under `contains`) is the only word there is. */
function isHolder(unit: OutputUnit, next: OutputUnit | undefined): boolean {
  if (!HOLDERS.has(unit.keyword) || next === undefined) return false;
  return next.keyword === "false" || isWithin(next, unit) || next.keywordLocation.startsWith(unit.keywordLocation.replace(/\/if$/, "/"));
}

function isWithin(inner: OutputUnit, outer: OutputUnit): boolean {
  if (inner.keyword === "false") return `${inner.instanceLocation}/`.startsWith(`${outer.instanceLocation}/`);
  return inner.keywordLocation.startsWith(`${outer.keywordLocation}/`);
}

function unionProblem(unit: OutputUnit, inner: readonly OutputUnit[], checked: Checked): Problem {
  const path = pathOf(unit.instanceLocation, checked.value);
  const branches = new Map<string, OutputUnit[]>();
  let branch = "0";
  for (const error of inner) {
    if (error.keyword !== "false") branch = error.keywordLocation.slice(unit.keywordLocation.length + 1).split("/")[0] ?? branch;
    branches.set(branch, [...(branches.get(branch) ?? []), error]);
  }
  const count = keywordValue(unit, checked.linked);
  if (Array.isArray(count) && branches.size < count.length)
    return { path, text: "fits more than one of the allowed forms, and may fit only one" };
  return { path, text: "fits none of the allowed forms", branches: [...branches.values()].map((errors) => problemsOf(errors, checked)) };
}

function leafProblems(unit: OutputUnit, checked: Checked): Problem[] {
  const path = pathOf(unit.instanceLocation, checked.value);
  const value = keywordValue(unit, checked.linked);
  const received = valueAt(path, checked.value);
  switch (unit.keyword) {
    case "type": {
      const expected = ([] as unknown[]).concat(value ?? []).join(" or ");
      return [
        { path, text: `expected ${expected}, received ${typeName(received)}`, received: "named", mismatch: { kind: "type", expected } },
      ];
    }
    case "const":
    case "enum": {
      const expected = (unit.keyword === "const" ? [value] : (value as unknown[])).map((item) => JSON.stringify(item)).join(" or ");
      return [{ path, text: `expected ${expected}`, mismatch: { kind: "value", expected } }];
    }
    case "required": {
      const missing = (value as string[]).filter((name) => isObject(received) && !Object.hasOwn(received, name));
      return missing.map((name) => ({ path: [...path, name], text: "is required, but missing" }));
    }
    case "false":
      return [{ path, text: "is not allowed here" }];
    default:
      return [{ path, text: unit.error.replace(/\.$/, "") }];
  }
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** List indexes as numbers, which JSON pointers do not tell from names. */
function pathOf(location: string, root: unknown): PropertyKey[] {
  const path: PropertyKey[] = [];
  let value = root;
  for (const token of tokensOf(location)) {
    const key = Array.isArray(value) ? Number(token) : token;
    path.push(key);
    value = typeof value === "object" && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined;
  }
  return path;
}

function valueAt(path: readonly PropertyKey[], root: unknown): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], root);
}

/** What stands under the keyword that an error is about. Its location leads through references. */
function keywordValue(unit: OutputUnit, linked: LinkedSchema): unknown {
  let place: unknown = linked.root;
  for (const token of tokensOf(unit.keywordLocation)) {
    if (typeof place !== "object" || place === null) return undefined;
    if (token === "$ref" && typeof (place as JsonSchema)["$ref"] === "string") place = linked.target(place as JsonSchema) as Subschema;
    else place = (place as Record<string, unknown>)[token];
  }
  return place;
}

function tokensOf(location: string): string[] {
  const tokens = location.split("/").slice(1);
  return tokens.map((token) => decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~"));
}
