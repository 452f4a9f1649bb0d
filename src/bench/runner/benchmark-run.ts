import type { CellLimits, CellRecord } from "../record.js";
import type { TokenCounter } from "../token-counter.js";
import type { BenchmarkCell } from "./benchmark-cell.js";
import type { BenchmarkOptions, BenchmarkResult } from "./benchmark-options.js";
import { estimateRun } from "./estimate-run.js";
import type { RecordsFile } from "./records-file.js";
import { type CellSettings, runCell } from "./run-cell.js";

/** What a {@link BenchmarkRun} is made with. */
export interface BenchmarkRunOptions {
  /** What the caller asked for, checked. */
  readonly options: BenchmarkOptions;
  /** Shared by all cells. */
  readonly counter: TokenCounter;
  /** Where the records go. */
  readonly file: RecordsFile;
}

/** How a run ended. */
export type BenchmarkEnd = Pick<BenchmarkResult, "done" | "total" | "stoppedBy">;

const CELL_TIMEOUT_MS = 120_000;

/** How much each cell may take, with the defaults filled in. */
export function cellLimits({ maxIterations = 50, limits }: Pick<BenchmarkOptions, "maxIterations" | "limits">): CellLimits {
  return { maxIterations, timeoutMs: CELL_TIMEOUT_MS, ...limits };
}

/** The cells of one process: a few at once, each recorded as soon as it is finished, and none of them kept. */
export class BenchmarkRun {
  readonly #options: BenchmarkOptions;
  readonly #settings: CellSettings;
  readonly #file: RecordsFile;
  readonly #signal: AbortSignal;
  readonly #startedAt = performance.now();
  #done = 0;
  #total = 0;
  #finishedHere = 0;
  #cost = 0;

  constructor({ options, counter, file }: BenchmarkRunOptions) {
    this.#options = options;
    this.#file = file;
    const { maxIterations, ...limits } = cellLimits(options);
    this.#signal = options.signal ?? new AbortController().signal;
    this.#settings = {
      seed: options.seed ?? 1,
      granularity: options.granularity ?? "whole",
      protocols: options.protocols ?? [],
      counter,
      maxIterations,
      limits,
      cache: options.cache,
      retryDelayMs: options.retryDelayMs ?? 1_000,
    };
  }

  /** Runs the cells that are not there yet. The first problem that is no outcome of a cell ends the run, when the cells under way have ended. */
  async perform(cells: readonly BenchmarkCell[], stored: ReadonlySet<string>): Promise<BenchmarkEnd> {
    const open = cells.filter(({ id }) => !stored.has(id));
    this.#total = cells.length;
    this.#done = cells.length - open.length;
    this.#report(undefined);
    await this.#estimate(open);
    let next = 0;
    let failure: { readonly cause: unknown } | undefined;
    const work = async () => {
      while (failure === undefined && this.#stopReason() === undefined) {
        const cell = open[next++];
        if (cell === undefined) return;
        try {
          await this.#runOne(cell);
        } catch (cause) {
          failure ??= { cause };
        }
      }
    };
    await Promise.all(Array.from({ length: this.#options.concurrency ?? 4 }, work));
    if (failure !== undefined) throw failure.cause;
    const stoppedBy = this.#done < this.#total ? this.#stopReason() : undefined;
    return { done: this.#done, total: this.#total, ...(stoppedBy === undefined ? undefined : { stoppedBy }) };
  }

  async #estimate(cells: readonly BenchmarkCell[]): Promise<void> {
    const { models, onEstimate } = this.#options;
    if (models === undefined || onEstimate === undefined || cells.length === 0) return;
    const estimate = await estimateRun(cells, this.#settings, this.#signal);
    if (estimate !== undefined) onEstimate(estimate);
  }

  async #runOne(cell: BenchmarkCell): Promise<void> {
    const result = await runCell(cell, this.#settings, this.#signal);
    if (result === undefined) return;
    const { record, trace } = result;
    this.#file.writeTrace(record.trace, trace);
    this.#file.append(record);
    this.#done += 1;
    this.#finishedHere += 1;
    if (record.cached !== true) this.#cost += record.cost ?? 0;
    this.#report(record);
  }

  #stopReason(): BenchmarkResult["stoppedBy"] {
    const { maxCost = Number.POSITIVE_INFINITY, maxTimeMs = Number.POSITIVE_INFINITY } = this.#options;
    if (this.#signal.aborted) return "abort";
    if (this.#cost >= maxCost) return "max-cost";
    return this.#elapsedMs() >= maxTimeMs ? "max-time" : undefined;
  }

  #report(record: CellRecord | undefined): void {
    const elapsedMs = this.#elapsedMs();
    const left = this.#total - this.#done;
    const leftMs = this.#finishedHere === 0 ? undefined : (elapsedMs / this.#finishedHere) * left;
    const { onProgress } = this.#options;
    onProgress?.({
      done: this.#done,
      total: this.#total,
      cost: this.#cost,
      elapsedMs,
      leftMs,
      ...(record === undefined ? undefined : { record }),
    });
  }

  #elapsedMs(): number {
    return performance.now() - this.#startedAt;
  }
}
