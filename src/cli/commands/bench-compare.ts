import { resolve } from "node:path";
import { compareRuns } from "../../bench/report/compare-runs.js";
import { comparisonBlocks } from "../../bench/report/comparison-blocks.js";
import { readRun } from "../../bench/report/read-run.js";
import { textReport } from "../../bench/report/text-report.js";
import type { Command } from "../command.js";
import { exitCodes } from "../exit-codes.js";
import { helpFlag } from "../flags.js";
import { UsageError } from "../usage-error.js";

/** `triact bench compare`: what changed between two runs. */
export const benchCompareCommand: Command = {
  usage: "bench compare BEFORE AFTER",
  description:
    "Compares two runs of the same strategies on the same tasks. The exit code is 1 when\na strategy solves fewer tasks, or takes more, beyond what is noise.",
  flags: {
    tolerance: { value: "PERCENT", help: "how much more tokens and model calls are no regression. Default: 5" },
    json: { help: "write the comparison as JSON" },
    ...helpFlag,
  },
  execute: async (values, host) => {
    const [before, after, ...more] = values.positionals;
    if (before === undefined || after === undefined || more.length > 0) {
      throw new UsageError({ problem: `Two runs are expected, the earlier one first; received ${values.positionals.length}.` });
    }
    const percent = values.number("tolerance", { min: 0, max: 1000, isInteger: false }) ?? 5;
    const read = (path: string) => readRun([resolve(host.workingDirectory, path)]);
    const comparison = compareRuns({ before: await read(before), after: await read(after), tolerance: percent / 100 });
    if (comparison.strategies.length === 0) throw new UsageError({ problem: `Nothing can be compared. ${comparison.notes.join(" ")}` });
    const { stdout } = host.terminal;
    const emphasise = (text: string) => stdout.paint("bold", text);
    stdout.write(values.has("json") ? `${JSON.stringify(comparison)}\n` : textReport(comparisonBlocks(comparison), { emphasise }));
    return comparison.regressions.length === 0 ? exitCodes.completed : exitCodes.failed;
  },
};
