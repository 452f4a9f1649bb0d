import type { Intrinsics } from "./capture-intrinsics.js";

/** Sizes that text made in the guest keeps to. */
export interface SerializerLimits {
  readonly maxChars: number;
  readonly maxNesting: number;
}

/** Thrown by the serializer inside the guest; never seen by code of the model. */
export interface Refusal {
  readonly refused: "value" | "size" | "nesting";
  readonly problem: string;
  path: string;
}

/** Turns values of the guest into JSON text. */
export type Serializer = ReturnType<typeof createSerializer>;

/**
 * Makes the functions that turn values of the guest into JSON text without ever losing anything in silence: what JSON has no form for is refused with
 * its path in an argument of a tool, and written as an object with a `$type` in a result.
 *
 * Runs inside the guest: its text is taken by `toString()`, so it must not refer to anything outside of itself.
 */
export function createSerializer(intrinsics: Intrinsics) {
  const { quote, keys, prototypeOf, objectPrototype, isArray, isFinite: isFiniteNumber, codeAt, create, mapGet, mapHas } = intrinsics;
  const SHOWN_ELEMENTS = 1_000;
  let tagging = false;
  let lastRefusal: unknown;
  let charsLeft = 0;
  let maxNesting = 0;
  let ancestors = new intrinsics.SetOf<object>();
  let settled: Map<unknown, unknown> | undefined;

  function refuse(refused: Refusal["refused"], problem: string): never {
    const refusal = create(null) as Refusal & { refused: Refusal["refused"]; problem: string };
    refusal.refused = refused;
    refusal.problem = problem;
    refusal.path = "";
    lastRefusal = refusal;
    throw refusal; // not an Error: only our own code catches it
  }

  function isRefusal(thrown: unknown): thrown is Refusal {
    return thrown !== undefined && thrown === lastRefusal; // to look into it would run code of the model, if it is a Proxy
  }

  function counted(text: string): string {
    charsLeft -= text.length;
    return charsLeft < 0 ? refuse("size", "the value is too large") : text;
  }

  /** In a result an object with a `$type`; in an argument a refusal. */
  function odd(type: string, fields: string, problem: string): string {
    return tagging ? counted(`{"$type":${quote(type)}${fields === "" ? "" : `,${fields}`}}`) : refuse("value", problem);
  }

  function write(value: unknown, depth: number): string {
    if (value === null) return counted("null");
    switch (typeof value) {
      case "string":
        return counted(quote(value));
      case "number":
        return isFiniteNumber(value) ? counted(`${value}`) : odd("Number", `"value":"${value}"`, `${value} has no JSON form`);
      case "boolean":
        return counted(value ? "true" : "false");
      case "undefined":
        return odd("Undefined", "", "undefined has no JSON form; use null");
      case "bigint":
        return odd("BigInt", `"value":"${intrinsics.bigintText(value)}"`, "a BigInt has no JSON form; use Number(…) or String(…)");
      case "symbol":
        return odd("Symbol", `"description":${quote(intrinsics.symbolText(value))}`, "a symbol has no JSON form");
      case "function":
        return odd("Function", `"name":${quote(nameOf(value))}`, "a function has no JSON form; call it, or leave it out");
      default:
        return writeObject(value as object, depth);
    }
  }

  function writeObject(value: object, depth: number): string {
    if (settled !== undefined && mapHas(settled, value)) return write(mapGet(settled, value), depth);
    if (depth > maxNesting) return refuse("nesting", `it is nested more than ${maxNesting} levels deep`);
    if (intrinsics.setHas(ancestors, value)) return odd("Circular", "", "it contains itself; leave the cycle out");
    intrinsics.setAdd(ancestors, value);
    try {
      return isArray(value) ? writeArray(value, depth) : writeOther(value, depth);
    } catch (thrown) {
      if (isRefusal(thrown)) throw thrown;
      return odd("Unreadable", "", "reading it throws an error"); // a getter, a toJSON or a Proxy that throws
    } finally {
      intrinsics.setDelete(ancestors, value);
    }
  }

  function writeArray(value: readonly unknown[], depth: number): string {
    let text = counted("[");
    for (let index = 0; index < value.length; index++) {
      if (index > 0) text += counted(",");
      text += within(`[${index}]`, value[index], depth);
    }
    return text + counted("]");
  }

  function within(key: string, value: unknown, depth: number): string {
    try {
      return write(value, depth + 1);
    } catch (thrown) {
      if (isRefusal(thrown)) thrown.path = key + thrown.path;
      throw thrown;
    }
  }

  function writeOther(value: object, depth: number): string {
    const prototype = prototypeOf(value);
    if (prototype !== objectPrototype && prototype !== null) {
      const text = writeBuiltIn(value, depth);
      if (text !== undefined) return text;
    }
    const { toJSON } = value as { toJSON?: unknown };
    if (typeof toJSON === "function") return write(intrinsics.apply(toJSON as () => unknown, value, [] as never), depth + 1);
    return writePlain(value, depth, tagging && prototype !== objectPrototype && prototype !== null ? classOf(value) : "");
  }

  function writePlain(value: object, depth: number, className: string): string {
    let text = counted(className === "" ? "{" : `{"$class":${quote(className)}`);
    let first = className === "";
    const names = keys(value);
    for (let index = 0; index < names.length; index++) {
      const name = names[index] as string;
      const member = read(value, name);
      if (member === undefined || name === "__proto__") continue;
      text += counted(`${first ? "" : ","}${quote(name)}:`) + within(pathOf(name), member, depth);
      first = false;
    }
    return text + counted("}");
  }

  function read(value: object, name: string): unknown {
    try {
      return (value as Record<string, unknown>)[name];
    } catch {
      if (!tagging) return refuse("value", "reading it throws an error");
      return nullObject("$type", "Unreadable");
    }
  }

  function nullObject(key: string, member: string): object {
    const object = create(null) as Record<string, string>;
    object[key] = member;
    return object;
  }

  /** Text of a value whose data is not in its properties. Undefined: it is an object like any other. */
  function writeBuiltIn(value: object, depth: number): string | undefined {
    const time = attempt(() => intrinsics.dateTime(value));
    if (time !== undefined)
      return isFiniteNumber(time) ? counted(quote(intrinsics.dateIso(value))) : odd("Date", '"value":"invalid"', "an invalid Date");
    if (attempt(() => intrinsics.mapSize(value)) !== undefined) return writeMap(value as Map<unknown, unknown>, depth);
    if (attempt(() => intrinsics.setSize(value)) !== undefined) return writeSet(value as Set<unknown>, depth);
    const arrayName = intrinsics.typedArrayName(value);
    if (arrayName !== undefined) return writeTypedArray(value as Uint8Array, depth, arrayName as string);
    const length = attempt(() => intrinsics.bufferLength(value));
    if (length !== undefined) return odd("ArrayBuffer", `"byteLength":${length as number}`, "an ArrayBuffer has no JSON form");
    if (intrinsics.instanceOf(intrinsics.PromiseOf, value))
      return odd("Promise", "", "it is a promise: write await before the call that made it");
    if (intrinsics.instanceOf(intrinsics.ErrorOf, value)) return writeError(value as Error);
    if (attempt(() => intrinsics.regexpSource(value)) !== undefined)
      return odd("RegExp", `"value":${quote(intrinsics.regexpFlags(value))}`, "a RegExp has no JSON form; use its source");
    return undefined;
  }

  /** What a brand check answers; undefined if it throws because the value is of another kind. */
  function attempt<T>(check: () => T): T | undefined {
    try {
      return check();
    } catch {
      return undefined; // the value is of another kind
    }
  }

  function writeMap(value: Map<unknown, unknown>, depth: number): string {
    if (!tagging) return refuse("value", "a Map has no JSON form; use Object.fromEntries(…)");
    let text = counted('{"$type":"Map","entries":[');
    let first = true;
    intrinsics.mapEach(value, (member: unknown, key: unknown) => {
      text += counted(first ? "[" : ",[") + write(key, depth + 2) + counted(",") + write(member, depth + 2) + counted("]");
      first = false;
    });
    return text + counted("]}");
  }

  function writeSet(value: Set<unknown>, depth: number): string {
    if (!tagging) return refuse("value", "a Set has no JSON form; use Array.from(…)");
    let text = counted('{"$type":"Set","values":[');
    let first = true;
    intrinsics.setEach(value, (member: unknown) => {
      text += counted(first ? "" : ",") + write(member, depth + 2);
      first = false;
    });
    return text + counted("]}");
  }

  function writeTypedArray(value: Uint8Array, depth: number, name: string): string {
    if (!tagging) return refuse("value", `a ${name} has no JSON form; use Array.from(…)`);
    const length = intrinsics.typedArrayLength(value) as number;
    let text = counted(`{"$type":${quote(name)},"length":${length},"values":[`);
    for (let index = 0; index < length && index < SHOWN_ELEMENTS; index++)
      text += counted(index > 0 ? "," : "") + write(value[index], depth + 2);
    return text + counted("]}"); // the length tells how many are left out
  }

  function writeError(value: Error): string {
    const name = attempt(() => `${value.name}`) ?? "Error";
    const message = attempt(() => `${value.message}`) ?? "";
    return odd("Error", `"name":${quote(name)},"message":${quote(message)}`, "an Error has no JSON form; use its message");
  }

  function classOf(value: object): string {
    return attempt(() => nameOf(value.constructor)) ?? "";
  }

  function nameOf(value: unknown): string {
    const name = attempt(() => intrinsics.describe(value as object, "name")?.value as unknown);
    return typeof name === "string" ? name : "";
  }

  function pathOf(name: string): string {
    for (let index = 0; index < name.length; index++) {
      const code = codeAt(name, index);
      const letter = (code | 32) >= 97 && (code | 32) <= 122;
      if (!letter && code !== 95 && code !== 36 && !(index > 0 && code >= 48 && code <= 57)) return `[${quote(name)}]`;
    }
    return name === "" ? '[""]' : `.${name}`;
  }

  function start(limits: SerializerLimits): void {
    charsLeft = limits.maxChars;
    maxNesting = limits.maxNesting;
    ancestors = new intrinsics.SetOf<object>();
  }

  /** JSON text of a tool's argument. Throws a {@link Refusal} for what JSON has no form for. */
  function argument(value: unknown, limits: SerializerLimits): string {
    start(limits);
    tagging = false;
    settled = undefined;
    return isFlat(value) ? counted(quote(value as never)) : write(value, 1);
  }

  /** Whether JSON.stringify says the same as we do: most arguments are small objects of strings and numbers, and it is faster. */
  function isFlat(value: unknown): boolean {
    if (typeof value !== "object" || value === null) return false;
    if (attempt(() => prototypeOf(value)) !== objectPrototype) return false;
    const names = keys(value);
    if (names.length > 16) return false;
    for (let index = 0; index < names.length; index++) {
      const member = intrinsics.describe(value, names[index] as string)?.value as unknown; // a getter has none
      const isPlain = typeof member === "string" || typeof member === "boolean" || (typeof member === "number" && isFiniteNumber(member));
      if (!isPlain) return false;
    }
    return true;
  }

  /** JSON text of any value at all; promises are written as what they became. Throws a {@link Refusal} only for what is too large or too deep. */
  function result(value: unknown, limits: SerializerLimits, promises: Map<unknown, unknown>): string {
    start(limits);
    tagging = true;
    settled = promises;
    return write(value, 1);
  }

  return { argument, result, isRefusal, nameOf };
}
