import { writeFile } from "node:fs/promises";
import { extname, resolve } from "node:path";
import { analyse } from "../../bench/report/analyse.js";
import type { Analysis } from "../../bench/report/analysis.js";
import { htmlReport, loadReportPage } from "../../bench/report/html-report.js";
import { junitReport } from "../../bench/report/junit-report.js";
import { markdownReport } from "../../bench/report/markdown-report.js";
import { type RecordedRun, readRun } from "../../bench/report/read-run.js";
import { reportBlocks } from "../../bench/report/report-blocks.js";
import { textReport } from "../../bench/report/text-report.js";
import type { Command, CommandHost } from "../command.js";
import { exitCodes } from "../exit-codes.js";
import { helpFlag } from "../flags.js";
import { UsageError } from "../usage-error.js";

type Format = "terminal" | "markdown" | "json" | "junit" | "html";
const formats: readonly string[] = ["terminal", "markdown", "json", "junit", "html"] satisfies readonly Format[];
const byExtension: Readonly<Record<string, Format>> = {
  ".md": "markdown",
  ".json": "json",
  ".xml": "junit",
  ".html": "html",
  ".htm": "html",
};

/** `triact bench report`: what a run found. */
export const benchReportCommand: Command = {
  usage: "bench report PATH...",
  description:
    "Shows what a run found, from its records: a file, or the folder that it is in. Several\nruns are reported together, a section for each suite and model.",
  flags: {
    format: { value: "NAME", help: "terminal, markdown, json, junit or html. Default: that of the ending of --output, or terminal" },
    output: { short: "o", value: "FILE", help: "write it to this file. Default: standard output" },
    ...helpFlag,
  },
  execute: async (values, host) => {
    if (values.positionals.length === 0)
      throw new UsageError({ problem: "The records of a run are expected: a file, or the folder that it is in." });
    const output = values.text("output");
    const format = values.text("format") ?? byExtension[extname(output ?? "").toLowerCase()] ?? "terminal";
    if (!isFormat(format))
      throw new UsageError({ problem: `--format: expected one of ${formats.join(", ")}, received ${JSON.stringify(format)}.` });
    const run = await readRun(values.positionals.map((path) => resolve(host.workingDirectory, path)));
    const text = await write(format, { run, analysis: analyse(run), host, isFile: output !== undefined });
    if (output === undefined) host.terminal.stdout.write(text);
    else await save(resolve(host.workingDirectory, output), text);
    return exitCodes.completed;
  },
};

function isFormat(name: string): name is Format {
  return formats.includes(name);
}

interface ReportParts {
  readonly run: RecordedRun;
  readonly analysis: Analysis;
  readonly host: CommandHost;
  readonly isFile: boolean;
}

async function write(format: Format, { run, analysis, host, isFile }: ReportParts): Promise<string> {
  switch (format) {
    case "terminal":
      return textReport(reportBlocks(analysis), isFile ? {} : { emphasise: (text) => host.terminal.stdout.paint("bold", text) });
    case "markdown":
      return markdownReport(reportBlocks(analysis));
    case "json":
      return `${JSON.stringify(analysis, null, 2)}\n`;
    case "junit":
      return junitReport(analysis);
    case "html":
      return htmlReport({ run, analysis, page: await loadReportPage() });
  }
}

async function save(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch((cause: unknown) => {
    throw new UsageError({ problem: `${file} cannot be written. Is its folder there?`, cause });
  });
}
