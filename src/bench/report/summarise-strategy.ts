import type { CellOutcome, CellRecord, TokenLedger } from "../record.js";
import { counts } from "../runner/cell-outcome.js";
import { passHatK } from "../statistics/pass-hat-k.js";
import { quantile } from "../statistics/quantile.js";
import { wilsonInterval } from "../statistics/wilson-interval.js";
import type { StrategySummary } from "./analysis.js";
import { ledgerParts } from "./ledger-parts.js";
import { sumOf, tokensOf } from "./section-records.js";

/** One strategy's numbers over its records in one section; at least one record. */
export function summariseStrategy(arm: string, records: readonly CellRecord[]): StrategySummary {
  const attempts = records.filter(counts);
  const solvedCells = attempts.filter(({ outcome }) => outcome === "solved").length;
  const total = (number: (record: CellRecord) => number) => records.reduce((sum, record) => sum + number(record), 0);
  const cost = sumOf(records, (record) => record.cost);
  const modelCalls = total((record) => record.modelCalls);
  const tokens = total(tokensOf);
  const ledger = ledgerOf(records);
  const ledgerSum = ledgerParts.reduce((sum, part) => sum + ledger[part], 0);
  const counted = sumOf(records, ownCount) ?? ledgerSum;
  const walls = records.map(({ wallMs }) => wallMs);
  const overheadMs = total(({ wallMs, modelMs, toolMs, sandboxMs }) => wallMs - modelMs - toolMs - sandboxMs);
  return {
    arm,
    cells: attempts.length,
    providerErrors: records.length - attempts.length,
    solvedCells,
    ...(attempts.length === 0 ? undefined : { solved: wilsonInterval({ successes: solvedCells, trials: attempts.length }) }),
    passHat: passHatOf(attempts),
    sideEffects: total((record) => record.sideEffects),
    outcomes: outcomesOf(records),
    modelCalls,
    toolCalls: total((record) => record.toolCalls),
    inputTokens: total((record) => record.inputTokens),
    cachedTokens: total((record) => record.cachedTokens),
    outputTokens: total((record) => record.outputTokens),
    ...(cost === undefined ? undefined : { cost }),
    ...(cost === undefined || solvedCells === 0 ? undefined : { costPerSolved: cost / solvedCells }),
    ...(solvedCells === 0 ? undefined : { tokensPerSolved: tokens / solvedCells }),
    ...(modelCalls === 0 ? undefined : { overheadMsPerTurn: overheadMs / modelCalls }),
    wallMsMedian: quantile(walls, 0.5),
    wallMs95: quantile(walls, 0.95),
    retries: total((record) => record.retries),
    cachedCells: records.filter(({ cached }) => cached === true).length,
    ledger,
    ledgerSum,
    ...(counted === 0 ? undefined : { tokenRatio: tokens / counted }),
  };
}

/** Tokens as our own tokenizer counts them. */
function ownCount({ countedInputTokens, countedOutputTokens }: CellRecord): number | undefined {
  return countedInputTokens === undefined || countedOutputTokens === undefined ? undefined : countedInputTokens + countedOutputTokens;
}

function passHatOf(records: readonly CellRecord[]): number[] {
  const tasks = [...Map.groupBy(records, ({ task }) => task).values()];
  if (tasks.length === 0) return [];
  const most = Math.min(...tasks.map(({ length }) => length));
  const chance = (trials: readonly CellRecord[], k: number) =>
    passHatK({ solved: trials.filter(({ outcome }) => outcome === "solved").length, trials: trials.length, k });
  return Array.from({ length: most }, (_, index) => tasks.reduce((sum, trials) => sum + chance(trials, index + 1), 0) / tasks.length);
}

function outcomesOf(records: readonly CellRecord[]): Partial<Record<CellOutcome, number>> {
  const outcomes: Partial<Record<CellOutcome, number>> = {};
  for (const { outcome } of records) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  return outcomes;
}

function ledgerOf(records: readonly CellRecord[]): TokenLedger {
  const sum = (part: keyof TokenLedger) => records.reduce((total, { ledger }) => total + ledger[part], 0);
  return Object.fromEntries(ledgerParts.map((part) => [part, sum(part)])) as unknown as TokenLedger;
}
