/** One flag of a command. */
export interface FlagSpec {
  /** What stands for its value in the help. Absent: the flag takes none. */
  readonly value?: string;
  /** Whether it may be given several times. */
  readonly repeatable?: boolean;
  /** One letter that stands for the name. */
  readonly short?: string;
  /** What it does, for the help. */
  readonly help: string;
}

/** The flags of a command by their names, without the dashes. */
export type FlagSpecs = Readonly<Record<string, FlagSpec>>;

/** Every command has it. */
export const helpFlag: FlagSpecs = { help: { short: "h", help: "show this" } };

/** What an agent is built from. */
export const agentFlags: FlagSpecs = {
  model: { short: "m", value: "SPEC", help: "provider:model, or scripted:FILE for replies from a file. Default: $TRIACT_MODEL" },
  "base-url": { value: "URL", help: "another address of the provider. Keys are read from the environment alone" },
  runtime: {
    value: "NAME",
    help: 'the strategy: react, codeact or deep-research, with options as codeact:{"finish":"model"}. Default: react',
  },
  sandbox: { value: "NAME", help: "where the code of codeact runs: isolated-vm or quickjs. Default: isolated-vm" },
  tools: { short: "t", value: "FILE", repeatable: true, help: "a module that exports tools made by createTool" },
  policy: {
    short: "p",
    value: "RULE",
    repeatable: true,
    help: "ask, allow or deny for all tools, ask:NAME, allow:NAME or deny:NAME for one, or a .json file. Default: allow",
  },
  system: { value: "TEXT", help: "the system prompt" },
  "max-iterations": { value: "N", help: "most model calls of the run. Default: 100" },
  "max-tokens": { value: "N", help: "most tokens of the run, input and output together" },
  timeout: { value: "SECONDS", help: "longest time of the run" },
};

/** How a run is shown. */
export const outputFlags: FlagSpecs = {
  json: { help: "write the events to standard output, one JSON object a line" },
  quiet: { short: "q", help: "write the final text, and nothing else" },
};

/** The session that a conversation is kept in. */
export const sessionFlag: FlagSpecs = {
  session: { short: "s", value: "NAME", help: "keep the conversation under this name, and go on with it" },
};

/** Where sessions are kept. */
export const sessionFolderFlag: FlagSpecs = {
  "session-dir": { value: "FOLDER", help: "where sessions are kept. Default: $TRIACT_HOME/sessions, or ~/.triact/sessions" },
};
