import type { Analysis, RecoveryRow } from "../bench/report/analysis.js";
import { count, percent, signed } from "../bench/report/format-numbers.js";
import { armLabel } from "./arm-label.js";
import { element } from "./element.js";
import { sortableTable, type TableColumn } from "./sortable-table.js";

/** How the strategies took the faults. */
export function recoveryView({ recovery, sections }: Analysis): HTMLElement {
  const arms = [...new Set(sections.flatMap(({ strategies }) => strategies.map(({ arm }) => arm)))];
  return element(
    "article",
    {},
    element("h2", {}, "Recovery from faults"),
    element("p", { class: "sizes" }, "Only cells in which the fault happened, next to the same cells without it."),
    ...recovery.map(({ title, rows, idle }) =>
      element(
        "section",
        {},
        element("h3", {}, title),
        idle.length > 0 && element("p", { class: "note" }, `Not possible in any cell: ${idle.join(", ")}.`),
        rows.length > 0 && sortableTable(`Recovery, ${title}`, { columns: columnsOf(rows, arms), rows }),
      ),
    ),
  );
}

/** Columns without any number are left out. */
function columnsOf(rows: readonly RecoveryRow[], arms: readonly string[]): TableColumn<RecoveryRow>[] {
  return allColumns(arms).filter(({ sortBy }) => rows.some((row) => sortBy?.(row) !== undefined));
}

function allColumns(arms: readonly string[]): TableColumn<RecoveryRow>[] {
  return [
    { title: "fault", show: ({ fault }) => fault, sortBy: ({ fault }) => fault },
    { title: "strategy", show: ({ arm }) => armLabel(arm, arms.indexOf(arm)), sortBy: ({ arm }) => arm },
    { title: "faults", help: "how often it happened", show: ({ faults }) => String(faults), sortBy: ({ faults }) => faults },
    {
      title: "solved",
      help: "solved with the fault over solved without, in the cells in which it happened",
      show: ({ kept, solvedWith, solvedWithout }) => `${percent(kept)} ${solvedWith}/${solvedWithout}`,
      sortBy: ({ kept }) => kept,
    },
    {
      title: "extra model calls",
      help: "for each fault, in the cells that were solved both ways",
      show: ({ extraModelCalls }) => signed(extraModelCalls, 1),
      sortBy: ({ extraModelCalls }) => extraModelCalls,
    },
    {
      title: "extra tokens",
      help: "for each fault, in the cells that were solved both ways",
      show: ({ extraTokens }) => signed(extraTokens, 0),
      sortBy: ({ extraTokens }) => extraTokens,
    },
    {
      title: "changes made twice",
      show: ({ repeatedWrites }) => count(repeatedWrites),
      sortBy: ({ repeatedWrites }) => repeatedWrites,
    },
    {
      title: "unseen",
      help: "cells that ended as if all were well, with a wrong answer",
      show: ({ unseen }) => String(unseen),
      sortBy: ({ unseen }) => unseen,
    },
  ];
}
