import type { EvidenceEntry } from "./evidence.js";

/** Code, which cites nothing, or a citation with the space before it. Four digits are a year. */
const CODE_OR_CITATION = /```[\s\S]*?(?:```|$)|`[^`\n]*`|([ \t]*)\[(\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*)\]/g;

/** A heading, and the list of sources that a model wrote under it at the end of its text. */
const SOURCE_LIST =
  /\n+(?:#{1,6}\s*|\*\*)?(?:sources?|references?|bibliography|citations?)(?:\*\*)?:?(?:\*\*)?[ \t]*\n+(?:[ \t]*(?:[-*]\s*)?\[?\d{1,4}[\].:].*\n*)+$/i;

/** The numbers that a text cites, each once, in ascending order. `[2-4]` and `[1, 3]` are several. Code is not looked at. */
export function citationsIn(text: string): number[] {
  const numbers = new Set<number>();
  for (const [, , list = ""] of text.matchAll(CODE_OR_CITATION))
    for (const number of list === "" ? [] : numbersIn(list)) numbers.add(number);
  return [...numbers].sort((a, b) => a - b);
}

/** The text with its citations under other numbers. One that has no other number is left out: it would point to a source that was not meant. */
export function renumber(text: string, numberOf: (number: number) => number | undefined): string {
  return text.replace(CODE_OR_CITATION, (whole, space: string, list: string | undefined) => {
    if (list === undefined) return whole;
    const numbers = numbersIn(list).flatMap((number) => numberOf(number) ?? []);
    return numbers.length === 0 ? "" : `${space}[${numbers.join(", ")}]`;
  });
}

/** The text without a list of sources at its end: the framework writes that itself, from what it knows. */
export function withoutSourceList(text: string): string {
  return text.replace(SOURCE_LIST, "").trimEnd();
}

/** The text with the sources that it cites. */
export function withSourceList(text: string, ledger: readonly EvidenceEntry[]): string {
  const cited = new Set(citationsIn(text));
  const lines = ledger.filter(({ number }) => cited.has(number)).map(sourceLine);
  return lines.length === 0 ? text : `${text}\n\nSources:\n${lines.join("\n")}`;
}

/** `[1] Title, address` */
export function sourceLine({ number, title, source }: EvidenceEntry): string {
  return `[${number}] ${title === undefined ? source : `${title}, ${source}`}`;
}

function numbersIn(list: string): number[] {
  return list.split(/[,;]/).flatMap((part) => {
    const [from = 0, to = from] = part.split(/[–-]/).map(Number);
    return to - from > 0 && to - from < 100 ? Array.from({ length: to - from + 1 }, (_, index) => from + index) : [from];
  });
}
