import {
  closeSync,
  createReadStream,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { AgentConfigError } from "../../base/errors.js";
import type { CellRecord, CellTrace, RunManifest } from "../record.js";
import { parseRecordLine, type RecordLine } from "../record-line.js";
import { counts } from "./cell-outcome.js";

/** Name of the records file in the folder of a run. */
export const RECORDS_FILE = "records.jsonl";

/** Name of the folder of traces beside it. */
export const TRACES_FOLDER = "traces";

/** What a records file holds. */
export interface StoredRecords {
  /** Undefined for a file that ends before its first line does. */
  readonly manifest: RunManifest | undefined;
  /** Ids of the cells that are there. One whose provider failed says nothing of its strategy, and is not among them: it is to be run again. */
  readonly cells: ReadonlySet<string>;
}

/**
 * The records of a run, one line at a time, so that no more than one is in memory.
 * @param output - Folder of the run.
 * @throws AgentConfigError for a line that is no record. The last one may be torn: a process may have been killed while it wrote.
 */
export async function* readRecords(output: string): AsyncGenerator<RecordLine, void, undefined> {
  const path = join(output, RECORDS_FILE);
  let number = 0;
  let torn: number | undefined;
  for await (const line of createInterface({ input: createReadStream(path, "utf8"), crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    if (torn !== undefined) throw new AgentConfigError({ field: "output", problem: `line ${torn} of ${path} is no record` });
    const record = parseRecordLine(line);
    if (record === undefined) torn = number;
    else yield record;
  }
}

/** Reads which cells a run has. Undefined when it has no records file. */
export async function readStored(output: string): Promise<StoredRecords | undefined> {
  if (!existsSync(join(output, RECORDS_FILE))) return undefined;
  let manifest: RunManifest | undefined;
  const cells = new Set<string>();
  for await (const record of readRecords(output)) {
    if (record.kind === "manifest") manifest ??= record;
    else if (counts(record)) cells.add(record.cell);
    else cells.delete(record.cell);
  }
  return { manifest, cells };
}

/** Adds records to the file of a run. Each line is on its way to the disk when the method returns, so that a killed process loses none. */
export class RecordsFile {
  readonly #file: number;
  readonly #output: string;

  /** Opens or makes the file, and cuts off what a killed process left of a line. A line that lacks only its end is a record, and gets it. */
  constructor(output: string) {
    mkdirSync(join(output, TRACES_FOLDER), { recursive: true });
    const path = join(output, RECORDS_FILE);
    const length = existsSync(path) ? wholeLength(path) : 0;
    this.#file = openSync(path, "a", 0o644);
    this.#output = output;
    if (statSync(path).size === length) return;
    if (parseRecordLine(readFileSync(path).subarray(length).toString("utf8")) !== undefined) writeSync(this.#file, "\n");
    else ftruncateSync(this.#file, length);
  }

  /** Adds one line. */
  append(record: RunManifest | CellRecord): void {
    writeSync(this.#file, `${JSON.stringify(record)}\n`);
  }

  /** Writes the trace of a cell. It goes before the record that names it. */
  writeTrace(file: string, trace: CellTrace): void {
    writeFileSync(join(this.#output, file), JSON.stringify(trace));
  }

  /** Closes the file. */
  close(): void {
    closeSync(this.#file);
  }
}

/** Bytes up to the end of the last whole line. */
function wholeLength(path: string): number {
  const file = openSync(path, "r");
  try {
    const buffer = Buffer.alloc(TAIL_BYTES);
    for (let end = statSync(path).size; end > 0; end -= TAIL_BYTES) {
      const start = Math.max(0, end - TAIL_BYTES);
      const at = buffer.subarray(0, readSync(file, buffer, 0, end - start, start)).lastIndexOf(0x0a);
      if (at >= 0) return start + at + 1;
    }
    return 0;
  } finally {
    closeSync(file);
  }
}

const TAIL_BYTES = 65_536;
