import type { Intrinsics } from "./capture-intrinsics.js";

/** Text of any value, for logs and for the messages of things thrown. */
export type Inspector = ReturnType<typeof createInspector>;

/**
 * Makes the function that writes a value as text for a reader. It calls no getter, ends on cycles, and never throws.
 *
 * Runs inside the guest: its text is taken by `toString()`, so it must not refer to anything outside of itself.
 */
export function createInspector(intrinsics: Intrinsics) {
  const { quote, keys, prototypeOf, isArray, describe } = intrinsics;
  const MAX_DEPTH = 6;
  const MAX_MEMBERS = 100;
  let ancestors = new intrinsics.SetOf<object>();
  let charsLeft = 0;

  function spend(text: string): string {
    charsLeft -= text.length;
    return text;
  }

  function write(value: unknown, depth: number): string {
    if (charsLeft <= 0) return "…";
    switch (typeof value) {
      case "string":
        return spend(quote(value.length > charsLeft ? intrinsics.slice(value, 0, charsLeft) : value));
      case "bigint":
        return spend(`${intrinsics.bigintText(value)}n`);
      case "symbol":
        return spend(intrinsics.symbolText(value));
      case "function":
        return spend(`[Function: ${nameOf(value)}]`);
      case "object":
        return value === null ? "null" : writeObject(value, depth);
      default:
        return spend(`${value as number}`);
    }
  }

  function writeObject(value: object, depth: number): string {
    if (intrinsics.setHas(ancestors, value)) return "[Circular]";
    intrinsics.setAdd(ancestors, value);
    try {
      return writeKind(value, depth);
    } catch {
      return "[Unreadable]"; // a Proxy that throws
    } finally {
      intrinsics.setDelete(ancestors, value);
    }
  }

  function writeKind(value: object, depth: number): string {
    if (intrinsics.instanceOf(intrinsics.ErrorOf, value)) return spend(errorText(value));
    if (isArray(value)) return depth > MAX_DEPTH ? `[Array(${value.length})]` : writeArray(value, depth);
    const text = writeBuiltIn(value, depth);
    if (text !== undefined) return text;
    const prototype = prototypeOf(value);
    const className =
      prototype === intrinsics.objectPrototype ? "" : prototype === null ? "[Object: null prototype] " : `${classOf(prototype)} `;
    return depth > MAX_DEPTH ? `${className}{…}` : `${className}${writeMembers(value, depth)}`;
  }

  function writeArray(value: readonly unknown[], depth: number): string {
    let text = "[";
    for (let index = 0; index < value.length; index++) {
      if (index === MAX_MEMBERS || charsLeft <= 0) return `${text}, … ${value.length - index} more]`;
      text += (index > 0 ? ", " : "") + writeMember(value, `${index}`, depth);
    }
    return `${text}]`;
  }

  function writeMembers(value: object, depth: number): string {
    const names = keys(value);
    let text = "{";
    for (let index = 0; index < names.length; index++) {
      const name = names[index] as string;
      if (index === MAX_MEMBERS || charsLeft <= 0) return `${text}, … ${names.length - index} more }`;
      text += `${index > 0 ? ", " : " "}${spend(quote(name))}: ${writeMember(value, name, depth)}`;
    }
    return names.length === 0 ? "{}" : `${text} }`;
  }

  function writeMember(value: object, name: string, depth: number): string {
    const descriptor = describe(value, name);
    if (descriptor === undefined) return "undefined";
    return "value" in descriptor ? write(descriptor.value, depth + 1) : "[Getter]";
  }

  function writeBuiltIn(value: object, depth: number): string | undefined {
    const time = attempt(() => intrinsics.dateTime(value));
    if (time !== undefined) return spend(intrinsics.isFinite(time) ? intrinsics.dateIso(value) : "Invalid Date");
    const mapSize = attempt(() => intrinsics.mapSize(value));
    if (mapSize !== undefined) return `Map(${mapSize as number}) ${writeEntries(value, depth, true)}`;
    const setSize = attempt(() => intrinsics.setSize(value));
    if (setSize !== undefined) return `Set(${setSize as number}) ${writeEntries(value, depth, false)}`;
    if (intrinsics.instanceOf(intrinsics.PromiseOf, value)) return "Promise {…}";
    const arrayName = intrinsics.typedArrayName(value) as string | undefined;
    if (arrayName !== undefined)
      return `${arrayName}(${intrinsics.typedArrayLength(value) as number}) ${writeArray(value as never, depth)}`;
    const source = attempt(() => intrinsics.regexpSource(value));
    return source === undefined ? undefined : spend(`/${source as string}/`);
  }

  function writeEntries(value: object, depth: number, pairs: boolean): string {
    let text = "{";
    let count = 0;
    const each = pairs ? intrinsics.mapEach : intrinsics.setEach;
    each(value, (member: unknown, key: unknown) => {
      count += 1;
      if (count > MAX_MEMBERS || charsLeft <= 0 || depth > MAX_DEPTH) return;
      text += `${count > 1 ? ", " : " "}${pairs ? `${write(key, depth + 1)} => ` : ""}${write(member, depth + 1)}`;
    });
    return `${text} }`;
  }

  function attempt<T>(check: () => T): T | undefined {
    try {
      return check();
    } catch {
      return undefined; // the value is of another kind
    }
  }

  function nameOf(value: unknown): string {
    const name = attempt(() => describe(value as object, "name")?.value as unknown);
    return typeof name === "string" && name !== "" ? name : "anonymous";
  }

  function classOf(prototype: object): string {
    return nameOf(attempt(() => describe(prototype, "constructor")?.value as unknown));
  }

  /** Name, message and cause of an Error, without its stack. */
  function errorText(value: object, depth = 0): string {
    const name = attempt(() => `${(value as Error).name}`) ?? "Error";
    const message = attempt(() => `${(value as Error).message}`) ?? "";
    const cause = attempt(() => (value as Error).cause);
    const suffix = depth < 3 && intrinsics.instanceOf(intrinsics.ErrorOf, cause) ? ` (cause: ${errorText(cause as Error, depth + 1)})` : "";
    return `${message === "" ? name : `${name}: ${message}`}${suffix}`;
  }

  /** Text of one value in at most `maxChars` characters or little more. Never throws. */
  function inspect(value: unknown, maxChars: number): string {
    ancestors = new intrinsics.SetOf<object>();
    charsLeft = maxChars;
    return attempt(() => write(value, 1)) ?? "[Unreadable]";
  }

  return { inspect, errorText };
}
