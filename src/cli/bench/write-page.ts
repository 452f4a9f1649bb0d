import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { analyse } from "../../bench/report/analyse.js";
import { htmlReport, loadReportPage } from "../../bench/report/html-report.js";
import { readRun } from "../../bench/report/read-run.js";

/**
 * Writes the report of a run, as one page, beside its records.
 * @returns The path of the page.
 */
export async function writePage(folder: string): Promise<string> {
  const file = join(folder, "report.html");
  const run = await readRun([folder]);
  await writeFile(file, await htmlReport({ run, analysis: analyse(run), page: await loadReportPage() }));
  return file;
}
