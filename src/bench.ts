/** For benchmarks of strategies: suites of tasks, reports, and the statistics to compare with. */
export { bareAnswer, numberOf, sameNumber, sameNumbers, sameText } from "./bench/answers.js";
export { checkSuite, type SuiteCheck } from "./bench/check-suite.js";
export {
  type Fault,
  type FaultKind,
  type ModelFaultKind,
  modelFaultKinds,
  type ProviderFaultKind,
  parseFault,
  providerFaultKinds,
  type ToolFaultKind,
  toolFaultKinds,
} from "./bench/faults/fault-kinds.js";
export { type JudgeOptions, judge } from "./bench/judge.js";
export { Random } from "./bench/random.js";
export type { CellOutcome, CellRecord, CellTrace, RunManifest, TokenLedger, TraceStep } from "./bench/record.js";
export { planFromProgram } from "./bench/reference/plan-protocol.js";
export type {
  Granularity,
  Intent,
  NativeCall,
  PolicyProtocol,
  PolicyTurn,
  SolvedTask,
} from "./bench/reference/policy-protocol.js";
export { type PolicyConduct, ReferencePolicy, type ReferencePolicyOptions } from "./bench/reference-policy.js";
export { analyse } from "./bench/report/analyse.js";
export type {
  Analysis,
  AnalysisSection,
  Attempt,
  Crossing,
  EfficiencyMeasure,
  EfficiencyRatio,
  KnobCurve,
  KnobLine,
  KnobPoint,
  PairComparison,
  RunClaims,
  StrategySummary,
  TaskRow,
} from "./bench/report/analysis.js";
export {
  type CompareRunsOptions,
  compareRuns,
  type Finding,
  type RunComparison,
  type StrategyComparison,
} from "./bench/report/compare-runs.js";
export { type HtmlReportOptions, htmlReport, loadReportPage, type ReportPage } from "./bench/report/html-report.js";
export { junitReport } from "./bench/report/junit-report.js";
export { markdownReport } from "./bench/report/markdown-report.js";
export { type RecordedCell, type RecordedRun, readRun, readTrace } from "./bench/report/read-run.js";
export { type Block, type Column, reportBlocks } from "./bench/report/report-blocks.js";
export { type TextReportOptions, textReport } from "./bench/report/text-report.js";
export { runBenchmark } from "./bench/run-benchmark.js";
export { type ProgramCall, type ProgramResult, ProgramToolError, runProgram } from "./bench/run-program.js";
export { type BenchmarkArm, type BenchmarkModel, REFERENCE_POLICY } from "./bench/runner/benchmark-cell.js";
export type { BenchmarkOptions, BenchmarkProgress, BenchmarkResult, RunEstimate } from "./bench/runner/benchmark-options.js";
export { readRecords } from "./bench/runner/records-file.js";
export { type TokenCause, tokenCauses } from "./bench/runner/token-ledger.js";
export { geometricMeanOfRatios, type MeasuredPair } from "./bench/statistics/geometric-mean.js";
export { holm } from "./bench/statistics/holm.js";
export { type McNemarOptions, type McNemarResult, mcNemar } from "./bench/statistics/mc-nemar.js";
export {
  type DetectionOptions,
  type MeanDetectionOptions,
  minimumDetectableDifference,
  minimumDetectableMean,
  type PairedDetectionOptions,
  type TasksNeededOptions,
  tasksNeeded,
} from "./bench/statistics/minimum-detectable-difference.js";
export { normalQuantile } from "./bench/statistics/normal-quantile.js";
export {
  type BootstrapResult,
  type ClusteredPair,
  type PairedBootstrapOptions,
  pairedBootstrap,
} from "./bench/statistics/paired-bootstrap.js";
export { type PairedCountsOptions, pairedScoreInterval } from "./bench/statistics/paired-score-interval.js";
export { type PassHatKOptions, passHatK } from "./bench/statistics/pass-hat-k.js";
export { quantile } from "./bench/statistics/quantile.js";
export { type Estimate, type WilsonIntervalOptions, wilsonInterval } from "./bench/statistics/wilson-interval.js";
export {
  defineSuite,
  type Suite,
  type SuiteOptions,
  type SuiteTasksOptions,
  type Task,
  type TaskKnobs,
  type Trial,
  type TrialOptions,
  type Verdict,
} from "./bench/suite.js";
export { type CrossoverOptions, crossover, crossoverCurve } from "./bench/suites/crossover/crossover.js";
export {
  type CrossoverKnob,
  type CrossoverKnobs,
  type CrossoverSweeps,
  crossoverBase,
  crossoverSweeps,
} from "./bench/suites/crossover/crossover-knobs.js";
export { library } from "./bench/suites/library/library.js";
export { isUsableM3Task, type M3ToolEvalOptions, m3tooleval } from "./bench/suites/m3tooleval/m3tooleval.js";
export { type MixedOptions, mixed } from "./bench/suites/mixed.js";
export { workday } from "./bench/suites/workday/workday.js";
export { type CountedParts, TokenCounter, TokenizerMissingError } from "./bench/token-counter.js";
