import type { AnalysisSection, KnobCurve, PairComparison } from "../bench/report/analysis.js";
import { percent, points, probability, ratio } from "../bench/report/format-numbers.js";
import { ledgerParts } from "../bench/report/ledger-parts.js";
import { intervalOf, measureNames } from "../bench/report/report-blocks.js";
import { armLabel } from "./arm-label.js";
import {
  type CurveMeasure,
  curveChart,
  curveMeasures,
  knobName,
  ledgerChart,
  meanPrice,
  type Price,
  pairChart,
  paretoChart,
} from "./charts.js";
import { partColour } from "./colours.js";
import { type Content, choice, element } from "./element.js";
import { chartFigure } from "./figure.js";
import { sortableTable, type TableColumn } from "./sortable-table.js";
import { strategyColumn, strategyTable } from "./strategy-table.js";
import { type OpenTrace, taskGrid } from "./task-grid.js";

/** Everything about one suite with one model. */
export function sectionView(section: AnalysisSection, openTrace: OpenTrace): HTMLElement {
  const { title, tasks, trials, cells, isReference, notes } = section;
  const sizes = `${tasks} tasks, up to ${trials} ${trials === 1 ? "trial" : "trials"} each, ${cells} cells${isReference ? ", played by the reference policy" : ""}`;
  return element(
    "article",
    {},
    element("h2", {}, title),
    element("p", { class: "sizes" }, sizes),
    ...notes.map((note) => element("p", { class: "note" }, note)),
    part("Strategies", strategyTable(section)),
    part("Price against solved tasks", paretoFigure(section)),
    section.pairs.length > 0 && part("Paired differences", pairFigure(section), pairTable(section), efficiencyTable(section)),
    part("Where the tokens went", ledgerFigure(section)),
    section.curves.length > 0 &&
      part("Where another strategy starts to pay", ...section.curves.map((curve) => curveFigure(curve, section))),
    part("Outcomes", outcomeTable(section)),
    part("Tasks", taskGrid(section, openTrace)),
  );
}

function part(title: string, ...content: readonly Content[]): HTMLElement {
  return element("section", {}, element("h3", {}, title), ...content);
}

function armLegend({ strategies }: AnalysisSection): HTMLElement {
  return element("div", { class: "legend" }, ...strategies.map(({ arm }, index) => armLabel(arm, index)));
}

function paretoFigure(section: AnalysisSection): HTMLElement {
  const prices = [
    ["cost", "cost"],
    ["tokens", "tokens"],
    ["modelCalls", "model calls"],
  ] as const satisfies readonly (readonly [Price, string])[];
  const known = prices.filter(([price]) => section.strategies.every((strategy) => meanPrice(strategy, price) !== undefined));
  let price: Price = known[0]?.[0] ?? "tokens";
  const chart = chartFigure(
    "Up and to the left is better. Lines are 95% intervals; the dotted line joins strategies that no other beats in both.",
    (width) => paretoChart(section, { price, width }),
  );
  const select = choice("price", {
    options: known,
    onChange: (value) => {
      price = value as Price;
      chart.redraw();
    },
  });
  return element("div", {}, element("div", { class: "controls" }, select, armLegend(section)), chart.figure);
}

function pairFigure(section: AnalysisSection): HTMLElement {
  return chartFigure(
    section.pairs.some(({ difference }) => difference.low !== undefined)
      ? "Difference between the shares solved of the same tasks, with its 95% interval. Grey: no difference is shown."
      : "Difference between the shares solved of the same tasks. Nothing differed on related tasks, so there is nothing to draw an interval from.",
    (width) => pairChart(section, width),
  ).figure;
}

function pairTable({ pairs, strategies }: AnalysisSection): HTMLElement {
  const verdict = ({ first, second, verdict }: PairComparison) =>
    verdict === "none-shown" ? "no difference shown" : `${verdict === "first" ? first : second} solves more`;
  const columns: TableColumn<PairComparison>[] = [
    ...pairNames(strategies.map(({ arm }) => arm)),
    {
      title: "points",
      help: "first minus second, in percentage points",
      show: ({ difference }) => points(difference.value),
      sortBy: ({ difference }) => difference.value,
    },
    { title: "95%", show: intervalOf },
    {
      title: "only first",
      help: "tasks that the first solved more often",
      show: ({ onlyFirst }) => String(onlyFirst),
      sortBy: ({ onlyFirst }) => onlyFirst,
    },
    {
      title: "only second",
      help: "tasks that the second solved more often",
      show: ({ onlySecond }) => String(onlySecond),
      sortBy: ({ onlySecond }) => onlySecond,
    },
    {
      title: "p (Holm)",
      help: "after the adjustment for several pairs",
      show: ({ adjustedP }) => probability(adjustedP),
      sortBy: ({ adjustedP }) => adjustedP,
    },
    {
      title: "could have shown",
      help: "the smallest difference that this run would have found in four of five tries, in points",
      show: ({ detectable }) => (detectable === undefined ? "–" : (detectable * 100).toFixed(1)),
      sortBy: ({ detectable }) => detectable,
    },
    { title: "reading", show: verdict, sortBy: verdict },
  ];
  return sortableTable("Paired differences", { columns, rows: pairs });
}

