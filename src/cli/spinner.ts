import type { Output } from "./terminal.js";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 100;
const ERASE_LINE = "\r\u001b[2K";

/** Shows on one line of a terminal that something is under way. Writes nothing where no terminal is. */
export class Spinner {
  readonly #output: Output;
  #timer: NodeJS.Timeout | undefined;
  #frame = 0;

  constructor(output: Output) {
    this.#output = output;
  }

  /** @param label - What is under way; safe to show. */
  start(label: string): void {
    this.stop();
    if (!this.#output.isErasable) return;
    const draw = () => {
      if (!this.#output.isErasable) return; // held back for the moment
      this.#frame = (this.#frame + 1) % FRAMES.length;
      this.#output.write(`${ERASE_LINE}${this.#output.paint("cyan", FRAMES[this.#frame] ?? "")} ${this.#output.paint("dim", label)}`);
    };
    draw();
    this.#timer = setInterval(draw, FRAME_MS).unref();
  }

  stop(): void {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#output.write(ERASE_LINE);
  }
}
