/**
 * The same question twice: by native tool calls, of which each result goes through the model, and by one piece of code. Both models are scripted, so the
 * numbers show what the strategies send, not what a model would be clever enough to do. CodeAct needs the package isolated-vm.
 */
import { Agents, createTool, type JsonValue } from "triact";
import { type RecordedRequest, ScriptedModel, say, toolResults } from "triact/testing";
import { z } from "zod";

const CUSTOMERS = Array.from({ length: 30 }, (_, index) => `C${index + 1}`);

const listCustomers = createTool({
  name: "list_customers",
  description: "Ids of all customers.",
  inputSchema: z.object({}),
  outputSchema: z.array(z.string()),
  execute: () => CUSTOMERS,
});

const openInvoices = createTool({
  name: "open_invoices",
  description: "Open invoices of one customer.",
  inputSchema: z.object({ customer: z.string() }),
  outputSchema: z.array(z.object({ number: z.string(), eur: z.number() })),
  execute: ({ customer }) => {
    const number = Number(customer.slice(1));
    return Array.from({ length: number % 3 }, (_, index) => ({ number: `${customer}-${index}`, eur: number * 10 + index }));
  },
});

const QUESTION = "How much do our customers owe us, and who owes the most?";

/** Asks for the customers, then for the invoices of three at a time, and then says what it read. */
function byCalls(): ScriptedModel {
  return new ScriptedModel((request) => {
    const results = toolResults(request);
    if (results.length === 0) return { toolCalls: [{ toolName: "list_customers", input: {} }] };
    const asked = results.length - 1;
    const next = CUSTOMERS.slice(asked, asked + 3);
    if (next.length > 0) return { toolCalls: next.map((customer) => ({ toolName: "open_invoices", input: { customer } })) };
    const owed = results.slice(1).map(({ output }) => sumOf(output));
    const most = Math.max(...owed);
    return say(`They owe ${owed.reduce((sum, each) => sum + each, 0)} EUR; ${CUSTOMERS[owed.indexOf(most)]} owes the most, ${most} EUR.`);
  });
}

function sumOf(invoices: JsonValue): number {
  return (invoices as { eur: number }[]).reduce((sum, { eur }) => sum + eur, 0);
}

/** Writes what it would otherwise do call by call. */
function byCode(): ScriptedModel {
  const code = `
const customers = await list_customers();
const owed = await Promise.all(customers.map(async (customer) => {
  const invoices = await open_invoices({ customer });
  return { customer, eur: invoices.reduce((sum, { eur }) => sum + eur, 0) };
}));
const total = owed.reduce((sum, { eur }) => sum + eur, 0);
const most = owed.reduce((a, b) => (b.eur > a.eur ? b : a));
return \`They owe \${total} EUR; \${most.customer} owes the most, \${most.eur} EUR.\`;`;
  return new ScriptedModel([say(JSON.stringify({ type: "code", language: "javascript", code }))]);
}

/** Characters of all that the model was given, in our own form, divided by four: a usual estimate of tokens, good enough to compare. */
function estimateTokens(requests: readonly RecordedRequest[]): number {
  return Math.round(requests.reduce((sum, request) => sum + JSON.stringify(request).length, 0) / 4);
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

for (const [name, base, model] of [
  ["ReAct", Agents.react(), byCalls()],
  ["CodeAct", Agents.codeAct(), byCode()],
] as const) {
  const agent = base.model(model).tools(listCustomers, openInvoices).build();
  let toolCalls = 0;
  agent.subscribe((event) => {
    if (event.type === "tool-started" && event.toolCall.toolName !== "code") toolCalls += 1;
  });
  const { outputText } = await agent.run(QUESTION);
  console.log(
    `${name}: ${count(model.requests.length, "model call")}, ${count(toolCalls, "tool call")}, about ${estimateTokens(model.requests)} tokens sent`,
  );
  console.log(`  ${outputText}`);
}
