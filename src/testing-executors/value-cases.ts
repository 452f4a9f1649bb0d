import type { ContractCase } from "./executor-contract.js";

const value = (result: unknown, source = "expression") => ({ status: "completed", result, source });
const failed = (error: object) => ({ status: "failed", error });
const tagged = (type: string, fields: object = {}) => ({ $type: type, ...fields });
const typescript = { language: "typescript" };

const ends: readonly ContractCase[] = [
  { name: "the last expression is the value", code: "const a = 20;\na + 1", expected: value(21) },
  { name: "a returned value comes before the last expression", code: "if (true) return 1;\n2", expected: value(1, "return") },
  { name: "the result variable comes before the last expression", code: "__codeact_result = 1;\n2", expected: value(1, "variable") },
  { name: "the result variable may be declared", code: "const __codeact_result = 1;", expected: value(1, "variable") },
  { name: "a returned value comes before the result variable", code: "__codeact_result = 1; return 2", expected: value(2, "return") },
  { name: "code without a value has none", code: "const a = 1;", expected: value(undefined, "none") },
  { name: "empty code has no value", code: "", expected: value(undefined, "none") },
  { name: "falsy values are values", code: "return [0, false, '', null]", expected: value([0, false, "", null], "return") },
  { name: "a last line that is a comment does no harm", code: "return 1 // done", expected: value(1, "return") },
  { name: "a sequence is one value", code: "1, 2", expected: value(2) },
  { name: "a last block that reads as an object is one", code: "const a = 1, b = 2;\n{ a, b }", expected: value({ a: 1, b: 2 }) },
  { name: "a last string is a value", code: "'done'", expected: value("done") },
  {
    name: "strict code works",
    code: "'use strict';\nconst a = 1;\nfunction f() { return this === undefined; }\nf()",
    expected: value(true),
  },
  { name: "await stands at the top level", code: "const a = await Promise.resolve(3);\nreturn a", expected: value(3, "return") },
  { name: "an async function that is called last is awaited", code: "(async () => { return 5 })()", expected: value(5) },
  {
    name: "promises in the value are awaited, and it is said",
    code: "[1, 2].map((a) => add({ a, b: 1 }))",
    expected: {
      ...value([2, 3]),
      notices: [
        "A promise in the value (value[0]) was not awaited in the code; it was awaited for you. Write await, or await Promise.all(…).",
      ],
    },
  },
  {
    name: "a promise in the value that fails is an error",
    code: "return { a: fail({}) }",
    expected: failed({ code: "guest-error", name: "RangeError", message: "it is broken" }),
  },
  {
    name: "a call that nobody waits for is waited for, and it is said",
    code: "later(); fail({}); 1",
    expected: {
      ...value(1),
      notices: [
        "The code ended before these calls had: later, fail. They were waited for, and their results are lost. fail failed: it is broken. Write await before calls.",
      ],
    },
  },
  {
    name: "a function that was not called is named",
    code: "async function main() {}\nmain",
    expected: { ...value(tagged("Function", { name: "main" })), notices: ["The value is the function main itself, which was not called."] },
  },
];

