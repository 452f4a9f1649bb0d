import type { Chat } from "./chat.js";
import { runtimes } from "./resolve-runtime.js";
import { oneLine } from "./safe-text.js";
import { textTable } from "./text-table.js";
import { UsageError } from "./usage-error.js";

/** A command inside of a conversation. */
export interface ChatCommand {
  /** What follows its name in the help. */
  readonly argument?: string;
  readonly help: string;
  /** `leave` ends the conversation. */
  readonly execute: (chat: Chat, argument: string) => Promise<"leave" | undefined>;
}

/** Every command of a conversation by its name, without the slash. */
export const chatCommands: Readonly<Record<string, ChatCommand>> = {
  help: { help: "shows this", execute: tellHelp },
  runtime: { argument: "NAME", help: "goes on with another runtime; without NAME it tells the present one", execute: changeRuntime },
  model: { argument: "PROVIDER:MODEL", help: "goes on with another model; without one it tells the present one", execute: changeModel },
  tools: { help: "lists the tools", execute: listTools },
  session: { argument: "NAME", help: "goes on in another session; without NAME it tells where this one is kept", execute: session },
  resume: { help: "asks about the calls that wait, and goes on", execute: resume },
  usage: { help: "tells the tokens and the cost so far", execute: tellUsage },
  clear: { help: "forgets all that was said", execute: clear },
  exit: { help: "leaves, as Ctrl-D does", execute: async () => "leave" },
};

async function tellHelp(chat: Chat): Promise<undefined> {
  const rows = Object.entries(chatCommands).map(([name, { argument = "", help }]) => [`/${name} ${argument}`.trimEnd(), help]);
  chat.tell(
    `${textTable(rows)}A line that ends with \\ goes on with the next one. What is typed while the agent works is told to it before its next turn.\nCtrl-C ends what the agent does, twice leaves.\n`,
  );
}

async function changeRuntime(chat: Chat, runtime: string): Promise<undefined> {
  if (runtime !== "") {
    refuseWhileUnfinished(chat);
    await chat.change({ runtime });
  }
  const others = runtime === "" ? `. There are ${Object.keys(runtimes).join(", ")}` : "";
  chat.tell(`runtime: ${oneLine(chat.plan.runtime ?? "react", 200)}${others}\n`);
}

async function changeModel(chat: Chat, model: string): Promise<undefined> {
  if (model !== "") {
    refuseWhileUnfinished(chat);
    await chat.change({ model });
  }
  chat.tell(`model: ${oneLine(chat.plan.model ?? "", 200)}\n`);
}

/** A suspended run belongs to the runtime that suspended it. */
function refuseWhileUnfinished(chat: Chat): void {
  if (chat.isUnfinished) throw new UsageError({ problem: "Calls wait for an answer. /resume asks about them, /clear gives them up." });
}

async function listTools(chat: Chat): Promise<undefined> {
  const { tools } = chat.built;
  if (tools.length === 0) chat.tell("There are no tools; --tools brings some.\n");
  else chat.tell(textTable(tools.map(({ name, description }) => [oneLine(name, 64), oneLine(description, 100)])));
}

async function session(chat: Chat, name: string): Promise<undefined> {
  if (name !== "") await chat.goTo(name);
  const { session } = chat;
  const { messages } = chat.built.agent.snapshot();
  const where =
    session === undefined
      ? "not kept; --session NAME keeps a conversation"
      : `session ${oneLine(session.name, 200)} in ${oneLine(session.folder.path, 200)}`;
  chat.tell(`${messages.length} messages, ${where}\n${chat.describeWaiting()}`);
}

async function resume(chat: Chat): Promise<undefined> {
  if (chat.isUnfinished) await chat.goOn();
  else chat.tell("Nothing waits.\n");
}

async function tellUsage(chat: Chat): Promise<undefined> {
  chat.tell(`${chat.totals.describe()}\n`);
}

async function clear(chat: Chat): Promise<undefined> {
  chat.clear();
  chat.tell("Everything is forgotten.\n");
}
