import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { projectRoot } from "../../scripts/source-files.ts";
import { buildPackage } from "../package/build-package.ts";
import { writeFiles } from "../package/temporary-folder.ts";

/** An empty folder outside of the project. Whoever asked for it removes it. */
export function newFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "triact-examples-")));
}

/** Puts the examples, a fresh build of triact, and its dependencies into a folder. What an earlier run wrote is not copied. */
export async function buildExamples(folder: string): Promise<void> {
  copyExamples(folder, "examples");
  await installBuild(folder);
}

/** Puts a fresh build of triact and its dependencies into a folder, for programs that import it by its name. */
export async function installBuild(folder: string): Promise<void> {
  writeFiles(folder, { "package.json": JSON.stringify({ type: "module" }) });
  await buildPackage(join(folder, "node_modules/triact"));
  const { dependencies } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8")) as { dependencies: Record<string, string> };
  for (const name of [...Object.keys(dependencies), "isolated-vm", "node-gyp-build"]) {
    const link = join(folder, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(projectRoot, "node_modules", name), link);
  }
}

/** Copies the examples once more into a folder that {@link buildExamples} filled. */
export function copyExamples(folder: string, name: string): void {
  const output = join(projectRoot, "examples/output");
  cpSync(join(projectRoot, "examples"), join(folder, name), { recursive: true, filter: (path) => path !== output });
}
