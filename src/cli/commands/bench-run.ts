import { relative, resolve } from "node:path";
import type { CellRecord } from "../../bench/record.js";
import type { Granularity } from "../../bench/reference/policy-protocol.js";
import { runBenchmark } from "../../bench/run-benchmark.js";
import type { BenchmarkOptions, BenchmarkResult, RunEstimate } from "../../bench/runner/benchmark-options.js";
import { readRecords } from "../../bench/runner/records-file.js";
import { summarise, summaryTable, unsolvedText } from "../bench/bench-summary.js";
import { ProgressLine } from "../bench/progress-line.js";
import { readModels } from "../bench/read-models.js";
import { type ResolvedArm, resolveArm } from "../bench/resolve-arm.js";
import { resolveSuite } from "../bench/resolve-suite.js";
import { writePage } from "../bench/write-page.js";
import type { Command, CommandHost } from "../command.js";
import { exitCodes } from "../exit-codes.js";
import { type FlagSpecs, helpFlag } from "../flags.js";
import type { FlagValues } from "../parse-flags.js";
import { oneLine } from "../safe-text.js";
import { UsageError } from "../usage-error.js";

const flags: FlagSpecs = {
  suite: { value: "NAME", repeatable: true, help: "a suite of triact bench list, or a file that exports one. Default: mixed" },
  data: { value: "FOLDER", help: "where m3tooleval reads its tasks" },
  arm: {
    value: "NAME",
    repeatable: true,
    help: 'a strategy: react, codeact, codeact:{"finish":"model"}, or a file that exports a runtime. Default: react, codeact and deep-research',
  },
  model: { short: "m", value: "SPEC", repeatable: true, help: "provider:model. Default: the reference policy, which calls nothing" },
  price: {
    value: "IN/OUT",
    repeatable: true,
    help: "price of a million tokens in and out, as 3/15: one for all models, or one for each in their order",
  },
  trials: { value: "N", help: "attempts at each task by each strategy and model. Default: 1" },
  seed: { value: "N", help: "chooses tasks, order and faults. Default: 1" },
  concurrency: { value: "N", help: "cells at once. Default: 4" },
  granularity: { value: "WORD", help: "what the reference policy does in one action: call, level or whole. Default: whole" },
  faults: {
    value: "KINDS",
    help: "faults to inject, separated by commas; each cell runs without and with each. KIND:RATE for a share of the actions",
  },
  output: { short: "o", value: "FOLDER", help: "where records and traces go. Default: a new folder in triact-bench" },
  resume: { help: "go on with the records in --output" },
  cache: { value: "FOLDER", help: "keep replies of models here, and ask for none twice" },
  "max-cost": { value: "N", help: "begin no cell when so much was spent, in US dollars or whatever the prices are in" },
  "max-time": { value: "SECONDS", help: "begin no cell after so long" },
  limit: { value: "N", help: "the first so many tasks of each suite" },
  json: { help: "write the summary as one JSON object a line" },
  ...helpFlag,
};

/** `triact bench run`: tasks by strategies, to records and a short table. */
export const benchRunCommand: Command = {
  usage: "bench run",
  description:
    "Runs the tasks of suites by each strategy, with the same model, tools and\nlimits, and writes one record for each attempt. Without --model the reference\npolicy answers: it knows each task's solution, needs no key and calls nothing.\nThe report is a page beside the records, report.html.",
  flags,
  execute: async (values, host) => {
    if (values.positionals.length > 0) throw new UsageError({ problem: `No argument is expected, received ${values.positionals[0]}.` });
    const specs = values.texts("arm").length > 0 ? values.texts("arm") : ["react", "codeact", "deep-research"];
    const arms: ResolvedArm[] = [];
    try {
      for (const spec of specs) arms.push(await resolveArm(spec, host));
      return await runAndShow(await readOptions(values, { arms, host }), { values, host });
    } finally {
      for (const { dispose } of arms) await dispose();
    }
  },
};

async function runAndShow(options: BenchmarkOptions, { values, host }: { values: FlagValues; host: CommandHost }): Promise<number> {
  const { stdout, stderr } = host.terminal;
  const line = new ProgressLine(stderr);
  const announce = (total: number) => {
    if (options.models === undefined) stderr.write(`${stderr.paint("dim", claim(options))}\n`);
    stderr.write(`${announcement(options, { total, host })}\n`);
  };
  let isAnnounced = false;
  let isWarned = false;
  const result = await runBenchmark({
    ...options,
    onEstimate: (estimate) => void stderr.write(`${estimateText(estimate)}\n`),
    onProgress: (progress) => {
      if (!isAnnounced) announce(progress.total);
      isAnnounced = true;
      if (!isWarned && isUncapped(options, progress.record)) {
        isWarned = true;
        line.clear();
        stderr.write(`The provider tells no cost, and no prices are known: --max-cost cannot stop this run. --max-time can.\n`);
      }
      line.show(progress);
    },
  }).finally(() => line.clear());
  const rows = await summarise(readRecords(options.output));
  if (values.has("json")) for (const row of rows) stdout.write(`${JSON.stringify(row)}\n`);
  else if (rows.length > 0) stdout.write(summaryTable(rows));
  stderr.write(await unsolvedText(readRecords(options.output)));
  stderr.write(`${ending(result, options, host)}\n`);
  if (host.interruption.exitCode !== undefined) return host.interruption.exitCode;
  if (rows.length > 0) stderr.write(`Report: ${shown(await writePage(options.output), host)}\n`);
  return result.stoppedBy === undefined ? exitCodes.completed : exitCodes.failed;
}

