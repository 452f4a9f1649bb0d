import type { Intrinsics } from "./capture-intrinsics.js";
import type { GuestClock } from "./guest-clock.js";
import type { Serializer, SerializerLimits } from "./guest-serializer.js";

/** Tells the host something; it answers nothing. */
export type Send = (type: string, id: number, first: string, second: string) => void;

/** Parts that the tools are made of. */
export interface ToolParts {
  readonly intrinsics: Intrinsics;
  readonly serializer: Serializer;
  readonly clock: GuestClock;
  readonly send: Send;
}

/** What the tools of one execution keep to. */
export interface ToolLimits {
  readonly input: SerializerLimits;
  readonly maxToolCalls: number;
}

/** Tools and timers in the guest. */
export type GuestTools = ReturnType<typeof createTools>;

/**
 * Makes the functions that stand for the host's tools, and timers, which are calls that the host answers after a while. Arguments leave as JSON text, and
 * results arrive as JSON text.
 *
 * Runs inside the guest: its text is taken by `toString()`, so it must not refer to anything outside of itself.
 */
export function createTools({ intrinsics, serializer, clock, send }: ToolParts) {
  const { create, define, mapGet, mapSet, mapDelete, PromiseOf, TypeErrorOf, globalObject, keys } = intrinsics;
  type Open = { readonly name: string; readonly resolve: (value: unknown) => void; readonly reject: (reason: unknown) => void };
  const open = new intrinsics.MapOf<number, Open>();
  const timers = new intrinsics.MapOf<number, () => void>();
  const known = create(null) as Record<string, true>;
  let current = create(null) as Record<string, unknown>;
  let limits: ToolLimits | undefined;
  let made = 0;
  let calls = 0;
  let pending = 0;
  let ended = true;
  let failures = "";
  let drained: (() => void) | undefined;

  const ToolError = class ToolError extends intrinsics.ErrorOf {};
  define(ToolError.prototype, "name", { value: "ToolError", writable: true, enumerable: false, configurable: true });

  function fail(name: string, message: string): Error {
    const error = new ToolError(message);
    if (name !== "") define(error, "name", { value: name, writable: true, enumerable: false, configurable: true });
    return error;
  }

  function call(name: string, values: readonly unknown[]): Promise<unknown> {
    return new PromiseOf((resolve, reject) => {
      if (values.length > 1)
        throw new TypeErrorOf(`${name} takes one object, for example ${name}({ … }); it got ${values.length} arguments.`);
      if (ended) throw fail("", `${name} was called after the code had ended. Nothing was executed; write await before calls.`);
      const text = inputText(name, values[0]);
      calls += 1;
      if (calls > (limits?.maxToolCalls ?? 0))
        throw fail(
          "TooManyCallsError",
          `${name} was not called: one step may make ${limits?.maxToolCalls} tool calls. Do less in one step.`,
        );
      made += 1;
      pending += 1;
      const entry = create(null) as { name: string; resolve: typeof resolve; reject: typeof reject };
      entry.name = name;
      entry.resolve = resolve;
      entry.reject = reject;
      mapSet(open, made, entry);
      send("called", made, name, text);
    });
  }

  function inputText(name: string, value: unknown): string {
    if (value === undefined) return "{}";
    try {
      return serializer.argument(value, limits?.input as SerializerLimits);
    } catch (thrown) {
      if (!serializer.isRefusal(thrown)) throw thrown;
      const path = thrown.path === "" ? "" : ` at ${thrown.path}`;
      const size = thrown.refused === "size" ? ` (more than ${limits?.input.maxChars} characters)` : "";
      throw new TypeErrorOf(`The argument of ${name} cannot be sent${path}: ${thrown.problem}${size}.`);
    }
  }

  /** Takes the answer to a call, or the end of a timer. Answers to what nobody waits for any more are dropped. */
  function settle(answer: { readonly callId: number; readonly ok: boolean; readonly text: string; readonly elapsedMs: number }): void {
    clock.advanceTo(answer.elapsedMs);
    const fire = mapGet(timers, answer.callId) as (() => void) | undefined;
    if (fire !== undefined) {
      mapDelete(timers, answer.callId);
      fire();
      return;
    }
    const entry = mapGet(open, answer.callId) as Open | undefined;
    if (entry === undefined) return;
    mapDelete(open, answer.callId);
    pending -= 1;
    const value = parse(answer.text);
    if (answer.ok) entry.resolve(value);
    else entry.reject(reasonOf(entry.name, value as { name: string; message: string }));
    if (pending === 0) drained?.();
  }

  function reasonOf(toolName: string, { name, message }: { readonly name: string; readonly message: string }): Error {
    if (ended) failures += ` ${toolName} failed: ${message}.`;
    return fail(name, message);
  }

  /** A `__proto__` in the text becomes a plain property when it is parsed, and would become a prototype once it is copied. */
  function parse(text: string): unknown {
    if (intrinsics.indexOf(text, "__proto__") < 0) return intrinsics.parse(text) as unknown;
    return intrinsics.parse(text, (key: string, value: unknown) => (key === "__proto__" ? undefined : value)) as unknown;
  }

  function start(names: readonly string[], given: ToolLimits): void {
    limits = given;
    made = 0;
    calls = 0;
    ended = false;
    failures = "";
    drained = undefined;
    const tools = create(null) as Record<string, unknown>;
    for (let index = 0; index < names.length; index++) {
      const name = names[index] as string;
      const tool = functionOf(name);
      define(tools, name, { value: tool, writable: false, enumerable: true, configurable: false });
      expose(name);
    }
    current = intrinsics.freeze(tools);
  }

  function functionOf(name: string): unknown {
    const tool = (...values: unknown[]) => call(name, values);
    define(tool, "name", { value: name, configurable: false });
    return intrinsics.freeze(tool);
  }

  /** A name of its own in the global scope, unless something of the language has it already. */
  function expose(name: string): void {
    if (known[name] === true || name in globalObject) return;
    known[name] = true;
    readOnly(name, () => current[name], `${name} is a tool and cannot be replaced.`);
  }

  function readOnly(name: string, get: () => unknown, problem: string): void {
    const set = () => {
      throw new TypeErrorOf(problem);
    };
    define(globalObject, name, { get, set, enumerable: false, configurable: false });
  }

  function callTool(name: unknown, ...values: unknown[]): Promise<unknown> {
    if (typeof name === "string" && name in current) return call(name, values);
    return new PromiseOf((_resolve, reject) =>
      reject(new TypeErrorOf(`There is no tool ${nameText(name)}. The tools are: ${list(keys(current))}.`)),
    );
  }

  function nameText(name: unknown): string {
    return typeof name === "string" ? intrinsics.quote(name) : `of type ${typeof name}; give its name first`;
  }

  function list(names: readonly string[]): string {
    let text = "";
    for (let index = 0; index < names.length && index < 20; index++) text += (index > 0 ? ", " : "") + names[index];
    return names.length > 20 ? `${text} and ${names.length - 20} more` : text;
  }

  function setTimer(callback: unknown, delay: unknown, ...values: unknown[]): number {
    if (typeof callback !== "function") throw new TypeErrorOf("setTimeout takes a function and milliseconds.");
    if (ended) throw fail("", "setTimeout was called after the code had ended.");
    made += 1;
    const id = made;
    mapSet(timers, id, () => intrinsics.apply(callback as () => unknown, undefined, values as never));
    const milliseconds = typeof delay === "number" && delay > 0 ? delay : 0;
    send("timer-set", id, `${milliseconds}`, "");
    return id;
  }

  function install(): void {
    readOnly("tools", () => current, "tools cannot be replaced.");
    define(globalObject, "callTool", { value: intrinsics.freeze(callTool), writable: false, enumerable: false, configurable: false });
    const clearTimer = (id: unknown) => void mapDelete(timers, id);
    define(globalObject, "setTimeout", { value: setTimer, writable: true, enumerable: false, configurable: true });
    define(globalObject, "clearTimeout", { value: clearTimer, writable: true, enumerable: false, configurable: true });
  }

  /** Refuses further calls, and forgets the timers. Returns the names of the calls that nobody waited for. */
  function end(): string {
    ended = true;
    intrinsics.mapEach(timers, (_fire: unknown, id: unknown) => mapDelete(timers, id));
    let names = "";
    intrinsics.mapEach(open, (entry: unknown) => {
      names += (names === "" ? "" : ", ") + (entry as Open).name;
    });
    return names;
  }

  /** Calls back once no call is open; at once if none is. Gives what to say about calls that failed meanwhile. */
  function whenDrained(callback: (failures: string) => void): void {
    drained = () => {
      drained = undefined;
      callback(failures);
    };
    if (pending === 0) drained();
  }

  return { install, start, settle, end, whenDrained };
}
