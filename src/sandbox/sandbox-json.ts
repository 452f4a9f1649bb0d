/** A value that JSON can hold. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** What text from a guest may be at most. */
export interface JsonLimits {
  readonly maxChars: number;
  readonly maxNesting: number;
}

/** What came of reading text that may be hostile. */
export type ParsedJson = { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly problem: string };

/** Reads JSON text that may be hostile: size and depth are checked before it is parsed, and `__proto__` keys are left out. */
export function parseJson(text: string, { maxChars, maxNesting }: JsonLimits): ParsedJson {
  if (text.length > maxChars) return { ok: false, problem: `it has ${text.length} characters; ${maxChars} are allowed` };
  if (text.length > maxNesting && isNestedDeeper(text, maxNesting))
    return { ok: false, problem: `it is nested more than ${maxNesting} levels deep` };
  try {
    return { ok: true, value: parseWithoutPrototypes(text) };
  } catch {
    return { ok: false, problem: "it is not JSON" }; // what the parser says quotes the text, which is of no use here
  }
}

/** A key may be written with escapes, so text with any escape of a letter is looked at as well. */
function parseWithoutPrototypes(text: string): JsonValue {
  if (!text.includes("__proto__") && !text.includes("\\u")) return JSON.parse(text) as JsonValue;
  return JSON.parse(text, (key, value: unknown) => (key === "__proto__" ? undefined : value)) as JsonValue;
}

function isNestedDeeper(text: string, maxNesting: number): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === BACKSLASH) index += 1;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (code === OPEN_BRACKET || code === OPEN_BRACE) {
      depth += 1;
      if (depth > maxNesting) return true;
    } else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) depth -= 1;
  }
  return false;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Cuts text to a number of characters, not through a surrogate pair, and says how much is gone.
 * @returns The text itself if it fits; else its head with `… [n more characters]`, which is not counted.
 */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const code = maxChars > 0 ? text.charCodeAt(maxChars - 1) : 0;
  const end = code >= 0xd800 && code <= 0xdbff ? maxChars - 1 : maxChars;
  return `${text.slice(0, end)}… [${text.length - end} more characters]`;
}

/** Whether a JSON value is an object. */
export function isJsonObject(value: JsonValue): value is { readonly [key: string]: JsonValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