/** Whether a cap on the cost cannot be kept, since nobody knows what the cell has cost. */
function isUncapped({ maxCost, models }: BenchmarkOptions, record: CellRecord | undefined): boolean {
  return maxCost !== undefined && models !== undefined && record !== undefined && record.modelCalls > 0 && record.cost === undefined;
}

/** What a run with the reference policy shows, and what it does not. */
function claim({ granularity = "whole" }: BenchmarkOptions): string {
  return `Reference policy, by ${granularity}: what each strategy makes of a right solution, in calls and tokens. It says nothing about how often a language model succeeds, or about time and money.`;
}

function announcement({ output, maxCost, maxTimeMs }: BenchmarkOptions, { total, host }: { total: number; host: CommandHost }): string {
  const caps = [
    ...(maxCost === undefined ? [] : [`cost at most ${maxCost}`]),
    ...(maxTimeMs === undefined ? [] : [`at most ${maxTimeMs / 1_000} s`]),
  ];
  return `${total} cells${caps.length === 0 ? "" : `, ${caps.join(", ")}`}, to ${shown(output, host)}`;
}

function estimateText({ modelCalls, inputTokens, outputTokens, cost, sampledTasks }: RunEstimate): string {
  const about = (value: number) => Math.round(value).toLocaleString("en-US");
  const spent = cost === undefined ? "" : `, cost ${cost.toFixed(2)}`;
  return `Estimate: ${about(modelCalls)} model calls, ${about(inputTokens)} tokens in, ${about(outputTokens)} out${spent}. It is what the reference policy takes on ${sampledTasks} tasks of each suite; a language model may take several times as much.`;
}

function ending({ done, total, stoppedBy, records }: BenchmarkResult, { output }: BenchmarkOptions, host: CommandHost): string {
  if (stoppedBy === undefined) return `Records: ${shown(records, host)}`;
  const why = { "max-cost": "--max-cost was reached", "max-time": "--max-time was reached", abort: "the run was interrupted" }[stoppedBy];
  return `${done} of ${total} cells: ${why}. Go on with: triact bench run … --resume --output ${shown(output, host)}`;
}

function shown(path: string, { workingDirectory }: CommandHost): string {
  const short = relative(workingDirectory, path) || ".";
  return oneLine(short.startsWith("..") ? path : short, 200);
}

interface ReadContext {
  readonly arms: readonly ResolvedArm[];
  readonly host: CommandHost;
}

async function readOptions(values: FlagValues, { arms, host }: ReadContext): Promise<BenchmarkOptions> {
  const { workingDirectory, interruption } = host;
  const suites = values.texts("suite").length > 0 ? values.texts("suite") : ["mixed"];
  const models = await readModels(values, host);
  const resume = values.has("resume");
  const output = values.text("output");
  if (resume && output === undefined) throw new UsageError({ problem: "--resume: name the folder to go on with by --output FOLDER." });
  const cache = values.text("cache");
  const maxTime = values.number("max-time", { min: 0, isInteger: false });
  const folder = output ?? `triact-bench/${new Date().toISOString().slice(0, 19).replaceAll(":", "-")}`;
  return {
    suites: await Promise.all(suites.map((suite) => resolveSuite(suite, { host, data: values.text("data") }))),
    arms: arms.map(({ arm }) => arm),
    ...(models.length === 0 ? undefined : { models }),
    ...withoutUndefined({
      trials: values.number("trials", { min: 1, isInteger: true }),
      seed: values.number("seed", { min: 0, isInteger: true }),
      concurrency: values.number("concurrency", { min: 1, max: 1_000, isInteger: true }),
      maxCost: values.number("max-cost", { min: 0, isInteger: false }),
      maxTimeMs: maxTime === undefined ? undefined : maxTime * 1_000,
      maxTasks: values.number("limit", { min: 1, isInteger: true }),
      granularity: readGranularity(values.text("granularity")),
      faults: values
        .text("faults")
        ?.split(",")
        .map((fault) => fault.trim()),
      cache: cache === undefined ? undefined : resolve(workingDirectory, cache),
    }),
    output: resolve(workingDirectory, folder),
    resume,
    signal: interruption.signal,
  };
}

function readGranularity(word: string | undefined): Granularity | undefined {
  if (word === undefined || word === "call" || word === "level" || word === "whole") return word;
  throw new UsageError({ problem: `--granularity: expected call, level or whole, received ${JSON.stringify(word)}.` });
}

type Defined<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> };

function withoutUndefined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
