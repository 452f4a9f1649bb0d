import type { CellRecord } from "../record.js";
import { counts } from "../runner/cell-outcome.js";
import type { Crossing, KnobCurve, KnobLine, KnobPoint } from "./analysis.js";
import { sumOf, tokensOf } from "./section-records.js";

/** One curve for each knob that takes several values while all others stay the same. */
export function knobCurves(arms: ReadonlyMap<string, readonly CellRecord[]>): readonly KnobCurve[] {
  const records = [...arms.values()].flat();
  const knobs = [...new Set(records.flatMap(({ knobs = {} }) => Object.keys(knobs)))];
  return knobs.flatMap((knob) => {
    const sweep = longestSweep(records, knob);
    const values = sortValues([...new Set(sweep.flatMap(({ knobs }) => knobs?.[knob] ?? []))]);
    if (values.length < 2) return [];
    const swept = new Set(sweep);
    const lines = [...arms].map(([arm, own]) => lineOf(arm, { records: own.filter((record) => swept.has(record)), knob, values }));
    return [{ knob, values, lines, crossings: crossingsOf(lines, values) }];
  });
}

/** The records that share the values of all other knobs, where this knob takes the most values. */
function longestSweep(records: readonly CellRecord[], knob: string): readonly CellRecord[] {
  const withKnob = records.filter(({ knobs }) => knobs?.[knob] !== undefined);
  const sweeps = Map.groupBy(withKnob, ({ knobs }) => JSON.stringify(Object.entries({ ...knobs, [knob]: null }).sort()));
  const length = (sweep: readonly CellRecord[]) => new Set(sweep.map(({ knobs }) => knobs?.[knob])).size;
  return [...sweeps.values()].reduce<readonly CellRecord[]>((longest, sweep) => (length(sweep) > length(longest) ? sweep : longest), []);
}

function sortValues(values: (number | string)[]): (number | string)[] {
  return values.sort((a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a) < String(b) ? -1 : 1));
}

function lineOf(arm: string, sweep: { records: readonly CellRecord[]; knob: string; values: readonly (number | string)[] }): KnobLine {
  const points = sweep.values.map((value) => {
    const records = sweep.records.filter((record) => record.knobs?.[sweep.knob] === value && counts(record));
    return records.length === 0 ? null : pointOf(records);
  });
  return { arm, points };
}

function pointOf(records: readonly CellRecord[]): KnobPoint {
  const mean = (number: (record: CellRecord) => number) => records.reduce((sum, record) => sum + number(record), 0) / records.length;
  const cost = sumOf(records, (record) => record.cost);
  return {
    cells: records.length,
    solved: mean(({ outcome }) => (outcome === "solved" ? 1 : 0)),
    modelCalls: mean(({ modelCalls }) => modelCalls),
    tokens: mean(tokensOf),
    ...(cost === undefined ? undefined : { cost: cost / records.length }),
  };
}

/** Where one strategy takes more tokens at first and fewer from some value on, up to the last one. */
function crossingsOf(lines: readonly KnobLine[], values: readonly (number | string)[]): Crossing[] {
  if (!values.every((value) => typeof value === "number")) return [];
  return lines.flatMap((cheaper) =>
    lines.flatMap((dearer) => {
      const isFewer = values.map((_, index) => {
        const [own, other] = [cheaper.points[index], dearer.points[index]];
        return own != null && other != null && own.tokens < other.tokens;
      });
      const last = isFewer.lastIndexOf(false);
      const from = values[last + 1];
      const startsDearer = last >= 0 && !isFewer.slice(0, last + 1).includes(true);
      return from !== undefined && startsDearer && cheaper !== dearer ? [{ cheaper: cheaper.arm, dearer: dearer.arm, from }] : [];
    }),
  );
}
