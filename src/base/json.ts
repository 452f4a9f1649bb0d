/** Any value that JSON text can carry. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** A JSON Schema document (draft 2020-12 unless it says otherwise). */
export type JsonSchema = { readonly [key: string]: unknown };

/**
 * A frozen plain-JSON copy of a value, with every string well-formed.
 *
 * It follows `JSON.stringify`: `toJSON` is honoured, functions, symbols and `undefined` vanish from objects and become null in arrays, NaN and
 * the infinities become null. What JSON cannot carry is refused instead of guessed.
 * @returns The copy; `null` for `undefined`.
 * @throws TypeError naming the path of a cycle, a bigint, a Map, Error or other object that would lose what it holds, or a nesting deeper than 1,000 levels.
 */
export function toJsonValue(value: unknown): JsonValue {
  if (typeof value === "string") return value.toWellFormed();
  if (value === null || value === undefined) return null;
  return (typeof value === "object" ? copyFlat(value) : undefined) ?? copyJson(value, "", { ancestors: [], steps: [] }) ?? null;
}

/** The copy of a plain object without objects in it, as most arguments and results of tools are; undefined for any other. */
function copyFlat(value: object): JsonObject | undefined {
  if (Object.getPrototypeOf(value) !== Object.prototype || "toJSON" in value || Symbol.toStringTag in value) return undefined;
  const copy: Record<string, JsonValue> = {};
  for (const name of Object.keys(value)) {
    const member: unknown = (value as Record<string, unknown>)[name];
    if (name === "__proto__" || !name.isWellFormed()) return undefined;
    if (typeof member === "string") copy[name] = member.toWellFormed();
    else if (typeof member === "boolean" || member === null || Number.isFinite(member)) copy[name] = member as boolean | number | null;
    else return undefined;
  }
  return Object.freeze(copy);
}

const MAX_DEPTH = 1_000;

/** Where in a value the copying is. The path is made from it only when there is a problem to report. */
interface Place {
  /** The objects and arrays around. */
  readonly ancestors: object[];
  /** The name or index taken in each of them; undefined for what `toJSON` gave. May hold leftovers beyond the ancestors. */
  readonly steps: (string | number | undefined)[];
}

function copyJson(value: unknown, key: string | number, place: Place): JsonValue | undefined {
  switch (typeof value) {
    case "string":
      return value.toWellFormed();
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) ? value : null;
    case "bigint":
      throw new TypeError(`A bigint is not JSON${at(place)}. Return it as a string or a number.`);
    case "object":
      return value === null ? null : copyObject(value, key, place);
    default:
      return undefined;
  }
}

function copyObject(value: object, key: string | number, place: Place): JsonValue | undefined {
  const { ancestors, steps } = place;
  if (ancestors.includes(value)) throw new TypeError(`A value that contains itself is not JSON${at(place)}.`);
  if (ancestors.length >= MAX_DEPTH) throw new TypeError(`The value is nested deeper than ${MAX_DEPTH} levels${at(place)}.`);
  const toJSON = (value as { toJSON?: unknown }).toJSON;
  const depth = ancestors.push(value) - 1;
  let copy: JsonValue | undefined;
  if (typeof toJSON === "function") {
    steps[depth] = undefined;
    copy = copyJson(toJSON.call(value, String(key)), key, place);
  } else copy = Array.isArray(value) ? copyItems(value, place) : copyMembers(value, place);
  ancestors.pop();
  return copy;
}

function copyItems(items: readonly unknown[], place: Place): JsonValue {
  const depth = place.ancestors.length - 1;
  const copyItem = (item: unknown, index: number) => {
    place.steps[depth] = index;
    return copyJson(item, index, place) ?? null;
  };
  return Object.freeze(Array.from(items, copyItem)); // `map` skips holes
}

function copyMembers(value: object, place: Place): JsonObject {
  const depth = place.ancestors.length - 1;
  place.steps[depth] = undefined;
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  if (kind !== "Object") throw new TypeError(`${kind} is not JSON${at(place)}. Return plain objects, lists, text and numbers.`);
  const copy: Record<string, JsonValue> = {};
  for (const name of Object.keys(value)) {
    place.steps[depth] = name;
    const copied = copyJson((value as Record<string, unknown>)[name], name, place);
    if (copied !== undefined) setOwn(copy, name.toWellFormed(), copied);
  }
  return Object.freeze(copy);
}

/** Assigns an own property even where the name is `__proto__`. */
export function setOwn(target: object, name: string, value: unknown): void {
  if (name === "__proto__") Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
  else (target as Record<string, unknown>)[name] = value;
}

function at({ ancestors, steps }: Place): string {
  const taken = steps.slice(0, ancestors.length).filter((step) => step !== undefined);
  const path = taken.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("");
  return path === "" ? "" : ` (at ${path.startsWith(".") ? path.slice(1) : path})`;
}

/** Whether a value is an object that is neither null nor an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value as text for a model or a person: strings as they are, nothing as `""`, the rest as JSON. */
export function toText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "";
  return JSON.stringify(value);
}

/**
 * Cuts text to a number of UTF-16 code units without splitting a code point, and says how much is gone.
 * @param maxChars - Longest text that is left alone, in UTF-16 code units, 0 or more.
 */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const high = text.charCodeAt(maxChars - 1);
  const end = high >= 0xd800 && high <= 0xdbff ? maxChars - 1 : maxChars;
  return `${text.slice(0, end)}… [${text.length - end} more characters]`;
}

/** Makes a `switch` over a closed set fail to compile when a case is missing. */
export function assertNever(value: never): never {
  throw new TypeError(`Unexpected value: ${JSON.stringify(value)}`);
}
