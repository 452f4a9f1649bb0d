import type { CellRecord } from "../record.js";
import { isUsableM3Task } from "../suites/m3tooleval/m3tooleval.js";

/** The records that are compared with each other. */
export interface RecordGroup {
  readonly id: string;
  readonly title: string;
  readonly records: readonly CellRecord[];
  readonly part?: string;
}

/** Suites that are reported in parts, by the flags of their tasks. */
const partsOf: Readonly<Record<string, Readonly<Record<string, (record: CellRecord) => boolean>>>> = {
  m3tooleval: {
    "usable tasks": (record) => isUsableM3Task(record.flags === undefined ? {} : { flags: record.flags }),
    "unflagged tasks": ({ flags = [] }) => flags.length === 0,
  },
};

/** Records of one suite, version, model and fault each, those without a fault first; suites with parts once for each of them. */
export function groupRecords(records: readonly CellRecord[]): readonly RecordGroup[] {
  const groups = Map.groupBy(records, ({ suite, suiteVersion, model, fault = "" }) => JSON.stringify([suite, model, fault, suiteVersion]));
  const severalVersions = new Set(
    [...Map.groupBy(records, ({ suite }) => suite)]
      .filter(([, own]) => new Set(own.map((record) => record.suiteVersion)).size > 1)
      .map(([name]) => name),
  );
  return [...groups.values()].sort((a, b) => compareTexts(orderOf(a), orderOf(b))).flatMap((own) => partsOfGroup(own, severalVersions));
}

function partsOfGroup(records: readonly CellRecord[], severalVersions: ReadonlySet<string>): readonly RecordGroup[] {
  const [{ suite, suiteVersion, model, fault }] = records as [CellRecord];
  const version = severalVersions.has(suite) ? ` ${suiteVersion}` : "";
  const name = `${suite}${version} · ${model}${fault === undefined ? "" : ` · fault ${fault}`}`;
  const id = [suite, suiteVersion, model, ...(fault === undefined ? [] : [fault])].join("/");
  const parts = Object.entries(partsOf[suite] ?? {}).map(([part, belongs]) => ({ part, records: records.filter(belongs) }));
  if (parts.length === 0) return [{ id, title: name, records }];
  return parts
    .filter((part) => part.records.length > 0)
    .map(({ part, records: own }) => ({ id: `${id}/${part}`, title: `${name} · ${part}`, records: own, part }));
}

function orderOf([record]: readonly CellRecord[]): string {
  return [record?.fault ?? "", record?.suite, record?.model, record?.suiteVersion].join("\u0000");
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Input and output together. */
export function tokensOf({ inputTokens, outputTokens }: Pick<CellRecord, "inputTokens" | "outputTokens">): number {
  return inputTokens + outputTokens;
}

/** The sum of a number over records, or `undefined` where one of them lacks it. */
export function sumOf(records: readonly CellRecord[], number: (record: CellRecord) => number | undefined): number | undefined {
  let sum = 0;
  for (const record of records) {
    const value = number(record);
    if (value === undefined) return undefined;
    sum += value;
  }
  return sum;
}
