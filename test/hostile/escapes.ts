import type { HostileCase } from "./attack.ts";

/** Names that the guest can see in its global scope, and nothing else. */
const GLOBALS =
  "AggregateError Array ArrayBuffer AsyncDisposableStack BigInt BigInt64Array BigUint64Array Boolean DataView Date DisposableStack Error EvalError Float16Array Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array Intl Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set String SuppressedError Symbol SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakSet __codeact_result add callTool clearTimeout console decodeURI decodeURIComponent echo encodeURI encodeURIComponent escape eval fail failNow globalThis isFinite isNaN later never parseFloat parseInt performance refuse setTimeout tools undefined unescape";

/** QuickJS has no Intl and no disposable stacks, and an error of its own. */
const QUICKJS_GLOBALS = [
  ...GLOBALS.split(" ").filter((name) => !/^(Intl|AsyncDisposableStack|DisposableStack|SuppressedError)$/.test(name)),
  "InternalError",
]
  .sort()
  .join(" ");

const process = "return typeof process === 'undefined' ? 'nothing' : process";

/** Code that tries to get at the host, or to make the sandbox say what is not so. */
export const escapes: readonly HostileCase[] = [
  {
    name: "the globals are these",
    code: "Object.getOwnPropertyNames(globalThis).sort().join(' ')",
    gives: GLOBALS,
    elsewhere: { quickjs: { gives: QUICKJS_GLOBALS } },
  },
  {
    name: "no symbol hides in the globals",
    code: "Object.getOwnPropertySymbols(globalThis).filter((s) => s !== Symbol.toStringTag).length",
    gives: 0,
  },
  { name: "the constructor of the global object", code: `this.constructor.constructor(${JSON.stringify(process)})()`, gives: "nothing" },
  { name: "the constructor of a tool", code: `add.constructor(${JSON.stringify(process)})()`, gives: "nothing" },
  {
    name: "the constructor of a tool's error",
    code: `try { await fail({}) } catch (e) { return e.constructor.constructor(${JSON.stringify(process)})() }`,
    gives: "nothing",
  },
  { name: "the constructor of console", code: `console.log.constructor(${JSON.stringify(process)})()`, gives: "nothing" },
  { name: "the constructor of an async function", code: `(async () => {}).constructor(${JSON.stringify(process)})()`, gives: "nothing" },
  { name: "the prototype of a tool's promise", code: "Object.getPrototypeOf(add({ a: 1, b: 1 })) === Promise.prototype", gives: true },
  {
    name: "call sites",
    code: "Error.prepareStackTrace = (e, s) => s; const s = new Error().stack; const seen = s.map((x) => [x.getThis?.() === globalThis || x.getThis?.() === undefined, String(x.getFileName())]); return seen.every(([own, file]) => own && !file.includes('/'))",
    gives: true,
    elsewhere: { quickjs: { fails: ["guest-error"] } }, // it has none
  },
  {
    name: "call sites within a call",
    code: "let files = []; Error.prepareStackTrace = (e, s) => { files = s.map((x) => String(x.getFileName() ?? x.getEvalOrigin())); return '' }; await echo({ toJSON() { new Error().stack; return 1 } }); return files.some((f) => f.includes('/') || f.startsWith('node:'))",
    gives: false,
  },
  {
    name: "the stack of a tool's error",
    code: "try { await fail({}) } catch (e) { return /secret|node:|file:|\\/home/.test(e.stack + e.message) }",
    gives: false,
  },
  {
    name: "a stack overflow in the middle of a call",
    code: "let seen = []; const f = (n) => { try { f(n + 1) } catch { try { echo({ n }) } catch (e) { seen.push(e.constructor === RangeError) } } }; f(0); return seen.every(Boolean)",
    fails: ["completed", "guest-error", "cpu", "too-many-calls"],
  },
  {
    name: "import() by eval",
    code: "try { return await eval(\"import('node:fs')\") } catch (e) { return e.constructor === TypeError || e.constructor === Error || e.constructor === SyntaxError }",
    gives: true,
    elsewhere: { quickjs: { gives: false } }, // a ReferenceError
  },
  {
    name: "import() by Function",
    code: "try { return await Function(\"return import('node:fs')\")() } catch (e) { return /\\/|node:internal/.test(e.stack ?? '') ? e.stack : 'refused' }",
    gives: "refused",
  },
  {
    name: "callers of our code",
    code: "let seen; await echo({ get a() { try { seen = arguments.callee.caller } catch { seen = null } return 1 } }); return seen",
    gives: null,
  },
  {
    name: "names of the bridge",
    code: "[typeof $0, typeof send, typeof ivm, typeof _ivm, typeof enter, typeof require]",
    fails: ["completed"],
  },
  { name: "a thenable as value", code: "return { then(resolve) { resolve({ then(r) { r(7) } }) } }", gives: 7 },
  {
    name: "a thenable that throws and resolves",
    code: "return { then(resolve, reject) { reject(1); resolve(2); throw 3 } }",
    fails: ["guest-error"],
  },
  {
    name: "a then that is replaced",
    code: "Promise.prototype.then = function () { return 1 }; return await add({ a: 1, b: 1 })",
    gives: 2,
  },
  {
    name: "a constructor of promises that is replaced",
    code: "Object.defineProperty(Promise.prototype, 'constructor', { get() { throw 1 } }); return add({ a: 1, b: 1 })",
    fails: ["guest-error", "completed", "time"],
  },
  {
    name: "setters on Object.prototype",
    code: "let n = 0; for (const k of ['resolve', 'name', 'refused', 'path', '0', 'a', 'text']) Object.defineProperty(Object.prototype, k, { set() { n++ }, configurable: true }); const r = await add({ ['a']: 1, ['b']: 1 }); return [r, n]",
    gives: [2, 0],
    elsewhere: { quickjs: { gives: [2, 1] } }, // the JSON.stringify of the engine puts the argument into a list of its own
  },
  {
    name: "setters on Array.prototype",
    code: "let n = 0; for (const k of ['0', '1', '2']) Object.defineProperty(Array.prototype, k, { set() { n++ } }); console.table([{ a: 1 }]); return (await echo({ a: [1] })).a.length + n",
    gives: 1,
  },
  {
    name: "call and apply that are replaced",
    code: "Function.prototype.call = Function.prototype.apply = Function.prototype.bind = Reflect.apply = () => 'forged'; return add({ a: 1, b: 1 })",
    gives: 2,
  },
  {
    name: "an iterator that is replaced",
    code: "Array.prototype[Symbol.iterator] = function* () { yield 'forged' }; console.log(1, 2); return add({ a: 1, b: 1 })",
    gives: 2,
  },
  {
    name: "species",
    code: "Object.defineProperty(Promise, Symbol.species, { get() { throw 1 } }); Object.defineProperty(Array, Symbol.species, { get() { throw 1 } }); return add({ a: 1, b: 1 })",
    fails: ["completed", "guest-error"],
  },
  {
    name: "a result variable with a getter",
    code: "Object.defineProperty(globalThis, '__codeact_result', { get() { throw 1 } }); 3",
    gives: 3,
  },
  { name: "the mark of a last value", code: "return arguments[0](5)", gives: 5 },
  {
    name: "a forged refusal",
    code: "throw Object.assign(Object.create(null), { refused: 'size', problem: 'p', path: '/x' })",
    fails: ["guest-error"],
  },
  {
    name: "a forged limit",
    code: "const e = new Error('x'); e.name = 'TooManyCallsError'; e.code = 'aborted'; throw e",
    fails: ["too-many-calls", "guest-error"],
  },
  { name: "a thrown Proxy", code: "throw new Proxy({}, new Proxy({}, { get() { throw 1 } }))", fails: ["guest-error"] },
  {
    name: "a Proxy as argument",
    code: "try { await echo(new Proxy({}, new Proxy({}, { get() { throw 1 } }))) } catch (e) { return e.name }",
    gives: "TypeError",
  },
  {
    name: "a prototype in an argument",
    code: 'const r = await echo(JSON.parse(\'{"__proto__":{"x":1},"constructor":{"prototype":{"y":1}}}\')); return [({}).x, ({}).y, Object.keys(r)].map(String)',
    gives: ["undefined", "undefined", "constructor"],
  },
  { name: "a prototype key written with escapes", code: 'return JSON.parse(\'{"\\\\u005f_proto__":{"x":1},"a":1}\')', gives: { a: 1 } },
  { name: "a timer of text", code: "setTimeout('throw 1', 1)", fails: ["guest-error"] },
  { name: "a source name of one's own", code: "throw new Error('x')\n//# sourceURL=/etc/passwd", fails: ["guest-error"] },
  { name: "Error.captureStackTrace on a frozen object", code: "Error.captureStackTrace(Object.freeze({}))", fails: ["guest-error"] },
  { name: "a debugger statement", code: "debugger; 1", gives: 1 },
  { name: "lone surrogates", code: "console.log('\\ud800'); return '\\udc00'", gives: "\udc00" },
  {
    name: "code after the end",
    before: ["globalThis.f = () => add({ a: 1, b: 1 }); setTimeout(() => f(), 1); 1"],
    code: "globalThis.f === undefined ? 'gone' : await f()",
    gives: 2,
  },
  {
    name: "a trap for the next step",
    before: [
      "Promise.prototype.then = () => { throw 1 }; Object.defineProperty(globalThis, 'x', { set() { throw 2 } }); JSON.parse = () => ({}); globalThis.eval = () => 'forged'; 1",
    ],
    code: "const y = 2; return y",
    gives: 2,
  },
  { name: "a session that is ended and used again", before: ["const a = 1; for (;;);"], code: "typeof a", gives: "undefined" },
  {
    name: "a catastrophe in a session",
    before: ["'x'.repeat(2 ** 28).split('')"],
    code: "typeof a",
    gives: "undefined",
    elsewhere: { "in-process": "ends the process" },
  },
];
