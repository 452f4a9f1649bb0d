import type { Output, Terminal } from "./terminal.js";

/** The two outputs of a terminal, which can be held back together while a person types, and come in their order afterwards. */
export class OutputGate {
  readonly stdout: Output;
  readonly stderr: Output;
  #held: { readonly output: Output; readonly text: string }[] | undefined;
  #isAtLineStart = true;

  constructor({ stdout, stderr }: Pick<Terminal, "stdout" | "stderr">) {
    this.stdout = this.#through(stdout);
    this.stderr = this.#through(stderr);
  }

  get isHeld(): boolean {
    return this.#held !== undefined;
  }

  /** Whether what was written last ended its line. */
  get isAtLineStart(): boolean {
    return this.#isAtLineStart;
  }

  /** From now on nothing is written. */
  hold(): void {
    this.#held ??= [];
  }

  /** Writes what was held back. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const { output, text } of held) this.#write(output, text);
  }

  #write(output: Output, text: string): void {
    if (text === "") return;
    if (this.#held !== undefined) {
      this.#held.push({ output, text });
      return;
    }
    output.write(text);
    if (output.isTerminal) this.#isAtLineStart = text.endsWith("\n");
  }

  #through(output: Output): Output {
    const gate = this;
    return {
      stream: output.stream,
      isTerminal: output.isTerminal,
      /** What is held back is not there to be overwritten. */
      get isErasable() {
        return output.isErasable && !gate.isHeld;
      },
      write: (text) => this.#write(output, text),
      paint: (paint, text) => output.paint(paint, text),
    };
  }
}
