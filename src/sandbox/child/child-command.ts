import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { SandboxUnavailableError } from "../sandbox-errors.js";

/** How a child process is started. */
export interface ChildCommandLine {
  readonly file: string;
  readonly args: readonly string[];
}

const HERE = fileURLToPath(import.meta.url);
const SANDBOX_FOLDER = dirname(dirname(HERE));

/** Run from its TypeScript source, as our own tests do, Node strips the types but looks for the `.js` that the imports name. */
const SOURCE_HOOK = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from "node:module";
registerHooks({ resolve: (name, context, next) =>
  next(name.startsWith(".") && context.parentURL?.endsWith(".ts") ? name.replace(/\\.js$/, ".ts") : name, context) });
`)}`;

/**
 * The command of a child: Node with the permission model on, allowed to read nothing but the files of the sandbox and of the packages that it needs.
 * @throws SandboxUnavailableError if isolated-vm is not installed.
 */
export function childCommandLine(): ChildCommandLine {
  const isSource = HERE.endsWith(".ts");
  const script = join(SANDBOX_FOLDER, "child", isSource ? "child-main.ts" : "child-main.js");
  const readable = [SANDBOX_FOLDER, ...packageFolders()].map((folder) => `--allow-fs-read=${folder}${sep}*`);
  const manifests = parentFolders(SANDBOX_FOLDER).map((folder) => `--allow-fs-read=${join(folder, "package.json")}`);
  const args = [
    "--permission",
    "--allow-addons",
    ...readable,
    ...manifests,
    "--allow-fs-read=/etc/alpine-release", // asked for by the loader of addons
    "--no-warnings",
    "--no-deprecation",
    ...(isSource ? ["--import", SOURCE_HOOK] : []),
    script,
  ];
  return { file: process.execPath, args };
}

function packageFolders(): string[] {
  const require = createRequire(import.meta.url);
  try {
    const isolatedVm = packageFolder(require, "isolated-vm");
    const loader = packageFolder(createRequire(join(isolatedVm, "package.json")), "node-gyp-build");
    return [isolatedVm, loader, packageFolder(require, "acorn")];
  } catch (cause) {
    throw new SandboxUnavailableError({
      problem: "isolated-vm is not installed. Install it: npm install isolated-vm@7 (Node 24 or later).",
      cause,
    });
  }
}

function packageFolder(require: NodeJS.Require, name: string): string {
  return dirname(realpathSync(require.resolve(`${name}/package.json`)));
}

function parentFolders(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...parentFolders(parent)];
}
