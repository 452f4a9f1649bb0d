import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AgentInputError } from "../../base/errors.js";
import type { CellRecord, CellTrace, RunManifest } from "../record.js";
import { parseRecordLine, type RecordLine } from "../record-line.js";

/** Records as they were read from one file or several. */
export interface RecordedRun {
  readonly manifests: readonly RunManifest[];
  readonly records: readonly RecordedCell[];
  /** What a reader of the report should know about the files. */
  readonly notes: readonly string[];
}

/** A record, and where its trace lies. */
export interface RecordedCell {
  readonly record: CellRecord;
  /** Folder that {@link CellRecord.trace} is relative to. */
  readonly folder: string;
}

const SAME_CELLS =
  "Some cells stand in more than one of these runs; the last run counts. To see what changed between two runs, take `triact bench compare`.";

/**
 * Reads records files, or folders with such files (`*.jsonl`). Of a cell that is there twice the last record counts. A last line that a killed run left
 * unfinished is left out, and noted.
 * @throws AgentInputError for a path without records, and for a line that is none.
 */
export async function readRun(paths: readonly string[]): Promise<RecordedRun> {
  const files = (await Promise.all(paths.map(filesAt))).flat();
  const cells = new Map<string, RecordedCell>();
  const manifests: RunManifest[] = [];
  const notes: string[] = [];
  for (const file of files) {
    const { lines, isTorn } = linesOf(await readText(file), file);
    if (isTorn) notes.push("The last line of a records file is unfinished: the run was stopped while it wrote. That cell is left out.");
    for (const line of lines) {
      if (line.kind === "manifest") manifests.push(line);
      else {
        if (cells.has(line.cell) && cells.get(line.cell)?.folder !== dirname(file)) notes.push(SAME_CELLS);
        cells.delete(line.cell); // so that the last one also stands where it was written
        cells.set(line.cell, { record: line, folder: dirname(file) });
      }
    }
  }
  if (cells.size === 0) throw new AgentInputError({ problem: `There are no records in ${paths.join(", ")}.` });
  return { manifests, records: [...cells.values()], notes: [...new Set(notes)] };
}

/** The trace of a cell, or `undefined` where there is none that can be read. */
export async function readTrace({ record, folder }: RecordedCell): Promise<CellTrace | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, record.trace), "utf8")) as CellTrace;
  } catch {
    return undefined; // a trace that is gone takes nothing from the numbers
  }
}

async function filesAt(path: string): Promise<string[]> {
  const info = await stat(path).catch((cause: unknown) => {
    throw new AgentInputError({ problem: `There is nothing at ${path}. Expected a records file, or a folder with one.`, cause });
  });
  if (!info.isDirectory()) return [path];
  const names = (await readdir(path)).filter((name) => name.endsWith(".jsonl")).sort();
  if (names.length === 0) throw new AgentInputError({ problem: `There is no records file (*.jsonl) in ${path}.` });
  return names.map((name) => join(path, name));
}

async function readText(file: string): Promise<string> {
  return readFile(file, "utf8").catch((cause: unknown) => {
    throw new AgentInputError({ problem: `${file} cannot be read.`, cause });
  });
}

function linesOf(text: string, file: string): { readonly lines: readonly RecordLine[]; readonly isTorn: boolean } {
  const lines: RecordLine[] = [];
  const texts = text.split("\n");
  for (const [index, line] of texts.entries()) {
    if (line.trim() === "") continue;
    const parsed = parseRecordLine(line);
    if (parsed !== undefined) lines.push(parsed);
    else if (index === texts.length - 1) return { lines, isTorn: true };
    else throw new AgentInputError({ problem: `${file}, line ${index + 1}: a manifest or a record of version 1 was expected.` });
  }
  return { lines, isTorn: false };
}
