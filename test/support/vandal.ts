const frozenOnes = new WeakSet<object>();

/** Tries to change a value, all it holds and its snapshot in every way there is. What cannot be changed stays; nothing is thrown. */
export function vandalise(value: unknown, seen: Set<unknown> = new Set()): void {
  if (typeof value !== "object" || value === null || seen.has(value) || frozenOnes.has(value)) return;
  if (value instanceof AbortSignal || value instanceof Error) return; // they are live by nature
  seen.add(value);
  const fields = value as Record<PropertyKey, unknown>;
  const keys = Reflect.ownKeys(value).filter((key) => !(Array.isArray(value) && key === "length")); // setting it to a text throws
  vandalise(fields["snapshot"], seen);
  for (const key of keys) vandalise(fields[key], seen);
  if (Object.isFrozen(value)) frozenOnes.add(value); // what it holds was tried above, it need not be tried again
  if (Array.isArray(value) && !Object.isFrozen(value)) {
    for (const edit of [() => value.push("broken"), () => value.reverse(), () => value.splice(0, 1)]) attempt(edit);
  }
  for (const key of keys) {
    Reflect.set(value, key, "broken");
    Reflect.defineProperty(value, key, { value: "broken" });
    Reflect.deleteProperty(value, key);
  }
  Reflect.set(value, "added", "broken");
}

function attempt(edit: () => unknown): void {
  try {
    edit();
  } catch {
    // sealed, as it may be
  }
}
