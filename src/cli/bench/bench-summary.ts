import type { CellRecord, RunManifest } from "../../bench/record.js";
import { counts } from "../../bench/runner/cell-outcome.js";
import { quantile } from "../../bench/statistics/quantile.js";
import { wilsonInterval } from "../../bench/statistics/wilson-interval.js";
import { oneLine } from "../safe-text.js";
import { textTable } from "../text-table.js";

/** What the cells of one strategy with one model came to. */
export interface SummaryRow {
  readonly arm: string;
  readonly model: string;
  readonly fault?: string;
  /** Those whose provider failed are not among them. */
  readonly cells: number;
  /** Cells whose provider failed; a run that is resumed tries them again. */
  readonly providerErrors?: number;
  readonly solved: number;
  readonly modelCalls: number;
  readonly toolCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Where prices are known. */
  readonly cost?: number;
  readonly wallMsMedian: number;
}

/** Adds records up, one row for each model, fault and strategy, the strategies in the order in which they were given. */
export async function summarise(records: AsyncIterable<RunManifest | CellRecord>): Promise<SummaryRow[]> {
  const sums = new Map<string, { row: SummaryRow; walls: number[]; failed: Set<string> }>();
  let order: readonly string[] = [];
  for await (const record of records) {
    if ("kind" in record) {
      order = record.arms.map(({ name }) => name);
      continue;
    }
    const { arm, model, fault } = record;
    const key = JSON.stringify([arm, model, fault]);
    const sum = sums.get(key) ?? { row: emptyRow(record), walls: [], failed: new Set() };
    sums.set(key, sum);
    if (counts(record)) {
      sum.failed.delete(record.cell);
      sum.walls.push(record.wallMs);
      sum.row = added(sum.row, record);
    } else sum.failed.add(record.cell);
  }
  const rows = [...sums.values()].map(({ row, walls, failed }) => ({
    ...row,
    ...(failed.size === 0 ? undefined : { providerErrors: failed.size }),
    wallMsMedian: walls.length === 0 ? 0 : quantile(walls, 0.5),
  }));
  const placeOf = ({ arm }: SummaryRow) => order.indexOf(arm);
  return rows.toSorted((a, b) => compare(`${a.model}/${a.fault ?? ""}`, `${b.model}/${b.fault ?? ""}`) || placeOf(a) - placeOf(b));
}

/** The rows as a table: counts are means of a cell. */
export function summaryTable(rows: readonly SummaryRow[]): string {
  const hasFaults = rows.some(({ fault }) => fault !== undefined);
  const hasCost = rows.some(({ cost }) => cost !== undefined);
  const hasFailed = rows.some(({ providerErrors }) => providerErrors !== undefined);
  const head = ["strategy", "model", ...(hasFaults ? ["fault"] : []), "solved", "95 %", "calls/cell", "tools/cell", "in/cell", "out/cell"];
  const lines = rows.map((row) => {
    const mean = (sum: number, digits = 0) => (row.cells === 0 ? "–" : (sum / row.cells).toFixed(digits));
    return [
      oneLine(row.arm, 40),
      oneLine(row.model, 40),
      ...(hasFaults ? [row.fault ?? "none"] : []),
      `${row.solved}/${row.cells}`,
      interval(row),
      mean(row.modelCalls, 1),
      mean(row.toolCalls, 1),
      mean(row.inputTokens),
      mean(row.outputTokens),
      ...(hasCost ? [row.cost === undefined ? "" : row.cost.toFixed(4)] : []),
      row.cells === 0 ? "–" : `${Math.round(row.wallMsMedian)} ms`,
      ...(hasFailed ? [String(row.providerErrors ?? 0)] : []),
    ];
  });
  return textTable([[...head, ...(hasCost ? ["cost"] : []), "time p50", ...(hasFailed ? ["provider failed"] : [])], ...lines]);
}

/** Which cells without a fault were not solved, and why: a line each, the first few. Empty when all were. */
export async function unsolvedText(records: AsyncIterable<RunManifest | CellRecord>): Promise<string> {
  const lines = new Map<string, string>();
  for await (const record of records) {
    if ("kind" in record || record.fault !== undefined || !counts(record)) continue;
    const { cell, task, arm, outcome, reason } = record;
    lines.delete(cell); // the last record of a cell counts
    if (outcome !== "solved")
      lines.set(cell, oneLine(`${task}, ${arm}: ${outcome}${reason === undefined ? "" : `, ${reason}`}`, MAX_LINE_CHARS));
  }
  if (lines.size === 0) return "";
  const shown = [...lines.values()].slice(0, MAX_UNSOLVED);
  const more = lines.size > shown.length ? [`and ${lines.size - shown.length} more, in the report`] : [];
  return `Not solved:\n${[...shown, ...more].map((line) => `  ${line}\n`).join("")}`;
}

const MAX_UNSOLVED = 5;
const MAX_LINE_CHARS = 160;

function interval({ solved, cells }: SummaryRow): string {
  if (cells === 0) return "–";
  const { low, high } = wilsonInterval({ successes: solved, trials: cells });
  return `${Math.round(low * 100)}–${Math.round(high * 100)}`;
}

function emptyRow({ arm, model, fault }: CellRecord): SummaryRow {
  const zeros = { cells: 0, solved: 0, modelCalls: 0, toolCalls: 0, inputTokens: 0, outputTokens: 0, wallMsMedian: 0 };
  return { arm, model, ...(fault === undefined ? undefined : { fault }), ...zeros };
}

function added(row: SummaryRow, record: CellRecord): SummaryRow {
  const cost = row.cost === undefined && record.cost === undefined ? undefined : { cost: (row.cost ?? 0) + (record.cost ?? 0) };
  return {
    ...row,
    cells: row.cells + 1,
    solved: row.solved + (record.outcome === "solved" ? 1 : 0),
    modelCalls: row.modelCalls + record.modelCalls,
    toolCalls: row.toolCalls + record.toolCalls,
    inputTokens: row.inputTokens + record.inputTokens,
    outputTokens: row.outputTokens + record.outputTokens,
    ...cost,
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
