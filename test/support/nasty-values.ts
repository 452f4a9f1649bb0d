import { AgentAbortError, AgentConfigError, toolResult } from "triact";

/** What user code throws in the wild, and worse. By name, so that a counterexample can be printed. */
const THROWN = {
  error: () => new Error("boom"),
  "error without message": () => new Error(""),
  string: () => "a string",
  "empty string": () => "",
  number: () => 42,
  undefined: () => undefined,
  null: () => null,
  symbol: () => Symbol("thrown"),
  bigint: () => 10n,
  "object with a message getter that throws": () => ({
    get message(): string {
      throw new Error("getter");
    },
  }),
  "error with a message getter that throws": () =>
    Object.defineProperty(new Error("x"), "message", {
      get(): string {
        throw new Error("getter");
      },
    }),
  "error whose message is an object": () => Object.assign(new Error("x"), { message: { code: 7 } }),
  "error whose message is undefined": () => Object.assign(new Error("x"), { message: undefined }),
  "error whose message is a symbol": () => Object.assign(new Error("x"), { message: Symbol("message") }),
  "cyclic object": () => cycle(),
  "object without prototype": () => Object.create(null) as unknown,
  "proxy that throws": () => hostileProxy(),
  "proxy that throws itself": () => selfThrowingProxy(),
  "revoked proxy": () => revokedProxy(),
  "half a surrogate pair": () => new Error("bad \ud800 text"),
  "an abort error of ours": () => new AgentAbortError({ reason: "forged" }),
  "a config error of ours": () => new AgentConfigError({ field: "forged", problem: "it is not ours" }),
} satisfies Record<string, () => unknown>;

/** Values that tools return although they are no JSON, or hardly. */
const RETURNED = {
  number: () => 1,
  undefined: () => undefined,
  null: () => null,
  "empty string": () => "",
  bigint: () => 1n,
  "bigint inside": () => ({ a: [1n] }),
  cycle: () => cycle(),
  function: () => () => 1,
  symbol: () => Symbol("s"),
  "not a number": () => Number.NaN,
  huge: () => "x".repeat(300_000),
  deep: () => deep(5_000),
  "proxy that throws": () => hostileProxy(),
  "revoked proxy": () => revokedProxy(),
  "then getter that throws": () => ({
    // biome-ignore lint/suspicious/noThenProperty: what is tested
    get then(): unknown {
      throw new Error("then");
    },
  }),
  "thenable that throws": () => ({
    // biome-ignore lint/suspicious/noThenProperty: what is tested
    then: () => {
      throw new Error("then");
    },
  }),
  "toJSON that throws": () => ({
    toJSON: () => {
      throw new Error("toJSON");
    },
  }),
  "invalid date": () => new Date(Number.NaN),
  "sparse array": () => new Array(3),
  "array with undefined": () => [undefined, () => 1],
  "half a surrogate pair": () => "\udc00",
  "own __proto__": () => JSON.parse('{"__proto__":{"a":1}}') as unknown,
  "error result": () => toolResult({ output: "no", isError: true }),
  "result with an empty text": () => toolResult({ output: 1, content: [{ type: "text", text: "" }] }),
  "result with a bigint": () => toolResult({ output: 1n }),
} satisfies Record<string, () => unknown>;

export type ThrownName = keyof typeof THROWN;
export type ReturnedName = keyof typeof RETURNED;
export const THROWN_NAMES = Object.keys(THROWN) as ThrownName[];
export const RETURNED_NAMES = Object.keys(RETURNED) as ReturnedName[];

/** A fresh value of a name. */
export function returnedValue(name: ReturnedName): unknown {
  return RETURNED[name]();
}

/** A fresh value of a name. */
export function thrownValue(name: ThrownName): unknown {
  return THROWN[name]();
}

/** Throws a fresh value of a name. */
export function throwNasty(name: ThrownName): never {
  throw thrownValue(name) as Error;
}

function cycle(): object {
  const value: { self?: object } = {};
  value.self = value;
  return value;
}

function deep(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

function trapsThat(fail: () => never): ProxyHandler<object> {
  return {
    get: fail,
    has: fail,
    ownKeys: fail,
    getPrototypeOf: fail,
    getOwnPropertyDescriptor: fail,
    isExtensible: fail,
  };
}

/** Every look at it throws. */
export function hostileProxy(): object {
  return new Proxy(
    {},
    trapsThat(() => {
      throw new Error("trap");
    }),
  );
}

/** Every look at it throws it again. */
function selfThrowingProxy(): object {
  const proxy: object = new Proxy(
    {},
    trapsThat(() => {
      throw proxy as Error;
    }),
  );
  return proxy;
}

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
