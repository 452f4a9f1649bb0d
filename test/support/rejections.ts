/** Collects what nobody handles while a function runs, and a macrotask longer. */
export async function unhandledDuring(run: () => Promise<void>): Promise<unknown[]> {
  const unhandled: unknown[] = [];
  const collect = (reason: unknown) => unhandled.push(reason);
  const events = ["unhandledRejection", "uncaughtException"] as const;
  // vitest's own listeners would end the whole run, without the counterexample
  const others = events.map((event) => process.listeners(event as "uncaughtException"));
  for (const event of events) process.removeAllListeners(event).on(event, collect);
  try {
    await run();
    await macrotask();
    return unhandled;
  } finally {
    for (const [index, event] of events.entries()) {
      process.removeAllListeners(event);
      for (const listener of others[index] ?? []) process.on(event, listener);
    }
  }
}

const { setImmediate: realSetImmediate } = globalThis;

/** Lets all that is ready happen: microtasks, ticks, immediates. Works under fake timers. */
export function macrotask(): Promise<void> {
  return new Promise((resolve) => {
    realSetImmediate(resolve);
  });
}
