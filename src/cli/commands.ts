import type { Command } from "./command.js";

/** A command in the table of commands. */
export interface CommandRow {
  /** One line for `triact --help`. */
  readonly summary: string;
  /** Loads the command; only the one that is called is loaded. */
  readonly load: () => Promise<Command>;
}

/** Commands that are called by two words. */
export interface CommandGroup {
  readonly summary: string;
  /** By their second words. */
  readonly commands: Readonly<Record<string, CommandRow>>;
}

/** Every command by its name. */
export const commands: Readonly<Record<string, CommandRow | CommandGroup>> = {
  run: { summary: "run an agent once, and show what it does", load: async () => (await import("./commands/run.js")).runCommand },
  chat: { summary: "talk with an agent in the terminal", load: async () => (await import("./commands/chat.js")).chatCommand },
  resume: { summary: "go on with an unfinished run of a session", load: async () => (await import("./commands/resume.js")).resumeCommand },
  sessions: { summary: "list the sessions", load: async () => (await import("./commands/sessions.js")).sessionsCommand },
  bench: {
    summary: "compare strategies on tasks",
    commands: {
      run: { summary: "run tasks by each strategy", load: async () => (await import("./commands/bench-run.js")).benchRunCommand },
      list: { summary: "list the suites", load: async () => (await import("./commands/bench-list.js")).benchListCommand },
    },
  },
  models: { summary: "list the providers, and which keys are set", load: async () => (await import("./commands/models.js")).modelsCommand },
  doctor: {
    summary: "check what triact needs, and say what to mend",
    load: async () => (await import("./commands/doctor.js")).doctorCommand,
  },
};
