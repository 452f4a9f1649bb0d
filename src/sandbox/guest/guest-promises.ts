import type { Intrinsics } from "./capture-intrinsics.js";

/** Finds and awaits promises that a value holds. */
export type PromiseAwaiter = ReturnType<typeof createPromiseAwaiter>;

/**
 * Makes the function that waits for promises in arrays and plain objects, so that `return ids.map(load)` gives results and not empty objects.
 *
 * Runs inside the guest: its text is taken by `toString()`, so it must not refer to anything outside of itself.
 */
export function createPromiseAwaiter(intrinsics: Intrinsics) {
  const { prototypeOf, objectPrototype, isArray, keys, describe, mapHas, mapSet, instanceOf, PromiseOf, promiseThen } = intrinsics;
  const MAX_VISITED = 20_000;
  const MAX_DEPTH = 8;
  type Search = {
    readonly settled: Map<unknown, unknown>;
    found: number;
    visited: number;
    onFound: (promise: unknown, path: string) => void;
  };

  function visit(value: unknown, path: string, depth: number, search: Search): void {
    search.visited += 1;
    if (typeof value !== "object" || value === null || depth > MAX_DEPTH || search.visited > MAX_VISITED) return;
    if (instanceOf(PromiseOf, value)) {
      if (mapHas(search.settled, value)) return;
      mapSet(search.settled, value, undefined);
      search.found += 1;
      search.onFound(value, path);
    } else if (isArray(value)) {
      for (let index = 0; index < value.length && search.visited <= MAX_VISITED; index++)
        visit(value[index], `${path}[${index}]`, depth + 1, search);
    } else if (isPlain(value)) {
      const names = keys(value);
      for (let index = 0; index < names.length; index++) {
        const name = names[index] as string;
        visit(describe(value, name)?.value, `${path}.${name}`, depth + 1, search);
      }
    }
  }

  function isPlain(value: object): boolean {
    const prototype = prototypeOf(value);
    return prototype === objectPrototype || prototype === null;
  }

  /**
   * Awaits every promise in the value, and those in what they become. `onSettled` gets a map from promise to value, and the place of the first promise
   * ("" if there was none).
   */
  function awaitAll(
    value: unknown,
    onSettled: (settled: Map<unknown, unknown>, firstPath: string) => void,
    onFailed: (reason: unknown) => void,
  ): void {
    const settled = new intrinsics.MapOf<unknown, unknown>();
    let open = 1;
    let failed = false;
    let firstPath = "";
    const fail = (reason: unknown) => {
      if (!failed) onFailed(reason);
      failed = true;
    };
    const done = () => {
      open -= 1;
      if (open === 0 && !failed) onSettled(settled, firstPath);
    };
    const search = (from: unknown, path: string) => {
      const onFound = (promise: unknown, at: string) => {
        if (firstPath === "") firstPath = at;
        open += 1;
        promiseThen(
          promise,
          (result: unknown) => {
            mapSet(settled, promise, result);
            search(result, at);
            done();
          },
          fail,
        );
      };
      try {
        visit(from, path, 1, { settled, found: 0, visited: 0, onFound });
      } catch {
        // a Proxy that throws: the serializer says so at its place
      }
    };
    search(value, "value");
    done();
  }

  return { awaitAll };
}
