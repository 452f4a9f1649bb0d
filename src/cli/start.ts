import { runCommandLine } from "./command-line.js";
import { Interruption } from "./interruption.js";
import { shareTriact } from "./share-triact.js";
import { createTerminal, type Output } from "./terminal.js";

const LONGEST_TIMER_MS = 2_147_483_647;

/** Runs the command with this process's arguments, streams and signals, and ends the process with its exit code. */
export async function start(): Promise<void> {
  shareTriact();
  setInterval(() => undefined, LONGEST_TIMER_MS); // Node ends a process that only waits for promises; a run may do that
  const interruption = new Interruption((exitCode) => process.exit(exitCode));
  process.on("SIGINT", () => interruption.interrupt("SIGINT"));
  process.on("SIGTERM", () => interruption.interrupt("SIGTERM"));
  const terminal = createTerminal(process);
  for (const { stream } of [terminal.stdout, terminal.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
      interruption.interrupt("EPIPE"); // the reader has left, for example `head`
    });
  }
  const exitCode = await runCommandLine(process.argv.slice(2), {
    terminal,
    interruption,
    environment: process.env,
    workingDirectory: process.cwd(),
    importModule: (url) => import(url) as Promise<Readonly<Record<string, unknown>>>,
  });
  await Promise.all([written(terminal.stdout), written(terminal.stderr)]);
  process.exit(exitCode); // tools may have left timers and connections behind
}

/** Resolves when everything was handed over, or nobody is left to take it. */
function written({ stream }: Output): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed) resolve();
    else stream.write("", () => resolve());
  });
}
