import type { LibraryDocument } from "./library-documents.js";

/** A document that was found. */
export interface LibraryHit {
  readonly id: string;
  readonly title: string;
  /** How its text begins. */
  readonly beginning: string;
}

interface Indexed {
  readonly document: LibraryDocument;
  readonly title: string;
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
}

const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.75;
/** A word in the title counts like so many in the text. */
const TITLE_WEIGHT = 4;

/**
 * Full-text search: ranks by BM25, titles weighing more than texts; a document whose title is the query comes first. Equal ranks keep the order of the ids.
 * @see S. Robertson, H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", Foundations and Trends in Information Retrieval 3(4), 2009.
 */
export class LibrarySearch {
  readonly #documents: readonly Indexed[];
  readonly #averageLength: number;
  readonly #frequencies = new Map<string, number>();

  constructor(documents: readonly LibraryDocument[]) {
    this.#documents = documents.map((document) => {
      const tokens = [...Array.from({ length: TITLE_WEIGHT }, () => wordsOf(document.title)).flat(), ...wordsOf(document.text)];
      const counts = new Map<string, number>();
      for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
      for (const token of counts.keys()) this.#frequencies.set(token, (this.#frequencies.get(token) ?? 0) + 1);
      return { document, title: wordsOf(document.title).join(" "), counts, length: tokens.length };
    });
    this.#averageLength = this.#documents.reduce((sum, { length }) => sum + length, 0) / documents.length;
  }

  find(query: string, limit: number): LibraryHit[] {
    const words = [...new Set(wordsOf(query))];
    const exact = wordsOf(query).join(" ");
    return this.#documents
      .map((indexed) => ({ indexed, score: indexed.title === exact ? Number.POSITIVE_INFINITY : this.#score(indexed, words) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => (a.score === b.score ? 0 : b.score - a.score))
      .slice(0, limit)
      .map(({ indexed: { document } }) => ({ id: document.id, title: document.title, beginning: `${document.text.slice(0, 60)}…` }));
  }

  #score({ counts, length }: Indexed, words: readonly string[]): number {
    return words.reduce((sum, word) => {
      const count = counts.get(word) ?? 0;
      const frequency = this.#frequencies.get(word) ?? 0;
      const rarity = Math.log(1 + (this.#documents.length - frequency + 0.5) / (frequency + 0.5));
      const share =
        (count * (SATURATION + 1)) / (count + SATURATION * (1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * length) / this.#averageLength));
      return sum + rarity * share;
    }, 0);
  }
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
