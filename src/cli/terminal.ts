import type { Readable, Writable } from "node:stream";
import { styleText } from "node:util";

/** The colours that are used. */
export type Paint = "dim" | "bold" | "red" | "green" | "yellow" | "cyan";

/** One of the two streams that the command writes to. */
export interface Output {
  readonly stream: Writable;
  /** Whether a person sees what is written. */
  readonly isTerminal: boolean;
  /** Whether the line under way can be overwritten. */
  readonly isErasable: boolean;
  write(text: string): void;
  /** The text in a colour, where colours are wanted. */
  paint(paint: Paint, text: string): string;
}

/** Where questions are answered. */
export type Input = Readable & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown };

/** What the command reads from and writes to. */
export interface Terminal {
  readonly stdin: Input;
  /** Takes the model's text, or events. */
  readonly stdout: Output;
  /** Takes everything else: tool calls, questions, problems. */
  readonly stderr: Output;
  /** Whether a person can be asked. */
  readonly isInteractive: boolean;
}

/** The part of a process that a terminal is made of. */
export interface TerminalSource {
  readonly stdin: Input;
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The terminal of a process. */
export function createTerminal({ stdin, stdout, stderr, env }: TerminalSource): Terminal {
  return {
    stdin,
    stdout: createOutput(stdout, env),
    stderr: createOutput(stderr, env),
    isInteractive: stdin.isTTY === true && stderr.isTTY === true,
  };
}

function createOutput(stream: TerminalSource["stdout"], environment: TerminalSource["env"]): Output {
  const isTerminal = stream.isTTY === true;
  const colours = wantsColours(isTerminal, environment);
  return {
    stream,
    isTerminal,
    isErasable: isTerminal && environment["TERM"] !== "dumb",
    write: (text) => void stream.write(text),
    paint: (paint, text) => (colours ? styleText(paint, text, { validateStream: false }) : text),
  };
}

/**
 * As Node itself decides: `FORCE_COLOR` goes before `NO_COLOR`, and both go before what the stream is.
 * @see https://no-color.org and https://force-color.org
 */
function wantsColours(isTerminal: boolean, environment: TerminalSource["env"]): boolean {
  const { FORCE_COLOR: force, NO_COLOR: none, TERM: kind } = environment;
  if (force !== undefined) return force !== "0" && force !== "false";
  if (none !== undefined && none !== "") return false;
  return isTerminal && kind !== "dumb";
}
