import { hash } from "node:crypto";
import { createAgent } from "../../agent/agent.js";
import type { AgentRunResult } from "../../base/agent-runtime.js";
import { messageOf, toError } from "../../base/errors.js";
import type { Logger } from "../../base/hooks.js";
import type { AgentModel } from "../../base/model.js";
import type { RunLimits } from "../../base/settings.js";
import type { AgentTool } from "../../base/tool.js";
import { NO_USAGE } from "../../base/usage.js";
import { isModelFault, isProviderFault, isToolFault } from "../faults/fault-kinds.js";
import { faultyProvider } from "../faults/provider-faults.js";
import { faultyTools } from "../faults/tool-faults.js";
import type { CellRecord, CellTrace } from "../record.js";
import type { Granularity, PolicyProtocol } from "../reference/policy-protocol.js";
import { ReferencePolicy } from "../reference-policy.js";
import type { Trial, Verdict } from "../suite.js";
import type { TokenCounter } from "../token-counter.js";
import { type BenchmarkCell, REFERENCE_POLICY } from "./benchmark-cell.js";
import { cellOutcome } from "./cell-outcome.js";
import { CellTracer } from "./cell-tracer.js";
import { type MeteredCall, meteredModel } from "./metered-model.js";
import { TRACES_FOLDER } from "./records-file.js";
import { cachingModel } from "./response-cache.js";
import { LedgerBook } from "./token-ledger.js";

/** What is the same for every cell of a run. */
export interface CellSettings {
  readonly seed: number;
  readonly granularity: Granularity;
  readonly protocols: readonly PolicyProtocol[];
  readonly counter: TokenCounter;
  readonly maxIterations: number;
  readonly limits: RunLimits;
  /** Folder of replies of models. Undefined: none are kept. */
  readonly cache: string | undefined;
  /** Waiting time before the first retry of a provider that has trouble, in milliseconds. */
  readonly retryDelayMs: number;
}

/** What came of a cell. */
export interface CellResult {
  readonly record: CellRecord;
  readonly trace: CellTrace;
}

/** What a cell's model was asked, and how. */
interface CellMeter {
  readonly book: LedgerBook;
  readonly tracer: CellTracer;
  modelCalls: number;
  modelMs: number;
  retries: number;
  cachedReplies: number;
  faultsMade: number;
}

/**
 * Runs one cell with fresh tools and state.
 * @returns Undefined when the run was aborted: nothing is known of the strategy then.
 * @throws AgentConfigError for a task, a runtime or a setting that cannot be used.
 */
export async function runCell(cell: BenchmarkCell, settings: CellSettings, signal: AbortSignal): Promise<CellResult | undefined> {
  const { task, arm, trial: number } = cell;
  const trial = await task.start({ seed: settings.seed * 1_000 + number });
  try {
    const startedAt = performance.now();
    const tracer = new CellTracer({ startedAt, ownTools: new Set(arm.runtime.ownTools ?? []), writes: new Set(trial.writes ?? []) });
    const meter = newMeter(settings.counter, tracer);
    let ids = 0;
    const agent = createAgent({
      model: modelOf(cell, settings, meter),
      runtime: arm.runtime,
      tools: toolsOf(cell, settings, { tools: trial.tools, meter }),
      ...(trial.policies === undefined ? undefined : { toolPolicies: trial.policies }),
      maxIterations: settings.maxIterations,
      limits: settings.limits,
      ...(cell.model?.pricing === undefined ? undefined : { pricing: cell.model.pricing }),
      logger: SILENT,
      generateId: (prefix) => `${prefix}_${++ids}`,
    });
    agent.subscribe(tracer.take, { types: CellTracer.types });
    const result = await agent.run(task.question, { signal });
    if (signal.aborted) return undefined;
    const wallMs = performance.now() - startedAt;
    const verdict = await judged(() => trial.check(result.outputText));
    tracer.steps.push({ kind: "end", atMs: tracer.now(), endedBy: result.endedBy, answer: result.outputText });
    const record = recordOf(cell, { result, verdict, meter, wallMs, tellsWrites: trial.writes !== undefined });
    return { record, trace: { cell: cell.id, question: task.question, steps: tracer.steps } };
  } finally {
    await disposed(trial);
  }
}

/** What went wrong after the verdict takes nothing from it. */
async function disposed(trial: Trial): Promise<void> {
  try {
    await trial.dispose?.();
  } catch (error) {
    process.emitWarning(`A trial could not be disposed of: ${messageOf(error)}`, "BenchmarkWarning");
  }
}

function newMeter(counter: TokenCounter, tracer: CellTracer): CellMeter {
  const book = new LedgerBook(counter);
  return { book, tracer, modelCalls: 0, modelMs: 0, retries: 0, cachedReplies: 0, faultsMade: 0 };
}

const SILENT: Logger = { error: () => undefined, warn: () => undefined };

/** A check that throws is a fault of the suite, and must not end a run of hours. */
async function judged(check: () => Verdict | Promise<Verdict>): Promise<Verdict> {
  try {
    const verdict = await check();
    if (typeof verdict?.solved === "boolean") return verdict;
    return { solved: false, reason: "The check of the task gave no verdict: { solved: true } or { solved: false } was expected." };
  } catch (error) {
    return { solved: false, reason: `The check of the task failed: ${messageOf(error)}` };
  }
}

