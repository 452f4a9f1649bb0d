import { type AgentPlan, defaultPlan, overlayPlan, readAgentPlan } from "../agent-plan.js";
import { Chat } from "../chat.js";
import type { Command, CommandHost } from "../command.js";
import { agentFlags, helpFlag, sessionFlag, sessionFolderFlag } from "../flags.js";
import type { FlagValues } from "../parse-flags.js";
import { RunSession } from "../run-session.js";
import { SessionFolder } from "../session-folder.js";
import { UsageError } from "../usage-error.js";

/** `triact chat`: a conversation in the terminal. */
export const chatCommand: Command = {
  usage: "chat",
  description:
    "A conversation with an agent. What is typed while it works is told to it before\nits next turn. /help lists the commands of the conversation. Without a terminal\neach line of standard input is a message.",
  flags: { ...agentFlags, ...sessionFlag, ...sessionFolderFlag, ...helpFlag },
  execute: async (values, host) => {
    if (values.positionals.length > 0) throw new UsageError({ problem: `No argument is expected, received ${values.positionals[0]}.` });
    const name = values.text("session");
    const folder = SessionFolder.of(values, host);
    const session = name === undefined ? undefined : await RunSession.open(name, folder);
    try {
      return await Chat.hold({ host, folder, plan: planOf(values, host, session), session });
    } finally {
      await session?.close();
    }
  },
};

/** A session goes on with what it was built from, but for the flags that are given. */
function planOf(values: FlagValues, host: CommandHost, session: RunSession | undefined): AgentPlan {
  return overlayPlan(overlayPlan(defaultPlan(host), session?.notes?.plan ?? {}), readAgentPlan(values, host));
}
