import { type Gateway, type ProviderListing, splitModelName } from "../../models/gateway.js";
import { checkMachine } from "../check-machine.js";
import { checkProvider } from "../check-provider.js";
import type { Command, CommandHost } from "../command.js";
import type { CheckResult } from "../doctor-check.js";
import { exitCodes } from "../exit-codes.js";
import { helpFlag, sessionFolderFlag } from "../flags.js";
import type { FlagValues } from "../parse-flags.js";
import { findProvider, gatewayOf, keyVariableOf, type ProviderHost } from "../provider-access.js";
import { oneLine } from "../safe-text.js";
import { SessionFolder } from "../session-folder.js";
import type { Output, Paint } from "../terminal.js";
import { UsageError } from "../usage-error.js";

const DEFAULT_TIMEOUT_SECONDS = 15;
const MAX_LINE_CHARS = 400;

/** `triact doctor`: whether everything works here, and what to do where it does not. */
export const doctorCommand: Command = {
  usage: "doctor",
  description:
    "Checks Node, the sandbox, optional packages and the folder of sessions, and asks\neach provider that has a key, and each local server that runs, for a word.\nThe exit code is 1 when something has to be mended.",
  flags: {
    provider: { value: "NAME", repeatable: true, help: "ask this provider alone, whether or not it has a key" },
    model: { short: "m", value: "SPEC", repeatable: true, help: "provider:model, the model to ask of this provider" },
    "no-calls": { help: "ask no provider" },
    timeout: { value: "SECONDS", help: `longest time of one call. Default: ${DEFAULT_TIMEOUT_SECONDS}` },
    ...sessionFolderFlag,
    json: { help: "write one JSON object a line" },
    ...helpFlag,
  },
  execute: async (values, host) => {
    if (values.positionals.length > 0) throw new UsageError({ problem: `No argument is expected, received ${values.positionals[0]}.` });
    const calls = planCalls(values, host);
    let isWell = true;
    const tell = (result: CheckResult) => {
      isWell &&= result.status !== "problem";
      host.terminal.stdout.write(values.has("json") ? `${JSON.stringify(result)}\n` : toLine(result, host.terminal.stdout));
    };
    for (const result of await checkMachine(SessionFolder.of(values, host).path)) tell(result);
    const asked = calls.map((call) => call()); // all at once
    for (const each of asked) each.catch(() => undefined); // whoever awaits it first sees it
    for (const each of asked) {
      const result = await each;
      if (result !== undefined) tell(result);
    }
    if (!values.has("json")) host.terminal.stderr.write(isWell ? "Nothing has to be mended.\n" : "Mend what is marked with ✗.\n");
    return isWell ? exitCodes.completed : exitCodes.failed;
  },
};

type Call = () => Promise<CheckResult | undefined>;

/** The calls to be made, none of them begun. */
function planCalls(values: FlagValues, host: CommandHost): readonly Call[] {
  const gateway = gatewayOf(host);
  const models = new Map(values.texts("model").map((spec) => readModel(spec, gateway)));
  const named = [...new Set([...values.texts("provider").map((name) => findProvider(name, gateway, "--provider: ").id), ...models.keys()])];
  const timeoutMs = (values.number("timeout", { min: 0.001, max: 3600, isInteger: false }) ?? DEFAULT_TIMEOUT_SECONDS) * 1000;
  if (values.has("no-calls")) return [];
  const providers = named.length > 0 ? gateway.providers.filter(({ id }) => named.includes(id)) : usable(gateway.providers, host);
  const { signal } = host.interruption;
  return providers.map(
    (provider) => () =>
      checkProvider(provider, { host, gateway, modelId: models.get(provider.id), isNamed: named.includes(provider.id), timeoutMs, signal }),
  );
}

function readModel(spec: string, gateway: Gateway): readonly [providerId: string, modelId: string] {
  const { providerId, modelId } = splitModelName(spec);
  return [findProvider(providerId, gateway, "--model: ").id, modelId];
}

/** Providers that have a key or want none. Two names of one provider are asked once. */
function usable(providers: readonly ProviderListing[], host: ProviderHost): readonly ProviderListing[] {
  const seen = new Set<string>();
  return providers.filter((provider) => {
    if (provider.keyVariables.length > 0 && keyVariableOf(provider, host) === undefined) return false;
    const isNew = !seen.has(provider.baseUrl);
    seen.add(provider.baseUrl);
    return isNew;
  });
}

const signs: Readonly<Record<CheckResult["status"], readonly [sign: string, paint: Paint]>> = {
  ok: ["✓", "green"],
  note: ["·", "dim"],
  problem: ["✗", "red"],
};

function toLine({ check, status, text }: CheckResult, output: Output): string {
  const [sign, paint] = signs[status];
  return `${output.paint(paint, sign)} ${oneLine(check, 60)}: ${oneLine(text, MAX_LINE_CHARS)}\n`;
}
