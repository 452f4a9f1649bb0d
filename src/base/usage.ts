import type { MessageMetrics } from "./message.js";

/** Tokens and cost. */
export interface AgentUsage {
  /** All prompt tokens of the run, cached ones included. */
  readonly inputTokens: number;
  /** All generated tokens of the run, reasoning included. */
  readonly outputTokens: number;
  /** The part of `inputTokens` that came from the provider's cache. */
  readonly cacheReadTokens: number;
  /** The part of `inputTokens` that was written to the provider's cache. */
  readonly cacheWriteTokens: number;
  /** The part of `outputTokens` spent on reasoning, where the provider says so. */
  readonly reasoningTokens?: number;
  /** Input tokens over all runs of the agent. */
  readonly totalInputTokens: number;
  /** Output tokens over all runs of the agent. */
  readonly totalOutputTokens: number;
  /** Cost of the run, as the provider reports it or from the configured prices. Absent when neither is known. */
  readonly totalCost?: number;
}

/** What one model call used, with the same meaning of the fields. Each report replaces the fields it names. */
export interface ModelUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
  /** Cost as the provider reports it; it goes before the configured prices. */
  readonly totalCost?: number;
}

/** What a model call used that reported nothing. */
export const NOTHING_USED: ModelUsage = Object.freeze({});

/** Prices per million tokens, in any one currency. */
export interface Pricing {
  readonly inputPerMTok: number;
  readonly outputPerMTok: number;
  /** @default inputPerMTok */
  readonly cacheReadPerMTok?: number;
  /** @default inputPerMTok */
  readonly cacheWritePerMTok?: number;
}

/** Nothing used. */
export const NO_USAGE: AgentUsage = Object.freeze({
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  totalInputTokens: 0,
  totalOutputTokens: 0,
});

/** One call's usage with every count a finite number from 0, cache counts inside the input count, and its cost. */
export interface CallUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number | undefined;
  readonly cost: number | undefined;
}

/** The usage of a call that reported nothing and has no price. */
export const UNKNOWN_USAGE: CallUsage = Object.freeze({
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: undefined,
  cost: undefined,
});

/** Cleans what a model reported and prices it. */
export function settleUsage(reported: ModelUsage, pricing: Pricing | undefined): CallUsage {
  if (reported === NOTHING_USED && pricing === undefined) return UNKNOWN_USAGE;
  const inputTokens = count(reported.inputTokens);
  const cacheReadTokens = Math.min(count(reported.cacheReadTokens), inputTokens);
  const cacheWriteTokens = Math.min(count(reported.cacheWriteTokens), inputTokens - cacheReadTokens);
  const outputTokens = count(reported.outputTokens);
  const reasoningTokens = isCount(reported.reasoningTokens) ? Math.min(reported.reasoningTokens, outputTokens) : undefined;
  const call = { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens };
  const cost = isCount(reported.totalCost) ? count(reported.totalCost) : priceOf(call, pricing);
  return { ...call, cost };
}

/** One call's usage as it stands on its message. Undefined when the model reported nothing. */
export function metricsOf({
  inputTokens,
  outputTokens,
  cacheReadTokens,
  cacheWriteTokens,
  reasoningTokens,
  cost,
}: CallUsage): MessageMetrics | undefined {
  if (inputTokens === 0 && outputTokens === 0 && (cost ?? 0) === 0) return undefined;
  return Object.freeze({
    inputTokens,
    outputTokens,
    ...(cacheReadTokens === 0 ? undefined : { cacheReadTokens }),
    ...(cacheWriteTokens === 0 ? undefined : { cacheWriteTokens }),
    ...(reasoningTokens === undefined ? undefined : { reasoningTokens }),
    ...(cost === undefined ? undefined : { cost }),
  });
}

/** The run's usage after one more call. */
export function addUsage(usage: AgentUsage, call: CallUsage): AgentUsage {
  const reasoningTokens = sum(usage.reasoningTokens, call.reasoningTokens);
  const totalCost = sum(usage.totalCost, call.cost);
  return Object.freeze({
    inputTokens: usage.inputTokens + call.inputTokens,
    outputTokens: usage.outputTokens + call.outputTokens,
    cacheReadTokens: usage.cacheReadTokens + call.cacheReadTokens,
    cacheWriteTokens: usage.cacheWriteTokens + call.cacheWriteTokens,
    ...(reasoningTokens === undefined ? undefined : { reasoningTokens }),
    totalInputTokens: usage.totalInputTokens + call.inputTokens,
    totalOutputTokens: usage.totalOutputTokens + call.outputTokens,
    ...(totalCost === undefined ? undefined : { totalCost }),
  });
}

function priceOf(call: Omit<CallUsage, "cost">, pricing: Pricing | undefined): number | undefined {
  if (pricing === undefined) return undefined;
  const { inputPerMTok, outputPerMTok, cacheReadPerMTok = inputPerMTok, cacheWritePerMTok = inputPerMTok } = pricing;
  const plain = call.inputTokens - call.cacheReadTokens - call.cacheWriteTokens;
  const sumPerMTok =
    plain * inputPerMTok +
    call.cacheReadTokens * cacheReadPerMTok +
    call.cacheWriteTokens * cacheWritePerMTok +
    call.outputTokens * outputPerMTok;
  return sumPerMTok / 1_000_000;
}

/** Whether a report of a model is a count: a finite number from 0. */
export function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

/** Never so large that a sum of them is no finite number any more. */
function count(value: number | undefined): number {
  return isCount(value) ? Math.min(value, Number.MAX_SAFE_INTEGER) : 0;
}

function sum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : a + b;
}
