import type { BenchmarkProgress } from "../../bench/runner/benchmark-options.js";
import type { Output } from "../terminal.js";

const ERASE_LINE = "\r\u001b[2K";
const REDRAW_MS = 100;
const BAR_CELLS = 20;

/** Shows on one line of a terminal how far a benchmark is. Writes nothing where no terminal is. */
export class ProgressLine {
  readonly #output: Output;
  #drawnAt = Number.NEGATIVE_INFINITY;

  constructor(output: Output) {
    this.#output = output;
  }

  /** Draws the line, ten times a second at most. */
  show(progress: BenchmarkProgress): void {
    if (!this.#output.isErasable) return;
    const now = performance.now();
    if (now - this.#drawnAt < REDRAW_MS && progress.done < progress.total) return;
    this.#drawnAt = now;
    this.#output.write(`${ERASE_LINE}${progressText(progress)}`);
  }

  /** Removes the line. */
  clear(): void {
    if (this.#output.isErasable && this.#drawnAt > 0) this.#output.write(ERASE_LINE);
  }
}

/** Cells done, the cost so far, the time left. */
export function progressText({ done, total, cost, leftMs }: BenchmarkProgress): string {
  const filled = total === 0 ? BAR_CELLS : Math.floor((done / total) * BAR_CELLS);
  const bar = `${"█".repeat(filled)}${"░".repeat(BAR_CELLS - filled)}`;
  const spent = cost > 0 ? `, cost ${cost.toFixed(4)}` : "";
  const left = leftMs === undefined || done === total ? "" : `, ${durationText(leftMs)} left`;
  return `${bar} ${done}/${total} cells${spent}${left}`;
}

/** A duration for people: `42 s`, `3 min`, `1 h 20 min`. */
export function durationText(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  if (seconds < 100) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
