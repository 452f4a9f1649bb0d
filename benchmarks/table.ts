import type { Row } from "./rows.ts";
import { median } from "./statistics.ts";

const HEAD = ["", "floor", "triact", "compared", "(lowest–highest)", "at most", ""];

/** The rows as text in columns. */
export function formatTable(rows: readonly Row[]): string {
  const lines = [HEAD, ...rows.map(toCells)];
  const widths = HEAD.map((_, column) => Math.max(...lines.map((cells) => (cells[column] ?? "").length)));
  return lines
    .map((cells) =>
      cells
        .map((cell, column) => pad(cell, column, widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function toCells({ label, floor, triact, values, target, met }: Row): string[] {
  const range = `(${format(Math.min(...values))}–${format(Math.max(...values))})`;
  return [label, format(floor), format(triact), format(median(values)), range, format(target), met ? "pass" : "MISS"];
}

function format(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return value.toFixed(Math.abs(value) >= 100 ? 0 : 2);
}

function pad(cell: string, column: number, width: number): string {
  return column === 0 || column === HEAD.length - 1 ? cell.padEnd(width) : cell.padStart(width);
}