/** The model, and around it from the inside: trouble of the provider, the cache, retries, the meter. */
function modelOf(cell: BenchmarkCell, settings: CellSettings, meter: CellMeter): AgentModel {
  const { fault, trial, task } = cell;
  const { seed, cache, retryDelayMs } = settings;
  const onFault = () => countFault(meter);
  let model = cell.model?.model ?? policyOf(cell, settings, onFault);
  if (fault !== undefined && isProviderFault(fault.kind)) {
    model = faultyProvider(model, { fault, seed, place: `${task.id}/${trial}`, onFault });
  }
  if (cache !== undefined && cell.model !== undefined && fault === undefined) {
    const onReply = (cached: boolean) => {
      if (cached) meter.cachedReplies += 1;
    };
    model = cachingModel(model, { folder: cache, model: cell.model.name, trial, onReply });
  }
  const onRetry = () => {
    meter.retries += 1;
  };
  const delayMs = cell.model === undefined ? 0 : retryDelayMs; // nobody has to be waited for
  return meteredModel(model, { delayMs, onRetry, onCall: (call) => meterCall(meter, call) });
}

function countFault(meter: CellMeter): void {
  meter.faultsMade += 1;
}

function policyOf(
  { task, fault }: BenchmarkCell,
  { counter, granularity, seed, protocols }: CellSettings,
  onFault: () => void,
): ReferencePolicy {
  const modelFault = fault !== undefined && isModelFault(fault.kind) ? { fault, onFault } : undefined;
  return new ReferencePolicy({ tasks: [task], counter, granularity, seed, protocols, ...modelFault });
}

function toolsOf(
  { fault, task, trial }: BenchmarkCell,
  { seed }: CellSettings,
  { tools, meter }: { readonly tools: readonly AgentTool[]; readonly meter: CellMeter },
): readonly AgentTool[] {
  if (fault === undefined || !isToolFault(fault.kind)) return tools;
  return faultyTools(tools, { fault, seed, place: `${task.id}/${trial}`, onFault: () => countFault(meter) });
}

function meterCall(meter: CellMeter, { request, reply, startedAt, modelMs }: MeteredCall): void {
  const { purpose } = request;
  const tokens = meter.book.book({ request, reply, purpose });
  meter.modelCalls += 1;
  meter.modelMs += modelMs;
  const atMs = meter.tracer.now(startedAt);
  meter.tracer.steps.push({ kind: "request", atMs, ...tokens, ...(purpose === undefined ? undefined : { purpose }) });
}

interface RanCell {
  readonly result: AgentRunResult;
  readonly verdict: Verdict;
  readonly meter: CellMeter;
  readonly wallMs: number;
  readonly tellsWrites: boolean;
}

function recordOf(cell: BenchmarkCell, { result, verdict, meter, wallMs, tellsWrites }: RanCell): CellRecord {
  const { suite, task, arm, model, trial, fault } = cell;
  const { book, tracer, modelCalls, cachedReplies } = meter;
  const usage = result.usage.inputTokens + result.usage.outputTokens > 0 ? result.usage : counted(book);
  const outcome = cellOutcome(result, verdict);
  const reason = outcome === "solved" ? undefined : reasonOf(result, verdict);
  return {
    version: 1,
    cell: cell.id,
    suite: suite.name,
    suiteVersion: suite.version,
    task: task.id,
    ...(task.template === undefined ? undefined : { template: task.template }),
    ...(task.flags === undefined ? undefined : { flags: task.flags }),
    ...(task.knobs === undefined ? undefined : { knobs: task.knobs }),
    arm: arm.name,
    model: model?.name ?? REFERENCE_POLICY,
    trial,
    ...(fault === undefined ? undefined : { fault: fault.name }),
    outcome,
    ...(reason === undefined ? undefined : { reason }),
    sideEffects: verdict.sideEffects?.length ?? 0,
    ...(fault === undefined ? undefined : { faultsMade: meter.faultsMade }),
    ...(tellsWrites ? { repeatedWrites: tracer.repeatedWrites } : undefined),
    endedBy: result.endedBy,
    answer: result.outputText,
    modelCalls,
    toolCalls: tracer.toolCalls,
    inputTokens: usage.inputTokens,
    cachedTokens: usage.cacheReadTokens,
    outputTokens: usage.outputTokens,
    countedInputTokens: book.inputTokens,
    countedOutputTokens: book.outputTokens,
    ...(usage.totalCost === undefined ? undefined : { cost: usage.totalCost }),
    ledger: book.close(usage.inputTokens + usage.outputTokens),
    wallMs: rounded(wallMs),
    modelMs: rounded(meter.modelMs),
    toolMs: rounded(tracer.toolMs),
    sandboxMs: rounded(tracer.sandboxMs),
    retries: meter.retries,
    ...(modelCalls > 0 && cachedReplies === modelCalls ? { cached: true as const } : undefined),
    trace: traceFile(cell.id),
  };
}

function counted({ inputTokens, outputTokens }: LedgerBook): AgentRunResult["usage"] {
  return { ...NO_USAGE, inputTokens, outputTokens };
}

function reasonOf({ status, error, reason }: AgentRunResult, verdict: Verdict): string | undefined {
  if (status === "failed" && error !== undefined) return toError(error).message;
  return status === "completed" ? verdict.reason : reason;
}

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}

/** A file name that every file system takes, and that no two cells share. */
function traceFile(cell: string): string {
  const name = cell.replace(/[^A-Za-z0-9._-]+/g, "_").slice(0, 100);
  return `${TRACES_FOLDER}/${name}-${hash("sha256", cell).slice(0, 10)}.json`;
}
