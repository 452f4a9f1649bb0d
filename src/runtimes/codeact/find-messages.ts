import type { JsonObject } from "../../base/json.js";

/** An object that was found in a text. */
export type Found = JsonObject;

/**
 * The complete JSON objects in a text that are wanted, in order; never one that stands inside of another. Braces in strings do not count. An object that
 * cannot be parsed is tried again with the control characters and wrong escapes in its strings made right, which is all that is ever repaired.
 */
export function findMessages(text: string, isWanted: (value: unknown) => value is Found): Found[] {
  const found: Found[] = [];
  let searches = 0;
  for (let start = text.indexOf("{"); start !== -1 && searches < MAX_SEARCHES; searches++) {
    const end = endOfObject(text, start);
    const value = end === undefined ? undefined : parseTolerantly(text.slice(start, end));
    if (isWanted(value)) found.push(value);
    const isWhole = end !== undefined && value !== undefined;
    start = text.indexOf("{", isWhole ? end : start + 1);
  }
  return found;
}

/** Text full of opening braces is not looked through without end. */
const MAX_SEARCHES = 1_000;

/** Where the object that starts here ends; undefined when it does not. */
function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (inString) {
      if (char === "\\") at += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === "{") depth += 1;
    else if (char === "}") {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

function parseTolerantly(text: string): unknown {
  for (const candidate of [text, withRepairedStrings(text)]) {
    try {
      return JSON.parse(candidate);
    } catch {
      // the next candidate, or nothing
    }
  }
  return undefined;
}

const ESCAPE = /^(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/;
const ESCAPED: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f" };

/** Raw control characters inside of strings are escaped, and a backslash that escapes nothing is doubled. Outside of strings nothing changes. */
function withRepairedStrings(text: string): string {
  const repaired: string[] = [];
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if (!inString || char === '"') {
      if (char === '"') inString = !inString;
      repaired.push(char);
    } else if (char === "\\") {
      const isEscape = ESCAPE.test(text.slice(at + 1, at + 6));
      repaired.push(isEscape ? text.slice(at, at + 2) : "\\\\");
      if (isEscape) at += 1;
    } else if (char < " ") repaired.push(ESCAPED[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
    else repaired.push(char);
  }
  return repaired.join("");
}
