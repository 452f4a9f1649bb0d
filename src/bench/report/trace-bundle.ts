import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { CellTrace } from "../record.js";
import { type RecordedCell, readTrace } from "./read-run.js";

const compress = promisify(gzip);

/** What {@link bundleTraces} takes. */
export interface TraceBundleOptions {
  /** Tasks whose traces come first, if not all of them have room. */
  readonly first?: ReadonlySet<string>;
  /** Most characters of all chunks together. @default 24,000,000 */
  readonly maxChars?: number;
  /** Longest text of a trace in characters; what is longer is cut, and says so. @default 20,000 */
  readonly maxTextChars?: number;
}

/** Traces for a page, compressed by task: those of one task have most of their text in common. */
export interface TraceBundle {
  /** Each is gzip of a JSON object from cell to trace, as base64. */
  readonly chunks: readonly string[];
  /** Number of the chunk that holds a cell's trace. */
  readonly chunkOf: Readonly<Record<string, number>>;
  /** Cells whose trace is in no chunk: no file, or no room. */
  readonly missing: number;
}

/** Reads and compresses the traces of all cells, one task at a time, until there is no room left. */
export async function bundleTraces(cells: readonly RecordedCell[], options: TraceBundleOptions = {}): Promise<TraceBundle> {
  const { first = new Set(), maxChars = 24_000_000, maxTextChars = 20_000 } = options;
  const groups = [...Map.groupBy(cells, ({ record: { suite, task, model } }) => JSON.stringify([suite, task, model])).values()];
  const isFirst = (group: readonly RecordedCell[]) => first.has(group[0]?.record.task ?? "");
  const chunks: string[] = [];
  const chunkOf: Record<string, number> = Object.create(null);
  let room = maxChars;
  let missing = 0;
  for (const group of [...groups.filter(isFirst), ...groups.filter((each) => !isFirst(each))]) {
    const traces = room > 0 ? await tracesOf(group, maxTextChars) : [];
    const chunk = traces.length === 0 ? "" : (await compress(JSON.stringify(Object.fromEntries(traces)))).toString("base64");
    const fits = chunk !== "" && chunk.length <= room;
    missing += group.length - (fits ? traces.length : 0);
    if (!fits) continue;
    for (const [cell] of traces) chunkOf[cell] = chunks.length;
    chunks.push(chunk);
    room -= chunk.length;
  }
  return { chunks, chunkOf, missing };
}

async function tracesOf(group: readonly RecordedCell[], maxTextChars: number): Promise<(readonly [string, CellTrace])[]> {
  const traces: (readonly [string, CellTrace])[] = [];
  for (const cell of group) {
    const trace = await readTrace(cell);
    if (trace !== undefined) traces.push([cell.record.cell, cutTexts(trace, maxTextChars) as CellTrace]);
  }
  return traces;
}

function cutTexts(value: unknown, maxChars: number): unknown {
  if (typeof value === "string")
    return value.length <= maxChars
      ? value
      : `${value.slice(0, maxChars)}… (${value.length - maxChars} more characters are in the trace file)`;
  if (Array.isArray(value)) return value.map((each) => cutTexts(each, maxChars));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cutTexts(each, maxChars)]));
}
