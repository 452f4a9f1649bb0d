import { ToolTimeoutError } from "./errors.js";

/** The time one call may take: a signal of its own that also follows the run's. */
export class ToolDeadline {
  readonly error: ToolTimeoutError;
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;
  readonly #onOuter = () => this.#controller.abort(this.#outer.reason);
  readonly #timer: ReturnType<typeof setTimeout>;
  #expire: (() => void) | undefined;

  /** @param timeoutMs - Milliseconds from now. */
  constructor(toolName: string, timeoutMs: number, outer: AbortSignal) {
    this.error = new ToolTimeoutError({ toolName, timeoutMs });
    this.#outer = outer;
    outer.addEventListener("abort", this.#onOuter);
    this.#timer = setTimeout(() => {
      this.#expire?.();
      this.#controller.abort(this.error);
    }, timeoutMs);
  }

  /** Fires when the time is over, and when the outer signal does. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The promise, or a rejection with `error` when the time is over. A later outcome of the promise is dropped. */
  race<T>(promise: PromiseLike<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#expire = () => reject(this.error);
      promise.then(resolve, reject);
    });
  }

  /** Stops the clock. */
  dispose(): void {
    clearTimeout(this.#timer);
    this.#outer.removeEventListener("abort", this.#onOuter);
  }
}
