import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ExecutionError } from "./code-executor.js";
import { SandboxUnavailableError } from "./sandbox-errors.js";

/** TypeScript to check. */
export interface TypeCheckOptions {
  /** The code, as the model wrote it. */
  readonly code: string;
  /** Declarations of what the code may use, beyond the language. */
  readonly declarations: string;
  /** Whether names may come from earlier steps, so that an unknown one is no error. */
  readonly inSession: boolean;
  /** Ends the compiler. */
  readonly signal?: AbortSignal | undefined;
}

const TIMEOUT_MS = 20_000;
const MAX_OUTPUT_BYTES = 1_000_000;
const MAX_REPORTED = 10;
/** `await` and `return` at the top level are for functions only. */
const HEAD = "export {}; void (async () => {\n";
const TAIL = "\n});\n";
const UNKNOWN_NAME = /^TS(2304|2552|18004)$/;

const PRELUDE = `
declare const console: Record<"log" | "info" | "debug" | "trace" | "warn" | "error" | "dir" | "table" | "assert" | "count" | "group" | "groupEnd", (...values: any[]) => void>;
declare function setTimeout(callback: (...values: any[]) => void, milliseconds?: number, ...values: any[]): number;
declare function clearTimeout(id: number | undefined): void;
declare const performance: { now(): number };
declare var __codeact_result: any;
`;

const CONFIGURATION = JSON.stringify({
  compilerOptions: {
    noEmit: true,
    target: "ES2024",
    lib: ["ESNext"],
    module: "ESNext",
    types: [],
    strict: true,
    noImplicitAny: false,
    skipLibCheck: true,
  },
  files: ["prelude.d.ts", "declarations.d.ts", "code.ts"],
});

/**
 * Checks types with the compiler of the optional peer dependency `typescript`, in a process of its own. Nothing of the code runs.
 * @returns The first errors, as one for the model; undefined if there are none. What the compiler could not do in time is no error of the code.
 * @throws SandboxUnavailableError if `typescript` is not installed.
 */
export async function checkTypes({ code, declarations, inSession, signal }: TypeCheckOptions): Promise<ExecutionError | undefined> {
  const compiler = findCompiler();
  const folder = await mkdtemp(join(tmpdir(), "triact-types-"));
  try {
    await Promise.all([
      writeFile(join(folder, "tsconfig.json"), CONFIGURATION),
      writeFile(join(folder, "prelude.d.ts"), PRELUDE),
      writeFile(join(folder, "declarations.d.ts"), declarations),
      writeFile(join(folder, "code.ts"), HEAD + code + TAIL),
    ]);
    return errorOf(await run(compiler, { folder, signal }), inSession);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function findCompiler(): string {
  try {
    return join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
  } catch (cause) {
    throw new SandboxUnavailableError({
      problem: "`typecheck` needs the package typescript. Install it: npm install typescript@7.",
      cause,
    });
  }
}

function run(compiler: string, { folder, signal }: { folder: string; signal: AbortSignal | undefined }): Promise<string> {
  const options = {
    cwd: folder,
    timeout: TIMEOUT_MS,
    maxBuffer: MAX_OUTPUT_BYTES,
    killSignal: "SIGKILL" as const,
    ...(signal && { signal }),
  };
  return new Promise((resolve) => {
    // An exit code other than 0 is what errors in the code give; they stand in the output.
    execFile(process.execPath, [compiler, "-p", ".", "--pretty", "false"], options, (_error, stdout) => resolve(stdout));
  });
}

function errorOf(output: string, inSession: boolean): ExecutionError | undefined {
  const found = [...output.matchAll(/^code\.ts\((\d+),(\d+)\): error (TS\d+): (.*(?:\n {2}.*)*)/gm)].map(
    ([, line, column, code = "", message = ""]) => ({
      line: Number(line) - 1,
      column: Number(column),
      code,
      message,
    }),
  );
  const errors = found.filter(({ code }) => !inSession || !UNKNOWN_NAME.test(code));
  const [first] = errors;
  if (first === undefined) return undefined;
  const texts = errors
    .slice(0, MAX_REPORTED)
    .map(({ line, column, code, message }) => `line ${line}, column ${column}: ${code} ${message}`);
  const more = errors.length > MAX_REPORTED ? `\n${errors.length - MAX_REPORTED} more errors.` : "";
  const message = `Nothing was executed, because the types are wrong:\n${texts.join("\n")}${more}`;
  return { code: "type-error", name: "TypeError", message, line: first.line, column: first.column };
}
