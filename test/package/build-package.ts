import { execFile } from "node:child_process";
import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { projectRoot } from "../../scripts/source-files.ts";

const execute = promisify(execFile);

/** How a command ended. `output` is what it printed, standard output first. */
export interface Ended {
  readonly ok: boolean;
  readonly output: string;
}

/** Runs a file with the Node that runs the tests. A non-zero exit and a time-out are not `ok`. */
export async function runNode(args: readonly string[], options: { cwd: string; timeoutMs: number }): Promise<Ended> {
  try {
    const { stdout, stderr } = await execute(process.execPath, args, {
      cwd: options.cwd,
      timeout: options.timeoutMs,
      killSignal: "SIGKILL",
      maxBuffer: 64 * 1024 * 1024, // one that is reached ends the process, as if it had failed
    });
    return { ok: true, output: stdout + stderr };
  } catch (error) {
    const { stdout = "", stderr = "", message } = error as Error & { stdout?: string; stderr?: string };
    return { ok: false, output: stdout + stderr || message };
  }
}

/** Runs TypeScript's compiler. */
export function runTsc(args: readonly string[], cwd: string): Promise<Ended> {
  return runNode([join(projectRoot, "node_modules/typescript/bin/tsc"), ...args], { cwd, timeoutMs: 60_000 });
}

/** Builds the package as it is published into a folder, without touching `dist`. */
export async function buildPackage(folder: string): Promise<void> {
  const { ok, output } = await runNode(["scripts/build.ts", join(folder, "dist")], { cwd: projectRoot, timeoutMs: 60_000 });
  if (!ok) throw new Error(`The build failed.\n${output}`);
  for (const file of ["package.json", "README.md", "LICENSE", "CHANGELOG.md"]) {
    if (existsSync(join(projectRoot, file))) cpSync(join(projectRoot, file), join(folder, file));
  }
}