const kinds: readonly ContractCase[] = [
  { name: "a Map is told from an object", code: "new Map([[1, { a: 2 }]])", expected: value(tagged("Map", { entries: [[1, { a: 2 }]] })) },
  { name: "a Set is told from an object", code: "new Set(['a'])", expected: value(tagged("Set", { values: ["a"] })) },
  {
    name: "numbers without a JSON form are told from null",
    code: "[NaN, Infinity, 12n, undefined]",
    expected: value([
      tagged("Number", { value: "NaN" }),
      tagged("Number", { value: "Infinity" }),
      tagged("BigInt", { value: "12" }),
      tagged("Undefined"),
    ]),
  },
  {
    name: "a Date is its ISO text",
    code: "[new Date(0), new Date(NaN)]",
    expected: value(["1970-01-01T00:00:00.000Z", tagged("Date", { value: "invalid" })]),
  },
  {
    name: "an Error is its name and message",
    code: "[new TypeError('x')]",
    expected: value([tagged("Error", { name: "TypeError", message: "x" })]),
  },
  {
    name: "typed arrays hold their elements",
    code: "[new Uint8Array([1, 2])]",
    expected: value([tagged("Uint8Array", { length: 2, values: [1, 2] })]),
  },
  { name: "a RegExp is its text", code: "[/a/g]", expected: value([tagged("RegExp", { value: "/a/g" })]) },
  {
    name: "functions and symbols are named",
    code: "[function f() {}, Symbol('s')]",
    expected: value([tagged("Function", { name: "f" }), tagged("Symbol", { description: "Symbol(s)" })]),
  },
  { name: "a cycle ends", code: "const a = { b: 1 }; a.a = a; a", expected: value({ b: 1, a: tagged("Circular") }) },
  { name: "the same object twice is no cycle", code: "const a = {}; [a, a]", expected: value([{}, {}]) },
  { name: "an object of a class says so", code: "class P { x = 1 }\nnew P()", expected: value({ $class: "P", x: 1 }) },
  { name: "toJSON is used", code: "[{ toJSON() { return 7 } }]", expected: value([7]) },
  {
    name: "what throws when it is read says so",
    code: "[{ get a() { throw 1 } }, new Proxy({}, { ownKeys() { throw 1 } })]",
    expected: value([{ a: tagged("Unreadable") }, tagged("Unreadable")].map((each) => each)),
  },
  { name: "undefined members are left out", code: "[{ a: undefined, b: 1 }]", expected: value([{ b: 1 }]) },
  { name: "text keeps every character", code: "'\\ud800 \\u2028 \\\\ \" 😀'", expected: value('\ud800 \u2028 \\ " 😀') },
];

const errors: readonly ContractCase[] = [
  {
    name: "an error has its place in the code",
    code: "const a = 1;\n  null.x",
    expected: failed({ code: "guest-error", name: "TypeError", line: 2 }),
  },
  {
    name: "an error after an await has its place",
    code: "await 1;\nconst f = () => { throw new Error('x') };\nf()",
    expected: failed({ line: 2, message: "x" }),
  },
  { name: "an error in a declaration has its place", code: "const { a } = {}, b = a.b;", expected: failed({ line: 1 }) },
  {
    name: "thrown values that are no errors are told",
    code: "throw { a: 1 }",
    expected: failed({ name: "thrown value", message: '{ "a": 1 }' }),
  },
  {
    name: "a thrown Proxy does no harm",
    code: "throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 1 } })",
    expected: failed({ code: "guest-error" }),
  },
  {
    name: "an error with a throwing message does no harm",
    code: "throw Object.defineProperty(new Error(), 'message', { get() { throw 1 } })",
    expected: failed({ code: "guest-error" }),
  },
  {
    name: "causes are told",
    code: "throw new Error('a', { cause: new TypeError('b') })",
    expected: failed({ message: "a (cause: TypeError: b)" }),
  },
  {
    name: "syntax errors have their place",
    code: "const a = 1;\nconst b = ;",
    expected: failed({ code: "syntax", name: "SyntaxError", line: 2, column: 11 }),
  },
  {
    name: "await in a plain function is explained",
    code: "function f() { await g(); }",
    expected: failed({ code: "syntax", message: "await is possible only at the top level and in async functions" }),
  },
  { name: "code cannot get out of its function", code: "}); (async function () {", expected: failed({ code: "syntax" }) },
  { name: "import is refused", code: "1;\nimport fs from 'fs'", expected: failed({ code: "import-refused", line: 2, column: 1 }) },
  { name: "import() is refused", code: "const fs = await import('fs')", expected: failed({ code: "import-refused", line: 1 }) },
  { name: "require is refused", code: "const fs = require('fs')", expected: failed({ code: "import-refused" }) },
  { name: "export is refused", code: "export const a = 1", expected: failed({ code: "import-refused" }) },
  { name: "what is missing is explained", code: "await fetch('http://x')", expected: failed({ name: "ReferenceError" }) },
  {
    name: "a name of a tool cannot be taken",
    code: "const add = 1",
    expected: failed({ code: "syntax", message: "add is the name of a tool or of the tools; choose another name for yours." }),
  },
  { name: "an unknown language is refused", code: "1", options: { language: "cobol" }, expected: failed({ code: "unsupported-language" }) },
];

