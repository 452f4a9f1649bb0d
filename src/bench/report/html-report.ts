import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { AgentInputError } from "../../base/errors.js";
import type { Analysis } from "./analysis.js";
import type { RecordedRun } from "./read-run.js";
import { bundleTraces, type TraceBundle, type TraceBundleOptions } from "./trace-bundle.js";

/** What the page is made of apart from its data. */
export interface ReportPage {
  /** One classic script. */
  readonly script: string;
  readonly style: string;
}

/** What the script of the page finds in it. */
export interface PageData {
  readonly analysis: Analysis;
  readonly chunkOf: TraceBundle["chunkOf"];
  readonly missingTraces: number;
}

/** What {@link htmlReport} takes. */
export interface HtmlReportOptions extends Omit<TraceBundleOptions, "first"> {
  /** Says where the traces lie. */
  readonly run: RecordedRun;
  /** What `analyse` made of the run. */
  readonly analysis: Analysis;
  /** That of {@link loadReportPage}. */
  readonly page: ReportPage;
}

/**
 * The report as one HTML page that needs nothing else: no network, no other file. Whatever models and tools said is data in it and never markup, and
 * no other script than its own may run.
 */
export async function htmlReport({ run, analysis, page, ...limits }: HtmlReportOptions): Promise<string> {
  const first = new Set(analysis.sections.flatMap(({ disagreements }) => disagreements));
  const { chunks, chunkOf, missing } = await bundleTraces(run.records, { first, ...limits });
  const data: PageData = { analysis, chunkOf, missingTraces: missing };
  const script = page.script.replaceAll("</script", "<\\/script");
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${createHash("sha256").update(script).digest("base64")}'`;
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    "<title>Benchmark of strategies</title>",
    `<style>${page.style}</style>`,
    "</head>",
    "<body>",
    '<main id="report"><noscript>This report is drawn by a script in this file. Allow scripts to see it.</noscript></main>',
    `<script type="application/json" id="report-data">${inertJson(data)}</script>`,
    ...chunks.map((chunk, index) => `<script type="text/plain" id="traces-${index}">${chunk}</script>`),
    `<script>${script}</script>`,
    "</body>",
    "</html>",
    "",
  ].join("\n");
}

/** JSON in which nothing can end the element that holds it. */
function inertJson(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

const HERE = fileURLToPath(import.meta.url);
/** The build makes it; sources use that of the last build. */
const PAGE = join(dirname(HERE), HERE.endsWith(".ts") ? "../../../dist/bench-page.js" : "bench-page.js");

/**
 * The page that comes with triact.
 * @throws AgentInputError when it was not built.
 */
export async function loadReportPage(): Promise<ReportPage> {
  if (!existsSync(PAGE)) throw new AgentInputError({ problem: "The page of the report was not built. Run npm run build." });
  const { script, style } = (await import(pathToFileURL(PAGE).href)) as ReportPage;
  return { script, style };
}
