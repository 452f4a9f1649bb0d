import { ModelError, messageOf } from "../base/errors.js";
import type { AgentModelEvent, AgentModelRequest } from "../base/model.js";
import { IdleDeadline } from "./idle-deadline.js";
import { type ModelTiming, sleep } from "./model-timing.js";
import type { Connection, OpenReply } from "./protocol.js";
import { jitteredDelay, MAX_RETRY_AFTER_MS } from "./retry-delay.js";
import { WireError } from "./wire-error.js";

/** What a reply is read with. */
export interface ReplyStreamOptions {
  /** What the model is asked. */
  readonly request: AgentModelRequest;
  /** Loads what is needed and finds the key. */
  readonly connect: () => Promise<Connection>;
  /** Retries of the whole reply. */
  readonly maxRetries: number;
  /** Longest silence, in milliseconds. */
  readonly idleTimeoutMs: number;
  /** Clock, dice and timers. */
  readonly timing: ModelTiming;
}

/** One try at the reply. */
interface Attempt extends OpenReply {
  readonly controller: AbortController;
  readonly deadline: IdleDeadline;
}

/** How long a reply that is whole may keep its connection open, in milliseconds: usage and the end mark may still come. */
const TRAILER_MS = 2_000;

const DONE: IteratorReturnResult<undefined> = Object.freeze({ done: true, value: undefined });

/**
 * The events of one reply, with retries.
 *
 * A hand-written iterator: a generator between the provider's and the loop would cost as much per event as reading the event. It is read by one reader,
 * one `next()` at a time.
 */
