/** Shows a plan as a checklist, and under each step the calls of whoever does it. On a terminal it is drawn anew; into a pipe a step is written when it ends. */
import { stdout } from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { styleText } from "node:util";
import { type AgentEvent, type PlanStepState, textOf } from "triact";

const width = Math.min(stdout.columns || 80, 100);
const boxes = { pending: styleText("dim", "☐"), done: styleText("green", "☑"), failed: styleText("red", "☒") } as const;

/** One plan, as it goes on. */
export class Checklist {
  #steps: readonly PlanStepState[] = [];
  /** Calls by the position of their step; under -1 those of the run itself. */
  readonly #calls = new Map<number, string[]>();
  /** Runs within the run, by id, and which step they do. */
  readonly #stepOf = new Map<string, number>();
  /** What is being called, by run and call. */
  readonly #open = new Map<string, string>();
  #drawnLines = 0;

  /** One event of the run. Bound, so that it can be given to `agent.subscribe`. */
  readonly show = (event: AgentEvent): void => {
    if (event.type === "plan-updated") this.#update(event.steps);
    else if (event.type === "status-notice") write([styleText("dim", event.message)]);
    else this.#look(event.type === "nested-event" ? event.event : event);
  };

  /** On a terminal, lets people follow. For the `onEvent` hook, which a run waits for. */
  readonly pace = async (event: AgentEvent): Promise<void> => {
    if (stdout.isTTY && event.type === "nested-event" && event.event.type === "tool-finished") await pause(80);
  };

  #look(event: AgentEvent): void {
    const { runId } = event;
    if (event.type === "message-added" && event.message.role === "user") {
      const step = this.#steps.findIndex(({ goal }) => textOf(event.message).includes(`Your step: ${goal}\n`));
      if (step >= 0) this.#stepOf.set(runId, step);
    } else if (event.type === "tool-started") {
      const { toolCallId, toolName, input } = event.toolCall;
      this.#open.set(`${runId} ${toolCallId}`, `${toolName}  ${Object.values(input).join(", ")}`);
    } else if (event.type === "tool-finished") {
      const mark = event.errorType === undefined ? styleText("green", "✓") : styleText("red", "✗");
      const text = this.#open.get(`${runId} ${event.toolCallId}`) ?? event.toolName;
      const step = this.#stepOf.get(runId) ?? -1;
      this.#calls.set(step, [...(this.#calls.get(step) ?? []), `     ${mark} ${text.slice(0, width - 7)}`]);
      if (stdout.isTTY) this.#draw();
    }
  }

  #update(steps: readonly PlanStepState[]): void {
    const before = this.#steps;
    this.#steps = steps;
    if (stdout.isTTY) this.#draw();
    else this.#writeChanges(before);
  }

  #writeChanges(before: readonly PlanStepState[]): void {
    const steps = this.#steps;
    const isNew = steps.length !== before.length || steps.some(({ goal }, index) => goal !== before[index]?.goal);
    const changed = steps.flatMap(({ status }, index) => (isNew || status !== before[index]?.status ? this.#linesOf(index) : []));
    write(changed);
  }

  #draw(): void {
    if (this.#drawnLines > 0) stdout.write(`\u001b[${this.#drawnLines}A\u001b[J`);
    const lines = [...this.#steps.flatMap((_, index) => this.#linesOf(index)), ...(this.#calls.get(-1) ?? [])];
    write(lines);
    this.#drawnLines = lines.length;
  }

  #linesOf(index: number): string[] {
    const { goal = "", status = "pending" } = this.#steps[index] ?? {};
    return [`${boxes[status]} ${index + 1}. ${goal.slice(0, width - 6)}`, ...(this.#calls.get(index) ?? [])];
  }
}

function write(lines: readonly string[]): void {
  stdout.write(lines.map((line) => `${line}\n`).join(""));
}
