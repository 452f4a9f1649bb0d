/**
 * An agent that is killed: `killable.ts STORE PLACE LOG [WAIT_AT]`. It books three things one after the other; each booking is a line in the file LOG, and a line
 * on standard output once it waits to be killed: in the tool, or with `suspended`, once the run waits for a person who has to approve the hotel. What it ends by is its last line.
 */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentMessage, createAgent, createTool, JsonlSessionStore, type SessionStore, SqliteSessionStore } from "triact";
import { callTools, ScriptedModel, say } from "triact/testing";

const [kind, place = "", log = "", waitAt = ""] = process.argv.slice(2);
const sessionStore: SessionStore = kind === "sqlite" ? new SqliteSessionStore(join(place, "sessions.db")) : new JsonlSessionStore(place);

const book = createTool({
  name: "book",
  description: "Books.",
  inputSchema: { type: "object", properties: { what: { type: "string" } }, required: ["what"] },
  execute: async ({ what }) => {
    appendFileSync(log, `${what}\n`);
    if (what !== waitAt) return `booked ${what}`;
    process.stdout.write(`waiting at ${what}\n`);
    setInterval(() => undefined, 1_000); // keeps the process alive until it is killed
    return new Promise(() => undefined);
  },
});

const THINGS = ["train", "hotel", "table"];

function reply({ messages }: { messages: readonly AgentMessage[] }) {
  const asked = messages.some(({ role }) => role === "assistant");
  return asked ? say("All seen to.") : callTools(THINGS.map((what) => ({ toolName: "book", input: { what } })));
}

const agent = createAgent({
  model: new ScriptedModel(reply),
  tools: [book],
  toolPolicies: { book: { autoApprove: false } },
  requestToolApproval: ({ input }) => (waitAt === "suspended" && input["what"] === "hotel" ? { pending: true } : { approved: true }),
  sessionStore,
  sessionId: "trip",
});
const saved = await agent.loadSession();
const waiting = saved?.pendingToolCalls.filter(({ state }) => state === "awaiting-approval") ?? [];
const decisions = Object.fromEntries(waiting.map(({ toolCallId }) => [toolCallId, { approved: true }]));
const result = saved === undefined ? await agent.run("Book my trip.") : await agent.resume(saved, decisions);
if (result.status === "suspended") {
  process.stdout.write("waiting for a person\n");
  setInterval(() => undefined, 1_000);
}
const outputs = result.messages.flatMap(({ content }) => content.flatMap((part) => (part.type === "tool-result" ? [part.output] : [])));
process.stdout.write(`${JSON.stringify({ status: result.status, outputs })}\n`);
