import type { CellOutcome, RunManifest, TokenLedger } from "../record.js";
import type { Estimate } from "../statistics/wilson-interval.js";

/** Everything a report shows, as plain JSON. Made by `analyse`. */
export interface Analysis {
  readonly version: 1;
  readonly claims: RunClaims;
  /** Anything about the records that a reader should know before any number. */
  readonly notes: readonly string[];
  /** One for each suite, model, fault and named part of a suite. Numbers of different sections are never added up. */
  readonly sections: readonly AnalysisSection[];
  /** What became of the cells that faults have hit, one for each suite, model and part that ran with faults and without. */
  readonly recovery: readonly RecoveryTable[];
  readonly manifests: readonly RunManifest[];
}

/** What the numbers of a run may be used for. */
export interface RunClaims {
  readonly kind: "reference-policy" | "real-models" | "mixed";
  readonly may: string;
  readonly mayNot: string;
}

/** The strategies on one suite with one model. */
export interface AnalysisSection {
  /** Unique in the analysis, and the same for the same parts of another run. */
  readonly id: string;
  readonly title: string;
  readonly suite: string;
  readonly suiteVersion: string;
  readonly model: string;
  readonly isReference: boolean;
  readonly fault?: string;
  /** Which of the suite's tasks these are, where a suite is reported in parts. */
  readonly part?: string;
  readonly cells: number;
  readonly tasks: number;
  /** Most trials that a task had. */
  readonly trials: number;
  readonly notes: readonly string[];
  readonly strategies: readonly StrategySummary[];
  readonly pairs: readonly PairComparison[];
  readonly grid: readonly TaskRow[];
  /** Ids of the tasks on which the strategies differ, the widest apart first. */
  readonly disagreements: readonly string[];
  readonly curves: readonly KnobCurve[];
}

/** One strategy in one section. Costs and tokens are those of all its cells, solved or not. */
export interface StrategySummary {
  readonly arm: string;
  /** Cells that count: all but those that a provider failed. */
  readonly cells: number;
  readonly providerErrors: number;
  readonly solvedCells: number;
  /** Share of the cells that were solved, with Wilson's interval. Absent when no cell counts. */
  readonly solved?: Estimate;
  /** pass^k for k = 1, 2, … up to the fewest trials of a task. */
  readonly passHat: readonly number[];
  readonly sideEffects: number;
  readonly outcomes: Readonly<Partial<Record<CellOutcome, number>>>;
  readonly modelCalls: number;
  readonly toolCalls: number;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  /** Absent unless every cell has a price. */
  readonly cost?: number;
  readonly costPerSolved?: number;
  readonly tokensPerSolved?: number;
  /** Wall clock that is neither model, tool nor sandbox, for each model call. */
  readonly overheadMsPerTurn?: number;
  readonly wallMsMedian: number;
  readonly wallMs95: number;
  readonly retries: number;
  /** Cells whose model replies all came from the cache. */
  readonly cachedCells: number;
  readonly ledger: TokenLedger;
  readonly ledgerSum: number;
  /** Tokens that the model's provider counted, for each token of our own count. 1 for the reference policy. */
  readonly tokenRatio?: number;
}

/** How the strategies of one section took the faults. */
export interface RecoveryTable {
  /** That of the section without faults. */
  readonly title: string;
  /** Ids of the sections of the faults. */
  readonly sections: readonly string[];
  readonly rows: readonly RecoveryRow[];
  /** Faults that happened in no cell. */
  readonly idle: readonly string[];
}

/** One strategy's cells that one kind of fault has hit, next to the same cells without it. */
export interface RecoveryRow {
  readonly fault: string;
  readonly arm: string;
  /** Cells in which the fault happened. A strategy that it cannot happen to has no row. */
  readonly cells: number;
  /** How often it happened in them. */
  readonly faults: number;
  /** How many of these cells were solved with the fault, and how many of the same without it. */
  readonly solvedWith: number;
  readonly solvedWithout: number;
  /** Solved with the fault over solved without. Absent where none was solved without. */
  readonly kept?: number;
  /** What each fault took more, in the cells solved with and without it. Absent where there is none. */
  readonly extraModelCalls?: number;
  readonly extraTokens?: number;
  /** Changes that were made once more. Absent where the suite does not tell which tools change something. */
  readonly repeatedWrites?: number;
  /** Cells that ended as if all were well, with an answer that is wrong, and that are solved without the fault: the caller never learns of it. */
  readonly unseen: number;
}

/** Two strategies on the tasks that both tried. Differences are first minus second, ratios first over second. */
export interface PairComparison {
  readonly first: string;
  readonly second: string;
  readonly tasks: number;
  readonly onlyFirst: number;
  readonly onlySecond: number;
  /** Difference between the shares solved. The interval is absent when the tasks give no ground for one. */
  readonly difference: { readonly value: number; readonly low?: number; readonly high?: number };
  /** How interval and p-value were computed. */
  readonly method: "one-trial" | "clustered" | "one-trial-clustered";
  readonly clusters: number;
  readonly p: number;
  /** After Holm's adjustment over the pairs of the section. */
  readonly adjustedP: number;
  readonly verdict: "first" | "second" | "none-shown";
  /** The smallest difference that this comparison would have found in four of five runs. Absent when none would have been found. */
  readonly detectable?: number;
  /** On tasks that both solved. */
  readonly efficiency: readonly EfficiencyRatio[];
  readonly bothSolved: number;
  /** First over second, summed over all cells of the shared tasks. */
  readonly totals: { readonly modelCalls?: number; readonly tokens?: number; readonly cost?: number };
}

/** A quantity that {@link PairComparison} compares. */
export type EfficiencyMeasure = "modelCalls" | "tokens" | "outputTokens" | "cost" | "wallMs";

/** How many times as much the first takes as the second: the geometric mean over tasks, with a bootstrap interval. */
export interface EfficiencyRatio extends Estimate {
  readonly measure: EfficiencyMeasure;
  readonly tasks: number;
  /** Two-sided, against a ratio of 1. */
  readonly p: number;
}

/** One task's attempts. */
export interface TaskRow {
  readonly task: string;
  readonly flags: readonly string[];
  /** By position of the strategy in the section. */
  readonly attempts: readonly (readonly Attempt[])[];
}

/** One cell, for the grid and for finding its trace. */
export interface Attempt {
  readonly cell: string;
  readonly trial: number;
  readonly outcome: CellOutcome;
  readonly reason?: string;
  readonly answer: string;
  readonly modelCalls: number;
  readonly toolCalls: number;
  readonly tokens: number;
  readonly cost?: number;
  readonly wallMs: number;
  readonly sideEffects: number;
}

/** What each strategy takes as one knob turns and the others stay. */
export interface KnobCurve {
  readonly knob: string;
  /** Rising where they are numbers. */
  readonly values: readonly (number | string)[];
  readonly lines: readonly KnobLine[];
  readonly crossings: readonly Crossing[];
}

/** One strategy's points, in the order of the curve's values; `undefined` where it has no cell. */
export interface KnobLine {
  readonly arm: string;
  readonly points: readonly (KnobPoint | null)[];
}

/** Means over the cells at one value of a knob, solved or not. */
export interface KnobPoint {
  readonly cells: number;
  readonly solved: number;
  readonly modelCalls: number;
  readonly tokens: number;
  readonly cost?: number;
}

/** From `from` on, and for each later value, `cheaper` takes fewer tokens than `dearer`; before it, it took at least as many. */
export interface Crossing {
  readonly cheaper: string;
  readonly dearer: string;
  readonly from: number;
}
