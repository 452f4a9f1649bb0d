import type { ProviderListing } from "../../models/gateway.js";
import type { Command, CommandHost } from "../command.js";
import { exitCodes } from "../exit-codes.js";
import { helpFlag } from "../flags.js";
import { baseUrlOf, findProvider, gatewayOf, publicUrl } from "../provider-access.js";
import { oneLine } from "../safe-text.js";
import { textTable } from "../text-table.js";
import { UsageError } from "../usage-error.js";

/** `triact models`: what may stand before the colon of `--model`. */
export const modelsCommand: Command = {
  usage: "models [PROVIDER]",
  description:
    "Lists the providers whose models --model can name, and which keys are set. No\npart of a key is ever shown. Nothing is sent.",
  flags: { json: { help: "write one JSON object a line" }, ...helpFlag },
  execute: async (values, host) => {
    const [name, ...rest] = values.positionals;
    if (rest.length > 0) throw new UsageError({ problem: `One provider at most is expected, received ${values.positionals.length}.` });
    const gateway = gatewayOf(host);
    const rows = (name === undefined ? gateway.providers : [findProvider(name, gateway)]).map((provider) => toRow(provider, host));
    const { stdout } = host.terminal;
    if (values.has("json")) for (const row of rows) stdout.write(`${JSON.stringify(row)}\n`);
    else
      stdout.write(
        textTable(rows.map(({ id, protocol, baseUrl, keys }) => [oneLine(id, 60), protocol, oneLine(baseUrl, 80), keyText(keys)])),
      );
    return exitCodes.completed;
  },
};

interface Row {
  readonly id: string;
  readonly protocol: string;
  readonly baseUrl: string;
  readonly keys: readonly { readonly variable: string; readonly isSet: boolean; readonly isOptional?: true }[];
}

function toRow(provider: ProviderListing, host: CommandHost): Row {
  const { id, protocol, keyVariables, optionalKeyVariables = [] } = provider;
  const isSet = (variable: string) => (host.environment[variable]?.trim() ?? "") !== "";
  const keys = [
    ...keyVariables.map((variable) => ({ variable, isSet: isSet(variable) })),
    ...optionalKeyVariables.map((variable) => ({ variable, isSet: isSet(variable), isOptional: true as const })),
  ];
  return { id, protocol, baseUrl: publicUrl(baseUrlOf(provider, host)), keys };
}

function keyText(keys: Row["keys"]): string {
  const states = keys.map(({ variable, isSet }) => `${variable} ${isSet ? "set" : "not set"}`);
  return (keys.every(({ isOptional }) => isOptional) ? ["no key needed", ...states] : states).join(", ");
}
