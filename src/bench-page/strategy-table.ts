import type { AnalysisSection, StrategySummary } from "../bench/report/analysis.js";
import { count, dollars, duration, percent } from "../bench/report/format-numbers.js";
import { armLabel } from "./arm-label.js";
import { element } from "./element.js";
import { sortableTable, type TableColumn } from "./sortable-table.js";

/** The column that names the strategy. Its colour is that of its place among all of them, however the table is sorted. */
export function strategyColumn(strategies: readonly StrategySummary[]): TableColumn<StrategySummary> {
  const places = new Map(strategies.map(({ arm }, index) => [arm, index]));
  return { title: "strategy", show: ({ arm }) => armLabel(arm, places.get(arm) ?? 0), sortBy: ({ arm }) => arm };
}

/** Every number of every strategy; columns that say nothing, because there is no number or none above 0, are left out. */
export function strategyTable({ strategies, trials, title }: AnalysisSection): HTMLElement {
  const number = (
    name: string,
    help: string,
    amountOf: (strategy: StrategySummary) => number | undefined,
    write: (value: number | undefined) => string = count,
  ): TableColumn<StrategySummary> => ({
    title: name,
    help,
    show: (strategy) => write(amountOf(strategy)),
    sortBy: amountOf,
  });
  const columns: TableColumn<StrategySummary>[] = [
    strategyColumn(strategies),
    {
      title: "solved",
      help: "share of the cells that were solved, with Wilson's 95% interval",
      show: solvedCell,
      sortBy: ({ solved }) => solved?.value,
      isWide: true,
    },
    ...(trials > 1
      ? [
          number(
            `pass^${strategies[0]?.passHat.length ?? trials}`,
            "chance that this many trials of a task all solve it",
            ({ passHat }) => passHat.at(-1),
            percent,
          ),
        ]
      : []),
    number("model calls", "all requests to the model", ({ modelCalls }) => modelCalls),
    number("tool calls", "those made by code included", ({ toolCalls }) => toolCalls),
    number("input", "tokens that went in, cached ones included", ({ inputTokens }) => inputTokens),
    number("cached", "tokens that the provider had in its cache", ({ cachedTokens }) => cachedTokens),
    number("output", "tokens that came out", ({ outputTokens }) => outputTokens),
    number("tokens / solved", "all tokens, also those of failures, for each solved cell", ({ tokensPerSolved }) => tokensPerSolved),
    number("cost", "of all cells", ({ cost }) => cost, dollars),
    number("cost / solved", "all cost, also that of failures, for each solved cell", ({ costPerSolved }) => costPerSolved, dollars),
    number(
      "own time / turn",
      "wall clock that is neither model, tool nor sandbox, for each model call",
      ({ overheadMsPerTurn }) => overheadMsPerTurn,
      duration,
    ),
    number("wall p50", "median wall clock of a cell", ({ wallMsMedian }) => wallMsMedian, duration),
    number("wall p95", "one cell in twenty takes longer", ({ wallMs95 }) => wallMs95, duration),
    number("unwanted changes", "side effects that nobody asked for", ({ sideEffects }) => sideEffects),
    number("provider errors", "cells that a provider failed; they count nowhere", ({ providerErrors }) => providerErrors),
    number("retries", "errors of the provider that were retried", ({ retries }) => retries),
  ];
  const says = (value: number | string | undefined) => value !== undefined && value !== 0;
  const shown = columns.filter(({ sortBy, isWide }) => isWide === true || strategies.some((strategy) => says(sortBy?.(strategy))));
  return sortableTable(`Strategies, ${title}`, { columns: shown, rows: strategies });
}

function solvedCell({ solved, solvedCells, cells }: StrategySummary): HTMLElement {
  if (solved === undefined) return element("span", {}, "–");
  const bar = element("span", { class: "solved-bar", "aria-hidden": "true" }, element("i"), element("u"));
  bar.style.setProperty("--share", String(solved.value));
  bar.style.setProperty("--low", String(solved.low));
  bar.style.setProperty("--high", String(solved.high));
  return element(
    "span",
    { class: "solved" },
    element("b", {}, percent(solved.value)),
    ` ${solvedCells}/${cells} `,
    bar,
    element("small", {}, `${percent(solved.low)}–${percent(solved.high)}`),
  );
}
