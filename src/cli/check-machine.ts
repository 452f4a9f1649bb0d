import { access, mkdtemp, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { messageOf } from "../base/errors.js";
import { type CheckResult, note, ok, problem } from "./doctor-check.js";
import { installedVersion } from "./installed-package.js";

const NEEDED_NODE = 24;

/** The checks of Node, the sandbox, the packages and the folder of sessions. */
export async function checkMachine(sessionFolder: string): Promise<readonly CheckResult[]> {
  return [checkNode(), ...(await checkSandbox()), ...checkPackages(), await checkFolder(sessionFolder)];
}

function checkNode(): CheckResult {
  const { version } = process;
  const isEnough = Number.parseInt(version.slice(1), 10) >= NEEDED_NODE;
  return isEnough
    ? ok("node", version)
    : problem("node", `${version}, and ${NEEDED_NODE} or later is needed: install it from https://nodejs.org`);
}

async function checkSandbox(): Promise<readonly CheckResult[]> {
  const version = installedVersion("isolated-vm");
  if (version === undefined)
    return [note("isolated-vm", "not installed; --runtime codeact needs it: npm install isolated-vm, or --sandbox quickjs")];
  const { IsolatedVmExecutor } = await import("../sandbox/index.js");
  const results: CheckResult[] = [];
  for (const isolation of ["process", "in-process"] as const) {
    const check = `isolated-vm, ${isolation === "process" ? "in a child process" : "in process"}`;
    try {
      await using executor = new IsolatedVmExecutor({ isolation });
      const execution = await executor.execute({
        language: "typescript",
        code: "const sum: number = [1, 2].reduce((a, b) => a + b); return sum",
      });
      if (execution.status === "completed" && execution.result === 3) results.push(ok(check, `${version}, runs code`));
      else {
        const why = execution.status === "failed" ? execution.error.message : `it gave ${execution.status}`;
        results.push(problem(check, `${version}, but code does not run: ${why}. Install it again: npm install isolated-vm`));
      }
    } catch (error) {
      results.push(problem(check, `${version}, but it does not work: ${messageOf(error)}`));
    }
  }
  return results;
}

const packages: readonly (readonly [name: string, use: string])[] = [
  ["@anthropic-ai/sdk", "models of anthropic need it"],
  ["openai", "models of all other providers need it"],
  ["quickjs-emscripten", "--sandbox quickjs needs it"],
  ["typescript", "the option typecheck of executors needs it"],
];

function checkPackages(): readonly CheckResult[] {
  return packages.map(([name, use]) => {
    const version = installedVersion(name);
    return version === undefined ? note(name, `not installed; ${use}: npm install ${name}`) : ok(name, version);
  });
}

/** Tries to write in the folder, or in the nearest one above it that there is. Nothing is left behind. */
async function checkFolder(path: string): Promise<CheckResult> {
  let folder = path;
  while (!(await exists(folder)) && dirname(folder) !== folder) folder = dirname(folder);
  try {
    await rmdir(await mkdtemp(join(folder, ".triact-doctor-")));
    return ok("sessions", path);
  } catch (error) {
    return problem(
      "sessions",
      `${folder} cannot be written to: ${messageOf(error)}. Make it writable, or set TRIACT_HOME to another folder`,
    );
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
