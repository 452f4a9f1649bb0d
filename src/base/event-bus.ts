import type { AgentEvent, AgentEventListener, AgentEventType } from "./events.js";
import { type AgentHooks, type Logger, log, type RegisteredHook } from "./hooks.js";

/** A function that gets events, and which ones: all, where no types are named. */
interface Subscriber {
  readonly listener: AgentEventListener;
  readonly types: ReadonlySet<AgentEventType> | undefined;
}

/**
 * Hands events to the subscribers and then to the `onEvent` hooks. What they throw is logged and skipped.
 */
export class EventBus {
  readonly #logger: Logger;
  #subscribers: readonly Subscriber[] = [];
  #hooks: readonly RegisteredHook<"onEvent">[] = [];

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Whether anybody gets any events. Otherwise they need not be built. */
  get hasReaders(): boolean {
    return this.#subscribers.length > 0 || this.#hooks.length > 0;
  }

  /** How many would get an event of this type. */
  readersOf(type: AgentEventType): number {
    let count = this.#hooks.length;
    for (const subscriber of this.#subscribers) if (wants(subscriber, type)) count += 1;
    return count;
  }

  /** Whether there are `onEvent` hooks, which are waited for. */
  get hasHooks(): boolean {
    return this.#hooks.length > 0;
  }

  /** Takes over the subscribers of another bus, as they are now. */
  follow(other: EventBus): void {
    this.#subscribers = other.#subscribers;
  }

  setHooks(hooks: readonly RegisteredHook<"onEvent">[]): void {
    this.#hooks = hooks;
  }

  /**
   * Adds a subscriber. The same function added twice is called twice.
   * @param types - Those that it gets. Left out: all.
   * @returns The way to take it away again.
   */
  subscribe(listener: AgentEventListener, types?: readonly AgentEventType[]): () => void {
    const subscriber: Subscriber = { listener, types: types === undefined ? undefined : new Set(types) };
    this.#subscribers = this.#subscribers.concat(subscriber);
    return () => {
      this.#subscribers = this.#subscribers.filter((other) => other !== subscriber);
    };
  }

  /**
   * @param before - The hooks' work on the event before this one, if it is not done yet: an event that nobody waits for (tool-updated) must not be
   * overtaken by the next.
   * @param own - A listener of the run besides the subscribers.
   * @returns A promise that never rejects, when an `onEvent` hook has to be waited for.
   */
  emit(event: AgentEvent, before: Promise<void> | undefined, own: AgentEventListener | undefined): Promise<void> | undefined {
    const subscribers = this.#subscribers;
    for (const subscriber of subscribers) {
      const isThere = subscribers === this.#subscribers || this.#subscribers.includes(subscriber); // it may just have been taken away
      if (isThere && wants(subscriber, event.type)) this.#call(subscriber.listener, event);
    }
    if (own !== undefined) this.#call(own, event);
    if (this.#hooks.length === 0) return undefined;
    return before === undefined ? this.#callHooks(event) : before.then(() => this.#callHooks(event));
  }

  #call(listener: AgentEventListener, event: AgentEvent): void {
    try {
      const returned: unknown = listener(event);
      if (returned !== undefined && returned instanceof Promise) void this.#logRejection(returned, event);
    } catch (error) {
      this.#log(`A subscriber threw on ${event.type}; it was skipped.`, error);
    }
  }

  async #callHooks(event: AgentEvent): Promise<void> {
    for (const hook of this.#hooks) {
      try {
        await (hook.call as NonNullable<AgentHooks["onEvent"]>)(event);
      } catch (error) {
        this.#log(`The hook ${hook.label} threw on ${event.type}; it was skipped.`, error);
      }
    }
  }

  async #logRejection(returned: Promise<unknown>, event: AgentEvent): Promise<void> {
    try {
      await returned;
    } catch (error) {
      this.#log(`A subscriber rejected on ${event.type}; it was skipped.`, error);
    }
  }

  #log(text: string, error: unknown): void {
    log(this.#logger, "error", text, error);
  }
}

function wants({ types }: Subscriber, type: AgentEventType): boolean {
  return types === undefined || types.has(type);
}
