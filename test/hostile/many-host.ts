/**
 * Runs many hostile inputs in one process, one after the other on one executor, and says what came of each in one line of JSON. It gets the folder of the
 * built package and a file with the name of the executor and the attacks as arguments.
 */
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { Attack, Outcome } from "./attack.ts";

const [folder = "", file = ""] = process.argv.slice(2);
const { executor: name, attacks } = JSON.parse(readFileSync(file, "utf8")) as {
  executor: "in-process" | "quickjs";
  attacks: readonly Attack[];
};
const load = (entry: string) => import(pathToFileURL(`${folder}/dist/${entry}`).href);
const { IsolatedVmExecutor, QuickJsExecutor } = (await load("sandbox.js")) as typeof import("../../src/sandbox/index.js");
const { contractTools: tools } = (await load("testing.js")) as typeof import("../../src/testing.js");

let unhandled = 0;
process.on("unhandledRejection", () => {
  unhandled += 1;
});

const executor = name === "quickjs" ? new QuickJsExecutor() : new IsolatedVmExecutor({ isolation: "in-process" });
const outcomes: Outcome[] = [];
for (const { steps, language = "javascript", limits } of attacks) {
  await using session = executor.createSession();
  const results = [];
  for (const code of steps) {
    const options = { ...(steps.length > 1 ? { session } : undefined), limits: { cpuMs: 500, timeoutMs: 1_500, ...limits } };
    const result = await executor.execute({ language, code, tools, ...options });
    results.push({ ...result, journal: { ...result.journal, entries: [] } });
  }
  const alive = await executor.execute({ language: "javascript", code: "return await add({ a: 1, b: 1 })", tools });
  outcomes.push({ steps: results, alive: "result" in alive ? alive.result : alive, unhandled });
}
await executor.dispose();
process.stdout.write(JSON.stringify(outcomes));
