import type { Command } from "../command.js";
import { checkNode, checkPackages, checkSandbox, checkSessionFolder } from "../doctor/check-machine.js";
import { checkProvider, providersToCheck } from "../doctor/check-provider.js";
import { type Finding, problems } from "../doctor/finding.js";
import { exitCodes } from "../exit-codes.js";
import { helpFlag, sessionFolderFlag } from "../flags.js";
import { SessionFolder } from "../session-folder.js";
import type { Terminal } from "../terminal.js";
import { UsageError } from "../usage-error.js";

/** `triact doctor`: what works here, and what to do about the rest. */
export const doctorCommand: Command = {
  usage: "doctor",
  description:
    "Checks Node, the sandbox, the packages of providers and the session folder, and\nasks each provider that has a key for one token. Says what to mend.",
  flags: {
    provider: { value: "NAME", repeatable: true, help: "ask this provider. Default: those that have a key" },
    model: { short: "m", value: "PROVIDER:MODEL", repeatable: true, help: "the model to ask a provider with" },
    "no-calls": { help: "ask no provider" },
    ...sessionFolderFlag,
    json: { help: "write one JSON object a line" },
    ...helpFlag,
  },
  execute: async (values, host) => {
    if (values.positionals.length > 0) throw new UsageError({ problem: `No argument is expected, received ${values.positionals[0]}.` });
    const folder = SessionFolder.of(values, host);
    const providers = values.has("no-calls") ? [] : providersToCheck(values.texts("provider"), values.texts("model"));
    const checks: (() => Promise<readonly Finding[]>)[] = [
      checkNode,
      checkSandbox,
      checkPackages,
      () => checkSessionFolder(folder.path),
      ...providers.map((provider) => () => checkProvider(provider, host.interruption.signal)),
    ];
    const findings: Finding[] = [];
    for (const check of checks) {
      for (const finding of await check()) {
        findings.push(finding);
        show(finding, values.has("json"), host.terminal);
      }
    }
    return problems(findings).length === 0 ? exitCodes.completed : exitCodes.failed;
  },
};

function show(finding: Finding, json: boolean, { stdout }: Terminal): void {
  if (json) {
    stdout.write(`${JSON.stringify(finding)}\n`);
    return;
  }
  const { subject, state, text, advice } = finding;
  const sign = { fine: stdout.paint("green", "✓"), absent: stdout.paint("dim", "–"), wrong: stdout.paint("red", "✗") }[state];
  stdout.write(`${sign} ${subject}: ${text}${advice === undefined ? "" : `\n  ${advice}`}\n`);
}