const types: readonly ContractCase[] = [
  {
    name: "types are taken out",
    code: "const a: number = 1;\ninterface X { a: string }\nconst f = <T,>(x: T): T => x;\nreturn f<number>(a) as number",
    options: typescript,
    expected: value(1, "return"),
  },
  {
    name: "a type alias before a line that begins with a semicolon",
    code: "const a = 1\ntype T = number\n;[a].map((x) => x + 1)",
    options: typescript,
    expected: value([2]),
  },
  {
    name: "an enum, and the place of an error after it",
    code: "enum A { B, C }\nconst a: A = A.C;\n  throw new Error(String(a))",
    options: typescript,
    expected: failed({ message: "1", line: 3 }),
  },
  {
    name: "a parameter property",
    code: "class P { constructor(readonly x: number) {} }\nreturn new P(4).x",
    options: typescript,
    expected: value(4, "return"),
  },
  {
    name: "TypeScript that cannot be read",
    code: "const a: number = 1;\nconst b: = 2;",
    options: typescript,
    expected: failed({ code: "syntax", line: 2 }),
  },
  {
    name: "import in TypeScript is refused",
    code: "import type { A } from 'a';\nreturn 1",
    options: { language: "ts" },
    expected: failed({ code: "import-refused", line: 1 }),
  },
];

const logs = (...entries: readonly (readonly [string, string])[]) => ({ logs: entries.map(([level, text]) => ({ level, text })) });

const output: readonly ContractCase[] = [
  {
    name: "logs have levels",
    code: "console.log('a'); console.warn('b'); console.error('c')",
    expected: { ...logs(["log", "a"], ["warn", "b"], ["error", "c"]), stdout: "a\n[warn] b\n[error] c" },
  },
  {
    name: "placeholders are filled",
    code: "console.log('%s is %d%%, %i %j %c!', 'a', '5', 1.9, { b: 1 }, 'css', 'x')",
    expected: logs(["log", 'a is 5%, 1 { "b": 1 } ! x']),
  },
  {
    name: "values are shown",
    code: "console.log([1, 'a', null], { a: new Map([[1, new Set([2])]]) }, 3n, undefined, () => 1)",
    expected: logs(["log", '[1, "a", null] { "a": Map(1) { 1 => Set(1) { 2 } } } 3n undefined [Function: anonymous]']),
  },
  {
    name: "cycles and getters are shown without running anything",
    code: "const a = { get b() { throw 1 } }; a.a = a; console.log(a)",
    expected: logs(["log", '{ "b": [Getter], "a": [Circular] }']),
  },
  { name: "errors are shown without a stack", code: "console.log(new TypeError('x'))", expected: logs(["log", "TypeError: x"]) },
  {
    name: "groups are indented",
    code: "console.group('a'); console.log('b'); console.groupEnd(); console.log('c')",
    expected: logs(["log", "a"], ["log", "  b"], ["log", "c"]),
  },
  {
    name: "tables are shown",
    code: "console.table([{ a: 1 }, { a: 2 }])",
    expected: logs(["log", "(index)  | a           \n0        | 1           \n1        | 2           "]),
  },
  {
    name: "logs come with an error",
    code: "console.log('a'); throw new Error('b')",
    expected: { ...failed({ message: "b" }), ...logs(["log", "a"]) },
  },
];

/** What code gives back, what it throws and what it writes. */
export const valueCases: readonly ContractCase[] = [...ends, ...kinds, ...errors, ...types, ...output];
