import { hasKey, providerPresets } from "../../models/gateway.js";
import type { Command } from "../command.js";
import { exitCodes } from "../exit-codes.js";
import { helpFlag } from "../flags.js";
import { formatTable } from "../format-table.js";
import { UsageError } from "../usage-error.js";

/** `triact models`: which providers there are, and for which of them a key is set. */
export const modelsCommand: Command = {
  usage: "models [PROVIDER]",
  description: "Lists the providers whose models --model takes, with the variables that may hold\ntheir keys. A key is never shown.",
  flags: { json: { help: "write one JSON object a line" }, ...helpFlag },
  execute: async (values, { terminal: { stdout, stderr } }) => {
    const [wanted, ...others] = values.positionals;
    if (others.length > 0) throw new UsageError({ problem: `One provider is expected, received also ${others[0]}.` });
    const providers = providerPresets.filter(({ id }) => wanted === undefined || id === wanted);
    if (providers.length === 0) {
      const known = providerPresets.map(({ id }) => id).join(", ");
      throw new UsageError({ problem: `There is no provider ${JSON.stringify(wanted)}. Known: ${known}.` });
    }
    if (values.has("json")) {
      for (const provider of providers) stdout.write(`${JSON.stringify({ ...provider, hasKey: hasKey(provider) })}\n`);
      return exitCodes.completed;
    }
    const rows = providers.map((provider) => [provider.id, provider.protocol, describeKey(provider), provider.baseUrl]);
    stdout.write(formatTable(rows));
    stderr.write("\nUse one with --model PROVIDER:MODEL.\n");
    return exitCodes.completed;
  },
};

function describeKey(provider: (typeof providerPresets)[number]): string {
  if (provider.keyVariables.length === 0) return "no key";
  return `${hasKey(provider) ? "key set" : "no key in"} ${provider.keyVariables.join(", ")}`;
}
