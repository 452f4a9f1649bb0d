import { assertNever } from "../../base/json.js";
import type { Block, Column } from "./report-blocks.js";

/** How a text report is written. */
export interface TextReportOptions {
  /** Longest line in characters. @default 80 */
  readonly width?: number;
  /** Makes a heading stand out, where colours are wanted. @default nothing is done */
  readonly emphasise?: (text: string) => string;
}

/** The blocks for a terminal. What they hold is made safe to show: no control characters, no line breaks. */
export function textReport(blocks: readonly Block[], { width = 80, emphasise = (text) => text }: TextReportOptions = {}): string {
  const parts = blocks.map((block) => {
    switch (block.kind) {
      case "heading":
        return emphasise(wrap(safe(block.text), width).join("\n"));
      case "text":
        return wrap(safe(block.text), width).join("\n");
      case "list":
        return block.items
          .map((item) =>
            wrap(safe(item), width - 2)
              .map((line, index) => `${index === 0 ? "- " : "  "}${line}`)
              .join("\n"),
          )
          .join("\n");
      case "table":
        return tableLines(block.columns, { rows: block.rows, width }).join("\n");
      default:
        return assertNever(block);
    }
  });
  return `${parts.join("\n\n")}\n`;
}

function safe(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").replace(/[\u202a-\u202e\u2066-\u2069]/g, "");
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ").flatMap((each) => each.match(new RegExp(`.{1,${width}}`, "gu")) ?? [])) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

const GAP = 2;

/** A table that is too wide gives up room in its first column, then splits into several with that column repeated. */
function tableLines(columns: readonly Column[], { rows, width }: { rows: readonly (readonly string[])[]; width: number }): string[] {
  const cells = [columns.map(({ title }) => title), ...rows].map((row) => row.map(safe));
  const widths = columns.map((_, index) => Math.max(...cells.map((row) => row[index]?.length ?? 0)));
  const first = Math.min(widths[0] ?? 0, Math.max(12, width - total(widths.slice(1)) - GAP));
  const parts = partsThatFit(widths.slice(1), width - first - GAP);
  const lines = parts.flatMap(({ from, to }, part) => [
    ...(part === 0 ? [] : [""]),
    ...cells.flatMap((row) => {
      const shown = columns.slice(from + 1, to + 1).map(({ align }, index) => {
        const cell = row[from + 1 + index] ?? "";
        const room = widths[from + 1 + index] ?? 0;
        return align === "right" ? cell.padStart(room) : cell.padEnd(room);
      });
      const own = `${cut(row[0] ?? "", first).padEnd(first)}${" ".repeat(GAP)}`;
      const line = `${own}${shown.join(" ".repeat(GAP))}`.trimEnd();
      if (line.length <= width) return [line];
      return wrap(shown.join(" ").trim(), width - own.length).map((text, index) => `${index === 0 ? own : " ".repeat(own.length)}${text}`);
    }),
  ]);
  return lines;
}

/** Cuts a row of columns into ranges that fit; a column that fits nowhere has one of its own and is wrapped. */
function partsThatFit(widths: readonly number[], room: number): { from: number; to: number }[] {
  const parts: { from: number; to: number }[] = [];
  let from = 0;
  for (let to = 1; to <= widths.length; to++) {
    const isLast = to === widths.length;
    if (!isLast && total(widths.slice(from, to + 1)) <= room) continue;
    parts.push({ from, to });
    from = to;
  }
  return parts;
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + GAP * Math.max(0, widths.length - 1);
}

function cut(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars - 1)}…`;
}
