import type { SessionInfo } from "../../agent/sessions/session-store.js";
import type { Command } from "../command.js";
import { exitCodes } from "../exit-codes.js";
import { helpFlag, sessionFolderFlag } from "../flags.js";
import { oneLine } from "../safe-text.js";
import { SessionFolder } from "../session-folder.js";
import { textTable } from "../text-table.js";
import { UsageError } from "../usage-error.js";

/** `triact sessions`: what is kept. */
export const sessionsCommand: Command = {
  usage: "sessions",
  description: "Lists the sessions, the one used last first.",
  flags: { ...sessionFolderFlag, json: { help: "write one JSON object a line" }, ...helpFlag },
  execute: async (values, host) => {
    if (values.positionals.length > 0) throw new UsageError({ problem: `No argument is expected, received ${values.positionals[0]}.` });
    const { stdout, stderr } = host.terminal;
    const folder = SessionFolder.of(values, host);
    const sessions = await folder.store.list();
    if (values.has("json")) for (const session of sessions) stdout.write(`${JSON.stringify(session)}\n`);
    else if (sessions.length === 0) stderr.write(`There are no sessions in ${oneLine(folder.path, 200)}.\n`);
    else stdout.write(table(sessions));
    return exitCodes.completed;
  },
};

function table(sessions: readonly SessionInfo[]): string {
  const rows = sessions.map(({ sessionId, status, messageCount, updatedAt, problem }) => [
    oneLine(sessionId, 60),
    problem === undefined ? status : "damaged",
    `${messageCount} messages`,
    new Date(updatedAt).toISOString().slice(0, 16).replace("T", " "),
  ]);
  return textTable(rows);
}
