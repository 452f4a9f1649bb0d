import type { CellRecord, RunManifest } from "./record.js";

/** A line of a records file. */
export type RecordLine = RunManifest | (CellRecord & { readonly kind?: undefined });

/** What a line of a records file holds; `undefined` for a torn one, and for one of another format. */
export function parseRecordLine(line: string): RecordLine | undefined {
  try {
    const value = JSON.parse(line) as Partial<Record<string, unknown>> | null;
    if (value?.["version"] !== 1) return undefined;
    const isLine = value["kind"] === "manifest" || (typeof value["cell"] === "string" && typeof value["outcome"] === "string");
    return isLine ? (value as unknown as RecordLine) : undefined;
  } catch {
    return undefined; // the caller says where
  }
}
