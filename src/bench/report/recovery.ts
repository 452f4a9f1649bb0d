import type { CellRecord } from "../record.js";
import { counts } from "../runner/cell-outcome.js";
import type { RecoveryRow, RecoveryTable } from "./analysis.js";
import { type RecordGroup, sumOf, tokensOf } from "./section-records.js";

/** A cell that a fault has hit, and the same cell without the fault. */
interface HitCell {
  readonly hit: CellRecord;
  readonly calm: CellRecord;
}

/** What became of the cells that faults have hit, one table for each suite, model and part that ran with faults and without. */
export function recoveryTables(groups: readonly RecordGroup[], order: readonly string[]): readonly RecoveryTable[] {
  const kin = Map.groupBy(groups, ({ part, records: [record] }) =>
    JSON.stringify([record?.suite, record?.suiteVersion, record?.model, part]),
  );
  return [...kin.values()].flatMap((own) => {
    const calm = own.find(({ records }) => records[0]?.fault === undefined);
    const faulty = own.filter((group) => group !== calm);
    if (calm === undefined || faulty.length === 0) return [];
    const rows = faulty.flatMap(({ records }) => rowsOf(records, { calm: calm.records, order }));
    const faults = faulty.map(({ records }) => records[0]?.fault ?? "");
    const idle = faults.filter((fault) => !rows.some((row) => row.fault === fault));
    return [{ title: calm.title, sections: faulty.map(({ id }) => id), rows, idle }];
  });
}

function rowsOf(records: readonly CellRecord[], { calm, order }: { calm: readonly CellRecord[]; order: readonly string[] }): RecoveryRow[] {
  const key = ({ task, arm, trial }: CellRecord) => JSON.stringify([task, arm, trial]);
  const calmCells = new Map(calm.filter(counts).map((record) => [key(record), record]));
  const byArm = Map.groupBy(records, ({ arm }) => arm);
  return order.flatMap((arm) => {
    const cells = (byArm.get(arm) ?? []).flatMap((hit): HitCell[] => {
      const before = calmCells.get(key(hit));
      return before === undefined || (hit.faultsMade ?? 0) === 0 ? [] : [{ hit, calm: before }];
    });
    return cells.length === 0 ? [] : [rowOf({ fault: records[0]?.fault ?? "", arm }, cells)];
  });
}

function rowOf(name: Pick<RecoveryRow, "fault" | "arm">, cells: readonly HitCell[]): RecoveryRow {
  const hits = cells.map(({ hit }) => hit);
  const recovered = cells.filter(({ hit, calm }) => isSolved(hit) && isSolved(calm));
  const faults = sumOf(hits, faultsOf) ?? 0;
  const solvedWithout = cells.filter(({ calm }) => isSolved(calm)).length;
  const solvedWith = hits.filter(isSolved).length;
  const writes = hits.flatMap((record) => record.repeatedWrites ?? []); // tasks that change nothing need not tell
  const perFault = (number: (record: CellRecord) => number) => {
    const extra = recovered.reduce((sum, { hit, calm }) => sum + number(hit) - number(calm), 0);
    return extra / recovered.reduce((sum, { hit }) => sum + faultsOf(hit), 0);
  };
  return {
    ...name,
    cells: cells.length,
    faults,
    solvedWith,
    solvedWithout,
    ...(solvedWithout === 0 ? undefined : { kept: solvedWith / solvedWithout }),
    ...(recovered.length === 0
      ? undefined
      : { extraModelCalls: perFault(({ modelCalls }) => modelCalls), extraTokens: perFault(tokensOf) }),
    ...(writes.length === 0 ? undefined : { repeatedWrites: writes.reduce((sum, count) => sum + count, 0) }),
    unseen: cells.filter(({ hit, calm }) => isSolved(calm) && hit.outcome === "wrong").length,
  };
}

function isSolved({ outcome }: CellRecord): boolean {
  return outcome === "solved";
}

function faultsOf({ faultsMade = 0 }: CellRecord): number {
  return faultsMade;
}
