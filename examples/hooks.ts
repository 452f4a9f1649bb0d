/** Hooks change what happens: arguments, results, requests, and whether the run goes on at all. */
import { type AgentHooks, type AgentMessage, Agents, createTool } from "triact";
import { callTool, lastToolResults, ScriptedModel, say } from "triact/testing";
import { z } from "zod";

const findGuests = createTool({
  name: "find_guests",
  description: "Finds guests by name, with what is known of them.",
  inputSchema: z.object({ name: z.string(), limit: z.number().int() }),
  execute: ({ name, limit }) => {
    console.log(`  find_guests runs with limit ${limit},`);
    return [`${name} Berg, ${name.toLowerCase()}@example.com`, `${name} Lie, +47 555 01 234`].slice(0, limit);
  },
});

const sendMail = createTool({
  name: "send_mail",
  description: "Sends a mail.",
  inputSchema: z.object({ to: z.string(), text: z.string() }),
  execute: () => "sent",
});

const hooks: AgentHooks = {
  /** Holds for this one request; the history and the agent's options stay as they are. */
  beforeModel({ request }) {
    return { options: { temperature: 0, maxOutputTokens: request.messages.length > 1 ? 500 : 100 } };
  },

  /** Changes arguments, which are then checked again, and tells the model so. */
  beforeTool({ tool, input }) {
    if (tool.name === "send_mail") return { stop: true, reason: "Mails are not sent on Sundays." };
    if (Number(input["limit"]) <= 2) return undefined;
    return { input: { ...input, limit: 2 }, appendContext: "No more than 2 guests are shown at once." };
  },

  /** Changes what the model gets to see. */
  afterTool({ result }) {
    console.log(`  and returns ${JSON.stringify(result.output)}`);
    return { result: { output: (result.output as string[]).map((guest) => guest.replace(/\S+@\S+/, "(mail hidden)")) } };
  },
};

const model = new ScriptedModel([
  callTool("find_guests", { name: "Ada", limit: 50 }),
  (request) => say(`I found ${((lastToolResults(request)[0]?.output ?? []) as string[]).join(" and ")}.`),
  callTool("send_mail", { to: "Ada Berg", text: "Welcome!" }, { text: "I write to her." }),
]);

const agent = Agents.builder().model(model).tools(findGuests, sendMail).hooks(hooks).build();

console.log("Who is called Ada?");
const first = await agent.run("Who is called Ada?");
console.log(`  ${first.status}: ${first.outputText}`);

console.log("\nWhat the model was sent for its second reply");
for (const message of model.requests[1]?.messages ?? []) console.log(`  ${message.role.padEnd(9)} ${shown(message)}`);
console.log(`  options   ${JSON.stringify(model.requests[1]?.options)}`);

console.log("\nWrite to her.");
const second = await agent.run("Write to her.");
console.log(`  ${second.status} (${second.endedBy}): ${agent.snapshot().lastError}`);

function shown({ content }: AgentMessage): string {
  return content
    .map((part) => (part.type === "text" ? part.text : JSON.stringify(part.type === "tool-result" ? part.output : part)))
    .join(" ");
}
