import type { RunLimits } from "../../base/settings.js";
import type { CellRecord, RunManifest } from "../record.js";
import type { Granularity, PolicyProtocol } from "../reference/policy-protocol.js";
import type { Suite } from "../suite.js";
import type { TokenCounter } from "../token-counter.js";
import type { BenchmarkArm, BenchmarkModel } from "./benchmark-cell.js";

/** What `runBenchmark` takes. */
export interface BenchmarkOptions {
  /** Where the tasks come from. */
  readonly suites: readonly Suite[];
  /** The strategies to compare. */
  readonly arms: readonly BenchmarkArm[];
  /** @default the reference policy */
  readonly models?: readonly BenchmarkModel[];
  /** Attempts at each task by each strategy and model. @default 1 */
  readonly trials?: number;
  /** Chooses tasks, order, deltas and faults. @default 1 */
  readonly seed?: number;
  /** Cells that run at once. @default 4 */
  readonly concurrency?: number;
  /** Folder for the records and traces. It is made; it must not hold other records, unless `resume` is set. */
  readonly output: string;
  /** Goes on with the records that `output` holds; cells that are there are not run again. @default false */
  readonly resume?: boolean;
  /** No cell is begun when this run has cost so much, in the currency of the prices. @default none */
  readonly maxCost?: number;
  /** No cell is begun after so many milliseconds. @default none */
  readonly maxTimeMs?: number;
  /** Faults, as `parseFault` reads them. Each cell runs once without and once with each. Those of the model need the reference policy. @default none */
  readonly faults?: readonly string[];
  /** How much the reference policy does in one action. @default "whole" */
  readonly granularity?: Granularity;
  /** Further protocols of the reference policy, for strategies of your own. @default none */
  readonly protocols?: readonly PolicyProtocol[];
  /** Folder of replies of models, which makes equal requests free. Not used for the reference policy. @default none */
  readonly cache?: string;
  /** Most model calls of a cell. @default 50 */
  readonly maxIterations?: number;
  /** Limits of a cell. @default two minutes */
  readonly limits?: RunLimits;
  /** The first so many tasks of each suite. @default all */
  readonly maxTasks?: number;
  /** Waiting time before the first retry of a provider that has trouble, in milliseconds. @default 1_000 */
  readonly retryDelayMs?: number;
  /** @default a new one */
  readonly counter?: TokenCounter;
  /** Called once, before the first cell of a run with models, where the tasks have reference programs. */
  readonly onEstimate?: (estimate: RunEstimate) => void;
  /** Called before the first cell, and after each. */
  readonly onProgress?: (progress: BenchmarkProgress) => void;
  /** Ends the run. Cells under way are not recorded. */
  readonly signal?: AbortSignal;
}

/** What a run with models may take, guessed from what the reference policy takes on a few tasks of each suite. */
export interface RunEstimate {
  readonly modelCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Where prices are known of every model. */
  readonly cost?: number;
  /** Tasks of each suite that were tried for it, at most. */
  readonly sampledTasks: number;
}

/** How far a benchmark is. */
export interface BenchmarkProgress {
  /** Cells that have a record, those of earlier processes included. */
  readonly done: number;
  readonly total: number;
  /** What this process has spent, where prices are known. Replies from the cache cost nothing. */
  readonly cost: number;
  readonly elapsedMs: number;
  /** An estimate, from the cells of this process. Undefined before the first. */
  readonly leftMs: number | undefined;
  /** The cell that was finished. */
  readonly record?: CellRecord;
}

/** What `runBenchmark` gives. The records are in the file. */
export interface BenchmarkResult {
  readonly manifest: RunManifest;
  /** Path of the records file. */
  readonly records: string;
  /** Cells that have a record. */
  readonly done: number;
  readonly total: number;
  /** Why cells are missing. Undefined when none are. */
  readonly stoppedBy?: "max-cost" | "max-time" | "abort";
}
