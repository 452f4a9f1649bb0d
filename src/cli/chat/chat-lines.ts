import { createInterface, type Interface } from "node:readline";
import type { CommandHost } from "../command.js";
import type { Questions } from "../questions.js";

/** What the person writes, message by message. A line that ends with a backslash goes on in the next one. */
export class ChatLines {
  readonly #host: Pick<CommandHost, "terminal" | "interruption">;
  readonly #questions: Questions;
  /** Lines of a pipe, where no person is asked. */
  #piped: AsyncIterator<string> | undefined;
  #reader: Interface | undefined;

  constructor(host: Pick<CommandHost, "terminal" | "interruption">, questions: Questions) {
    this.#host = host;
    this.#questions = questions;
  }

  /**
   * The next message.
   * @returns `undefined` when there is no more: Ctrl-D, or the end of the pipe.
   * @throws The interruption's reason when the person leaves by Ctrl-C.
   */
  async next(): Promise<string | undefined> {
    const lines: string[] = [];
    for (;;) {
      const line = await this.#line(lines.length === 0 ? "you> " : "...> ");
      if (line === undefined) return lines.length === 0 ? undefined : lines.join("\n");
      if (!line.endsWith("\\")) return [...lines, line].join("\n");
      lines.push(line.slice(0, -1));
    }
  }

  /** Lets go of standard input. */
  close(): void {
    this.#reader?.close();
  }

  async #line(prompt: string): Promise<string | undefined> {
    const { terminal, interruption } = this.#host;
    if (terminal.isInteractive) return this.#questions.ask(prompt, { signal: interruption.signal });
    this.#reader ??= createInterface({ input: terminal.stdin });
    this.#piped ??= this.#reader[Symbol.asyncIterator]();
    const { done, value } = await this.#piped.next();
    return done === true ? undefined : value;
  }
}
