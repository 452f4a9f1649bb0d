/**
 * What a hostile input runs in: a process of its own that executes it, looks whether it is still well, and says so in one line of JSON. It gets the
 * folder of the built package and a file with the attack as arguments.
 */
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { Aftermath, Attack } from "./attack.ts";

const [folder = "", file = ""] = process.argv.slice(2);
const attack = JSON.parse(readFileSync(file, "utf8")) as Attack;
const load = (file: string) => import(pathToFileURL(`${folder}/dist/${file}`).href);
const { IsolatedVmExecutor } = (await load("sandbox.js")) as typeof import("../../src/sandbox/index.js");
const { contractTools: tools } = (await load("testing.js")) as typeof import("../../src/testing.js");

let unhandled = 0;
process.on("unhandledRejection", () => {
  unhandled += 1;
});

const executor = new IsolatedVmExecutor({ isolation: attack.isolation ?? "process" });
const steps = [];
const session = attack.steps.length > 1 ? executor.createSession() : undefined;
for (const code of attack.steps) {
  const options = { ...(session && { session }), limits: { cpuMs: 500, timeoutMs: 1_500, ...attack.limits } };
  const result = await executor.execute({ language: attack.language ?? "javascript", code, tools, ...options });
  steps.push({ ...result, journal: { ...result.journal, entries: [] } });
}
const alive = await executor.execute({ language: "javascript", code: "return await add({ a: 1, b: 1 })", tools });
await executor.dispose();
const residentMiB = Math.round(process.resourceUsage().maxRSS / 1024);
const children = process.platform === "linux" ? readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").trim() : "";
const aftermath: Aftermath = { steps, alive: "result" in alive ? alive.result : alive, unhandled, residentMiB, children };
process.stdout.write(JSON.stringify(aftermath));
