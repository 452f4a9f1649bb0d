import type { AgentEvent, AgentEventListener } from "./events.js";
import { type AgentHooks, type Logger, log, type RegisteredHook } from "./hooks.js";

/**
 * Hands events to the subscribers and then to the `onEvent` hooks. What they throw is logged and skipped.
 */
export class EventBus {
  readonly #logger: Logger;
  #listeners: readonly AgentEventListener[] = [];
  #hooks: readonly RegisteredHook<"onEvent">[] = [];

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** How many would get an event. Without any, events need not be built. */
  get readerCount(): number {
    return this.#listeners.length + this.#hooks.length;
  }

  /** Whether there are `onEvent` hooks, which are waited for. */
  get hasHooks(): boolean {
    return this.#hooks.length > 0;
  }

  /** Takes over the subscribers of another bus, as they are now. */
  follow(other: EventBus): void {
    this.#listeners = other.#listeners;
  }

  setHooks(hooks: readonly RegisteredHook<"onEvent">[]): void {
    this.#hooks = hooks;
  }

  /** Adds a subscriber. The same function added twice is called twice. Returns the way to take it away again. */
  subscribe(listener: AgentEventListener): () => void {
    const entry: AgentEventListener = (event) => listener(event);
    this.#listeners = this.#listeners.concat(entry);
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== entry);
    };
  }

  /**
   * @param before - The hooks' work on the event before this one, if it is not done yet: an event that nobody waits for (tool-updated) must not be
   * overtaken by the next.
   * @param own - A listener of the run besides the subscribers.
   * @returns A promise that never rejects, when an `onEvent` hook has to be waited for.
   */
  emit(event: AgentEvent, before: Promise<void> | undefined, own: AgentEventListener | undefined): Promise<void> | undefined {
    const listeners = this.#listeners;
    for (const listener of listeners) {
      if (listeners === this.#listeners || this.#listeners.includes(listener)) this.#call(listener, event); // unless it was just taken away
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
