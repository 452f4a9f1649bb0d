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
  ...(analysis.recovery.length === 0 ? [] : [{ title: "Recovery from faults", make: () => recoveryView(analysis.recovery) }]),
];
const buttons = views.map(({ title }, index) => button(title, () => show(index)));

function show(index: number): void {
  const view = views[index];
  if (view === undefined) return;
  for (const [at, each] of buttons.entries()) each.setAttribute("aria-pressed", String(at === index));
  place.replaceChildren(view.make());
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
show(0);
