/**
 * Ways to compare an answer with the expected one: tolerant of form, exact in substance.
 */

/** Without white space, one pair of quotes or the marks of bold print around it, or a full stop at its end. */
export function bareAnswer(answer: string): string {
  const plainType = answer.trim().replace(/^(\*\*|__)([^*_]+)\1(?=\.?$)/, "$2");
  return unquoted(plainType.replace(/(?<=[^.])\.$/, ""));
}

/** The same without quotes alone. */
export function unquoted(answer: string): string {
  const quoted = answer.trim().match(/^(["'`“‘«])([\s\S]*)(["'`”’»])$/);
  const closing: Record<string, string> = { '"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "«": "»" };
  return quoted !== null && closing[quoted[1] as string] === quoted[3] ? (quoted[2] as string).trim() : answer.trim();
}

/** Whether the answer is this text, whatever its case, spacing, quotes, full stop or leading article. */
export function sameText(answer: string, expected: string): boolean {
  return plain(answer) === plain(expected);
}

function plain(text: string): string {
  return bareAnswer(text).normalize("NFC").toLowerCase().replace(/\s+/g, " ").replace(/^the /, "");
}

/**
 * The number that an answer is: a currency sign before or after it and thousands separators are let through, words are not.
 * @returns `undefined` when it is no number.
 */
export function numberOf(answer: string): number | undefined {
  const bare = bareAnswer(answer)
    .replace(/^([-+]?)\s*[$€£]\s*/, "$1")
    .replace(/\s*[$€£]$/, "");
  if (!/^[-+]?(\d+|\d{1,3}([,_ ]\d{3})+)(\.\d+)?$|^[-+]?\.\d+$/.test(bare)) return undefined;
  return Number(bare.replace(/[,_ ]/g, ""));
}

/** Whether the answer is this number, or no further from it than `tolerance`. */
export function sameNumber(answer: string, expected: number, tolerance = 0): boolean {
  const number = numberOf(answer);
  return number !== undefined && within(number, expected, tolerance);
}

/** Whether the answer is these numbers, in this order, separated by commas; brackets may stand around them. */
export function sameNumbers(answer: string, expected: readonly number[], tolerance = 0): boolean {
  const parts = bareAnswer(answer)
    .replace(/^\[|^\(|\]$|\)$/g, "")
    .split(/\s*[,;]\s*/);
  return parts.length === expected.length && expected.every((number, index) => sameNumber(parts[index] as string, number, tolerance));
}

/** A little more than the tolerance, since 0.1 + 0.2 is no 0.3. */
function within(number: number, expected: number, tolerance: number): boolean {
  return Math.abs(number - expected) <= tolerance + 1e-9 * Math.max(1, Math.abs(expected));
}
