import { axisX, axisY, barX, dot, gridX, gridY, line, link, plot, ruleX, ruleY, text, tickX } from "@observablehq/plot";
import type { AnalysisSection, KnobCurve, StrategySummary } from "../bench/report/analysis.js";
import { count, dollars, percent, points, shortCount, shortNames } from "../bench/report/format-numbers.js";
import { ledgerParts } from "../bench/report/ledger-parts.js";
import { armColour, partColour } from "./colours.js";

const NARROW = 520;

function xTicks(width: number): number {
  return width < NARROW ? 3 : 6;
}

/** Room for names at the left, and the names that fit there. */
function nameRoom(width: number, names: readonly string[]): { marginLeft: number; short: readonly string[] } {
  const maxChars = width < NARROW ? 14 : 30;
  const short = shortNames(names, maxChars);
  return { marginLeft: 14 + 6.6 * Math.max(...short.map(({ length }) => length)), short };
}

/** What a strategy's price is, for the plot of price against solved tasks. */
export type Price = "tokens" | "cost" | "modelCalls";

/** The mean of a price over a strategy's cells. */
export function meanPrice(strategy: StrategySummary, price: Price): number | undefined {
  const cells = strategy.cells + strategy.providerErrors;
  const sum = { tokens: strategy.inputTokens + strategy.outputTokens, cost: strategy.cost, modelCalls: strategy.modelCalls }[price];
  return sum === undefined || cells === 0 ? undefined : sum / cells;
}

/** Price against share solved, with intervals; strategies that none beats in both are joined by a line. */
export function paretoChart({ strategies }: AnalysisSection, { price, width }: { price: Price; width: number }): Element {
  const dots = strategies.flatMap((strategy, index) => {
    const x = meanPrice(strategy, price);
    return x === undefined || strategy.solved === undefined
      ? []
      : [
          {
            x,
            y: strategy.solved.value,
            low: strategy.solved.low,
            high: strategy.solved.high,
            colour: armColour(index),
            name: strategy.arm,
            radius: Math.max(4, 8 - 1.5 * index),
          },
        ];
  });
  const front = dots.filter((own) => !dots.some((other) => other.x <= own.x && other.y >= own.y && (other.x < own.x || other.y > own.y)));
  const most = Math.max(...dots.map(({ x }) => x), 0);
  const titles = { tokens: "tokens per task", cost: "cost per task", modelCalls: "model calls per task" };
  return plot({
    width,
    height: 320,
    marginTop: 34,
    marginLeft: 48,
    marginBottom: 40,
    marginRight: 16,
    ariaLabel: `Share solved against ${titles[price]}`,
    x: { domain: [0, most * 1.05 || 1], label: `${titles[price]} →` },
    y: { domain: [0, 1], label: "↑ solved" },
    marks: [
      gridX({ ticks: xTicks(width) }),
      gridY({ ticks: 5 }),
      axisX({ ticks: xTicks(width), tickFormat: price === "cost" ? dollars : shortCount, tickSize: 0 }),
      axisY({ ticks: 5, tickFormat: percent, tickSize: 0 }),
      line(
        front.toSorted((a, b) => a.x - b.x),
        { x: "x", y: "y", stroke: "var(--muted)", strokeDasharray: "2 4" },
      ),
      link(dots, { x1: "x", x2: "x", y1: "low", y2: "high", stroke: (each) => each.colour, strokeWidth: 2, strokeOpacity: 0.55 }),
      // The first ones are the largest, so that none hides another where several are equal.
      dot(dots, { x: "x", y: "y", r: "radius", fill: (each) => each.colour, title: (each) => `${each.name}\n${percent(each.y)} solved` }),
    ],
    color: { type: "identity" },
    r: { type: "identity" },
  });
}

/** Differences between the shares solved, with their intervals, around a line at none. */
export function pairChart({ pairs }: AnalysisSection, width: number): Element {
  const isNarrow = width < NARROW;
  const names = pairs.map(({ first, second }) => `${shortNames([first], 20)[0]} − ${shortNames([second], 20)[0]}`);
  const { marginLeft, short } = isNarrow ? { marginLeft: 14, short: shortNames(names, 44) } : nameRoom(width, names);
  const rows = pairs.map(({ difference: { value, low = value, high = value }, verdict }, index) => ({
    name: short[index] ?? "",
    value,
    low,
    high,
    colour: verdict === "none-shown" ? "var(--muted)" : "var(--accent)",
  }));
  const reach = Math.min(1, Math.max(0.1, ...rows.flatMap(({ low, high }) => [Math.abs(low), Math.abs(high)])) * 1.1);
  return plot({
    width,
    height: 62 + rows.length * (isNarrow ? 48 : 34),
    marginLeft,
    marginBottom: 40,
    ariaLabel: "Paired differences between the shares solved, with 95% intervals",
    x: { domain: [-reach, reach], label: "points in favour of the first →" },
    y: { domain: rows.map(({ name }) => name), label: null, axis: isNarrow ? null : "left" },
    marks: [
      gridX({ ticks: xTicks(width) }),
      axisX({ ticks: xTicks(width), tickFormat: points, tickSize: 0 }),
      ...(isNarrow
        ? [text(rows, { y: "name", x: -reach, text: "name", textAnchor: "start", dy: -14, fill: "currentColor" })]
        : [axisY({ tickSize: 0 })]),
      ruleX([0], { stroke: "var(--muted)" }),
      ruleY(rows, { y: "name", x1: "low", x2: "high", stroke: (row) => row.colour, strokeWidth: 3, strokeLinecap: "round" }),
      dot(rows, { y: "name", x: "value", r: 5.5, fill: (row) => row.colour }),
    ],
    color: { type: "identity" },
  });
}

