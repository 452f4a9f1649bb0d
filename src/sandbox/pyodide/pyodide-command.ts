import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { ChildCommandLine } from "../child/child-command.js";
import { SandboxUnavailableError } from "../sandbox-errors.js";
import { sourceHook } from "../source-hook.js";

/** The release of Pyodide that this was made for. How its memory is saved and loaded differs from one to the next. */
const PYODIDE_VERSION = "314.0.7";

/** Heap of JavaScript in a child: texts on their way in and out. Python's memory is none of it. */
const MAX_HEAP_MIB = 256;

const HERE = fileURLToPath(import.meta.url);
const IS_SOURCE = HERE.endsWith(".ts");
const SANDBOX_FOLDER = IS_SOURCE ? dirname(dirname(HERE)) : dirname(HERE);
const scriptOf = (name: string) => join(SANDBOX_FOLDER, IS_SOURCE ? `pyodide/pyodide-${name}.ts` : `sandbox-pyodide-${name}.js`);

let command: Promise<ChildCommandLine> | undefined;

/**
 * The command of a child with Python: Node with the permission model on, allowed to read the files of the sandbox and of Pyodide. The first time Python is started once
 * to save its memory, so that every child starts in a fraction of the time.
 * @throws SandboxUnavailableError if Pyodide is not installed.
 */
export function pyodideCommandLine(): Promise<ChildCommandLine> {
  command ??= makeCommandLine();
  command.catch(() => {
    command = undefined; // it may be installed later
  });
  return command;
}

async function makeCommandLine(): Promise<ChildCommandLine> {
  const folder = findPyodide();
  const snapshot = await makeSnapshot(folder);
  const args = [...optionsOf({ folder, more: [`--allow-fs-read=${snapshot}`] }), scriptOf("child"), folder, snapshot];
  return { file: process.execPath, args };
}

function findPyodide(): string {
  const problem = `pyodide is not installed. Install it: npm install pyodide@${PYODIDE_VERSION}.`;
  let folder: string;
  try {
    folder = dirname(realpathSync(createRequire(import.meta.url).resolve("pyodide/package.json")));
  } catch (cause) {
    throw new SandboxUnavailableError({ problem, cause });
  }
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
  if (version === PYODIDE_VERSION && existsSync(join(folder, "pyodide.asm.wasm"))) return folder;
  throw new SandboxUnavailableError({
    problem: `pyodide ${version} cannot be used. Install the release that is needed: npm install pyodide@${PYODIDE_VERSION}.`,
  });
}

/** Options of Node for everything that runs Python: nothing may be read but what is named, and text cannot become code of JavaScript. */
function optionsOf({ folder, more }: { folder: string; more: readonly string[] }): string[] {
  const packages = parentFolders(SANDBOX_FOLDER).map((each) => `--allow-fs-read=${join(each, "package.json")}`);
  const urls = { pyodide: pathToFileURL(join(folder, "pyodide.mjs")).href, ws: "data:text/javascript,export default undefined" };
  return [
    "--permission",
    `--allow-fs-read=${SANDBOX_FOLDER}${sep}*`,
    `--allow-fs-read=${folder}${sep}*`,
    ...packages,
    ...more,
    "--disallow-code-generation-from-strings",
    `--max-old-space-size=${MAX_HEAP_MIB}`,
    "--no-warnings",
    "--import",
    sourceHook(urls),
  ];
}

const folders = new Set<string>();
process.on("exit", () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

async function makeSnapshot(folder: string): Promise<string> {
  const target = mkdtempSync(join(tmpdir(), "triact-python-"));
  folders.add(target);
  const file = join(target, "memory.bin");
  const args = [...optionsOf({ folder, more: [`--allow-fs-write=${target}${sep}*`] }), scriptOf("snapshot"), folder, file];
  try {
    await promisify(execFile)(process.execPath, args, { env: { TZ: "UTC" }, windowsHide: true });
    return file;
  } catch (cause) {
    throw new SandboxUnavailableError({ problem: "Python could not be started.", cause });
  }
}

function parentFolders(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...parentFolders(parent)];
}
