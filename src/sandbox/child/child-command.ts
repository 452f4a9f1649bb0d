import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { SandboxUnavailableError } from "../sandbox-errors.js";
import { sourceHook } from "../source-hook.js";

/** How a child process is started. */
export interface ChildCommandLine {
  readonly file: string;
  readonly args: readonly string[];
}

const HERE = fileURLToPath(import.meta.url);
/** As a source this is a module among those of the sandbox; in the built package all of them are in a few files of one folder. */
const IS_SOURCE = HERE.endsWith(".ts");
const SANDBOX_FOLDER = IS_SOURCE ? dirname(dirname(HERE)) : dirname(HERE);
const CHILD_MAIN = join(SANDBOX_FOLDER, IS_SOURCE ? "child/child-main.ts" : "sandbox-child.js");

/**
 * The command of a child: Node with the permission model on, allowed to read nothing but the files of the sandbox and of the packages that it needs.
 * @throws SandboxUnavailableError if isolated-vm is not installed.
 */
export function childCommandLine(): ChildCommandLine {
  const modules = findModules();
  const folders = [SANDBOX_FOLDER, ...Object.values(modules).map(({ folder }) => folder)];
  const files = [...parentFolders(SANDBOX_FOLDER).map((folder) => join(folder, "package.json")), "/etc/alpine-release"]; // asked for by the loader of addons
  const args = [
    "--permission",
    "--allow-addons",
    ...folders.map((folder) => `--allow-fs-read=${folder}${sep}*`),
    ...files.map((file) => `--allow-fs-read=${file}`),
    "--no-warnings",
    "--import",
    sourceHook(Object.fromEntries(Object.entries(modules).map(([name, { url }]) => [name, url]))),
    CHILD_MAIN,
  ];
  return { file: process.execPath, args };
}

interface FoundModule {
  readonly folder: string;
  readonly url: string;
}

/** The packages that a child needs, found from here: it may not read the folders in which Node would look for them. */
function findModules(): Record<string, FoundModule> {
  const require = createRequire(import.meta.url);
  try {
    const isolatedVm = findModule(require, "isolated-vm");
    const loader = findModule(createRequire(isolatedVm.url), "node-gyp-build");
    return { "isolated-vm": isolatedVm, "node-gyp-build": loader, acorn: findModule(require, "acorn") };
  } catch (cause) {
    throw new SandboxUnavailableError({
      problem: "isolated-vm is not installed. Install it: npm install isolated-vm@7 (Node 24 or later).",
      cause,
    });
  }
}

function findModule(require: NodeJS.Require, name: string): FoundModule {
  const folder = dirname(realpathSync(require.resolve(`${name}/package.json`)));
  return { folder, url: pathToFileURL(realpathSync(require.resolve(name))).href }; // what require() finds is CommonJS
}

function parentFolders(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...parentFolders(parent)];
}
