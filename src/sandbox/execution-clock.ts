/** A wall clock that ends an execution, and stands still while it waits for people. */
export class ExecutionClock {
  readonly #onExpired: () => void;
  #leftMs: number;
  #runningSince = performance.now();
  #timer: NodeJS.Timeout | undefined;

  constructor({ limitMs, onExpired }: { limitMs: number; onExpired: () => void }) {
    this.#leftMs = limitMs;
    this.#onExpired = onExpired;
    this.#timer = setTimeout(onExpired, limitMs);
  }

  /** Lets the clock run or stand still. */
  setPaused(paused: boolean): void {
    if (paused === (this.#timer === undefined)) return;
    if (paused) {
      this.#leftMs -= performance.now() - this.#runningSince;
      this.stop();
    } else {
      this.#runningSince = performance.now();
      this.#timer = setTimeout(this.#onExpired, Math.max(this.#leftMs, 0));
    }
  }

  /** Stops the clock for good, if it is not let run again. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
