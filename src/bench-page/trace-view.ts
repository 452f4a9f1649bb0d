import type { CellTrace, TraceStep } from "../bench/record.js";
import type { AnalysisSection, Attempt } from "../bench/report/analysis.js";
import { count, dollars, duration } from "../bench/report/format-numbers.js";
import { button, type Content, element } from "./element.js";
import type { TraceStore } from "./trace-store.js";

type Call = Extract<TraceStep, { kind: "call" }>;

/** A window over the page with the trace of one cell, and with buttons and arrow keys to the others of its section. */
export class TraceView {
  readonly #dialog = element("dialog", { class: "trace", "aria-label": "Trace" });
  readonly #traces: TraceStore;
  #cells: readonly Attempt[] = [];
  #at = 0;

  constructor(traces: TraceStore) {
    this.#traces = traces;
    this.#dialog.addEventListener("keydown", ({ key, target }) => {
      if (target instanceof HTMLElement && target.closest("pre, summary") !== null) return;
      if (key === "ArrowLeft") this.#move(-1);
      if (key === "ArrowRight") this.#move(1);
    });
    this.#dialog.addEventListener("click", (event) => {
      if (event.target === this.#dialog) this.#dialog.close(); // the shade around the window
    });
    document.body.append(this.#dialog);
  }

  /** Shows a cell of a section. */
  open(cell: string, section: AnalysisSection): void {
    this.#cells = section.grid.flatMap(({ attempts }) => attempts.flat());
    this.#at = this.#cells.findIndex((attempt) => attempt.cell === cell);
    if (!this.#dialog.open) this.#dialog.showModal();
    void this.#show();
  }

  #move(by: number): void {
    const next = this.#at + by;
    if (next < 0 || next >= this.#cells.length) return;
    this.#at = next;
    void this.#show();
  }

  async #show(): Promise<void> {
    const attempt = this.#cells[this.#at];
    if (attempt === undefined) return;
    const trace = await this.#traces.find(attempt.cell).catch(() => undefined); // one that cannot be unpacked is told as missing
    if (this.#cells[this.#at] !== attempt) return; // another one was asked for while this one was unpacked
    this.#dialog.replaceChildren(
      this.#bar(attempt),
      element("div", { class: "trace-body" }, ...headOf(attempt, trace), ...(trace === undefined ? [] : stepsOf(trace))),
    );
    this.#dialog.scrollTop = 0;
  }

  #bar({ cell }: Attempt): HTMLElement {
    return element(
      "header",
      { class: "trace-bar" },
      element("h2", {}, cell),
      element(
        "span",
        { class: "buttons" },
        button("←", () => this.#move(-1), { "aria-label": "previous cell" }),
        button("→", () => this.#move(1), { "aria-label": "next cell" }),
        button("close", () => this.#dialog.close()),
      ),
    );
  }
}

function headOf(attempt: Attempt, trace: CellTrace | undefined): Content[] {
  const { outcome, reason, answer, modelCalls, toolCalls, tokens, cost, wallMs, sideEffects } = attempt;
  const facts = [
    `${modelCalls} model calls`,
    `${toolCalls} tool calls`,
    `${count(tokens)} tokens`,
    ...(cost === undefined ? [] : [dollars(cost)]),
    duration(wallMs),
    ...(sideEffects > 0 ? [`${sideEffects} unwanted changes`] : []),
  ];
  return [
    element("p", { class: "facts" }, element("b", { class: outcome === "solved" ? "good" : "bad" }, outcome), ` · ${facts.join(" · ")}`),
    reason !== undefined && element("p", {}, reason),
    trace === undefined
      ? element(
          "p",
          { class: "note" },
          "The trace of this cell is not in this page. It is a file beside the records, where the run kept it.",
        )
      : step("question", "", textBlock(trace.question)),
    trace === undefined && step("answer", "", textBlock(answer)),
  ];
}

/** The steps in order, each call made by code inside of the call that ran the code. */
function stepsOf({ question, steps: all }: CellTrace): HTMLElement[] {
  const asked = all.findIndex((each) => each.kind === "message" && each.role === "user" && each.text === question);
  const steps = all.filter((_, index) => index !== asked); // it stands at the top already
  const calls = steps.filter((each) => each.kind === "call");
  const ids = new Set(calls.map(({ toolCallId }) => toolCallId));
  const isNested = ({ toolCallId, parentToolCallId }: Call) =>
    parentToolCallId !== undefined && parentToolCallId !== toolCallId && ids.has(parentToolCallId);
  const children = Map.groupBy(calls.filter(isNested), ({ parentToolCallId }) => parentToolCallId);
  return steps.filter((each) => each.kind !== "call" || !isNested(each)).map((each) => stepView(each, children));
}

type Children = ReadonlyMap<string | undefined, readonly Call[]>;

function stepView(each: TraceStep, children: Children): HTMLElement {
  const at = `+${duration(each.atMs)}`;
  switch (each.kind) {
    case "request":
      return step(
        `model call${each.purpose === undefined ? "" : ` (${each.purpose})`}`,
        `${at} · ${count(each.inputTokens)} in · ${count(each.outputTokens)} out`,
      );
    case "message":
      return step(each.role, at, each.text !== "" && textBlock(each.text), each.code !== undefined && textBlock(each.code, "code"));
    case "call":
      return callView(each, children);
    case "end":
      return step(`end: ${each.endedBy}`, at, textBlock(each.answer));
  }
}

function callView(call: Call, children: Children, outer: ReadonlySet<string> = new Set()): HTMLElement {
  const inner = outer.has(call.toolCallId) ? [] : (children.get(call.toolCallId) ?? []);
  const calls = inner.map((child) => callView(child, children, new Set([...outer, call.toolCallId])));
  const code =
    typeof call.input === "object" && call.input !== null && "code" in call.input && typeof call.input.code === "string"
      ? call.input.code
      : undefined;
  const title = element(
    "summary",
    {},
    element("b", { class: call.isError ? "bad" : undefined }, call.toolName),
    call.isError && " failed",
    element(
      "span",
      { class: "when" },
      `+${duration(call.atMs)} · ${duration(call.durationMs)}${calls.length === 0 ? "" : ` · ${calls.length} calls inside`}`,
    ),
  );
  return element(
    "details",
    { class: "step call", open: call.parentToolCallId === undefined },
    title,
    code === undefined ? textBlock(toText(call.input)) : textBlock(code, "code"),
    ...calls,
    element("div", { class: "label" }, call.isError ? "error" : "result"),
    textBlock(toText(call.output)),
  );
}

function step(title: string, when: string, ...content: readonly Content[]): HTMLElement {
  return element("section", { class: "step" }, element("h3", {}, title, element("span", { class: "when" }, when)), ...content);
}

function textBlock(text: string, kind?: "code"): HTMLElement {
  return element("pre", { class: kind, tabindex: "0" }, text);
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
}