export class ReplyStream implements AsyncIterableIterator<AgentModelEvent, undefined, undefined> {
  readonly #options: ReplyStreamOptions;
  /** Ends a wait before a retry. */
  readonly #stop = new AbortController();
  readonly #onAbort = () => {
    this.#stop.abort();
    this.#attempt?.controller.abort();
  };
  /** Events that were read and not yet given; those before `#given` were. */
  readonly #events: AgentModelEvent[] = [];
  #given = 0;
  #attempt: Attempt | undefined;
  #connection: Connection | undefined;
  #listening = false;
  #retries = 0;
  #waitMs = 0;
  #shown = false;
  #over = false;

  constructor(options: ReplyStreamOptions) {
    this.#options = options;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<AgentModelEvent, undefined>> {
    const event = this.#events[this.#given];
    if (event !== undefined) {
      this.#given += 1;
      return Promise.resolve({ done: false, value: event });
    }
    if (this.#over) return Promise.resolve(DONE);
    this.#clear();
    // most events of the wire give one of ours: a promise with handlers made once is the cheapest way there
    return this.#attempt === undefined ? this.#advance() : this.#attempt.wireEvents.next().then(this.#onWireEvent, this.#onFailure);
  }

  /** Ends the stream and its connection. */
  return(): Promise<IteratorResult<AgentModelEvent, undefined>> {
    this.#end();
    this.#events.length = 0;
    return Promise.resolve(DONE);
  }

  readonly #onWireEvent = (result: IteratorResult<unknown>) => {
    try {
      this.#read(result);
    } catch (error) {
      return this.#onFailure(error);
    }
    return this.#first() ?? this.#advance();
  };

  readonly #onFailure = (error: unknown) => {
    if (!this.#over) this.#recover(error);
    return this.#first() ?? this.#advance();
  };

  /** Opens the reply if it is not open, and reads until there is something to give. */
  async #advance(): Promise<IteratorResult<AgentModelEvent, undefined>> {
    for (;;) {
      const first = this.#first();
      if (first !== undefined) return first;
      try {
        const attempt = this.#attempt ?? (await this.#open());
        if (attempt !== undefined) this.#read(await attempt.wireEvents.next());
      } catch (error) {
        if (!this.#over) this.#recover(error);
      }
    }
  }

  /** What is to be given next; nothing as long as it has to be read. */
  #first(): IteratorResult<AgentModelEvent, undefined> | undefined {
    const event = this.#events[0];
    if (event !== undefined) return { done: false, value: event };
    return this.#over ? DONE : undefined;
  }

  /** Element by element: an array whose length is set to 0 loses its memory, and would need new memory for every delta. */
  #clear(): void {
    while (this.#events.length > 0) this.#events.pop();
    this.#given = 1;
  }

  #read({ done, value }: IteratorResult<unknown>): void {
    const attempt = this.#attempt;
    if (this.#over || attempt === undefined) return;
    if (done === true) this.#finish(attempt);
    else this.#take(attempt, value);
  }

  #take({ reader, deadline }: Attempt, wireEvent: unknown): void {
    if (reader.finish === undefined) deadline.touch(); // what follows a whole reply may not go on for ever
    reader.take(wireEvent, this.#events);
    if (!this.#shown) this.#shown = this.#events.some(({ type }) => type !== "usage");
    if (reader.finish !== undefined) deadline.shorten(TRAILER_MS);
  }

  /** Opens the next attempt, after the wait that the last one left. Nothing when the request was given up meanwhile. */
  async #open(): Promise<Attempt | undefined> {
    const { request, connect, idleTimeoutMs, timing } = this.#options;
    const { signal } = request;
    if (!this.#listening) {
      signal.addEventListener("abort", this.#onAbort);
      this.#listening = true;
    }
    if (this.#waitMs > 0) await sleep(this.#waitMs, this.#stop.signal, timing);
    if (!this.#over && !signal.aborted) this.#connection ??= await connect();
    if (this.#over) return undefined;
    if (signal.aborted || this.#connection === undefined) return this.#giveUp();
    const controller = new AbortController();
    const deadline = new IdleDeadline({ idleMs: idleTimeoutMs, timing, onExpire: () => controller.abort() });
    // until the answer begins there is nothing to read, but something to abort
    this.#attempt = { controller, deadline, ...NOT_OPEN };
    const reply = await this.#connection.send(request, controller.signal);
    if (this.#over) return undefined;
    deadline.touch();
    this.#attempt = { controller, deadline, wireEvents: reply.wireEvents, reader: reply.reader };
    return this.#attempt;
  }

  #giveUp(): undefined {
    this.#end();
    this.#events.push({ type: "finish", reason: "aborted" });
  }

  /** The provider has nothing more to say. */
  #finish({ reader: { finish }, deadline }: Attempt): void {
    if (finish === undefined && (deadline.expired || this.#options.request.signal.aborted)) throw new DOMException("ended", "AbortError");
    if (finish === undefined)
      throw new WireError({ message: "The answer was cut off: the stream ended before the reply did.", code: "cut-stream" });
    this.#end();
    this.#events.push(finish);
  }

  /**
   * What to do about a failure: end well when the reply was whole already, try again when that may help, else end.
   * @throws ModelError
   */
  #recover(thrown: unknown): void {
    const { request, maxRetries, idleTimeoutMs, timing } = this.#options;
    const attempt = this.#attempt;
    const finish = attempt?.reader.finish;
    if (finish !== undefined) {
      this.#end();
      this.#events.push(finish);
      return;
    }
    if (request.signal.aborted) {
      this.#giveUp();
      return;
    }
    this.#events.length = 0;
    const connection = this.#connection;
    if (connection === undefined || thrown instanceof ModelError) throw this.#fail(thrown);
    const isIdle = attempt?.deadline.expired === true;
    const idle = () => new WireError({ message: `Nothing came for ${idleTimeoutMs} ms (idleTimeoutMs).`, code: "idle-timeout" });
    const { finish: end, retried, retryAfterMs, cause } = connection.explain(isIdle ? idle() : thrown);
    const canWait = retryAfterMs === undefined || retryAfterMs <= MAX_RETRY_AFTER_MS;
    if (retried && canWait && this.#retries < maxRetries) {
      this.#retries += 1;
      // "now", and a date that has passed, would be asked for at once again and again
      this.#waitMs = retryAfterMs || jitteredDelay(this.#retries, timing.random);
      this.#close();
      if (this.#shown) this.#events.push({ type: "reset", reason: `${end.error} Asking again.` });
      this.#shown = false;
      return;
    }
    this.#end();
    if (end.reason !== "error") {
      this.#events.push(end);
      return;
    }
    const tries = this.#retries === 0 ? "" : ` (after ${this.#retries + 1} tries)`;
    throw new ModelError({ message: `${end.error}${tries}`, errorClass: end.errorClass ?? "unknown", cause });
  }

  #fail(thrown: unknown): Error {
    this.#end();
    return thrown instanceof ModelError ? thrown : new ModelError({ message: messageOf(thrown), cause: thrown });
  }

  #close(): void {
    const attempt = this.#attempt;
    this.#attempt = undefined;
    attempt?.deadline.dispose();
    attempt?.controller.abort();
  }

  #end(): void {
    this.#over = true;
    this.#stop.abort();
    this.#close();
    if (this.#listening) this.#options.request.signal.removeEventListener("abort", this.#onAbort);
    this.#listening = false;
  }
}

const NOT_OPEN: OpenReply = {
  wireEvents: { next: () => Promise.resolve(DONE) },
  reader: { take: () => undefined, finish: undefined },
};
