/** What the guest's realm was made of before any code of the model ran. */
export type Intrinsics = ReturnType<typeof captureIntrinsics>;

/**
 * Takes hold of the built-in functions that our own code in the guest needs, so that code of the model that replaces them changes nothing for us.
 *
 * Runs inside the guest: its text is taken by `toString()`, so it must not refer to anything outside of itself.
 */
export function captureIntrinsics() {
  type Method = (...values: never[]) => unknown;
  type Uncurried<M> = M extends (...values: infer V) => infer R ? (self: unknown, ...values: V) => R : never;
  const { bind, call } = Function.prototype;
  const uncurry = bind.bind(call as never) as unknown as <M extends Method>(method: M) => Uncurried<M>;
  const getter = (holder: object, key: PropertyKey) =>
    uncurry(Object.getOwnPropertyDescriptor(holder, key)?.get as () => unknown) as (self: unknown) => unknown;
  const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as object;
  return Object.freeze({
    // biome-ignore lint/security/noGlobalEval: this is the guest's own, in which running code is the point
    evaluate: globalThis.eval,
    globalObject: globalThis as Record<PropertyKey, unknown>,
    parse: JSON.parse,
    quote: JSON.stringify as (text: string) => string,
    keys: Object.keys,
    create: Object.create,
    freeze: Object.freeze,
    prototypeOf: Object.getPrototypeOf as (value: object) => object | null,
    setPrototypeOf: Object.setPrototypeOf,
    describe: Object.getOwnPropertyDescriptor as (value: object, key: PropertyKey) => PropertyDescriptor | undefined,
    define: Object.defineProperty,
    objectPrototype: Object.prototype as object,
    arrayPrototype: Array.prototype as object,
    isArray: Array.isArray,
    isFinite: Number.isFinite,
    isInteger: Number.isInteger,
    floor: Math.floor,
    min: Math.min,
    slice: uncurry(String.prototype.slice),
    codeAt: uncurry(String.prototype.charCodeAt),
    indexOf: uncurry(String.prototype.indexOf),
    repeat: uncurry(String.prototype.repeat),
    padEnd: uncurry(String.prototype.padEnd),
    numberText: uncurry(Number.prototype.toString as () => string),
    bigintText: uncurry(BigInt.prototype.toString as () => string),
    symbolText: uncurry(Symbol.prototype.toString),
    functionText: uncurry(Function.prototype.toString),
    dateTime: uncurry(Date.prototype.getTime),
    dateIso: uncurry(Date.prototype.toISOString),
    regexpSource: getter(RegExp.prototype, "source"),
    regexpFlags: uncurry(RegExp.prototype.toString),
    mapSize: getter(Map.prototype, "size"),
    mapEach: uncurry(Map.prototype.forEach),
    setSize: getter(Set.prototype, "size"),
    setEach: uncurry(Set.prototype.forEach),
    bufferLength: getter(ArrayBuffer.prototype, "byteLength"),
    typedArrayName: getter(typedArray, Symbol.toStringTag),
    typedArrayLength: getter(typedArray, "length"),
    MapOf: Map,
    mapGet: uncurry(Map.prototype.get as (key: unknown) => unknown),
    mapSet: uncurry(Map.prototype.set as (key: unknown, value: unknown) => unknown),
    mapHas: uncurry(Map.prototype.has as (key: unknown) => boolean),
    mapDelete: uncurry(Map.prototype.delete as (key: unknown) => boolean),
    SetOf: Set,
    setAdd: uncurry(Set.prototype.add as (value: unknown) => unknown),
    setHas: uncurry(Set.prototype.has as (value: unknown) => boolean),
    setDelete: uncurry(Set.prototype.delete as (value: unknown) => boolean),
    PromiseOf: Promise,
    promiseThen: uncurry(Promise.prototype.then as unknown as (done: (value: unknown) => void, failed: (reason: unknown) => void) => void),
    ErrorOf: Error,
    TypeErrorOf: TypeError,
    DateOf: Date,
    apply: Reflect.apply,
    construct: Reflect.construct,
    instanceOf: uncurry(Function.prototype[Symbol.hasInstance] as (value: unknown) => boolean),
  });
}
