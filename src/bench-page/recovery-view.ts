import type { RecoveryRow, RecoveryTable } from "../bench/report/analysis.js";
import { count, percent, signed } from "../bench/report/format-numbers.js";
import { RECOVERY_TEXT } from "../bench/report/report-blocks.js";
import { armLabel } from "./arm-label.js";
import { element } from "./element.js";
import { sortableTable, type TableColumn } from "./sortable-table.js";

/** How the strategies took the faults. */
export function recoveryView(tables: readonly RecoveryTable[]): HTMLElement {
  return element(
    "article",
    {},
    element("h2", {}, "Recovery from faults"),
    element("p", { class: "sizes" }, RECOVERY_TEXT),
    ...tables.flatMap(({ title, rows, idle }) => [
      element("h3", {}, title),
      idle.length > 0 && element("p", { class: "note" }, `Not possible in any cell: ${idle.join(", ")}.`),
      sortableTable(`Recovery, ${title}`, { columns: columnsOf(rows), rows }),
    ]),
  );
}

function columnsOf(rows: readonly RecoveryRow[]): TableColumn<RecoveryRow>[] {
  const arms = [...new Set(rows.map(({ arm }) => arm))];
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
