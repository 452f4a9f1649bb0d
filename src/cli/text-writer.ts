import { safeText } from "./safe-text.js";
import type { Output } from "./terminal.js";

/** Writes text that comes in pieces. On a terminal it is made safe; into a file or a pipe it goes as it is. */
export class TextWriter {
  readonly #output: Output;
  readonly #prefix: string;
  /** First half of a surrogate pair whose second half comes with the next piece. */
  #half = "";
  #isAtLineStart = true;

  /** @param prefix - What each line begins with. Default nothing. */
  constructor(output: Output, prefix = "") {
    this.#output = output;
    this.#prefix = prefix;
  }

  write(piece: string): void {
    const text = this.#half + piece;
    const isCut = /[\ud800-\udbff]$/.test(text);
    this.#half = isCut ? text.slice(-1) : "";
    this.#put(isCut ? text.slice(0, -1) : text);
  }

  /** Begins a new line unless the text did so. */
  endLine(): void {
    const half = this.#half;
    this.#half = "";
    this.#put(half.toWellFormed());
    if (!this.#isAtLineStart) this.#put("\n");
  }

  #put(text: string): void {
    if (text === "") return;
    const shown = this.#output.isTerminal ? safeText(text) : text;
    const first = this.#isAtLineStart ? this.#prefix : "";
    this.#output.write(this.#prefix === "" ? shown : first + shown.replaceAll(/\n(?!$)/g, `\n${this.#prefix}`));
    this.#isAtLineStart = text.endsWith("\n");
  }
}