function pairNames(arms: readonly string[]): TableColumn<PairComparison>[] {
  return (["first", "second"] as const).map((side) => ({
    title: side,
    show: (pair) => armLabel(pair[side], arms.indexOf(pair[side])),
    sortBy: (pair) => pair[side],
  }));
}

function efficiencyTable({ pairs, strategies }: AnalysisSection): HTMLElement {
  const measures = ([...Object.keys(measureNames)] as (keyof typeof measureNames)[]).filter((measure) =>
    pairs.some(({ efficiency }) => efficiency.some((each) => each.measure === measure)),
  );
  const columns: TableColumn<PairComparison>[] = [
    ...pairNames(strategies.map(({ arm }) => arm)),
    {
      title: "both solved",
      help: "tasks that both solved",
      show: ({ bothSolved }) => String(bothSolved),
      sortBy: ({ bothSolved }) => bothSolved,
    },
    ...measures.map((measure): TableColumn<PairComparison> => {
      const find = ({ efficiency }: PairComparison) => efficiency.find((each) => each.measure === measure);
      return {
        title: measureNames[measure],
        help: "first over second on the tasks that both solved: geometric mean, with its 95% interval",
        show: (pair) => {
          const found = find(pair);
          return found === undefined
            ? "–"
            : element("span", {}, ratio(found.value), " ", element("small", {}, `${ratio(found.low)}–${ratio(found.high)}`));
        },
        sortBy: (pair) => find(pair)?.value,
      };
    }),
    {
      title: "tokens in total",
      help: "first over second, over all cells of the shared tasks",
      show: ({ totals }) => ratio(totals.tokens),
      sortBy: ({ totals }) => totals.tokens,
    },
  ];
  const table = sortableTable("Efficiency", { columns, rows: pairs });
  return element(
    "div",
    {},
    element("p", { class: "sizes" }, "What the first takes of what the second takes, on the tasks that both solved and in total:"),
    table,
  );
}

function ledgerFigure(section: AnalysisSection): HTMLElement {
  const items = ledgerParts.map((name, index) => {
    const swatch = element("span", { class: "swatch", "aria-hidden": "true" });
    swatch.style.background = partColour(index);
    return element("span", { class: "arm" }, swatch, name);
  });
  const { figure } = chartFigure("Tokens of all requests by what they were for, mean over all cells, solved or not.", (width) =>
    ledgerChart(section, width),
  );
  const table = sortableTable("Tokens by cause", {
    columns: [
      strategyColumn(section.strategies),
      ...ledgerParts.map((name) => ({
        title: name,
        show: ({ ledger, ledgerSum }: (typeof section.strategies)[0]) =>
          ledgerSum === 0 ? "–" : percent(Math.round((1000 * ledger[name]) / ledgerSum) / 1000),
        sortBy: ({ ledger, ledgerSum }: (typeof section.strategies)[0]) => (ledgerSum === 0 ? undefined : ledger[name] / ledgerSum),
      })),
    ],
    rows: section.strategies,
  });
  return element(
    "div",
    {},
    element("div", { class: "legend" }, ...items),
    figure,
    element("details", {}, element("summary", {}, "as a table"), table),
  );
}

function curveFigure(curve: KnobCurve, section: AnalysisSection): HTMLElement {
  let measure: CurveMeasure = "tokens";
  const hasCost = curve.lines.some(({ points: own }) => own.some((point) => point?.cost !== undefined));
  const options = (Object.entries(curveMeasures) as [CurveMeasure, string][]).filter(([name]) => name !== "cost" || hasCost);
  const sentences = curve.crossings.map(
    ({ cheaper, dearer, from }) => `From ${knobName(curve.knob)} ${from} on, ${cheaper} takes fewer tokens than ${dearer}.`,
  );
  const chart = chartFigure(
    sentences.join(" ") || `As ${knobName(curve.knob)} turns and the other knobs stay; other tasks for each value, mean over all cells.`,
    (width) => curveChart(curve, { measure, width }),
  );
  const select = choice(`${knobName(curve.knob)} against`, {
    options,
    onChange: (value) => {
      measure = value as CurveMeasure;
      chart.redraw();
    },
  });
  return element("div", {}, element("div", { class: "controls" }, select, armLegend(section)), chart.figure);
}

function outcomeTable({ strategies, title }: AnalysisSection): HTMLElement {
  const outcomes = [
    ...new Set(strategies.flatMap((strategy) => Object.keys(strategy.outcomes))),
  ].sort() as (keyof (typeof strategies)[0]["outcomes"])[];
  return sortableTable(`Outcomes, ${title}`, {
    columns: [
      strategyColumn(strategies),
      ...outcomes.map((outcome) => ({
        title: outcome,
        show: (strategy: (typeof strategies)[0]) => String(strategy.outcomes[outcome] ?? 0),
        sortBy: (strategy: (typeof strategies)[0]) => strategy.outcomes[outcome] ?? 0,
      })),
    ],
    rows: strategies,
  });
}
