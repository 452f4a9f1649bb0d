import { isObject, type JsonObject, toJsonValue } from "./json.js";

/** The arguments of a call, or why there are none. `incomplete` means that the text stops before its end. */
export type ParsedToolInput =
  | { readonly kind: "ok"; readonly input: JsonObject }
  | { readonly kind: "incomplete" }
  | { readonly kind: "invalid"; readonly reason: string };

const NO_INPUT: JsonObject = Object.freeze({});

/**
 * Reads a call's arguments when the call is complete.
 *
 * Tolerant only where the meaning is certain: nothing, white space and `null` mean no arguments; a leading `{}` placeholder and an exact repetition
 * are dropped; an object that was encoded twice is decoded. Text that stops early is never completed by guessing.
 * @param text - The joined argument text.
 * @param value - The arguments as one value, where the provider sent them so. It goes before the text.
 */
export function parseToolInput(text: string, value?: unknown): ParsedToolInput {
  if (value !== undefined && value !== null) return typeof value === "string" ? parseToolInput(value) : fromValue(value);
  if (text.trim() === "") return { kind: "ok", input: NO_INPUT };
  try {
    return fromValue(JSON.parse(text));
  } catch (error) {
    const values = splitJsonValues(text);
    if (values === undefined) return { kind: "invalid", reason: reasonOf(error) };
    if (values.incomplete) return { kind: "incomplete" };
    return fromSeveral(values.texts, reasonOf(error));
  }
}

function fromValue(value: unknown): ParsedToolInput {
  if (value === null) return { kind: "ok", input: NO_INPUT };
  if (typeof value === "string") return fromEncodedTwice(value);
  if (!isObject(value))
    return { kind: "invalid", reason: `expected a JSON object, received ${Array.isArray(value) ? "an array" : `a ${typeof value}`}` };
  try {
    return { kind: "ok", input: toJsonValue(value) as JsonObject };
  } catch (error) {
    return { kind: "invalid", reason: reasonOf(error) };
  }
}

function fromEncodedTwice(text: string): ParsedToolInput {
  try {
    const inner: unknown = JSON.parse(text);
    if (isObject(inner)) return fromValue(inner);
  } catch {
    // it is only a string, which is no object
  }
  return { kind: "invalid", reason: "expected a JSON object, received a string" };
}

function fromSeveral(texts: readonly string[], reason: string): ParsedToolInput {
  const meant = new Set(texts.filter((text) => !/^\{\s*\}$/.test(text)));
  const [only, ...others] = meant;
  if (others.length > 0) return { kind: "invalid", reason };
  return parseToolInput(only ?? "{}");
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : "it cannot be parsed";
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\d.eE])/y;
const NUMBER_START = /-?(?:0|[1-9]\d*)?(?:\.\d*)?(?:[eE][+-]?\d*)?$/y;
const LITERAL = /(?:true|false|null)(?![A-Za-z])/y;
const LITERAL_START = /(?:t|tr|tru|f|fa|fal|fals|n|nu|nul)$/y;
const SPACE = /[ \t\n\r]*/y;

/**
 * Splits text into the JSON values that stand in it one after the other.
 * @returns The values' texts, and whether the last one stops before its end; undefined when the text is no JSON at some point.
 */
function splitJsonValues(text: string): { readonly texts: string[]; readonly incomplete: boolean } | undefined {
  const texts: string[] = [];
  for (let at = skip(SPACE, text, 0); at < text.length; at = skip(SPACE, text, at)) {
    const end = endOfValue(text, at);
    if (end === "invalid") return undefined;
    if (end === "incomplete") return { texts, incomplete: true };
    texts.push(text.slice(at, end));
    at = end;
  }
  return { texts, incomplete: false };
}

type Expected = "value" | "value-or-end" | "key" | "key-or-end" | "colon" | "comma-or-end";

/** Where the value that starts at `from` ends. A pushdown automaton, so that depth and length cost no stack. */
function endOfValue(text: string, from: number): number | "incomplete" | "invalid" {
  const open: string[] = [];
  let expected: Expected = "value";
  let at = from;
  for (;;) {
    at = skip(SPACE, text, at);
    if (at >= text.length) return "incomplete";
    const char = text.charAt(at);
    const closes = char === "}" || char === "]";
    if (closes) {
      const allowed = expected === "comma-or-end" || expected === (char === "}" ? "key-or-end" : "value-or-end");
      if (!allowed || open.pop() !== char) return "invalid";
      at += 1;
    } else if (expected === "comma-or-end" || expected === "colon") {
      if (char !== (expected === "colon" ? ":" : ",")) return "invalid";
      expected = expected === "comma-or-end" && open.at(-1) === "}" ? "key" : "value";
      at += 1;
      continue;
    } else if (expected === "key" || expected === "key-or-end") {
      const end = char === '"' ? endOfString(text, at) : "invalid";
      if (typeof end === "string") return end;
      at = end;
      expected = "colon";
      continue;
    } else if (char === "{" || char === "[") {
      open.push(char === "{" ? "}" : "]");
      expected = char === "{" ? "key-or-end" : "value-or-end";
      at += 1;
      continue;
    } else {
      const end = endOfScalar(text, at, char);
      if (typeof end === "string") return end;
      at = end;
    }
    if (open.length === 0) return at;
    expected = "comma-or-end";
  }
}

function endOfScalar(text: string, at: number, char: string): number | "incomplete" | "invalid" {
  if (char === '"') return endOfString(text, at);
  if (char === "-" || (char >= "0" && char <= "9")) return endOfToken(text, at, NUMBER, NUMBER_START);
  return endOfToken(text, at, LITERAL, LITERAL_START);
}

const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const ESCAPE_START = /\\(?:u[0-9a-fA-F]{0,3})?$/y;

/** A loop instead of one pattern: a long text would exhaust the pattern engine's stack. */
function endOfString(text: string, from: number): number | "incomplete" | "invalid" {
  for (let at = from + 1; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at + 1;
    if (code < 0x20) return "invalid";
    if (code !== 0x5c) {
      at += 1;
      continue;
    }
    const end = endOfToken(text, at, ESCAPE, ESCAPE_START);
    if (typeof end === "string") return end;
    at = end;
  }
  return "incomplete";
}

function endOfToken(text: string, at: number, whole: RegExp, start: RegExp): number | "incomplete" | "invalid" {
  const end = skip(whole, text, at);
  if (end > at) return end;
  return skip(start, text, at) === text.length ? "incomplete" : "invalid";
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
