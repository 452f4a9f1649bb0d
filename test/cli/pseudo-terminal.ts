import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";

/** Programs that run a command on a pseudo-terminal which they connect with their standard input and output. */
const makers: readonly { readonly check: readonly string[]; readonly command: (words: readonly string[]) => readonly string[] }[] = [
  {
    check: ["sh", "-c", "script --version | grep util-linux"],
    command: (words) => ["script", "--quiet", "--return", "--flush", "--command", words.map((word) => `'${word}'`).join(" "), "/dev/null"],
  },
  {
    check: ["python3", "-c", "import pty"],
    command: (words) => ["python3", "-c", "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))", ...words],
  },
];

const maker = makers.find(({ check: [program = "", ...args] }) => spawnSync(program, args).status === 0);

/** Why there is no pseudo-terminal here; `undefined` when there is one. */
export const noPseudoTerminal = maker === undefined ? "neither util-linux script nor python3 is installed" : undefined;

/** A command that runs on a pseudo-terminal. */
export class PseudoTerminal {
  readonly #child: ChildProcessWithoutNullStreams;
  /** The exit code. */
  readonly ended: Promise<number | null>;
  #output = "";
  #read = 0;
  #check: () => void = () => undefined;

  constructor(words: readonly string[], { cwd, env }: { cwd: string; env: Readonly<Record<string, string>> }) {
    const [program = "", ...args] = maker?.command(words) ?? [];
    this.#child = spawn(program, args, { cwd, env: { PATH: process.env["PATH"] ?? "", SHELL: "/bin/sh", TERM: "xterm", ...env } });
    this.#child.stdout.on("data", (data) => {
      this.#output += String(data);
      this.#check();
    });
    this.ended = new Promise((resolve) => {
      this.#child.on("close", (exitCode) => {
        resolve(exitCode);
        this.#check();
      });
    });
  }

  /** Everything shown so far. */
  get output(): string {
    return this.#output;
  }

  /** Waits until this text is shown behind what was waited for before. */
  async shows(text: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#check = () => {
        const at = this.#output.indexOf(text, this.#read);
        if (at >= 0) {
          this.#read = at + text.length;
          resolve();
        } else if (this.#child.exitCode !== null) reject(new Error(`${JSON.stringify(text)} was never shown:\n${this.#output}`));
      };
      this.#check();
    });
  }

  /** Presses keys. */
  type(keys: string): void {
    this.#child.stdin.write(keys);
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }
}
