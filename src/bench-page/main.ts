import type { PageData } from "../bench/report/html-report.js";
import { button, element } from "./element.js";
import { recoveryView } from "./recovery-view.js";
import { sectionView } from "./section-view.js";
import { TraceStore } from "./trace-store.js";
import { TraceView } from "./trace-view.js";

const { analysis, chunkOf, missingTraces } = JSON.parse(document.getElementById("report-data")?.textContent ?? "") as PageData;
const traceView = new TraceView(new TraceStore(chunkOf));
const place = element("div");
const views = [
  ...analysis.sections.map((section) => ({
    title: section.title,
    make: () => sectionView(section, (cell) => traceView.open(cell, section)),
  })),
  ...(analysis.recovery.length === 0 ? [] : [{ title: "Recovery from faults", make: () => recoveryView(analysis) }]),
];
const labels = shortTitles(views.map(({ title }) => title));
const buttons = views.map(({ title }, index) => button(labels[index] ?? title, () => (location.hash = `#${index + 1}`), { title }));

/** Shows the view that the address names by its number: it can be linked, and the way back leads back. */
function showAddressed(): void {
  const index = Math.max(0, (Number.parseInt(location.hash.slice(1), 10) || 1) - 1);
  const view = views[index] ?? views[0];
  if (view === undefined) return;
  for (const [at, each] of buttons.entries()) each.setAttribute("aria-pressed", String(views[at] === view));
  place.replaceChildren(view.make());
}

/** Titles without the words that all of them but the table of recovery begin with. */
function shortTitles(titles: readonly string[]): readonly string[] {
  const parts = titles.map((title) => title.split(" · "));
  const several = parts.filter(({ length }) => length > 1);
  const isShared = (at: number) => several.every((words) => words[at] === several[0]?.[at] && words.length > at);
  let shared = 0;
  while (several.length > 1 && isShared(shared)) shared += 1;
  return parts.map(
    (words, index) =>
      (words.length <= shared ? (titles[index] ?? "") : words.slice(words.length > 1 ? shared : 0).join(" · ")) || "no fault",
  );
}

const notes = [
  ...analysis.notes,
  ...(missingTraces === 0
    ? []
    : [
        `${missingTraces} traces are not in this page, because their files are missing or there was no more room. Tasks on which the strategies differ went first.`,
      ]),
];
document
  .getElementById("report")
  ?.replaceChildren(
    element("h1", {}, "Benchmark of strategies"),
    element(
      "aside",
      { class: "claims" },
      element("p", {}, analysis.claims.may),
      element("p", {}, element("b", {}, analysis.claims.mayNot)),
    ),
    ...notes.map((note) => element("p", { class: "note" }, note)),
    ...(buttons.length > 1 ? [element("nav", { "aria-label": "Suites and models" }, ...buttons)] : []),
    place,
    ...analysis.manifests.map((manifest) =>
      element(
        "details",
        { class: "manifest" },
        element("summary", {}, `What was run: triact ${manifest.triact}, seed ${manifest.seed}, ${manifest.models.join(", ")}`),
        element("pre", { tabindex: "0" }, JSON.stringify(manifest, null, 2)),
      ),
    ),
  );
addEventListener("hashchange", showAddressed);
showAddressed();
