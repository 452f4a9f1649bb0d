import { AgentAbortError, RunLimitError } from "./errors.js";

/** How long hooks that report the end of an aborted run may still take, in milliseconds. */
export const GRACE_MS = 1_000;

/** How long a run may work without letting the process have a turn, in milliseconds. */
const BREATHE_AFTER_MS = 25;

/**
 * Lets one run wait for things, and ends all its waiting at once when the run is aborted or out of time.
 *
 * It listens once to the signal, whatever the number of promises, and leaves no timer and no listener behind.
 */
export class Waiter {
  readonly signal: AbortSignal;
  readonly #waiting = new Set<(error: Error) => void>();
  readonly #now: () => number;
  readonly #onAbort = () => this.#endAll();
  readonly #deadline: Deadline | undefined;
  #breathedAt: number;
  #grace: Promise<void> | undefined;
  #graceTimer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param signal - Aborts the run.
   * @param timeoutMs - Wall clock of the run in milliseconds. Default none.
   */
  constructor({ signal, timeoutMs, now }: { signal: AbortSignal | undefined; timeoutMs: number | undefined; now: () => number }) {
    this.#now = now;
    this.#breathedAt = now();
    this.#deadline = timeoutMs === undefined ? undefined : new Deadline(timeoutMs, signal, this.#breathedAt);
    this.signal = this.#deadline?.signal ?? signal ?? new AbortController().signal;
    this.signal.addEventListener("abort", this.#onAbort);
  }

  /** @throws AgentAbortError or RunLimitError when the run has ended early. */
  throwIfEnded(): void {
    this.#deadline?.check(this.#now());
    if (this.signal.aborted) throw this.#error();
  }

  /** The value, or a rejection as soon as the run ends early. A later outcome of the promise is dropped. */
  wait<T>(value: T | PromiseLike<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.signal.aborted) {
        Promise.resolve(value).catch(() => undefined); // nobody waits for it any more
        reject(this.#error());
        return;
      }
      this.#waiting.add(reject);
      Promise.resolve(value).then(
        (result) => {
          this.#waiting.delete(reject);
          resolve(result);
        },
        (error: unknown) => {
          this.#waiting.delete(reject);
          reject(error);
        },
      );
    });
  }

  /** Waits for a promise; when the run has ended early, no longer than `GRACE_MS` in all, and then gives `undefined`. */
  async waitGently<T>(promise: Promise<T>): Promise<T | undefined> {
    try {
      if (!this.signal.aborted) return await this.wait(promise);
    } catch (error) {
      if (!this.signal.aborted) throw error;
    }
    this.#grace ??= new Promise((resolve) => {
      this.#graceTimer = setTimeout(resolve, GRACE_MS);
    });
    return (await Promise.race([promise, this.#grace])) ?? undefined;
  }

  /** A pause for the process' timers and input, if this run has worked for a while without one. */
  breathe(): Promise<void> | undefined {
    const now = this.#now();
    if (now - this.#breathedAt < BREATHE_AFTER_MS) return undefined;
    this.#breathedAt = now;
    return new Promise((resolve) => {
      if (typeof setImmediate === "function") setImmediate(resolve);
      else setTimeout(resolve, 0);
    });
  }

  /** Stops listening. */
  dispose(): void {
    this.signal.removeEventListener("abort", this.#onAbort);
    this.#deadline?.dispose();
    clearTimeout(this.#graceTimer);
  }

  #endAll(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const reject of waiting) reject(this.#error());
  }

  #error(): Error {
    const reason: unknown = this.signal.reason;
    return reason instanceof AgentAbortError || reason instanceof RunLimitError ? reason : new AgentAbortError({ reason });
  }
}

/** The wall clock of a run: a signal that fires with a `RunLimitError`, or when the outer signal does. */
class Deadline {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #timeoutMs: number;
  readonly #endsAt: number;
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #onOuter = () => this.#controller.abort(this.#outer?.reason);

  constructor(timeoutMs: number, outer: AbortSignal | undefined, startedAt: number) {
    this.#timeoutMs = timeoutMs;
    this.#outer = outer;
    this.#endsAt = startedAt + timeoutMs;
    this.#timer = setTimeout(() => this.#expire(), timeoutMs);
    if (outer?.aborted === true) this.#onOuter();
    else outer?.addEventListener("abort", this.#onOuter);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The timer may be late when the process was busy. */
  check(now: number): void {
    if (now >= this.#endsAt) this.#expire();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener("abort", this.#onOuter);
  }

  #expire(): void {
    const message = `The run took longer than ${this.#timeoutMs} ms (limits.timeoutMs).`;
    this.#controller.abort(new RunLimitError({ limit: "time-limit", message }));
  }
}
