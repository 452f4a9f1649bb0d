import type { EventBus } from "./event-bus.js";
import type { AgentEvent, AgentEventListener, AgentEventMap, AgentEventType } from "./events.js";
import { createEvent, type EventOrigin } from "./run-event.js";
import type { ParentRun } from "./sub-run.js";
import type { Waiter } from "./waiter.js";

/** What a {@link RunReporter} is made with. */
export interface RunReporterOptions {
  /** The run that events are of. */
  readonly origin: EventOrigin;
  /** Subscribers and hooks of the agent. */
  readonly events: EventBus;
  /** Gets the events of this run alone. */
  readonly listener: AgentEventListener | undefined;
  /** The run that this one is a part of: its listeners get the events too. */
  readonly parent: ParentRun | undefined;
  /** That of the same run. */
  readonly waiter: Waiter;
}

/** Reports the events of one run. */
export class RunReporter {
  readonly #origin: EventOrigin;
  readonly #events: EventBus;
  readonly #listener: AgentEventListener | undefined;
  readonly #parent: ParentRun | undefined;
  readonly #waiter: Waiter;
  /** What `onEvent` hooks still do. It belongs to the run: a hook that hangs may not hold up the next one. */
  #reporting: Promise<void> | undefined;
  /** The last event is out. */
  #closed = false;

  constructor({ origin, events, listener, parent, waiter }: RunReporterOptions) {
    this.#origin = origin;
    this.#events = events;
    this.#listener = listener;
    this.#parent = parent;
    this.#waiter = waiter;
  }

  /** Whether anybody listens. Without listeners an event need not be built. */
  get listening(): boolean {
    return this.#listener !== undefined || this.#events.hasReaders || this.#parent?.listening === true;
  }

  /** Whether `onEvent` hooks have to be waited for between two events. */
  get hasHooks(): boolean {
    return this.#events.hasHooks;
  }

  /** Reports an event. The promise, if any, never rejects, and does not wait for a hanging hook once the run has ended early. */
  emit<Type extends AgentEventType>(type: Type, fields: AgentEventMap[Type]): Promise<void> | undefined {
    const parent = this.#parent;
    if (parent?.listening === true) return this.#emitWithin(parent, type, fields);
    const readers = this.#events.readersOf(type) + (this.#listener === undefined ? 0 : 1);
    if (readers === 0 || this.#closed) return undefined;
    return this.#waitForHooks(this.#send(createEvent(type, this.#origin, { fields, shared: readers > 1 })));
  }

  /** Nothing is reported from here on. */
  close(): void {
    this.#closed = true;
  }

  /** The same in a run within another one, whose listeners get the event too. */
  #emitWithin<Type extends AgentEventType>(parent: ParentRun, type: Type, fields: AgentEventMap[Type]): Promise<void> | undefined {
    if (this.#closed) return undefined;
    const event = createEvent(type, this.#origin, { fields, shared: true });
    const hooks = this.#send(event);
    const beyond = parent.report(event);
    if (hooks === undefined || beyond === undefined) return this.#waitForHooks(hooks ?? beyond);
    return this.#waitForHooks(Promise.all([hooks, beyond]).then(() => undefined));
  }

  #send(event: AgentEvent): Promise<void> | undefined {
    return this.#events.emit(event, this.#reporting, this.#listener);
  }

  #waitForHooks(hooks: Promise<void> | undefined): Promise<void> | undefined {
    if (hooks === undefined) return undefined;
    this.#reporting = hooks;
    void hooks.then(() => {
      if (this.#reporting === hooks) this.#reporting = undefined;
    });
    return this.#waiter.waitGently(hooks);
  }
}
