import type { Intrinsics } from "./capture-intrinsics.js";
import type { createClock } from "./guest-clock.js";
import type { createConsole } from "./guest-console.js";
import type { createInspector } from "./guest-inspector.js";
import type { createPromiseAwaiter } from "./guest-promises.js";
import type { createSerializer, SerializerLimits } from "./guest-serializer.js";
import type { createTools, Send } from "./guest-tools.js";

/** What the guest is told when it is to run code. */
export interface GuestStep {
  /** Statements that stand before the code, in a line of their own. */
  readonly prologue: string;
  readonly code: string;
  /** Names that the code declares at its top level; they become properties of the global object. */
  readonly declares: readonly string[];
  /** Name by which the code hands over the value of its last expression. */
  readonly lastName: string;
  readonly toolNames: readonly string[];
  readonly seed: number;
  readonly startTime: number;
  readonly limits: {
    readonly maxToolCalls: number;
    readonly maxInputChars: number;
    readonly maxResultChars: number;
    readonly maxNesting: number;
    readonly maxLogChars: number;
    readonly maxLogEntryChars: number;
  };
}

/** The functions that the guest's own code is made of, and the way out. */
export interface GuestParts {
  readonly intrinsics: Intrinsics;
  readonly createSerializer: typeof createSerializer;
  readonly createInspector: typeof createInspector;
  readonly createPromiseAwaiter: typeof createPromiseAwaiter;
  readonly createClock: typeof createClock;
  readonly createConsole: typeof createConsole;
  readonly createTools: typeof createTools;
  readonly send: Send;
}

/**
 * Sets up the guest's realm, and returns the one function by which the host enters it: `enter("run", 0, json)`, `enter("settle", callId, json, ok,
 * elapsedMs)` and `enter("ping", number)`.
 *
 * Runs inside the guest: its text is taken by `toString()`, so it must not refer to anything outside of itself.
 */
