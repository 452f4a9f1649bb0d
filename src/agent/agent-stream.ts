import type { AgentRunResult } from "../base/agent-runtime.js";
import { AgentInputError } from "../base/errors.js";
import type { AgentEvent, AgentEventListener } from "../base/events.js";

interface Source {
  readonly start: (listener: AgentEventListener) => Promise<AgentRunResult>;
  readonly abort: (reason: unknown) => void;
}

/**
 * The events of one run, to be read with `for await`, and its result.
 *
 * The run starts at once and never waits for the reader: adjacent deltas of one kind that the reader has not taken yet are merged. Leaving the
 * iteration early aborts the run. The events can be read once.
 */
export class AgentStream implements AsyncIterable<AgentEvent> {
  /** Settles as the run does. Can be awaited without reading the events. */
  readonly result: Promise<AgentRunResult>;
  readonly #abort: Source["abort"];
  #queue: AgentEvent[] = [];
  #wake: (() => void) | undefined;
  #ended = false;
  #reading = false;

  constructor({ start, abort }: Source) {
    this.#abort = abort;
    this.result = start((event) => this.#push(event)).finally(() => {
      this.#ended = true;
      this.#wake?.();
    });
    this.result.catch(() => undefined); // whoever awaits `result` or reads the events sees it
  }

  /** @throws AgentInputError when the events are being read already. */
  async *[Symbol.asyncIterator](): AsyncGenerator<AgentEvent, void, undefined> {
    if (this.#reading) throw new AgentInputError({ problem: "The events of a run can be read once. Subscribe for a second reader." });
    this.#reading = true;
    try {
      for (;;) {
        const events = this.#queue;
        this.#queue = [];
        yield* events;
        if (this.#queue.length > 0) continue;
        if (this.#ended) break;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
      await this.result; // a run that could not start throws here
    } finally {
      this.#queue = [];
      if (!this.#ended) {
        this.#abort("The reader of the stream left.");
        await this.result.catch(() => undefined); // so that the agent is free again behind the loop
      }
    }
  }

  #push(event: AgentEvent): void {
    const last = this.#queue.at(-1);
    const merged = last === undefined ? undefined : mergeDeltas(last, event);
    if (merged === undefined) this.#queue.push(event);
    else this.#queue[this.#queue.length - 1] = merged;
    this.#wake?.();
    this.#wake = undefined;
  }
}

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
