import type { AgentMessage } from "triact";

/** Methods of arrays that go through all elements. */
const WHOLE_ARRAY = [
  "concat",
  "every",
  "filter",
  "find",
  "findIndex",
  "findLast",
  "findLastIndex",
  "flatMap",
  "forEach",
  "includes",
  "indexOf",
  "join",
  "map",
  "reduce",
  "reverse",
  "slice",
  "some",
  "sort",
  "splice",
  "toReversed",
  "toSorted",
  "toSpliced",
  "with",
  "entries",
  "values",
] as const;

/**
 * Counts how often the messages of a history are touched: each read of one of their fields, each read of an element of the list, and each element that
 * a method, a spread, a loop, or a freeze of any list of them goes through.
 */
export class ElementCounter {
  count = 0;
  readonly #marked = new WeakSet<object>();

  /** A list that counts, of messages that count. */
  history(messages: readonly AgentMessage[]): AgentMessage[] {
    const touch = () => {
      this.count += 1;
    };
    const marked = messages.map((message) => {
      const proxy = new Proxy(
        message,
        counting(touch, () => true),
      );
      this.#marked.add(proxy);
      return proxy;
    });
    return new Proxy(
      marked,
      counting(touch, (key) => typeof key === "string" && /^\d+$/.test(key)),
    );
  }

  /** Counts while a function runs. */
  async during(run: () => Promise<void>): Promise<number> {
    const before = this.count;
    const restore = this.#watch();
    try {
      await run();
    } finally {
      restore();
    }
    return this.count - before;
  }

  #watch(): () => void {
    const counted = (list: unknown) => {
      if (Array.isArray(list) && typeof list[0] === "object" && this.#marked.has(list[0])) this.count += list.length;
    };
    const prototype = Array.prototype as unknown as Record<PropertyKey, (...values: unknown[]) => unknown>;
    const undo = [...WHOLE_ARRAY, Symbol.iterator].map((name) => replace(prototype, name, (list) => counted(list)));
    const freezing = Object as unknown as Record<PropertyKey, (...values: unknown[]) => unknown>;
    undo.push(replace(freezing, "freeze", (_, list) => counted(list)));
    return () => {
      for (const each of undo) each();
    };
  }
}

function replace(
  owner: Record<PropertyKey, (...values: unknown[]) => unknown>,
  name: PropertyKey,
  before: (self: unknown, first: unknown) => void,
): () => void {
  const original = owner[name];
  if (original === undefined) throw new Error(`There is no ${String(name)}.`);
  owner[name] = function replaced(this: unknown, ...values: unknown[]) {
    before(this, values[0]);
    return original.apply(this, values);
  };
  return () => {
    owner[name] = original;
  };
}

function counting(touch: () => void, counts: (key: PropertyKey) => boolean): ProxyHandler<never> {
  return {
    get(target, key, receiver) {
      if (counts(key)) touch();
      return Reflect.get(target, key, receiver);
    },
    has(target, key) {
      if (counts(key)) touch();
      return Reflect.has(target, key);
    },
    getOwnPropertyDescriptor(target, key) {
      if (counts(key)) touch();
      return Reflect.getOwnPropertyDescriptor(target, key);
    },
  };
}
