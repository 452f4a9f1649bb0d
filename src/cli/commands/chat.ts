import { messageOf, TriactError } from "../../base/errors.js";
import { defaultPlan, overlayPlan, readAgentPlan } from "../agent-plan.js";
import { Chat } from "../chat/chat.js";
import { chatCommands } from "../chat/chat-commands.js";
import { ChatLines } from "../chat/chat-lines.js";
import type { Command, CommandHost } from "../command.js";
import { createApproval } from "../create-approval.js";
import { exitCodes } from "../exit-codes.js";
import { agentFlags, helpFlag, sessionFolderFlag } from "../flags.js";
import type { FlagValues } from "../parse-flags.js";
import { Questions } from "../questions.js";
import { RunSession, resumeHint } from "../run-session.js";
import { oneLine } from "../safe-text.js";
import { SessionFolder } from "../session-folder.js";
import { UsageError } from "../usage-error.js";

/** `triact chat`: a conversation, until the person leaves. */
export const chatCommand: Command = {
  usage: "chat",
  description:
    "Talks with an agent. Ctrl-C ends an answer, Ctrl-D the conversation; /help\nshows what can be changed on the way. From a pipe each line is a message.",
  flags: {
    ...agentFlags,
    session: { short: "s", value: "NAME", help: "keep the conversation under this name, and go on with it" },
    ...sessionFolderFlag,
    ...helpFlag,
  },
  execute: (values, host) => {
    if (values.positionals.length > 0) throw new UsageError({ problem: `No argument is expected, received ${values.positionals[0]}.` });
    const name = values.text("session");
    if (name === undefined) return converse(values, host, undefined);
    return RunSession.with(name, SessionFolder.of(values, host), (session) => converse(values, host, session));
  },
};

async function converse(values: FlagValues, host: CommandHost, session: RunSession | undefined): Promise<number> {
  if (session?.isUnfinished) {
    throw new UsageError({
      problem: `The last run of session ${JSON.stringify(session.name)} is not finished. ${resumeHint(session.name, values)}`,
    });
  }
  const questions = new Questions(host);
  const approval = { host, questions, always: new Set<string>(), hasSession: false, keepInSession: async () => false };
  const plan = overlayPlan(overlayPlan(defaultPlan(host), session?.notes?.plan ?? {}), readAgentPlan(values, host));
  const chat = new Chat({
    host,
    plan,
    skipReplies: session?.skipReplies(plan) ?? 0,
    requestToolApproval: createApproval(approval),
    session: session?.agentOptions,
    onPlan: async (plan) => session?.remember(plan),
  });
  await chat.agent(); // what cannot be used is said before anything is asked
  await session?.remember(chat.plan);
  const lines = new ChatLines(host, questions);
  try {
    for (let text = await lines.next(); text !== undefined; text = await lines.next()) {
      if (!(await take(text, chat, host))) break;
    }
  } finally {
    lines.close();
  }
  return host.interruption.exitCode ?? exitCodes.completed;
}

/** Takes one message. Returns whether the conversation goes on. */
async function take(text: string, chat: Chat, { terminal, interruption }: CommandHost): Promise<boolean> {
  const [, name, argument = ""] = text.match(/^\/(\w*)\s*(.*)$/s) ?? [];
  try {
    if (name !== undefined) {
      const command = Object.hasOwn(chatCommands, name) ? chatCommands[name] : undefined;
      const answer =
        command === undefined
          ? `There is no /${oneLine(name, 40)}. /help shows what there is.`
          : await command.execute(chat, argument.trim());
      if (answer !== undefined) terminal.stderr.write(`${answer}\n`);
      return answer !== undefined;
    }
    if (text.trim() !== "") await chat.say(text);
  } catch (error) {
    if (!(error instanceof TriactError)) throw error;
    terminal.stderr.write(`${terminal.stderr.paint("red", "triact:")} ${oneLine(messageOf(error), 1_000)}\n`);
  }
  return interruption.exitCode === undefined;
}
