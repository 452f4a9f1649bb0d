import type { AnalysisSection, Attempt, TaskRow } from "../bench/report/analysis.js";
import { armLabel } from "./arm-label.js";
import { button, element } from "./element.js";

/** Signs beside the colours, so that no outcome is told by colour alone. */
const signs: Readonly<Record<Attempt["outcome"], string>> = {
  solved: "✓",
  wrong: "✗",
  "gave-up": "∅",
  "step-limit": "↻",
  "token-limit": "≡",
  "parse-failure": "?",
  "sandbox-failure": "▣",
  "provider-error": "!",
  timeout: "…",
};

/** Opens the trace of a cell; the others of the grid are those to go on to. */
export type OpenTrace = (cell: string) => void;

/** Every task against every strategy; each sign is a button that opens the trace behind it. */
export function taskGrid(section: AnalysisSection, openTrace: OpenTrace): HTMLElement {
  const differing = new Set(section.disagreements);
  const rows = section.grid.map((row) => taskRow(row, { section, openTrace, differs: differing.has(row.task) }));
  const onlyDiffering = element("input", { type: "checkbox" });
  onlyDiffering.addEventListener("change", () => {
    for (const { line, differs } of rows) line.hidden = onlyDiffering.checked && !differs;
  });
  const heads = section.strategies.map(({ arm }, index) => element("th", { scope: "col" }, armLabel(arm, index)));
  const table = element(
    "table",
    { class: "grid" },
    element("caption", { class: "hidden" }, "Outcome of each task for each strategy"),
    element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "task"), ...heads)),
    element("tbody", {}, ...rows.map(({ line }) => line)),
  );
  return element(
    "div",
    {},
    element(
      "div",
      { class: "controls" },
      differing.size > 0 && element("label", {}, onlyDiffering, ` only the ${differing.size} tasks on which the strategies differ`),
      legend(section),
    ),
    element("div", { class: "scroll tall", tabindex: "0", role: "region", "aria-label": "Tasks and strategies" }, table),
  );
}

function taskRow(
  row: TaskRow,
  { section, openTrace, differs }: { section: AnalysisSection; openTrace: OpenTrace; differs: boolean },
): { line: HTMLElement; differs: boolean } {
  const flags = row.flags.map((flag) => element("span", { class: "flag" }, flag));
  const cells = row.attempts.map((attempts, index) =>
    element(
      "td",
      {},
      ...attempts.map((attempt) => attemptButton(attempt, { arm: section.strategies[index]?.arm ?? "", task: row.task, openTrace })),
    ),
  );
  return {
    line: element("tr", { class: differs ? "differs" : undefined }, element("th", { scope: "row" }, row.task, ...flags), ...cells),
    differs,
  };
}

function attemptButton(
  { outcome, trial, cell }: Attempt,
  { arm, task, openTrace }: { arm: string; task: string; openTrace: OpenTrace },
): HTMLElement {
  const label = `${task}, ${arm}, trial ${trial + 1}: ${outcome}`;
  return button(signs[outcome] ?? "•", () => openTrace(cell), {
    class: `attempt ${outcome === "solved" ? "good" : "bad"}`,
    title: label,
    "aria-label": label,
  });
}

function legend({ strategies }: AnalysisSection): HTMLElement {
  const present = new Set(strategies.flatMap(({ outcomes }) => Object.keys(outcomes)));
  const items = Object.entries(signs).filter(([outcome]) => present.has(outcome));
  return element(
    "span",
    { class: "legend" },
    ...items.map(([outcome, sign]) => element("span", {}, element("b", {}, sign), ` ${outcome}`)),
  );
}
