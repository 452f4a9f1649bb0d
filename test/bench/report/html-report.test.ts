import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { analyse } from "../../../src/bench/report/analyse.ts";
import { htmlReport, type PageData } from "../../../src/bench/report/html-report.ts";
import { type RecordedRun, readRun } from "../../../src/bench/report/read-run.ts";
import { temporaryFolder } from "../../package/temporary-folder.ts";
import { filesOf, generateRun } from "./generated-run.ts";

const page = { script: 'document.title = "</script>";', style: "" };
const plain = generateRun({ tasks: 12, text: (text) => `${text}</script><!-- ${"x".repeat(100)}` });
const generated = { ...plain, records: plain.records.map((record) => ({ ...record, answer: "</script><!--<script>" })) };

async function write(
  limits: { maxChars?: number; maxTextChars?: number } = {},
  change: (run: RecordedRun, folder: string) => void = () => undefined,
) {
  const folder = temporaryFolder(filesOf(generated));
  const run = await readRun([join(folder, "run")]);
  change(run, folder);
  const html = await htmlReport({ run, analysis: analyse(run), page, ...limits });
  const data = JSON.parse(html.match(/id="report-data">(.*?)<\/script>/s)?.[1] ?? "") as PageData;
  const chunks = [...html.matchAll(/<script type="text\/plain" id="traces-\d+">(.*?)<\/script>/g)].map(([, chunk = ""]) => chunk);
  const traces = Object.assign({}, ...chunks.map((chunk) => JSON.parse(gunzipSync(Buffer.from(chunk, "base64")).toString("utf8"))));
  return { html, data, chunks, traces };
}

test("every trace is in the page as it was recorded", async () => {
  const { data, traces } = await write();
  expect(data.missingTraces).toBe(0);
  expect(traces).toEqual(Object.fromEntries([...generated.traces.values()].map((trace) => [trace.cell, trace])));
  expect(Object.keys(data.chunkOf).sort()).toEqual(Object.keys(traces).sort());
});

test("without room for all traces those of tasks on which the strategies differ are there, and the others are counted", async () => {
  const all = (await write()).chunks.reduce((sum, { length }) => sum + length, 0);
  const { data, traces, chunks } = await write({ maxChars: Math.floor(all / 2) });
  const disagreements: readonly string[] = data.analysis.sections[0]?.disagreements ?? [];
  const held = new Set(Object.keys(traces).map((cell) => cell.split("/")[1] ?? ""));
  expect(chunks.reduce((sum, { length }) => sum + length, 0)).toBeLessThanOrEqual(all / 2);
  expect(held.size).toBeGreaterThan(3);
  expect(held.size < disagreements.length ? [...held].filter((task) => !disagreements.includes(task)) : []).toEqual([]);
  expect(data.missingTraces).toBe(36 - Object.keys(traces).length);
});

test("a trace that is gone is counted, and the rest stays", async () => {
  const { data, traces } = await write({}, (run, folder) => rmSync(join(folder, "run", run.records[0]?.record.trace ?? "")));
  expect([data.missingTraces, Object.keys(traces).length]).toEqual([1, 35]);
});

test("a text that is too long is cut, and says so", async () => {
  const { traces } = await write({ maxTextChars: 50 });
  const [{ question }] = Object.values(traces) as [{ question: string }];
  expect(question).toMatch(/^How many of the records count\?.{20}… \(\d+ more characters are in the trace file\)$/);
});

test("nothing in the page can end or begin a script but its own elements, and only the page's own script may run", async () => {
  const { html, chunks } = await write();
  expect(html.match(/<\/script/g)).toHaveLength(2 + chunks.length);
  expect(html).not.toContain("<!--");
  const own = html.match(/<script>(.*?)<\/script>/s)?.[1] ?? "";
  expect(html).toContain(`script-src 'sha256-${createHash("sha256").update(own).digest("base64")}'`);
  expect(html).toContain("default-src 'none'");
});