export function startGuest(parts: GuestParts) {
  const { intrinsics, send } = parts;
  const { globalObject, define, describe, quote, promiseThen } = intrinsics;
  const RESULT_NAME = "__codeact_result";
  const MAX_STACK_CHARS = 4_000;
  const MAX_MESSAGE_CHARS = 4_000;
  const serializer = parts.createSerializer(intrinsics);
  const inspector = parts.createInspector(intrinsics);
  const promises = parts.createPromiseAwaiter(intrinsics);
  const clock = parts.createClock(intrinsics);
  const guestConsole = parts.createConsole({ intrinsics, inspector, emit: (level, text) => send("logged", 0, level, text) });
  const tools = parts.createTools({ intrinsics, serializer, clock, send });
  /** Marks the value of a last expression, to tell it from one that the code returns. */
  const Last = class {
    readonly value: unknown;
    constructor(value: unknown) {
      this.value = value;
    }
  };

  function removeWhatIsDangerous(): void {
    const names = ["WebAssembly", "SharedArrayBuffer", "Atomics", "WeakRef", "FinalizationRegistry"];
    for (let index = 0; index < names.length; index++) delete globalObject[names[index] as string];
    // Buffers that grow are not counted by the engine's memory limit.
    const buffer = ArrayBuffer.prototype as unknown as Record<string, unknown>;
    const methods = ["resize", "transfer", "transferToFixedLength", "resizable", "maxByteLength"];
    for (let index = 0; index < methods.length; index++) delete buffer[methods[index] as string];
    const NativeBuffer = ArrayBuffer;
    const GuestBuffer = function (this: unknown, length: unknown): unknown {
      if (new.target === undefined) throw new intrinsics.TypeErrorOf("Constructor ArrayBuffer requires 'new'");
      return intrinsics.construct(NativeBuffer, [length], new.target);
    };
    define(GuestBuffer, "prototype", { value: NativeBuffer.prototype, writable: false });
    define(GuestBuffer, "name", { value: "ArrayBuffer", configurable: true });
    define(GuestBuffer, "isView", { value: NativeBuffer.isView, configurable: true });
    define(NativeBuffer.prototype, "constructor", { value: GuestBuffer, writable: true, enumerable: false, configurable: true });
    define(globalObject, "ArrayBuffer", { value: GuestBuffer, writable: true, enumerable: false, configurable: true });
  }

  function run(step: GuestStep) {
    clock.start(step);
    guestConsole.start(step.limits);
    tools.start(step.toolNames, {
      input: { maxChars: step.limits.maxInputChars, maxNesting: step.limits.maxNesting },
      maxToolCalls: step.limits.maxToolCalls,
    });
    const result: SerializerLimits = { maxChars: step.limits.maxResultChars, maxNesting: step.limits.maxNesting };
    let started: (last: unknown) => Promise<unknown>;
    try {
      declare(step.declares);
      started = intrinsics.evaluate(
        `(async function (${step.lastName}) {${step.prologue}\n${step.code}\n})\n//# sourceURL=code.js`,
      ) as never;
    } catch (thrown) {
      return fail(thrown, "syntax");
    }
    const ran = intrinsics.apply(started as never, globalObject, [(value: unknown) => new Last(value)] as never) as Promise<unknown>;
    promiseThen(
      ran,
      (value) => finish(value, result),
      (reason) => fail(reason),
    );
  }

  /** An earlier step may have left traps even for what we saved, for example in `Symbol.species`. */
  function runSafely(step: GuestStep): void {
    try {
      run(step);
    } catch (thrown) {
      fail(thrown);
    }
  }

  /** Makes the names that a step declares properties of the global object, where the next step finds them. */
  function declare(names: readonly string[]): void {
    define(globalObject, RESULT_NAME, { value: undefined, writable: true, enumerable: false, configurable: true });
    for (let index = 0; index < names.length; index++) {
      const name = names[index] as string;
      const present = describe(globalObject, name);
      if (present === undefined || present.configurable === true)
        define(globalObject, name, { value: present?.value as unknown, writable: true, enumerable: true, configurable: true });
    }
  }

  function finish(returned: unknown, limits: SerializerLimits): void {
    const variable = describe(globalObject, RESULT_NAME)?.value as unknown;
    const isLast = intrinsics.instanceOf(Last, returned);
    let source = "none";
    let value: unknown;
    if (!isLast && returned !== undefined) {
      source = "return";
      value = returned;
    } else if (variable !== undefined) {
      source = "variable";
      value = variable;
    } else if (isLast) {
      source = "expression";
      value = (returned as { value: unknown }).value;
    }
    const take = (settled: Map<unknown, unknown>, firstPath: string) => report({ value, source, settled, firstPath, limits });
    promises.awaitAll(value, take, (reason) => fail(reason));
  }

  interface Finished {
    readonly value: unknown;
    readonly source: string;
    readonly settled: Map<unknown, unknown>;
    readonly firstPath: string;
    readonly limits: SerializerLimits;
  }

  function report({ value, source, settled, firstPath, limits }: Finished) {
    let text = "";
    try {
      const top = intrinsics.mapHas(settled, value) ? intrinsics.mapGet(settled, value) : value;
      if (top !== undefined) text = serializer.result(top, limits, settled);
    } catch (thrown) {
      return fail(thrown);
    }
    // A last expression may be a promise by itself; `return promise` is awaited by the language.
    const notice =
      firstPath === "" || firstPath === "value"
        ? ""
        : `A promise in the value (${firstPath}) was not awaited in the code; it was awaited for you. Write await, or await Promise.all(…).`;
    const uncalled =
      typeof value === "function" ? `The value is the function ${serializer.nameOf(value)} itself, which was not called.` : "";
    end((notices) =>
      send(
        "completed",
        guestConsole.omitted(),
        text,
        `{"source":${quote(source)},"notices":[${notices}${strings(notice, notices)}${strings(uncalled, notices + notice)}]}`,
      ),
    );
  }

  function strings(text: string, before: string): string {
    return text === "" ? "" : `${before === "" ? "" : ","}${quote(text)}`;
  }

  /** Waits for the calls that are still open, and gives what to say about them as the inside of a JSON array. */
  function end(send: (notices: string) => void): void {
    const names = tools.end();
    tools.whenDrained((failures) => {
      const text = `The code ended before these calls had: ${names}. They were waited for, and their results are lost.${failures} Write await before calls.`;
      send(names === "" ? "" : quote(text));
    });
  }

  function fail(thrown: unknown, code?: string): void {
    const refusal = serializer.isRefusal(thrown) ? thrown : undefined;
    const error =
      refusal === undefined
        ? errorOf(thrown, code)
        : `"code":"result-too-large","name":"Error","message":${quote(tooLarge(refusal))},"stack":""`;
    end((notices) => send("failed", guestConsole.omitted(), "", `{${error},"notices":[${notices}]}`));
  }

  function tooLarge({ problem, path }: { readonly problem: string; readonly path: string }): string {
    return `The result cannot be returned: ${problem}${path === "" ? "" : ` at value${path}`}. Return less, for example a count, the first items or a summary.`;
  }

  function errorOf(thrown: unknown, given?: string): string {
    const isError = attempt(() => intrinsics.instanceOf(intrinsics.ErrorOf, thrown)) === true;
    const name = isError ? (attempt(() => `${(thrown as Error).name}`) ?? "Error") : "thrown value";
    const message = attempt(() => (isError ? messageOf(thrown as Error) : describeThrown(thrown))) ?? "an error that cannot be read";
    const stack = isError ? (attempt(() => `${(thrown as Error).stack}`) ?? "") : "";
    const code = given ?? (name === "TooManyCallsError" ? "too-many-calls" : "guest-error");
    return `"code":${quote(code)},"name":${quote(cut(name, 200))},"message":${quote(cut(message, MAX_MESSAGE_CHARS))},"stack":${quote(cut(stack, MAX_STACK_CHARS))}`;
  }

  function messageOf(error: Error): string {
    const cause = attempt(() => error.cause);
    const suffix = intrinsics.instanceOf(intrinsics.ErrorOf, cause) ? ` (cause: ${inspector.errorText(cause as Error)})` : "";
    return `${error.message}${suffix}${innerMessages(error)}`;
  }

  /** The errors of an AggregateError. */
  function innerMessages(error: Error): string {
    const { errors } = error as { errors?: unknown };
    if (!intrinsics.isArray(errors)) return "";
    let text = "";
    for (let index = 0; index < errors.length && index < 5; index++) text += `${index > 0 ? "; " : " ("}${describeThrown(errors[index])}`;
    return text === "" ? "" : `${text})`;
  }

  function describeThrown(thrown: unknown): string {
    if (typeof thrown === "string") return thrown;
    return intrinsics.instanceOf(intrinsics.ErrorOf, thrown)
      ? inspector.errorText(thrown as Error)
      : inspector.inspect(thrown, MAX_MESSAGE_CHARS);
  }

  function cut(text: string, max: number): string {
    return text.length <= max ? text : `${intrinsics.slice(text, 0, max)}… [${text.length - max} more characters]`;
  }

  function attempt<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch {
      return undefined; // a getter or a Proxy that throws
    }
  }

  removeWhatIsDangerous();
  clock.install();
  guestConsole.install();
  tools.install();
  delete globalObject[RESULT_NAME];

  return (command: string, id: number, text: string, ok: boolean, elapsedMs: number): void => {
    if (command === "settle") tools.settle({ callId: id, ok, text, elapsedMs });
    else if (command === "ping") send("ponged", id, "", "");
    else runSafely(intrinsics.parse(text) as GuestStep);
  };
}
