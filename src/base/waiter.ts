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
  /** Ends each waiting at once when the run ends early. */
  readonly #waiting: (() => void)[] = [];
  /** Ends each waiting that is given a moment. */
  readonly #lingering: (() => void)[] = [];
  readonly #now: () => number;
  readonly #onAbort = () => this.#endAll();
  readonly #deadline: Deadline | undefined;
  #breathedAt: number;
  #grace: "unused" | "running" | "over" = "unused";
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
    if (this.signal.aborted) {
      Promise.resolve(value).catch(() => undefined); // nobody waits for it any more
      return Promise.reject(this.#error());
    }
    if (!isThenable(value)) return Promise.resolve(value);
    return new Promise((resolve, reject) => {
      settle(value, { resolve, reject, giveUp: () => reject(this.#error()), waiting: this.#waiting });
    });
  }

  /** Waits for a promise; when the run has ended early, no longer than `GRACE_MS` in all, and then gives `undefined`. */
  waitGently<T>(work: Promise<T>): Promise<T | undefined> {
    const waiting = this.#lingering;
    return new Promise((resolve, reject) => {
      const giveUp = () => resolve(undefined);
      settle(work, { resolve, reject, giveUp, waiting });
      if (this.#grace === "over") giveUp();
      else if (this.signal.aborted) this.#startGrace();
    });
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
    endEach(this.#waiting);
    if (this.#lingering.length > 0) this.#startGrace();
  }

  #startGrace(): void {
    if (this.#grace !== "unused") return;
    this.#grace = "running";
    this.#graceTimer = setTimeout(() => {
      this.#grace = "over";
      endEach(this.#lingering);
    }, GRACE_MS);
  }

  #error(): Error {
    const reason: unknown = this.signal.reason;
    return reason instanceof AgentAbortError || reason instanceof RunLimitError ? reason : new AgentAbortError({ reason });
  }
}

interface Settling<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
  /** Stands in `waiting` until the promise is settled. */
  readonly giveUp: () => void;
  readonly waiting: (() => void)[];
}

function settle<T>(promise: PromiseLike<T>, { resolve, reject, giveUp, waiting }: Settling<T>): void {
  waiting.push(giveUp);
  promise.then(
    (value) => {
      remove(waiting, giveUp);
      resolve(value);
    },
    (error: unknown) => {
      remove(waiting, giveUp);
      reject(error);
    },
  );
}

/** A list and no set: a run waits for one or two things at a time, and a set that empties and fills makes garbage. */
function remove(waiting: (() => void)[], giveUp: () => void): void {
  if (waiting.at(-1) === giveUp) {
    waiting.pop();
    return;
  }
  const index = waiting.lastIndexOf(giveUp);
  if (index !== -1) waiting.splice(index, 1);
}

function endEach(waiting: (() => void)[]): void {
  for (const end of waiting.splice(0)) end();
}

function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as PromiseLike<T> | null | undefined)?.then === "function";
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
