import type { Command, CommandRow } from "./command.js";
import type { FlagSpec } from "./flags.js";

const WIDTH = 80;

const EXIT_CODES = `Exit codes:
  0    completed
  1    failed: a limit was reached, the model failed or refused, or a benchmark
       got worse
  2    the command line or a file it names cannot be used; nothing was run
  3    suspended: calls wait for an approval
  4    aborted by a hook, or because nobody reads the output any more
  130  aborted by Ctrl-C (143: by SIGTERM). A second Ctrl-C ends at once
`;

/** What `triact --help` shows. */
export function mainHelp(commands: Readonly<Record<string, CommandRow>>): string {
  const rows = Object.entries(commands).map(([name, { summary }]) => row(name, summary));
  return [
    "triact: runs agents whose strategy can be swapped.\n",
    "Usage: triact COMMAND [flags]\n",
    `Commands:\n${rows.join("\n")}\n`,
    `Flags:\n${row("--help, -h", "show this; triact COMMAND --help shows the flags of a command")}\n${row("--version, -v", "show the version")}\n`,
    `Environment:\n${environment()}\n`,
    EXIT_CODES,
  ].join("\n");
}

/** What `triact COMMAND --help` shows. */
export function commandHelp({ usage, description, flags, subcommands }: Command): string {
  const rows = Object.entries(flags).map(([name, flag]) => row(signature(name, flag), flag.help + (flag.repeatable ? ". Repeatable" : "")));
  if (subcommands !== undefined) {
    const lines = Object.entries(subcommands).map(([name, { summary }]) => row(name, summary));
    return `Usage: triact ${usage} COMMAND [flags]\n\n${description}\n\nCommands:\n${lines.join("\n")}\n\nFlags:\n${rows.join("\n")}\n\n${EXIT_CODES}`;
  }
  return `Usage: triact ${usage} [flags]\n\n${description}\n\nFlags:\n${rows.join("\n")}\n\n${EXIT_CODES}`;
}

function environment(): string {
  return [
    row("TRIACT_MODEL", "the model when --model is not given"),
    row("TRIACT_HOME", "folder of the sessions folder. Default: ~/.triact"),
    row("NO_COLOR, FORCE_COLOR", "colours off, colours on"),
    row("TRIACT_DEBUG", "show the stack of an unexpected error"),
  ].join("\n");
}

function signature(name: string, { short, value }: FlagSpec): string {
  return `--${name}${value === undefined ? "" : ` ${value}`}${short === undefined ? "" : `, -${short}`}`;
}

const COLUMN = 26;

/** Two columns, the second one wrapped. */
function row(left: string, right: string): string {
  const lines: string[] = [];
  let line = "";
  for (const word of right.split(" ")) {
    if (line !== "" && COLUMN + line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  lines.push(line);
  return lines.map((text, index) => `${(index === 0 ? `  ${left}` : "").padEnd(COLUMN)}${text}`).join("\n");
}