/** Where the tokens of a task went, a bar for each strategy. */
export function ledgerChart({ strategies }: AnalysisSection, width: number): Element {
  const { marginLeft, short } = nameRoom(
    width,
    strategies.map(({ arm }) => arm),
  );
  const rows = strategies.flatMap(({ ledger, cells, providerErrors }, index) =>
    ledgerParts.map((part, place) => ({
      name: short[index] ?? "",
      part,
      tokens: ledger[part] / Math.max(1, cells + providerErrors),
      colour: partColour(place),
    })),
  );
  return plot({
    width,
    height: 54 + strategies.length * 40,
    marginLeft,
    marginBottom: 38,
    ariaLabel: "Tokens per task by cause",
    x: { label: "tokens per task →" },
    y: { domain: [...short], label: null, padding: 0.3 },
    marks: [
      gridX({ ticks: xTicks(width) }),
      axisX({ ticks: xTicks(width), tickFormat: shortCount, tickSize: 0 }),
      axisY({ tickSize: 0 }),
      barX(rows, {
        y: "name",
        x: "tokens",
        fill: (row) => row.colour,
        order: null,
        title: (row) => `${row.part}: ${count(row.tokens)} tokens per task`,
        inset: 0.5,
      }),
      tickX([0], { stroke: "var(--muted)" }),
    ],
    color: { type: "identity" },
  });
}

/** What a curve shows. */
export type CurveMeasure = "tokens" | "modelCalls" | "cost" | "solved";

/** What each strategy takes as one knob turns. */
export function curveChart(curve: KnobCurve, { measure, width }: { measure: CurveMeasure; width: number }): Element {
  const isNumeric = curve.values.every((value) => typeof value === "number" && value > 0);
  const rows = curve.lines.flatMap(({ arm, points: own }, index) =>
    own.flatMap((point, place) => {
      const y = point === null ? undefined : point[measure];
      return y === undefined ? [] : [{ arm, x: curve.values[place] as number, y, colour: armColour(index) }];
    }),
  );
  const write = { tokens: shortCount, modelCalls: shortCount, cost: dollars, solved: percent }[measure];
  const isLog = measure !== "solved" && rows.every(({ y }) => y > 0);
  return plot({
    width,
    height: 300,
    marginLeft: 52,
    marginBottom: 40,
    marginRight: 16,
    ariaLabel: `${curveMeasures[measure]} against ${curve.knob}`,
    x: isNumeric
      ? { type: "log", base: 2, label: `${knobName(curve.knob)} →` }
      : { type: "point", domain: [...curve.values], label: `${knobName(curve.knob)} →` },
    y:
      measure === "solved"
        ? { domain: [0, 1], label: "↑ solved" }
        : { type: isLog ? "log" : "linear", label: `↑ ${curveMeasures[measure]}${isLog ? " (logarithmic)" : ""}` },
    marks: [
      gridY({ ticks: 4 }),
      axisX({ ...(isNumeric ? { ticks: [...curve.values] as number[] } : {}), tickFormat: String, tickSize: 0 }),
      axisY({ ticks: 4, tickFormat: write, tickSize: 0 }),
      line(rows, { x: "x", y: "y", z: "arm", stroke: (row) => row.colour, strokeWidth: 2.5, curve: "linear" }),
      dot(rows, { x: "x", y: "y", r: 4, fill: (row) => row.colour, title: (row) => `${row.arm}\n${curve.knob} ${row.x}: ${write(row.y)}` }),
    ],
    color: { type: "identity" },
  });
}

/** A knob in words: `resultBytes` is "result bytes". */
export function knobName(knob: string): string {
  return knob.replace(/([a-z])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`);
}

/** The measures of a curve by what they are called. */
export const curveMeasures: Readonly<Record<CurveMeasure, string>> = {
  tokens: "tokens per task",
  modelCalls: "model calls per task",
  cost: "cost per task",
  solved: "share solved",
};
