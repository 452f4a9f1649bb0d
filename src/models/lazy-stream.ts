import type { AgentModelEvent } from "../base/model.js";

/** An iterator that is loaded when it is first read. Afterwards it costs one call an event. */
export class LazyStream implements AsyncIterableIterator<AgentModelEvent, undefined, undefined> {
  readonly #load: () => Promise<AsyncIterableIterator<AgentModelEvent, undefined, undefined>>;
  #loaded: AsyncIterableIterator<AgentModelEvent, undefined, undefined> | undefined;
  #left = false;

  constructor(load: () => Promise<AsyncIterableIterator<AgentModelEvent, undefined, undefined>>) {
    this.#load = load;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<AgentModelEvent, undefined>> {
    return this.#loaded === undefined ? this.#begin() : this.#loaded.next();
  }

  async return(): Promise<IteratorResult<AgentModelEvent, undefined>> {
    this.#left = true;
    await this.#loaded?.return?.();
    return { done: true, value: undefined };
  }

  async #begin(): Promise<IteratorResult<AgentModelEvent, undefined>> {
    if (this.#left) return { done: true, value: undefined };
    this.#loaded = await this.#load();
    if (this.#left) return this.return();
    return this.#loaded.next();
  }
}
