import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { projectRoot } from "../../scripts/source-files.ts";
import { buildPackage } from "../package/build-package.ts";
import { writeFiles } from "../package/temporary-folder.ts";

/** Puts a fresh build of triact and its dependencies into `folder/node_modules`. */
export async function installTriact(folder: string): Promise<void> {
  writeFiles(folder, { "package.json": JSON.stringify({ type: "module" }) });
  await buildPackage(join(folder, "node_modules/triact"));
  const { dependencies } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8")) as { dependencies: Record<string, string> };
  linkPackages(folder, Object.keys(dependencies));
}

/** Gives a folder packages of this project's. */
export function linkPackages(folder: string, names: readonly string[]): void {
  for (const name of names) {
    const link = join(folder, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(projectRoot, "node_modules", name), link);
  }
}

/** The command of a folder that {@link installTriact} filled. */
export function commandOf(folder: string): string {
  return join(folder, "node_modules/triact/dist/cli.js");
}

/** How a process ended. */
export interface EndedProcess {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that runs in a process of its own. */
export class Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<EndedProcess>;
  readonly #written = { stdout: "", stderr: "" };
  #check: () => void = () => undefined;

  constructor(words: readonly string[], { cwd, env = {} }: { cwd: string; env?: Readonly<Record<string, string>> }) {
    const home = { PATH: process.env["PATH"] ?? "", HOME: cwd };
    this.child = spawn(process.execPath, words, { cwd, env: { ...home, ...env } });
    for (const name of ["stdout", "stderr"] as const) {
      this.child[name].on("data", (data) => {
        this.#written[name] += String(data);
        this.#check();
      });
    }
    this.ended = new Promise((resolve) => {
      this.child.on("close", (exitCode, signal) => {
        resolve({ exitCode, signal, ...this.#written });
        this.#check();
      });
    });
  }

  /** Closes its standard input and waits for its end. */
  end(input = ""): Promise<EndedProcess> {
    this.child.stdin.end(input);
    return this.ended;
  }

  /** Waits until a text was written. */
  writes(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#check = () => {
        const { stdout, stderr } = this.#written;
        if (stdout.includes(text) || stderr.includes(text)) resolve();
        else if (this.child.exitCode !== null) reject(new Error(`${JSON.stringify(text)} was never written:\n${stdout}${stderr}`));
      };
      this.#check();
    });
  }
}
