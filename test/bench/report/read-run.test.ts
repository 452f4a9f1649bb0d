import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readRun, readTrace } from "../../../src/bench/report/read-run.ts";
import { temporaryFolder } from "../../package/temporary-folder.ts";
import { filesOf, generateRun } from "./generated-run.ts";

const run = generateRun({ tasks: 3 });
const [first] = run.records;

test("a folder's records are read with their manifest, and each trace is found", async () => {
  const folder = temporaryFolder(filesOf(run));
  const recorded = await readRun([join(folder, "run")]);
  expect(recorded.manifests).toEqual([run.manifest]);
  expect(recorded.records.map(({ record }) => record)).toEqual(run.records);
  for (const cell of recorded.records) expect(await readTrace(cell)).toEqual(run.traces.get(cell.record.trace));
});

test("of a cell that is there twice the last record counts, also over several files", async () => {
  const again = { ...first, outcome: "timeout" };
  const folder = temporaryFolder({ ...filesOf(run), "more.jsonl": `${JSON.stringify(again)}\n` });
  const { records } = await readRun([join(folder, "run/records.jsonl"), join(folder, "more.jsonl")]);
  expect(records).toHaveLength(run.records.length);
  expect(records.at(-1)).toMatchObject({ record: again, folder });
});

test("a last line that was cut is left out and noted", async () => {
  const folder = temporaryFolder(filesOf(run));
  const file = join(folder, "run/records.jsonl");
  writeFileSync(file, readFileSync(file, "utf8").slice(0, -40));
  const { records, notes } = await readRun([file]);
  expect(records).toHaveLength(run.records.length - 1);
  expect(notes).toEqual(["The last line of a records file is unfinished: the run was stopped while it wrote. That cell is left out."]);
});

test("a trace that is gone is no error", async () => {
  const folder = temporaryFolder({ "records.jsonl": JSON.stringify(first) });
  const { records } = await readRun([folder]);
  expect(await readTrace(records[0] as (typeof records)[0])).toBeUndefined();
});

test.for([
  [{ "records.jsonl": `{"a":1}\n${JSON.stringify(first)}\n` }, "records.jsonl, line 1: a manifest or a record of version 1 was expected."],
  [{ "records.jsonl": `${JSON.stringify(run.manifest)}\n` }, "There are no records in "],
  [{ "notes.txt": "" }, "There is no records file (*.jsonl) in "],
] as const)("%j is refused", async ([files, problem]) => {
  await expect(readRun([temporaryFolder(files)])).rejects.toThrow(problem);
});
