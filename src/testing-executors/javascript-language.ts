import type { ContractLanguage, ContractPrograms } from "./contract-programs.js";
import { valueCases } from "./value-cases.js";

const DEEP = "let a = []; for (let i = 0; i < 2000; i++) a = [a];";
const ATTEMPTS = [
  "add = 1",
  "tools.add = 1",
  "'use strict'; tools.add = 1",
  "Object.defineProperty(globalThis, 'add', { value: 1 })",
  "tools = {}",
  "delete globalThis.add",
];
const attempted = (attempt: string) =>
  `${attempt.startsWith("'use") ? attempt.slice(0, 13) : ""}try { ${attempt.replace(/^'use strict'; /, "")} } catch {}\nreturn add({ a: 1, b: 1 })`;

const programs: ContractPrograms = {
  one: "1",
  endlessLoop: "console.log('a');\nwhile (true) {}",
  loopAfterCall: "await add({ a: 1, b: 1 });\nwhile (true) {}",
  loopOfAwaits: "while (true) await null",
  waitForNothing: "console.log('a');\nawait new Promise(() => {})",
  endlessLogs: "while (true) console.log('a')",
  waitFor: (toolName) => `await ${toolName}({})`,
  fourCalls: "for (let i = 0; i < 4; i++) await echo({ i })",
  messageOfEcho: "try { await echo('x'.repeat(100)) } catch (error) { return error.message }",
  nameOfEcho: "try { await echo('x'.repeat(100)) } catch (error) { return error.name }",
  largeResult: "return ['x'.repeat(100)]",
  deepResult: `${DEEP} return a`,
  deepInput: `${DEEP} await echo(a)`,
  longLog: "console.log('x'.repeat(20)); 1",
  emojiLog: "console.log('😀😀😀')",
  manyLogs: "for (let i = 0; i < 1000; i++) console.log('0123456789'); 7",
  threeWays: "return [await add({ a: 1, b: 2 }), await tools.add({ a: 2, b: 2 }), await callTool('add', { a: 3, b: 2 })]",
  caught: (expression) =>
    `try { await ${expression} } catch (error) { return [error.name, error.message, error instanceof Error, /secret|node:|file:/.test(error.stack)] }`,
  unknownTool: "callTool('nothing')",
  echoedTime: "return echo({ a: [1, { 'b c': new Date(0) }], d: undefined })",
  refusedInputs: [
    ["echo({ a: [new Map()] })", "at .a[0]: a Map has no JSON form; use Object.fromEntries(…)"],
    ["echo({ 'b c': NaN })", 'at ["b c"]: NaN has no JSON form'],
    ["echo({ a: echo({}) })", "at .a: it is a promise: write await before the call that made it"],
    ["echo([undefined])", "at [0]: undefined has no JSON form; use null"],
  ],
  tooManyArguments: ["echo(1, 2)", "echo takes one object, for example echo({ … }); it got 2 arguments."],
  prototypeKeys: `const r = await look(JSON.parse('{"__proto__":{"bad":1},"constructor":{"prototype":{}},"b":1}'));
      return [Object.assign({}, r).bad === undefined, Object.keys(r), ({}).bad === undefined]`,
  parallelCalls: "await Promise.all(Array.from({ length: 20 }, () => work({})))",
  finishThenReach: "console.log('a'); try { await finish({}) } finally { await reach({}) }",
  slowAndFinish: "await Promise.all([slow({}), finish({})])",
  brokenBuiltIns: `JSON.stringify = JSON.parse = () => { throw 1 }; Map.prototype.get = Array.prototype.push = () => { throw 2 };
      Object.prototype.then = undefined; Object.keys = () => []; String.prototype.slice = () => "x"; globalThis.Promise = null; globalThis.Error = null;
      return await add({ a: 1, b: 2 })`,
  replacedTools: ATTEMPTS.map(attempted),
  sessionSteps: [
    ["const x = 1; let y = [x]; var z; function f() { return x } class A { a = x }\nconst { p, q: [r = 5] } = { p: 3, q: [] };", undefined],
    ["return [x, y, f(), new A().a, p, r]", [1, [1], 1, 1, 3, 5]],
    ["const x = 2; class A {}; function f() { return -x }\nreturn [x, f()]", [2, -2]],
    ["let y\n;[x].map((a) => a + y)", [{ $type: "Number", value: "NaN" }]],
  ],
  setThenFail: "const a = 1; throw new Error('x')",
  setA: "const a = 1",
  readA: "a",
  typeOfA: "typeof a",
  leaveTraces: "globalThis.a = 1; Array.prototype.b = 1",
  findTraces: ["[typeof a, typeof [].b]", ["undefined", "undefined"]],
  leaveWork:
    "Promise.reject(new Error('stray')); setTimeout(() => { globalThis.late = 1 }, 1); (async () => { await null; await null; throw 1 })(); 1",
  typeOfLate: "await new Promise((done) => setTimeout(done, 5)); typeof late",
  restless: "(async () => { while (true) await null })(); 1",
  timeAndChance:
    "[new Date().toISOString(), Date.now() >= 86400000, Math.random(), Math.random(), typeof performance.now(), new Date(5).getTime()]",
  waitForClock: "const t = Date.now(); while (Date.now() < t + 500) {}\n1",
  timers:
    "const seen = []; setTimeout(() => seen.push(2), 20); setTimeout((x) => seen.push(x), 1, 1); clearTimeout(setTimeout(() => seen.push(3), 2));\nawait new Promise((done) => setTimeout(done, 40)); seen",
  stepsAndQuestion: `const luck = Math.random(), at = Date.now();
      const [a, answer, b] = await Promise.all([step({ n: 1 }), ask({ q: luck }), step({ n: 2 }).then((n) => step({ n, luck }))]);
      return { a, answer, b, last: await step({ at, luck }) }`,
  echoes: (...inputs) => inputs.map(([name, value]) => `await echo({ ${name}: ${value} })`).join("; "),
};

/** JavaScript, and what is to be tested of TypeScript. */
export const javascriptLanguage: ContractLanguage = { language: "javascript", cases: valueCases, programs };
