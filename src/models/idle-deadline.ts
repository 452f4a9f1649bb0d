import type { ModelTiming } from "./model-timing.js";

/** Fires once when nothing has happened for too long. One timer for a whole stream: an event costs a look at the clock. */
export class IdleDeadline {
  readonly #timing: ModelTiming;
  readonly #onExpire: () => void;
  #idleMs: number;
  #lastAt: number;
  #cancel: () => void;
  #expired = false;

  constructor({ idleMs, timing, onExpire }: { idleMs: number; timing: ModelTiming; onExpire: () => void }) {
    this.#timing = timing;
    this.#onExpire = onExpire;
    this.#idleMs = idleMs;
    this.#lastAt = timing.now();
    this.#cancel = this.#arm(idleMs);
  }

  /** Whether it fired. */
  get expired(): boolean {
    return this.#expired;
  }

  /** Something happened. */
  touch(): void {
    this.#lastAt = this.#timing.now();
  }

  /** From now on less patience is enough. */
  shorten(idleMs: number): void {
    if (idleMs >= this.#idleMs) return;
    this.#idleMs = idleMs;
    this.#cancel();
    this.touch();
    this.#cancel = this.#arm(idleMs);
  }

  /** Leaves no timer behind. */
  dispose(): void {
    this.#cancel();
  }

  #arm(delayMs: number): () => void {
    return Number.isFinite(delayMs) ? this.#timing.setTimer(() => this.#look(), Math.min(delayMs, 2_147_483_647)) : () => undefined;
  }

  #look(): void {
    const left = this.#lastAt + this.#idleMs - this.#timing.now();
    if (left > 0) {
      this.#cancel = this.#arm(left);
      return;
    }
    this.#expired = true;
    this.#onExpire();
  }
}
