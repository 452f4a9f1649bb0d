import type { Gateway } from "../models/gateway.js";
import type { FlagSpecs } from "./flags.js";
import type { Interruption } from "./interruption.js";
import type { FlagValues } from "./parse-flags.js";
import type { Terminal } from "./terminal.js";

/** Everything outside of the command that it uses. */
export interface CommandHost {
  readonly terminal: Terminal;
  readonly interruption: Interruption;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where models come from by name. @default the providers that come with triact */
  readonly gateway?: Gateway;
  /** Relative paths begin here. */
  readonly workingDirectory: string;
  /** Loads a module of the user by its URL. */
  readonly importModule: (url: string) => Promise<Readonly<Record<string, unknown>>>;
}

/** A row of the table of commands. */
export interface CommandRow {
  /** One line for `triact --help`. */
  readonly summary: string;
  /** Loads the command; only the one that is called is loaded. */
  readonly load: () => Promise<Command>;
}

/** One command of `triact`. */
export interface Command {
  /** What follows `triact` in its help, for example `run "PROMPT"`. */
  readonly usage: string;
  /** A few lines for its help. */
  readonly description: string;
  readonly flags: FlagSpecs;
  /** Commands that follow the name of this one. */
  readonly subcommands?: Readonly<Record<string, CommandRow>>;
  /**
   * Does the work.
   * @returns The exit code.
   * @throws UsageError, or another error of triact, for what cannot be done.
   */
  execute(values: FlagValues, host: CommandHost): Promise<number>;
}
