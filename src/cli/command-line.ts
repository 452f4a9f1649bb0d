import { createRequire } from "node:module";
import { messageOf, TriactError } from "../base/errors.js";
import type { CommandHost } from "./command.js";
import { type CommandRow, commands } from "./commands.js";
import { exitCodes } from "./exit-codes.js";
import { commandHelp, mainHelp } from "./help.js";
import { parseFlags } from "./parse-flags.js";
import { safeText } from "./safe-text.js";
import { UsageError } from "./usage-error.js";

/**
 * Carries out one command line.
 * @param args - What stands behind `triact`.
 * @returns The exit code; whatever went wrong has been told on standard error.
 */
export async function runCommandLine(args: readonly string[], host: CommandHost): Promise<number> {
  try {
    return await dispatch(args, host);
  } catch (error) {
    if (host.interruption.exitCode !== undefined) return host.interruption.exitCode;
    return report(error, host);
  }
}

async function dispatch([name, ...args]: readonly string[], host: CommandHost): Promise<number> {
  const { stdout, stderr } = host.terminal;
  if (name === "--version" || name === "-v") {
    stdout.write(`${ownVersion()}\n`);
    return exitCodes.completed;
  }
  if (name === "--help" || name === "-h" || name === "help") {
    stdout.write(args[0] === undefined ? mainHelp(commands) : await helpOf(args[0]));
    return exitCodes.completed;
  }
  if (name === undefined) {
    stderr.write(mainHelp(commands));
    return exitCodes.usage;
  }
  const command = await rowOf(name).load();
  const values = parseFlags(name, { specs: command.flags, args });
  if (!values.has("help")) return command.execute(values, host);
  stdout.write(commandHelp(command));
  return exitCodes.completed;
}

async function helpOf(name: string): Promise<string> {
  return commandHelp(await rowOf(name).load());
}

function rowOf(name: string): CommandRow {
  const row = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (row !== undefined) return row;
  const names = Object.keys(commands).join(", ");
  throw new UsageError({ problem: `There is no command ${JSON.stringify(name)}. Commands: ${names}. See triact --help.` });
}

function report(error: unknown, { terminal: { stderr }, environment }: CommandHost): number {
  const isKnown = error instanceof TriactError;
  stderr.write(`${stderr.paint("red", "triact:")} ${safeText(messageOf(error))}\n`);
  if (!isKnown && environment["TRIACT_DEBUG"] && error instanceof Error) stderr.write(`${safeText(error.stack ?? "")}\n`);
  return isKnown ? exitCodes.usage : exitCodes.failed;
}

/** The version in triact's own package.json. */
function ownVersion(): string {
  const { version } = createRequire(import.meta.url)("triact/package.json") as { version: string };
  return version;
}
