import type { CommandHost } from "./command.js";
import type { FlagValues } from "./parse-flags.js";
import { UsageError } from "./usage-error.js";

/**
 * The prompt: the argument, or standard input for `-` and when there is no argument and standard input is no terminal.
 * @throws UsageError when there is none, or more than one.
 */
export async function readPrompt({ positionals }: FlagValues, { terminal, interruption }: CommandHost): Promise<string> {
  const [argument, ...rest] = positionals;
  if (rest.length > 0) {
    throw new UsageError({ problem: `One prompt is expected, received ${positionals.length} arguments. Put the prompt into quotes.` });
  }
  if (argument === undefined && terminal.stdin.isTTY === true) {
    throw new UsageError({ problem: 'A prompt is missing: triact run "PROMPT", or triact run - to read standard input.' });
  }
  const prompt = argument === undefined || argument === "-" ? await readAll(terminal.stdin, interruption.signal) : argument;
  if (prompt.trim() === "") throw new UsageError({ problem: "The prompt is empty." });
  return prompt;
}

async function readAll(stdin: CommandHost["terminal"]["stdin"], signal: AbortSignal): Promise<string> {
  signal.addEventListener("abort", () => stdin.destroy(), { once: true });
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Buffer | string));
  signal.throwIfAborted();
  return Buffer.concat(chunks).toString("utf8");
}
