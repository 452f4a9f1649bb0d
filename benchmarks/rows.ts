import type { cases } from "./cases.ts";
import { median } from "./statistics.ts";
import type { SubjectName } from "./subject.ts";

/** Name of a case, as `--only` takes it. */
export type CaseName = keyof typeof cases | "import" | "packages";

/** What one round found: the figures of both subjects in one case. */
export type Round = Readonly<Record<SubjectName, Readonly<Record<string, number>>>>;

/** All rounds of the cases that were measured. */
export type Rounds = ReadonlyMap<CaseName, readonly Round[]>;

/** A line of the table. */
export interface Row {
  readonly label: string;
  readonly floor: number;
  readonly triact: number;
  /** What the target is about, round by round. */
  readonly values: readonly number[];
  readonly target: number;
  readonly met: boolean;
}

interface Target {
  readonly label: string;
  readonly cases: readonly CaseName[];
  /** The figures of one round, from the rounds of `cases` in that order. */
  readonly read: (rounds: readonly Round[], subject: SubjectName) => number;
  /** What is compared with `atMost`: triact's figure over the floor's, the other way round, or triact's alone. */
  readonly compare: "ratio" | "inverse ratio" | "alone";
  readonly atMost: number;
}

const figure =
  (name: string): Target["read"] =>
  ([round], subject) =>
    round?.[subject][name] ?? Number.NaN;

/** Growth may differ from the floor's by this factor before it counts: both figures are medians of noisy times. */
const GROWTH_NOISE = 1.1;

const targets: readonly Target[] = [
  { label: "turn of 100, µs", cases: ["turns100"], read: figure("microseconds per turn"), compare: "ratio", atMost: 4 },
  { label: "turn of 1,000, µs", cases: ["turns1000"], read: figure("microseconds per turn"), compare: "ratio", atMost: 4 },
  { label: "growth from 100 to 1,000 turns", cases: ["turns100", "turns1000"], read: growth, compare: "ratio", atMost: GROWTH_NOISE },
  { label: "text delta after 200 messages, µs", cases: ["deltas"], read: figure("microseconds per delta"), compare: "ratio", atMost: 2 },
  { label: "64 parallel calls of 5 ms, ms", cases: ["parallel"], read: figure("milliseconds per run"), compare: "ratio", atMost: 1.15 },
  {
    label: "1,000 runs at once, runs/s",
    cases: ["manySpeed"],
    read: figure("runs per second of CPU"),
    compare: "inverse ratio",
    atMost: 3,
  },
  { label: "… peak RSS growth, MB", cases: ["manyMemory"], read: figure("peak RSS growth, MB"), compare: "ratio", atMost: 2 },
  { label: "… heap under way, MB", cases: ["manyMemory"], read: figure("heap under way, MB"), compare: "ratio", atMost: 2 },
  { label: "… heap kept, MB", cases: ["manyMemory"], read: figure("heap kept, MB"), compare: "ratio", atMost: 2 },
  { label: "bytes kept per byte of messages", cases: ["kept"], read: figure("bytes kept per byte"), compare: "alone", atMost: 1.3 },
  { label: "import (floor: zod), ms", cases: ["import"], read: figure("milliseconds"), compare: "ratio", atMost: 1.3 },
  { label: "other packages loaded by import", cases: ["packages"], read: figure("other packages"), compare: "alone", atMost: 0 },
];

function growth([short, long]: readonly Round[], subject: SubjectName): number {
  const name = "microseconds per turn";
  return (long?.[subject][name] ?? Number.NaN) / (short?.[subject][name] ?? Number.NaN);
}

/** The rows for which everything was measured. */
export function toRows(rounds: Rounds): Row[] {
  return targets.filter(({ cases: needed }) => needed.every((name) => rounds.has(name))).map((target) => toRow(target, rounds));
}

function toRow({ label, cases: needed, read, compare, atMost }: Target, rounds: Rounds): Row {
  const perCase = needed.map((name) => rounds.get(name) ?? []);
  const count = Math.min(...perCase.map((list) => list.length));
  const perRound = Array.from({ length: count }, (_, index) => perCase.flatMap((list) => list.slice(index, index + 1)));
  const floor = perRound.map((round) => read(round, "floor"));
  const triact = perRound.map((round) => read(round, "triact"));
  const values = triact.map((value, index) => {
    const least = floor[index] ?? Number.NaN;
    if (compare === "alone") return value;
    return compare === "ratio" ? value / least : least / value;
  });
  return { label, floor: median(floor), triact: median(triact), values, target: atMost, met: median(values) <= atMost };
}
