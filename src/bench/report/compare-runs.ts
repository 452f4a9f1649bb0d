import type { CellRecord } from "../record.js";
import { holm } from "../statistics/holm.js";
import { FEW_CLUSTERS } from "./analyse.js";
import type { EfficiencyRatio } from "./analysis.js";
import { LEVEL } from "./compare-strategies.js";
import { efficiencyOf, pairTasks, type SolvedDifference, solvedDifference } from "./paired-tasks.js";
import type { RecordedRun } from "./read-run.js";
import { groupRecords } from "./section-records.js";

/** What {@link compareRuns} takes. */
export interface CompareRunsOptions {
  /** The run to measure against. */
  readonly before: RecordedRun;
  /** The run that is judged. */
  readonly after: RecordedRun;
  /** How much more a strategy may take before it is a regression, as a share of what it took. @default 0.05 */
  readonly tolerance?: number;
}

/** Two runs of the same strategies on the same tasks. */
export interface RunComparison {
  readonly strategies: readonly StrategyComparison[];
  readonly regressions: readonly Finding[];
  readonly improvements: readonly Finding[];
  /** What could not be compared, and why. */
  readonly notes: readonly string[];
}

/** One strategy of one section, after minus before, after over before. */
export interface StrategyComparison extends SolvedDifference {
  readonly section: string;
  readonly arm: string;
  readonly adjustedP: number;
  readonly efficiency: readonly EfficiencyRatio[];
}

/** A change beyond the noise. */
export interface Finding {
  readonly section: string;
  readonly arm: string;
  readonly measure: "solved" | "modelCalls" | "tokens";
  /** Difference between shares for `solved`, otherwise the ratio after over before. */
  readonly value: number;
  readonly low?: number;
  readonly high?: number;
  /** After Holm's adjustment over everything that was compared. */
  readonly adjustedP: number;
}

const FEW_CLUSTERS_NOTE = "There are few unrelated groups of tasks: take every interval and every p-value as a rough guide.";

const comparedMeasures = ["modelCalls", "tokens"] as const;

/**
 * Compares two runs, strategy by strategy, on the tasks that both have. A change counts when it is beyond the noise: its p-value after Holm's
 * adjustment is below 0.05, and for what a strategy takes, its whole interval lies beyond the tolerance.
 */
export function compareRuns({ before, after, tolerance = 0.05 }: CompareRunsOptions): RunComparison {
  const seed = after.manifests[0]?.seed ?? 0;
  const notes = [...before.notes, ...after.notes, ...seedNotes(before, after), ...granularityNotes(before, after)];
  const earlier = armsOf(before);
  const later = armsOf(after);
  const compared = [...later].flatMap(([key, { section, arm, records }]) => {
    const tasks = pairTasks(records, earlier.get(key)?.records ?? []);
    if (tasks.length === 0) return [];
    return [{ section, arm, ...solvedDifference(tasks, { seed, alpha: LEVEL }), efficiency: efficiencyOf(tasks, seed).ratios }];
  });
  notes.push(...missingNotes(later, earlier, "earlier"), ...missingNotes(earlier, later, "later"));
  if (compared.some(({ clusters }) => clusters < FEW_CLUSTERS)) notes.push(FEW_CLUSTERS_NOTE);
  const adjusted = holm(compared.map(({ p }) => p));
  const strategies = compared.map((each, index) => ({ ...each, adjustedP: adjusted[index] as number }));
  const findings = [...solvedFindings(strategies), ...effortFindings(strategies, tolerance)];
  const isWorse = ({ measure, value }: Finding) => (measure === "solved" ? value < 0 : value > 1);
  return { strategies, regressions: findings.filter(isWorse), improvements: findings.filter((finding) => !isWorse(finding)), notes };
}

interface ArmRecords {
  readonly section: string;
  readonly arm: string;
  readonly records: readonly CellRecord[];
}

