import type { JsonObject } from "../../base/json.js";

/** An object that was found in a text. */
export type Found = JsonObject;

/** What a text was found to hold. */
export interface FoundMessages {
  /** The complete JSON objects that are wanted, in order; never one that stands inside of another. */
  readonly messages: readonly Found[];
  /** The text around them. */
  readonly rest: string;
  /** What is wrong with an object that begins like a message and is none. What stands behind that beginning is not looked at. */
  readonly problem?: string;
}

/**
 * Looks for messages in a text. Braces in strings do not count. An object that cannot be parsed is tried again with the control characters and wrong
 * escapes in its strings made right, which is all that is ever repaired.
 */
export function findMessages(text: string, isWanted: (value: unknown) => value is Found): FoundMessages {
  const messages: Found[] = [];
  const rest: string[] = [];
  let restFrom = 0;
  let left = text.length + MAX_SEARCHED_CHARS;
  for (let start = text.indexOf("{"); start !== -1 && left > 0; ) {
    const end = endOfObject(text, start);
    const parsed = end === undefined ? undefined : parseTolerantly(text.slice(start, end));
    left -= (end ?? text.length) - start;
    if (end !== undefined && parsed !== undefined && "value" in parsed) {
      if (isWanted(parsed.value)) {
        messages.push(parsed.value);
        rest.push(text.slice(restFrom, start));
        restFrom = end;
      }
      start = text.indexOf("{", end);
      continue;
    }
    // What an unreadable message holds may be read as another one, for example one that its text only quotes.
    if (BEGINNING.test(text.slice(start, start + MAX_BEGINNING_CHARS))) {
      const { problem = "" } = parsed ?? parseTolerantly(text.slice(start));
      return { messages, rest: "", problem };
    }
    start = text.indexOf("{", start + 1);
  }
  return { messages, rest: [...rest, text.slice(restFrom)].join("") };
}

/** How a message begins, whether it is JSON or not. */
const BEGINNING = /^\{\s*(?:["']?type["']?\s*:\s*["'](?:code|final)["']|"(?:language|code|output)"\s*:)/;
const MAX_BEGINNING_CHARS = 100;

/** A long text full of braces is not looked through without end: it may be read once, and this many characters of it again. */
const MAX_SEARCHED_CHARS = 2_000_000;

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

type Parsed = { readonly value: unknown } | { readonly problem: string };

function parseTolerantly(text: string): Parsed & { readonly problem?: string } {
  const asItIs = parse(text);
  if ("value" in asItIs) return asItIs;
  const repaired = withRepairedStrings(text);
  return repaired === text ? asItIs : parse(repaired);
}

const SHOWN_CHARS = 40;

function parse(text: string): Parsed {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    const [, reason = "", position] = /^(.*?)(?: in JSON)?(?: at position (\d+).*)?$/s.exec((error as Error).message) ?? [];
    if (position === undefined) return { problem: "it stops before its end" };
    return { problem: `${reason}, behind ${JSON.stringify(text.slice(0, Number(position)).slice(-SHOWN_CHARS))}` };
  }
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
