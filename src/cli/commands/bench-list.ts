import { knownSuites } from "../bench/resolve-suite.js";
import type { Command } from "../command.js";
import { exitCodes } from "../exit-codes.js";
import { helpFlag } from "../flags.js";
import { textTable } from "../text-table.js";
import { UsageError } from "../usage-error.js";

/** `triact bench list`: the suites that come with triact. */
export const benchListCommand: Command = {
  usage: "bench list",
  description: "Lists the suites that --suite of triact bench run knows by name.",
  flags: { json: { help: "write one JSON object a line" }, ...helpFlag },
  execute: async (values, { terminal: { stdout } }) => {
    if (values.positionals.length > 0) throw new UsageError({ problem: `No argument is expected, received ${values.positionals[0]}.` });
    const rows = await Promise.all(
      Object.entries(knownSuites).map(async ([name, { summary, needsData, make }]) => {
        const tasks = needsData ? undefined : (await make("").tasks({ seed: 1 })).length;
        return { name, ...(tasks === undefined ? undefined : { tasks }), summary };
      }),
    );
    if (values.has("json")) for (const row of rows) stdout.write(`${JSON.stringify(row)}\n`);
    else stdout.write(textTable(rows.map(({ name, tasks, summary }) => [name, tasks === undefined ? "" : `${tasks} tasks`, summary])));
    return exitCodes.completed;
  },
};
