/**
 * A run that waits for a person: the first process asks for a payment and ends, a file lies in between, and another process goes on with the answer.
 * `node examples/two-processes.ts` plays both; `… ask FILE` and `… answer FILE yes|no` are the parts.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type AgentSnapshot, Agents, createTool, type ToolCallDecisions } from "triact";
import { callTools, lastToolResults, ScriptedModel, type ScriptedTurn, say } from "triact/testing";
import { z } from "zod";

const look = createTool({
  name: "look_up_invoice",
  description: "Finds an invoice.",
  inputSchema: z.object({ number: z.number() }),
  execute: ({ number }) => {
    console.log(`  (invoice ${number} is looked up by process ${process.env["PROCESS"]})`);
    return { number, eur: 900 };
  },
});

const pay = createTool({
  name: "pay",
  description: "Pays an amount in EUR.",
  inputSchema: z.object({ eur: z.number().positive() }),
  execute: ({ eur }) => {
    console.log(`  (${eur} EUR are paid by process ${process.env["PROCESS"]})`);
    return { paid: eur };
  },
});

/** Both processes build the same agent; only their models read from different places of the script. */
const newAgent = (...turns: ScriptedTurn[]) =>
  Agents.builder()
    .model(new ScriptedModel(turns))
    .tools(look, pay)
    .toolPolicies({ pay: { autoApprove: false } })
    .requestToolApproval(() => ({ pending: true })) // nobody is here now; somebody will be told
    .build();

async function ask(file: string): Promise<void> {
  const calls = callTools([
    { toolName: "look_up_invoice", input: { number: 17 } },
    { toolName: "pay", input: { eur: 900 } },
  ]);
  const agent = newAgent(calls);
  const { status, pending = [] } = await agent.run("Pay invoice 17.");
  console.log(
    `process 1 ends: ${status}, waiting for ${pending.map(({ toolName, input }) => `${toolName} ${JSON.stringify(input)}`).join(", ")}`,
  );
  writeFileSync(file, JSON.stringify(agent.snapshot()));
}

async function answer(file: string, word: string): Promise<void> {
  const snapshot = JSON.parse(readFileSync(file, "utf8")) as AgentSnapshot;
  const decisions: ToolCallDecisions = Object.fromEntries(
    snapshot.pendingToolCalls.map(({ toolCallId }) => [
      toolCallId,
      word === "yes" ? { approved: true, input: { eur: 450 } } : { approved: false, reason: "wait for next month" },
    ]),
  );
  const agent = newAgent((request) =>
    say(
      `I know: ${lastToolResults(request)
        .map(({ output, error }) => error ?? JSON.stringify(output))
        .join(" and ")}`,
    ),
  );
  const { status, outputText } = await agent.resume(snapshot, decisions);
  console.log(`process 2 ends: ${status}. ${outputText}`);
}

function play(): void {
  const folder = mkdtempSync(join(tmpdir(), "triact-"));
  const file = join(folder, "run.json");
  const start = (number: number, ...args: string[]) =>
    spawnSync(process.execPath, [fileURLToPath(import.meta.url), ...args], {
      stdio: "inherit",
      env: { ...process.env, PROCESS: String(number) },
    });
  start(1, "ask", file);
  console.log("a person says: yes, but half of it");
  start(2, "answer", file, "yes");
  rmSync(folder, { recursive: true });
}

const [part, file = "", word = "no"] = process.argv.slice(2);
if (part === "ask") await ask(file);
else if (part === "answer") await answer(file, word);
else play();