function armsOf({ records }: RecordedRun): ReadonlyMap<string, ArmRecords> {
  const cells = records.map(({ record }) => record).sort((a, b) => (a.cell < b.cell ? -1 : 1));
  return new Map(
    groupRecords(cells).flatMap(({ id, title, records: own }) =>
      [...Map.groupBy(own, ({ arm }) => arm)].map(([arm, group]) => [JSON.stringify([id, arm]), { section: title, arm, records: group }]),
    ),
  );
}

/** What one run has and the other has not, and why: one note for each section and reason. */
function missingNotes(own: ReadonlyMap<string, ArmRecords>, other: ReadonlyMap<string, ArmRecords>, name: "earlier" | "later"): string[] {
  const missing = [...own].filter(([key]) => !other.has(key)).map(([, arm]) => ({ ...arm, reason: reasonOf(arm, [...other.values()]) }));
  return [...Map.groupBy(missing, ({ section, reason }) => `${section} ${reason}`).values()].map((group) => {
    const [{ section, reason }] = group as [(typeof group)[0]];
    return `${section}, ${group.map(({ arm }) => arm).join(", ")}: not compared, the ${name} run ${reason}.`;
  });
}

function reasonOf({ records: [record] }: ArmRecords, others: readonly ArmRecords[]): string {
  const all = others.flatMap(({ records }) => records.slice(0, 1));
  const same = all.filter(({ suite }) => suite === record?.suite);
  if (same.length === 0) return "has no tasks of this suite";
  if (same.every(({ suiteVersion }) => suiteVersion !== record?.suiteVersion))
    return `has version ${same[0]?.suiteVersion} of the suite, and this is version ${record?.suiteVersion}`;
  if (same.every(({ model }) => model !== record?.model)) return "was with another model";
  if (same.every(({ fault }) => fault !== record?.fault))
    return record?.fault === undefined ? "was with faults only" : "was without this fault";
  return "has no such strategy on these tasks";
}

function seedNotes(before: RecordedRun, after: RecordedRun): string[] {
  const seeds = (run: RecordedRun) => [...new Set(run.manifests.map(({ seed }) => seed))].join(", ");
  if (seeds(before) === seeds(after)) return [];
  return [`The seeds differ (${seeds(before)}, then ${seeds(after)}): tasks of generated suites have the same names and other content.`];
}

function granularityNotes(before: RecordedRun, after: RecordedRun): string[] {
  const granularities = (run: RecordedRun) => [...new Set(run.manifests.flatMap(({ granularity }) => granularity ?? []))].join(", ");
  const [earlier, later] = [granularities(before), granularities(after)];
  if (earlier === later || earlier === "" || later === "") return [];
  return [`The reference policy acted by ${earlier}, then by ${later}: calls and tokens differ for that reason alone.`];
}

function solvedFindings(strategies: readonly StrategyComparison[]): Finding[] {
  return strategies
    .filter(({ adjustedP }) => adjustedP < LEVEL)
    .map(({ section, arm, adjustedP, difference }) => ({ section, arm, measure: "solved", ...difference, adjustedP }));
}

function effortFindings(strategies: readonly StrategyComparison[], tolerance: number): Finding[] {
  const ratios = strategies.flatMap(({ section, arm, efficiency }) =>
    comparedMeasures.flatMap((measure) => {
      const found = efficiency.find((each) => each.measure === measure);
      return found === undefined ? [] : [{ section, arm, ...found, measure }];
    }),
  );
  const adjusted = holm(ratios.map(({ p }) => p));
  return ratios
    .map(({ section, arm, measure, value, low, high }, index) => ({
      section,
      arm,
      measure,
      value,
      low,
      high,
      adjustedP: adjusted[index] as number,
    }))
    .filter(({ adjustedP, low, high }) => adjustedP < LEVEL && (low > 1 + tolerance || high < 1 / (1 + tolerance)));
}
