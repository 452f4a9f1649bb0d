/**
 * Runs every examples/*.ts against the built package, one after the other, without any API key in the environment.
 * An example must end by itself with code 0 within a minute; the output of one that does not is shown.
 */
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { projectRoot, report } from "./source-files.ts";

const timeoutMs = 60_000;
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.endsWith("_API_KEY")));

const files = globSync("examples/*.ts", { cwd: projectRoot }).sort();
const failures = files.flatMap((file) => {
  const started = performance.now();
  const { status, error, stdout, stderr } = spawnSync(process.execPath, [file], {
    cwd: projectRoot,
    encoding: "utf8",
    env: environment,
    timeout: timeoutMs,
    killSignal: "SIGKILL",
  });
  if (status === 0) {
    console.log(`ok ${file} (${Math.round(performance.now() - started)} ms)`);
    return [];
  }
  const reason = error === undefined ? `ended with code ${status}` : error.message;
  return [`${file} ${reason}\n${stdout}${stderr}`];
});
report(failures, `Examples: ${files.length} ran.`);
