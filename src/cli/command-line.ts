import { createRequire } from "node:module";
import { messageOf, TriactError } from "../base/errors.js";
import type { CommandHost } from "./command.js";
import { type CommandGroup, type CommandRow, commands } from "./commands.js";
import { exitCodes } from "./exit-codes.js";
import { commandHelp, groupHelp, mainHelp } from "./help.js";
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
    stdout.write(args[0] === undefined ? mainHelp(commands) : await helpOf(args));
    return exitCodes.completed;
  }
  if (name === undefined) {
    stderr.write(mainHelp(commands));
    return exitCodes.usage;
  }
  const found = find([name, ...args]);
  if (found.kind === "group") {
    const wantsHelp = args.length > 0;
    (wantsHelp ? stdout : stderr).write(groupHelp(name, found.group));
    return wantsHelp ? exitCodes.completed : exitCodes.usage;
  }
  const command = await found.row.load();
  const values = parseFlags(found.name, { specs: command.flags, args: found.args });
  if (!values.has("help")) return command.execute(values, host);
  stdout.write(commandHelp(command));
  return exitCodes.completed;
}

async function helpOf(words: readonly string[]): Promise<string> {
  const found = find(words);
  return found.kind === "group" ? groupHelp(words[0] ?? "", found.group) : commandHelp(await found.row.load());
}

type Found =
  | { readonly kind: "command"; readonly name: string; readonly row: CommandRow; readonly args: readonly string[] }
  /** Only its first word was given, or help was asked for. */
  | { readonly kind: "group"; readonly group: CommandGroup };

function find([name = "", ...args]: readonly string[]): Found {
  const row = rowOf(name, commands);
  if ("load" in row) return { kind: "command", name, row, args };
  const [second, ...rest] = args;
  if (second === undefined || second === "--help" || second === "-h") return { kind: "group", group: row };
  return { kind: "command", name: `${name} ${second}`, row: rowOf(second, row.commands, `${name} `), args: rest };
}

function rowOf<Row>(name: string, rows: Readonly<Record<string, Row>>, before = ""): Row {
  const row = Object.hasOwn(rows, name) ? rows[name] : undefined;
  if (row !== undefined) return row;
  const names = Object.keys(rows).map((each) => `${before}${each}`);
  const problem = `There is no command ${JSON.stringify(`${before}${name}`)}. Commands: ${names.join(", ")}. See triact ${before}--help.`;
  throw new UsageError({ problem });
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
