import type { Command } from "../command.js";
import { helpFlag } from "../flags.js";
import { UsageError } from "../usage-error.js";

/** `triact bench`: compares strategies. What it does stands in its subcommands. */
export const benchCommand: Command = {
  usage: "bench",
  description: "Compares strategies on the same tasks.",
  flags: helpFlag,
  subcommands: {
    run: { summary: "run tasks by each strategy", load: async () => (await import("./bench-run.js")).benchRunCommand },
    list: { summary: "list the suites", load: async () => (await import("./bench-list.js")).benchListCommand },
    report: {
      summary: "show what a run found, in the terminal or as a file",
      load: async () => (await import("./bench-report.js")).benchReportCommand,
    },
    compare: {
      summary: "compare two runs; the exit code tells of a regression",
      load: async () => (await import("./bench-compare.js")).benchCompareCommand,
    },
  },
  execute: () => Promise.reject(new UsageError({ problem: "Say what to do, for example triact bench run. See triact bench --help." })),
};
