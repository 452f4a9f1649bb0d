import { access, constants, mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { messageOf } from "../../base/errors.js";
import { IsolatedVmExecutor } from "../../sandbox/isolated-vm-executor.js";
import type { Finding } from "./finding.js";

const NEEDED_NODE = 24;

/** The version of Node. The command itself does not start on one that is too old, so this is for reports. */
export async function checkNode(): Promise<readonly Finding[]> {
  const { node } = process.versions;
  const isNew = Number.parseInt(node, 10) >= NEEDED_NODE;
  return [
    isNew
      ? { subject: "Node", state: "fine", text: node }
      : { subject: "Node", state: "wrong", text: node, advice: `Install Node ${NEEDED_NODE} or later.` },
  ];
}

/** Runs a little code in a sandbox of each kind that CodeAct may use. */
export async function checkSandbox(): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const isolation of ["process", "in-process"] as const) findings.push(await trySandbox(isolation));
  return findings;
}

async function trySandbox(isolation: "process" | "in-process"): Promise<Finding> {
  const subject = `sandbox (${isolation})`;
  const executor = new IsolatedVmExecutor({ isolation });
  try {
    const execution = await executor.execute({ language: "typescript", code: "const two: number = 2; return two * 21" });
    if (execution.status === "completed" && execution.result === 42) return { subject, state: "fine", text: "runs code" };
    const text = execution.status === "failed" ? execution.error.message : `ended as ${execution.status}`;
    return { subject, state: "wrong", text, advice: "Reinstall isolated-vm with this version of Node: npm install isolated-vm@7" };
  } catch (error) {
    return { subject, state: "absent", text: messageOf(error) };
  } finally {
    await executor.dispose();
  }
}

/** Packages that triact uses when they are installed, and what for. */
const PACKAGES: Readonly<Record<string, string>> = {
  "@anthropic-ai/sdk": "models of Anthropic",
  openai: "models of OpenAI and of everything that speaks its protocols",
  "isolated-vm": "the sandbox of CodeAct",
  "quickjs-emscripten": "the sandbox in WebAssembly",
  typescript: "checking types of code before it runs",
};

/** Which of the optional packages are installed. */
export async function checkPackages(): Promise<readonly Finding[]> {
  const require = createRequire(import.meta.url);
  return Promise.all(
    Object.entries(PACKAGES).map(async ([name, purpose]): Promise<Finding> => {
      const version = await versionOf(name, require);
      const subject = `package ${name}`;
      if (version !== undefined) return { subject, state: "fine", text: version };
      return { subject, state: "absent", text: `not installed; it is for ${purpose}`, advice: `npm install ${name}` };
    }),
  );
}

async function versionOf(name: string, require: NodeJS.Require): Promise<string | undefined> {
  for (const folder of require.resolve.paths(name) ?? []) {
    const text = await readFile(join(folder, name, "package.json"), "utf8").catch(() => undefined);
    if (text !== undefined) return (JSON.parse(text) as { version?: string }).version;
  }
  return undefined;
}

/** Whether sessions can be written. The folder itself is made by the first session. */
export async function checkSessionFolder(path: string): Promise<readonly Finding[]> {
  const subject = "session folder";
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await access(dirname(path), constants.W_OK);
    return [{ subject, state: "fine", text: path }];
  } catch (error) {
    return [{ subject, state: "wrong", text: messageOf(error), advice: "Set TRIACT_HOME to a folder that you may write to." }];
  }
}
