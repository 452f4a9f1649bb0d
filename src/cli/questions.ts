import { createInterface } from "node:readline";
import { setImmediate } from "node:timers/promises";
import type { CommandHost } from "./command.js";
import type { Input } from "./terminal.js";

/** Options of one question. */
export interface QuestionOptions {
  /** Ends the waiting. */
  readonly signal: AbortSignal;
  /** What stands in the line already, to be edited. @default "" */
  readonly prefill?: string;
}

const CTRL_C = 3;

/** Asks a person at the terminal. What is asked at the same time is asked one after the other. */
export class Questions {
  /** How long an answer for all calls of a tool lasts. */
  readonly span: string = "run";
  readonly #host: Pick<CommandHost, "terminal" | "interruption">;
  #last: Promise<unknown> = Promise.resolve();

  constructor(host: Pick<CommandHost, "terminal" | "interruption">) {
    this.#host = host;
  }

  /** Has the terminal for itself while the conversation goes on; waits until others are done. */
  take<T>(conversation: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const mine = this.#last.then(() => {
      signal.throwIfAborted(); // the run has ended while others were asked
      return conversation();
    });
    this.#last = mine.catch(() => undefined); // whoever asked sees it
    return mine;
  }

  /**
   * One line of the person.
   * @returns The line without its end; `undefined` when the input has ended (Ctrl-D).
   * @throws The signal's reason when it fires.
   */
  async ask(prompt: string, { signal, prefill = "" }: QuestionOptions): Promise<string | undefined> {
    const { stdin, stderr } = this.#host.terminal;
    await this.#dropTypedAhead(stdin);
    signal.throwIfAborted();
    if (stdin.readableEnded || stdin.destroyed) return undefined;
    const lines = createInterface({
      input: stdin,
      output: stderr.stream,
      terminal: stdin.isTTY === true && stderr.isErasable,
      historySize: 0,
    });
    lines.on("SIGINT", () => this.#host.interruption.interrupt("SIGINT")); // the terminal is raw: Ctrl-C is a key here
    try {
      return await new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
        lines.once("close", () => resolve(undefined));
        lines.question(prompt, resolve);
        if (prefill !== "") lines.write(prefill);
      });
    } finally {
      lines.close();
      if (signal.aborted) stderr.write("\n");
    }
  }

  /** Keys that were pressed before the question was there are no answer to it. */
  async #dropTypedAhead(stdin: Input): Promise<void> {
    if (stdin.isTTY !== true || stdin.setRawMode === undefined) return;
    const drop = (keys: Buffer | string) => {
      if (Buffer.from(keys).includes(CTRL_C)) this.#host.interruption.interrupt("SIGINT");
    };
    stdin.setRawMode(true);
    stdin.on("data", drop);
    stdin.resume();
    await setImmediate(); // the event loop reads what waits
    await setImmediate();
    stdin.off("data", drop);
    stdin.pause();
    stdin.setRawMode(false);
  }
}
