import { createRequire } from "node:module";
import { messageOf, TriactError } from "../base/errors.js";
import type { Command, CommandHost, CommandRow } from "./command.js";
import { commands } from "./commands.js";
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
    stdout.write(args[0] === undefined ? mainHelp(commands) : commandHelp((await find(args)).command));
    return exitCodes.completed;
  }
  if (name === undefined) {
    stderr.write(mainHelp(commands));
    return exitCodes.usage;
  }
  const { command, fullName, rest } = await find([name, ...args]);
  const values = parseFlags(fullName, { specs: command.flags, args: rest });
  if (!values.has("help")) return command.execute(values, host);
  stdout.write(commandHelp(command));
  return exitCodes.completed;
}

interface FoundCommand {
  readonly command: Command;
  /** With the names of the commands that it belongs to. */
  readonly fullName: string;
  /** What stands behind its name. */
  readonly rest: readonly string[];
}

/** The command that the first words name; a word behind a command that has subcommands is one of them. */
async function find(words: readonly string[]): Promise<FoundCommand> {
  let command = await rowOf(words[0] ?? "", { rows: commands, parent: "" }).load();
  let length = 1;
  for (; command.subcommands !== undefined && /^[^-]/.test(words[length] ?? ""); length++) {
    const parent = `${words.slice(0, length).join(" ")} `;
    command = await rowOf(words[length] ?? "", { rows: command.subcommands, parent }).load();
  }
  return { command, fullName: words.slice(0, length).join(" "), rest: words.slice(length) };
}

function rowOf(name: string, { rows, parent }: { rows: Readonly<Record<string, CommandRow>>; parent: string }): CommandRow {
  const row = Object.hasOwn(rows, name) ? rows[name] : undefined;
  if (row !== undefined) return row;
  const names = Object.keys(rows).join(", ");
  throw new UsageError({
    problem: `There is no command ${JSON.stringify(parent + name)}. Commands: ${names}. See triact ${parent}--help.`,
  });
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
