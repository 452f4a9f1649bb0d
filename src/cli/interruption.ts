import { exitCodes } from "./exit-codes.js";

/** What ends the command early: a signal, or the end of the program that reads its output. */
export type InterruptionCause = "SIGINT" | "SIGTERM" | "EPIPE";

const reasons: Readonly<Record<InterruptionCause, string>> = {
  SIGINT: "interrupted by Ctrl-C",
  SIGTERM: "the process was asked to end",
  EPIPE: "nobody reads the output any more",
};

/** The first interruption aborts what is under way; the second ends the process at once. */
export class Interruption {
  readonly #controller = new AbortController();
  readonly #exit: (exitCode: number) => void;
  #cause: InterruptionCause | undefined;

  /** @param exit - Ends the process. */
  constructor(exit: (exitCode: number) => void) {
    this.#exit = exit;
  }

  /** Fires at the first interruption. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** What the command's exit code is because it was interrupted; `undefined` when it was not. */
  get exitCode(): number | undefined {
    return this.#cause === undefined ? undefined : this.#cause === "EPIPE" ? exitCodes.aborted : exitCodes[this.#cause];
  }

  /** A broken pipe may be reported for every write, so it never counts as the second one. */
  interrupt(cause: InterruptionCause): void {
    if (this.#cause === undefined) {
      this.#cause = cause;
      this.#controller.abort(reasons[cause]);
    } else if (cause !== "EPIPE") this.#exit(exitCodes[cause]);
  }
}
