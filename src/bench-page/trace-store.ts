import type { CellTrace } from "../bench/record.js";
import type { PageData } from "../bench/report/html-report.js";

/** The traces of the page, unpacked when they are asked for. */
export class TraceStore {
  readonly #chunkOf: PageData["chunkOf"];
  readonly #unpacked = new Map<number, Promise<Readonly<Record<string, CellTrace>>>>();

  constructor(chunkOf: PageData["chunkOf"]) {
    this.#chunkOf = chunkOf;
  }

  /** The trace of a cell, or `undefined` where the page holds none. */
  async find(cell: string): Promise<CellTrace | undefined> {
    if (!Object.hasOwn(this.#chunkOf, cell)) return undefined;
    const chunk = this.#chunkOf[cell] as number;
    const unpacked = this.#unpacked.get(chunk) ?? unpack(chunk);
    this.#unpacked.set(chunk, unpacked);
    return (await unpacked)[cell];
  }
}

async function unpack(chunk: number): Promise<Readonly<Record<string, CellTrace>>> {
  const packed = document.getElementById(`traces-${chunk}`)?.textContent ?? "";
  const bytes = Uint8Array.from(atob(packed), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return (await new Response(stream).json()) as Readonly<Record<string, CellTrace>>;
}
