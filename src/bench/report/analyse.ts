import type { CellRecord } from "../record.js";
import type { Analysis, AnalysisSection, Attempt, StrategySummary, TaskRow } from "./analysis.js";
import { compareStrategies } from "./compare-strategies.js";
import { knobCurves } from "./knob-curves.js";
import type { RecordedRun } from "./read-run.js";
import { recoveryTables } from "./recovery.js";
import { claimsOf } from "./run-claims.js";
import { groupRecords, type RecordGroup, tokensOf } from "./section-records.js";
import { summariseStrategy } from "./summarise-strategy.js";

/** Below this many clusters of tasks a bootstrap interval is too narrow to be trusted. */
export const FEW_CLUSTERS = 20;

/** Computes everything that a report shows. The same records give the same analysis. */
export function analyse({ manifests, records, notes }: RecordedRun): Analysis {
  const referenceModels = new Set(manifests.filter(({ granularity }) => granularity !== undefined).flatMap(({ models }) => models));
  const isAllReference = manifests.length > 0 && manifests.every(({ granularity }) => granularity !== undefined);
  const cells = records.map(({ record }) => record).sort((a, b) => (a.cell < b.cell ? -1 : 1)); // cells end in any order
  const order = armOrder([...manifests.flatMap(({ arms }) => arms.map(({ name }) => name)), ...cells.map(({ arm }) => arm)]);
  const seed = manifests[0]?.seed ?? 0;
  const groups = groupRecords(cells);
  return {
    version: 1,
    claims: claimsOf(manifests),
    notes: [...notes, ...(manifests.length === 0 ? ["The records come without a manifest: what was run, and how, is not known."] : [])],
    sections: groups.map((group) =>
      sectionOf(group, { order, seed, isReference: isAllReference || referenceModels.has(group.records[0]?.model ?? "") }),
    ),
    recovery: recoveryTables(groups, order),
    manifests,
  };
}

function armOrder(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}

interface SectionParts {
  readonly order: readonly string[];
  readonly seed: number;
  readonly isReference: boolean;
}

function sectionOf(group: RecordGroup, { order, seed, isReference }: SectionParts): AnalysisSection {
  const { id, title, part, records } = group;
  const [{ suite, suiteVersion, model, fault }] = records as [CellRecord];
  const byArm = Map.groupBy(records, ({ arm }) => arm);
  const arms = new Map(order.flatMap((arm) => (byArm.has(arm) ? [[arm, byArm.get(arm) ?? []] as const] : [])));
  const strategies = [...arms].map(([arm, own]) => summariseStrategy(arm, own));
  const grid = gridOf(records, [...arms.keys()]);
  const pairs = compareStrategies(arms, seed);
  const trials = Math.max(...grid.flatMap(({ attempts }) => attempts.map(({ length }) => length)));
  return {
    id,
    title,
    suite,
    suiteVersion,
    model,
    isReference,
    ...(fault === undefined ? undefined : { fault }),
    ...(part === undefined ? undefined : { part }),
    cells: records.length,
    tasks: grid.length,
    trials,
    notes: notesOf({ strategies, grid, isReference, fewest: Math.min(...pairs.map(({ clusters }) => clusters)) }),
    strategies,
    pairs,
    grid,
    disagreements: disagreementsOf(grid),
    curves: knobCurves(arms),
  };
}

function gridOf(records: readonly CellRecord[], arms: readonly string[]): TaskRow[] {
  return [...Map.groupBy(records, ({ task }) => task)]
    .sort(([a], [b]) => a.localeCompare(b, "en", { numeric: true }))
    .map(([task, own]) => {
      const cells = Map.groupBy(own, ({ arm }) => arm);
      const attempts = arms.map((arm) => (cells.get(arm) ?? []).toSorted((a, b) => a.trial - b.trial).map(attemptOf));
      return { task, flags: own[0]?.flags ?? [], attempts };
    });
}

const MAX_ANSWER_CHARS = 300;

function attemptOf(record: CellRecord): Attempt {
  const { cell, trial, outcome, reason, answer, modelCalls, toolCalls, cost, wallMs, sideEffects } = record;
  return {
    cell,
    trial,
    outcome,
    ...(reason === undefined ? undefined : { reason }),
    answer: answer.length > MAX_ANSWER_CHARS ? `${answer.slice(0, MAX_ANSWER_CHARS)}…` : answer,
    modelCalls,
    toolCalls,
    tokens: tokensOf(record),
    ...(cost === undefined ? undefined : { cost }),
    wallMs,
    sideEffects,
  };
}

function disagreementsOf(grid: readonly TaskRow[]): string[] {
  const spread = ({ attempts }: TaskRow) => {
    const shares = attempts.map((own) => own.filter(({ outcome }) => outcome !== "provider-error")).filter((own) => own.length > 0);
    const solved = shares.map((own) => own.filter(({ outcome }) => outcome === "solved").length / own.length);
    return solved.length < 2 ? 0 : Math.max(...solved) - Math.min(...solved);
  };
  return grid
    .map((row) => ({ task: row.task, apart: spread(row) }))
    .filter(({ apart }) => apart > 0)
    .sort((a, b) => b.apart - a.apart)
    .map(({ task }) => task);
}

interface NoteParts {
  readonly strategies: readonly StrategySummary[];
  readonly grid: readonly TaskRow[];
  readonly isReference: boolean;
  readonly fewest: number;
}

function notesOf({ strategies, grid, isReference, fewest }: NoteParts): string[] {
  const notes: string[] = [];
  const total = (number: (strategy: StrategySummary) => number) => strategies.reduce((sum, strategy) => sum + number(strategy), 0);
  const failed = total(({ providerErrors }) => providerErrors);
  if (failed > 0) notes.push(`${plural(failed, "cell was", "cells were")} left out of every share and comparison: the provider failed.`);
  const cached = total(({ cachedCells }) => cachedCells);
  if (cached > 0) notes.push(`${plural(cached, "cell was", "cells were")} answered from the cache; their times are not those of a model.`);
  const uneven = grid.filter(({ attempts }) => new Set(attempts.map(({ length }) => length)).size > 1).length;
  if (uneven > 0)
    notes.push(
      `${plural(uneven, "task was", "tasks were")} not tried equally often by each strategy: the run is unfinished, or was filtered.`,
    );
  if (isReference && strategies.some(({ inputTokens, outputTokens, ledgerSum }) => inputTokens + outputTokens !== ledgerSum))
    notes.push("The ledger's parts do not sum to the tokens of each strategy: this is an error of the benchmark.");
  if (fewest < FEW_CLUSTERS)
    notes.push(`A comparison has only ${plural(fewest, "unrelated group", "unrelated groups")} of tasks: its interval is a rough guide.`);
  return notes;
}

function plural(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
