import type { CommandRow } from "./command.js";

/** Every command by its name. */
export const commands: Readonly<Record<string, CommandRow>> = {
  run: { summary: "run an agent once, and show what it does", load: async () => (await import("./commands/run.js")).runCommand },
  chat: { summary: "talk with an agent in the terminal", load: async () => (await import("./commands/chat.js")).chatCommand },
  resume: { summary: "go on with an unfinished run of a session", load: async () => (await import("./commands/resume.js")).resumeCommand },
  sessions: { summary: "list the sessions", load: async () => (await import("./commands/sessions.js")).sessionsCommand },
  models: { summary: "list the providers, and which keys are set", load: async () => (await import("./commands/models.js")).modelsCommand },
  doctor: {
    summary: "check what triact needs, and say what to mend",
    load: async () => (await import("./commands/doctor.js")).doctorCommand,
  },
  bench: { summary: "compare strategies on the same tasks", load: async () => (await import("./commands/bench.js")).benchCommand },
};
