/**
 * One task, two strategies, the same tools. Which of 30 customers owes most, and how much is owed in all? ReAct asks for the
 * invoices of one customer after the other, or of several at once, which models do more or less; CodeAct writes one program. The models are scripted: they
 * show what the strategies cost, not how clever a model is. CodeAct's sandbox is a package that you install yourself: `npm install isolated-vm@7`.
 */
import { type AgentRuntime, Agents, CodeActRuntime, createTool, ReActRuntime } from "triact";
import { callTools, type RecordedRequest, ScriptedModel, type ScriptedTurn, say, toolResults } from "triact/testing";
import { z } from "zod";

const CUSTOMERS = Array.from({ length: 30 }, (_, index) => ({ id: `c${index + 1}`, name: `Customer ${index + 1}` }));

const Invoice = z.object({ number: z.string(), eur: z.number(), paid: z.boolean() });

/** Invented, and the same each time. */
function invoicesOf(customer: string): z.infer<typeof Invoice>[] {
  const seed = Number(customer.slice(1));
  return Array.from({ length: 2 + (seed % 4) }, (_, index) => ({
    number: `${customer}-${index + 1}`,
    eur: ((seed * 37 + index * 91) % 400) + 20,
    paid: (seed + index) % 3 === 0,
  }));
}

const listCustomers = createTool({
  name: "list_customers",
  description: "Lists all customers.",
  inputSchema: z.object({}),
  outputSchema: z.array(z.object({ id: z.string(), name: z.string() })),
  execute: () => CUSTOMERS,
});

const listInvoices = createTool({
  name: "list_invoices",
  description: "Lists the invoices of one customer.",
  inputSchema: z.object({ customer: z.string().describe("Id of the customer.") }),
  outputSchema: z.array(Invoice),
  execute: ({ customer }) => invoicesOf(customer),
});

const TASK = "Which customer owes most, and how much is owed in all?";

interface Debt {
  readonly name: string;
  readonly eur: number;
}

/** What the scripted ReAct model does in its head. */
function answerFrom(request: RecordedRequest): string {
  const debts = toolResults(request).flatMap(({ toolName, input, output }): Debt[] => {
    if (toolName !== "list_invoices") return [];
    const open = (output as z.infer<typeof Invoice>[]).filter(({ paid }) => !paid);
    const { name = "" } = CUSTOMERS.find(({ id }) => id === input["customer"]) ?? {};
    return [{ name, eur: open.reduce((sum, { eur }) => sum + eur, 0) }];
  });
  const [most] = debts.toSorted((a, b) => b.eur - a.eur);
  return `${most?.name} owes most, ${most?.eur} EUR. In all ${debts.reduce((sum, { eur }) => sum + eur, 0)} EUR are owed.`;
}

/** A ReAct model that asks for the invoices of so many customers in one turn. */
function nativeTurns(atOnce: number): ScriptedTurn[] {
  const asking = Array.from({ length: CUSTOMERS.length / atOnce }, (_, turn): ScriptedTurn => {
    return (request) => {
      const customers = (toolResults(request)[0]?.output ?? []) as unknown as typeof CUSTOMERS;
      const next = customers.slice(turn * atOnce, (turn + 1) * atOnce);
      return callTools(next.map(({ id }) => ({ toolName: "list_invoices", input: { customer: id } })));
    };
  });
  return [callTools([{ toolName: "list_customers", input: {} }]), ...asking, (request) => say(answerFrom(request))];
}

const PROGRAM = `const customers = await list_customers();
const debts = await Promise.all(customers.map(async ({ id, name }) => {
  const invoices = await list_invoices({ customer: id });
  return { name, eur: invoices.filter(({ paid }) => !paid).reduce((sum, { eur }) => sum + eur, 0) };
}));
const [most] = debts.toSorted((a, b) => b.eur - a.eur);
const all = debts.reduce((sum, { eur }) => sum + eur, 0);
return \`\${most.name} owes most, \${most.eur} EUR. In all \${all} EUR are owed.\``;

const codeTurns: ScriptedTurn[] = [say(JSON.stringify({ type: "code", language: "javascript", code: PROGRAM }))];

/** Tokens by a rule of thumb: a token is about four characters. Providers count otherwise, and discount what they have cached. */
const tokensOf = (characters: number) => Math.round(characters / 4);

/** Everything that one request carries: system prompt, history, tools and options, as JSON. */
const charactersOf = (request: RecordedRequest) =>
  JSON.stringify({
    ...request,
    messages: request.messages.map(({ role, content }) => ({ role, content })),
  }).length;

async function play(name: string, runtime: AgentRuntime, turns: readonly ScriptedTurn[]) {
  const model = new ScriptedModel(turns);
  const agent = Agents.builder().model(model).runtime(runtime).tools(listCustomers, listInvoices).build();
  let toolCalls = 0;
  agent.subscribe((event) => {
    if (event.type === "tool-started" && event.toolCall.toolName !== "code") toolCalls += 1;
  });
  const { outputText, messages, iterations } = await agent.run(TASK);
  const sent = tokensOf(model.requests.map(charactersOf).reduce((sum, characters) => sum + characters, 0));
  const replies = messages.filter(({ role }) => role === "assistant");
  const written = tokensOf(replies.reduce((sum, { content }) => sum + JSON.stringify(content).length, 0));
  const row = [`${iterations} model calls`, `${toolCalls} tool calls`, `${sent} tokens sent`, `${written} tokens written`];
  console.log(`${name.padEnd(20)} ${row.join(", ")}\n  ${outputText}`);
  return { outputText };
}

const plays = [
  await play("ReAct, one at a time", new ReActRuntime(), nativeTurns(1)),
  await play("ReAct, five at once", new ReActRuntime(), nativeTurns(5)),
  await play("ReAct, all at once", new ReActRuntime(), nativeTurns(30)),
  await play("CodeAct", new CodeActRuntime(), codeTurns),
];

console.log(`The answers are ${new Set(plays.map(({ outputText }) => outputText)).size === 1 ? "the same" : "different"}.`);
console.log("Tokens are estimated: characters of every request as JSON, divided by four, without what a provider may cache.");
