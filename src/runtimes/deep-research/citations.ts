import type { EvidenceEntry } from "./evidence.js";

const CITATION = /\[(\d{1,4}(?:\s*[,;–-]\s*\d{1,4})*)\]/g;

/** A heading, and the list of sources that a model wrote under it at the end of its text. */
const SOURCE_LIST =
  /\n+(?:#{1,6}\s*|\*\*)?(?:sources?|references?|bibliography|citations?)(?:\*\*)?:?(?:\*\*)?[ \t]*\n+(?:[ \t]*(?:[-*]\s*)?\[?\d{1,4}[\].:].*\n*)+$/i;

/** The numbers that a text cites, each once, in ascending order. `[2-4]` and `[1, 3]` are several. Code is not looked at. */
export function citationsIn(text: string): number[] {
  const numbers = new Set<number>();
  for (const [, list = ""] of withoutCode(text).matchAll(CITATION)) for (const number of numbersIn(list)) numbers.add(number);
  return [...numbers].sort((a, b) => a - b);
}

/** The text with its citations under other numbers. */
export function renumber(text: string, numberOf: (number: number) => number | undefined): string {
  return text.replace(CITATION, (whole, list: string) => {
    const numbers = numbersIn(list).map(numberOf);
    return numbers.every((number) => number !== undefined) ? `[${numbers.join(", ")}]` : whole;
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

function withoutCode(text: string): string {
  return text.replace(/```[\s\S]*?(?:```|$)/g, "").replace(/`[^`\n]*`/g, "");
}
