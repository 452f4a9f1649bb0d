import { cutText, toText } from "../base/json.js";

const DELETE = 0x7f;

/** Control characters, and those that reverse the order in which text is shown. */
const DANGEROUS = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Text that does nothing to a terminal but show itself: control characters and escape sequences become visible signs. Line breaks and tabs stay.
 *
 * Each character is replaced by itself, so a sequence that is cut into pieces is caught as well.
 */
export function safeText(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(DANGEROUS, (sign) => (sign === "\n" || sign === "\t" ? sign : visible(sign)));
}

function visible(sign: string): string {
  const code = sign.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code); // the pictures of control characters
  return code === DELETE ? "\u2421" : `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}

/** A value on one line of at most about `maxChars` characters, safe to show. Whoever cuts says so in the text. */
export function oneLine(value: unknown, maxChars: number): string {
  return safeText(cutText(textOfAny(value).replace(/\s+/g, " ").trim(), maxChars));
}

/** A value as indented JSON, safe to show. */
export function prettyJson(value: unknown): string {
  return safeText(JSON.stringify(value, null, 2));
}

function textOfAny(value: unknown): string {
  try {
    return toText(value);
  } catch {
    return String(value); // a cycle or a bigint in the update of a tool
  }
}
