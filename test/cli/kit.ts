import { basename } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { createTool, type Gateway } from "triact";
import { z } from "zod";
import { runCommandLine } from "../../src/cli/command-line.ts";
import { Interruption } from "../../src/cli/interruption.ts";
import { createTerminal } from "../../src/cli/terminal.ts";
import { temporaryFolder } from "../package/temporary-folder.ts";

/** A tool that adds, as a module of the user exports it. */
export const add = createTool({
  name: "add",
  description: "Adds two numbers.",
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
});

/** What a command line is carried out with. */
export interface WorldOptions {
  /** Files of the working folder. A value that is no text becomes JSON. */
  readonly files?: Readonly<Record<string, unknown>>;
  /** Modules by the names of their files. @default one with `add` at tools.ts */
  readonly modules?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly environment?: Readonly<Record<string, string>>;
  /** Where models come from by name. @default the providers that come with triact */
  readonly gateway?: Gateway;
  /** Whether a person sits at the terminal. @default false */
  readonly interactive?: boolean;
  /** What the person answers when a prompt ends with these words, one after the other. */
  readonly answers?: readonly (readonly [prompt: string, answer: string])[];
  /** What comes on standard input. @default nothing */
  readonly stdin?: string;
}

/** How a command line ended. */
export interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder, a terminal and an environment of a test. */
export class World {
  readonly folder: string;
  readonly exits: number[] = [];
  readonly #options: WorldOptions;
  interruption = new Interruption((exitCode) => this.exits.push(exitCode));

  constructor(options: WorldOptions = {}) {
    const files = Object.entries(options.files ?? {}).map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]);
    this.folder = temporaryFolder(Object.fromEntries(files) as Record<string, string>);
    this.#options = options;
  }

  /** Carries out a command line, in this process. */
  async triact(args: readonly string[], more: Partial<WorldOptions> = {}): Promise<Ended> {
    const options = { ...this.#options, ...more };
    this.interruption = new Interruption((exitCode) => this.exits.push(exitCode));
    const { interactive = false, environment = {}, modules = { "tools.ts": { add } }, answers = [] } = options;
    const stdin = new PassThrough();
    const stdout = new PassThrough();
    const stderr = new PassThrough();
    if (interactive) Object.assign(stdin, { isTTY: true });
    else stdin.end(options.stdin ?? "");
    if (interactive) Object.assign(stderr, { isTTY: true });
    const env = { TRIACT_HOME: this.folder, TERM: "dumb", ...environment };
    const written = { stdout: "", stderr: "" };
    stdout.on("data", (data) => (written.stdout += String(data)));
    const left = [...answers];
    stderr.on("data", (data) => {
      written.stderr += String(data);
      const [prompt, answer] = left[0] ?? [];
      if (prompt === undefined || answer === undefined || !written.stderr.endsWith(prompt)) return;
      left.shift();
      if (answer === "^C") this.interruption.interrupt("SIGINT");
      else if (answer === "^D") stdin.end();
      else stdin.write(`${answer}\n`);
    });
    const exitCode = await runCommandLine(args, {
      terminal: createTerminal({ stdin, stdout, stderr, env }),
      interruption: this.interruption,
      environment: env,
      ...(options.gateway === undefined ? undefined : { gateway: options.gateway }),
      workingDirectory: this.folder,
      importModule: async (url) => {
        const module = modules[basename(fileURLToPath(url))];
        if (module === undefined) throw new Error(`Cannot find module '${fileURLToPath(url)}'`);
        return module;
      },
    });
    if (left.length > 0) throw new Error(`Never asked: ${left[0]?.[0]}\n${written.stderr}`);
    return { exitCode, ...written };
  }
}

/** A script in which the model calls `add` once and then says the sum. */
export const addScript = [
  { text: "I add.", toolCalls: [{ toolName: "add", input: { a: 1, b: 2 } }], usage: { inputTokens: 10, outputTokens: 5 } },
  { text: "It is 3.", usage: { inputTokens: 20, outputTokens: 6, totalCost: 0.00123 } },
];

/** The arguments for a run with this script. */
export const addRun = ["run", "Add 1 and 2", "--model", "scripted:script.json", "--tools", "tools.ts"];
