import type { AgentRunResult } from "../base/agent-runtime.js";
import { AgentInputError } from "../base/errors.js";
import type { AgentEvent, AgentEventListener } from "../base/events.js";

interface Source<Output> {
  readonly start: (listener: AgentEventListener) => Promise<AgentRunResult<Output>>;
  readonly abort: (reason: unknown) => void;
}

/**
 * The events of one run, to be read with `for await`, and its result.
 *
 * The run starts at once and never waits for the reader: adjacent deltas of one kind that the reader has not taken yet are merged. Leaving the
 * iteration early aborts the run. The events can be read once.
 */
export class AgentStream<Output = unknown> implements AsyncIterable<AgentEvent> {
  /** Settles as the run does. Can be awaited without reading the events. */
  readonly result: Promise<AgentRunResult<Output>>;
  readonly #abort: Source<Output>["abort"];
  /** Events that were not read yet: a batch being read, and what came since, whose last event may still be merged into. */
  #batch: AgentEvent[] = [];
  #at = 0;
  #queue: AgentEvent[] = [];
  /** Readers that wait for an event. */
  #readers: ((read: Promise<Read> | Read) => void)[] = [];
  #ended = false;
  #left = false;
  #reading = false;

  constructor({ start, abort }: Source<Output>) {
    this.#abort = abort;
    this.result = start((event) => this.#push(event)).finally(() => {
      this.#ended = true;
      this.#release(this.#end());
    });
    this.result.catch(() => undefined); // whoever awaits `result` or reads the events sees it
  }

  /**
   * A written-out iterator and not a generator: a generator that was not started, or that waits, does not notice `return()`.
   * @throws AgentInputError when the events are being read already.
   */
  [Symbol.asyncIterator](): AsyncIterableIterator<AgentEvent, undefined, undefined> {
    if (this.#reading) throw new AgentInputError({ problem: "The events of a run can be read once. Subscribe for a second reader." });
    this.#reading = true;
    const iterator: AsyncIterableIterator<AgentEvent, undefined, undefined> = {
      next: () => this.#next(),
      return: () => this.#leave(),
      [Symbol.asyncIterator]: () => iterator,
    };
    return iterator;
  }

  async #next(): Promise<Read> {
    if (this.#at === this.#batch.length) {
      this.#batch = this.#queue;
      this.#queue = [];
      this.#at = 0;
    }
    const value = this.#batch[this.#at];
    if (value !== undefined) {
      this.#at += 1;
      return { done: false, value };
    }
    if (this.#left) return DONE;
    if (this.#ended) return this.#end();
    return new Promise((resolve) => {
      this.#readers.push(resolve);
    });
  }

  /** A run that could not start throws here. */
  async #end(): Promise<Read> {
    if (!this.#left) await this.result;
    return DONE;
  }

  async #leave(): Promise<Read> {
    this.#left = true;
    this.#batch = [];
    this.#queue = [];
    this.#at = 0;
    this.#release(DONE);
    if (!this.#ended) {
      this.#abort("The reader of the stream left.");
      await this.result.catch(() => undefined); // so that the agent is free again behind the loop
    }
    return DONE;
  }

  #release(read: Promise<Read> | Read): void {
    const readers = this.#readers;
    this.#readers = [];
    for (const reader of readers) reader(read);
    if (read instanceof Promise) read.catch(() => undefined); // when nobody waits
  }

  #push(event: AgentEvent): void {
    if (this.#left) return;
    const reader = this.#readers.shift();
    if (reader !== undefined) {
      reader({ done: false, value: event });
      return;
    }
    const last = this.#queue.at(-1);
    const merged = last === undefined ? undefined : mergeDeltas(last, event);
    if (merged === undefined) this.#queue.push(event);
    else this.#queue[this.#queue.length - 1] = merged;
  }
}

type Read = IteratorResult<AgentEvent, undefined>;
const DONE: Read = Object.freeze({ done: true, value: undefined });

/** Two deltas as one, when they continue each other. */
function mergeDeltas(first: AgentEvent, second: AgentEvent): AgentEvent | undefined {
  if (first.iteration !== second.iteration) return undefined;
  if (first.type === "assistant-text-delta" && second.type === "assistant-text-delta")
    return withFields(second, { text: first.text + second.text });
  if (first.type === "assistant-reasoning-delta" && second.type === "assistant-reasoning-delta" && first.redacted === second.redacted) {
    return withFields(second, { text: first.text + second.text });
  }
  if (first.type === "assistant-tool-call-delta" && second.type === "assistant-tool-call-delta" && first.callIndex === second.callIndex) {
    return withFields(second, { inputText: first.inputText + second.inputText });
  }
  return undefined;
}

function withFields<Event extends AgentEvent>(event: Event, fields: Partial<Event>): Event {
  const copy = { ...event, ...fields };
  return Object.defineProperty(copy, "snapshot", { get: () => event.snapshot });
}
