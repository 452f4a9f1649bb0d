import { isObject } from "../json.js";
import type { Subschema } from "./json-schema.js";

/** Marks a schema whose JSON value stands for something that JSON does not have. Its value is a {@link Parse}. */
export const PARSE = "~parse";
/** Marks a schema whose check wants the JSON value as it came, because it does its own parsing first. */
export const RAW = "~raw";
/** Marks a schema that no JSON value can pass. Its value says what the check wants instead. */
export const REFUSED = "~refused";

/** All marks. They are taken out of what a model sees. */
export const MARKS: ReadonlySet<string> = new Set([PARSE, RAW, REFUSED]);

/**
 * What a marked JSON value is turned into: text into a date or a bigint, a list into a set, a list of pairs or an object into a map. `absent` is for
 * a place that may only hold nothing.
 */
export type Parse = "date" | "bigint" | "set" | "map" | "map-object" | "absent";

/** Whether a marked schema allows its property to be left out, although the check wants the key to be there. */
export function mayBeAbsent(schema: Subschema): boolean {
  if (typeof schema === "boolean") return false;
  if (schema[PARSE] === "absent") return true;
  return [schema["anyOf"], schema["oneOf"]].some((branches) => Array.isArray(branches) && branches.some(mayBeAbsent));
}

/** The value that a marked JSON value stands for; the JSON value itself where it stands for none. */
export function parse(kind: Parse, value: unknown): unknown {
  switch (kind) {
    case "date":
      return typeof value === "string" ? (parseDate(value) ?? value) : value;
    case "bigint":
      return parseBigint(value);
    case "set":
      return Array.isArray(value) ? new Set(value) : value;
    case "map":
      return Array.isArray(value) && value.every(isPair) ? new Map(value) : value;
    case "map-object":
      return isObject(value) ? new Map(Object.entries(value)) : value;
    case "absent":
      return value === null ? undefined : value;
  }
}

function isPair(value: unknown): value is [unknown, unknown] {
  return Array.isArray(value) && value.length === 2;
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** Without an offset the time is UTC: what a text means must not depend on where the host stands. */
function parseDate(text: string): Date | undefined {
  const match = DATE.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, offset] = match;
  // JavaScript reads 30 February as 1 March
  if (Number(day) > 28 && Number(day) > new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()) return undefined;
  const time = text.length === 10 ? "00:00Z" : text.slice(11) + (offset === undefined ? "Z" : "");
  const date = new Date(`${text.slice(0, 10)}T${time.toUpperCase().replace(/([+-]\d{2})(\d{2})$/, "$1:$2")}`);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** Longest text that is read as a bigint: reading takes more than linear time. */
const MAX_DIGITS = 10_000;

/** An unsafe integer has lost digits already and is left for the check to refuse. */
function parseBigint(value: unknown): unknown {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  return typeof value === "string" && value.length <= MAX_DIGITS && /^-?\d+$/.test(value) ? BigInt(value) : value;
}
