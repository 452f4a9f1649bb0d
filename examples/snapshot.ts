/** A conversation outlives its process: as JSON, also when the process ended in the middle of a tool call. */
import { type AgentMessage, type AgentSnapshot, Agents, createTool } from "triact";
import { callTool, lastToolResults, ScriptedModel, type ScriptedTurn, say } from "triact/testing";
import { z } from "zod";

let saved = ""; // stands for a file or a row in a database

const bookings = new Set<string>();
const bookTable = createTool({
  name: "book_table",
  description: "Books a table.",
  inputSchema: z.object({ day: z.string() }),
  execute: async ({ day }, { signal }) => {
    bookings.add(day); // the booking arrives, but the answer is long in coming
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  },
});
const listBookings = createTool({
  name: "list_bookings",
  description: "Lists the days that are booked.",
  inputSchema: z.object({}),
  execute: () => [...bookings],
});
const newAgent = (...turns: ScriptedTurn[]) => Agents.builder().model(new ScriptedModel(turns)).tools(bookTable, listBookings).build();

console.log("1. A conversation is saved, and goes on in another agent.");
const monday = newAgent(say("A pleasure, Ms Oda. A table by the window, as always?"));
await monday.run("This is Oda. I would like to eat with you this week.");
saved = JSON.stringify(monday.snapshot());

const tuesday = newAgent(({ messages }) => say(`I have read ${messages.length} messages, so I know: by the window.`));
tuesday.restore(load().messages);
console.log(`   ${(await tuesday.run("Yes. You remember me?")).outputText}`);

console.log("\n2. The process ends while a tool is at work.");
const wednesday = newAgent(callTool("book_table", { day: "Friday" }));
wednesday.subscribe((event) => {
  if (event.type !== "tool-started") return;
  saved = JSON.stringify(event.snapshot); // save as often as you like: a snapshot costs nothing until it is read
  setImmediate(() => wednesday.abort("power cut")); // stands for the end of the process
});
const { status } = await wednesday.run("A table on Friday, please.");
const snapshot = load();
console.log(`   ${status}; saved while ${snapshot.status}, open: ${snapshot.pendingToolCalls.map(({ toolName }) => toolName).join()}`);

console.log("\n3. It is restored. The open call gets a result, so that every provider takes the history.");
const thursday = newAgent(
  () => callTool("list_bookings", {}, { text: "I was interrupted, so I look before I book twice." }),
  (request) => say(`You have a table on ${lastToolResults(request)[0]?.output}.`),
);
thursday.restore(snapshot.messages);
const { messages } = await thursday.run("Did that work?");
for (const message of messages) console.log(`   ${message.role.padEnd(9)} ${shown(message)}`);

function load(): AgentSnapshot {
  return JSON.parse(saved) as AgentSnapshot;
}

function shown({ content }: AgentMessage): string {
  const texts = content.map((part) => {
    if (part.type === "tool-call") return `→ ${part.toolName} ${JSON.stringify(part.input)}`;
    return part.type === "tool-result" ? JSON.stringify(part.output) : part.type === "text" ? part.text : "";
  });
  return texts.join(" ");
}
