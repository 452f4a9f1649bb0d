/** Policies say what needs a person; the callback asks one. A denial is no end: the model reads the reason and finds another way. */
import { Agents, createTool, type RequestToolApproval } from "triact";
import { callTool, callTools, lastToolResults, ScriptedModel, say } from "triact/testing";
import { z } from "zod";

const balance = createTool({
  name: "balance",
  description: "Tells what is in the account, in EUR.",
  inputSchema: z.object({}),
  execute: () => 400,
});

const pay = createTool({
  name: "pay",
  description: "Pays an amount in EUR.",
  inputSchema: z.object({ to: z.string(), amount: z.number().positive() }),
  execute: ({ to, amount }) => {
    console.log(`          (${amount} EUR go to ${to})`);
    return { paid: amount };
  },
});

const closeAccount = createTool({
  name: "close_account",
  description: "Closes the account for good.",
  inputSchema: z.object({}),
  execute: () => "closed",
});

/** Where your program would ask a person, and wait for as long as it takes. */
const askThePerson: RequestToolApproval = async ({ toolName, input }) => {
  console.log(`  asked   ${toolName} ${JSON.stringify(input)}`);
  const amount = Number(input["amount"]);
  const decision = amount <= 50 ? { approved: true } : { approved: false, reason: "More than 50 EUR at once is too much. Pay in parts." };
  console.log(`  answer  ${decision.approved ? "yes" : `no. ${decision.reason}`}`);
  return decision;
};

const model = new ScriptedModel([
  callTools([
    { toolName: "balance", input: {} },
    { toolName: "pay", input: { to: "Rosa the florist", amount: 80 } },
  ]),
  (request) => {
    const [inAccount, denial] = lastToolResults(request);
    console.log(`  model   reads ${inAccount?.output}, and ${JSON.stringify(denial?.output)}`);
    return callTool("pay", { to: "Rosa the florist", amount: 40 });
  },
  callTool("close_account"),
  (request) => say(`Rosa has 40 of her 80 EUR. And of the account: ${lastToolResults(request)[0]?.error}`),
]);

const agent = Agents.builder()
  .model(model)
  .tools(balance, pay, closeAccount)
  .toolPolicies({
    "*": { autoApprove: false }, // every tool needs an answer,
    balance: { autoApprove: true }, // but this one does not,
    close_account: { enabled: false }, // and this one is off, so nobody is even asked
  })
  .requestToolApproval(askThePerson)
  .build();

const { status, outputText } = await agent.run("Pay Rosa her 80 EUR, then close the account.");
console.log(`\n${status}: ${outputText}`);
