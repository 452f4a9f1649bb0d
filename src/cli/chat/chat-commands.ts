import { runtimes } from "../resolve-runtime.js";
import { oneLine } from "../safe-text.js";
import type { Chat } from "./chat.js";

/** What a line that begins with a slash does. */
export interface ChatCommand {
  /** What stands behind its name, for the help. */
  readonly argument?: string;
  readonly help: string;
  /**
   * Carries it out.
   * @returns What the person is told; `undefined` to leave the conversation.
   */
  execute(chat: Chat, argument: string): Promise<string | undefined>;
}

/** Everything that can be said with a slash. */
export const chatCommands: Readonly<Record<string, ChatCommand>> = {
  help: { help: "this list", execute: async () => describeCommands() },
  runtime: {
    argument: "NAME",
    help: `another strategy: ${Object.keys(runtimes).join(", ")}`,
    execute: async (chat, argument) => {
      if (argument === "") return `The runtime is ${chat.plan.runtime ?? "react"}.`;
      await chat.change({ runtime: argument });
      return `From here on: ${oneLine(argument, 100)}. The conversation goes on.`;
    },
  },
  model: {
    argument: "PROVIDER:MODEL",
    help: "another model",
    execute: async (chat, argument) => {
      if (argument === "") return `The model is ${oneLine(chat.plan.model ?? "not set", 100)}.`;
      await chat.change({ model: argument });
      return `From here on: ${oneLine(argument, 100)}. The conversation goes on.`;
    },
  },
  tools: {
    help: "the files that tools come from",
    execute: async (chat) => (chat.plan.tools ?? []).map((file) => oneLine(file, 200)).join("\n") || "There are no tools.",
  },
  usage: {
    help: "tokens of this conversation",
    execute: async (chat) => {
      const { totalInputTokens, totalOutputTokens } = (await chat.agent()).snapshot().usage;
      return `${totalInputTokens} tokens in, ${totalOutputTokens} out`;
    },
  },
  clear: {
    help: "forget what was said",
    execute: async (chat) => {
      await chat.clear();
      return "Forgotten.";
    },
  },
  exit: { help: "leave; Ctrl-D does the same", execute: async () => undefined },
};

function describeCommands(): string {
  const rows = Object.entries(chatCommands).map(
    ([name, { argument, help }]) => [`/${name}${argument === undefined ? "" : ` ${argument}`}`, help] as const,
  );
  const width = Math.max(...rows.map(([usage]) => usage.length));
  return [...rows.map(([usage, help]) => `${usage.padEnd(width)}  ${help}`), "A line that ends with \\ goes on in the next one."].join(
    "\n",
  );
}
