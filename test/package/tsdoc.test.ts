import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findMissingDocs } from "../../scripts/check-tsdoc.ts";
import { projectRoot, sourceFiles } from "../../scripts/source-files.ts";

const missing = (text: string) => findMissingDocs("a.ts", text).map((line) => line.replace(" has no TSDoc comment", ""));

test("everything in src that needs a comment has one", () => {
  expect(sourceFiles(projectRoot).flatMap((file) => findMissingDocs(file, readFileSync(join(projectRoot, file), "utf8")))).toEqual([]);
});

test("an export without TSDoc is named with its line", () => {
  const text =
    "\nexport const a = 1;\nexport function b() {}\nexport class C {}\nexport interface D {}\nexport type E = 1;\nexport default 1;";
  expect(missing(text)).toEqual(["a.ts:2 a", "a.ts:3 b", "a.ts:4 C", "a.ts:5 D", "a.ts:6 E", "a.ts:7 default"]);
});

test("a comment of another kind, an empty one and one further up do not count", () => {
  expect(
    missing("// a\nexport const a = 1;\n/* b */\nexport const b = 1;\n/** */\nexport const c = 1;\n/** d */\nlet x;\nexport const d = 1;"),
  ).toEqual(["a.ts:2 a", "a.ts:4 b", "a.ts:6 c", "a.ts:9 d"]);
});

test("a name that is exported further down is documented where it is declared", () => {
  expect(missing("const a = 1;\n/** Says what b is. */\nconst b = 1;\nexport { a, b };")).toEqual(["a.ts:1 a"]);
});

test("re-exports, what is not exported, and later overloads need no comment", () => {
  const overloads = "/** Twice. */\nexport function f(a: string): void;\nexport function f(a: number): void;\nexport function f() {}";
  expect(missing(`export * from "./b.js";\nexport { c } from "./c.js";\nconst d = 1;\n${overloads}`)).toEqual([]);
});

test("every protected member needs one, unless it overrides", () => {
  const members =
    "protected a = 1;\n/** Says what b does. */\nprotected b() {}\nprotected abstract c(): void;\nprotected override d() {}\nprivate e = 1;\nf = 1;";
  expect(missing(`abstract class X {\n${members}\n}`)).toEqual(["a.ts:2 X.a", "a.ts:5 X.c"]);
});

test("every field of exported options needs one", () => {
  const body = "{\n/** How long. */\ntimeoutMs?: number;\nretries: number;\nonDone(): void;\n}";
  expect(
    missing(
      `/** Options. */\nexport interface RunOptions ${body}\ninterface OwnOptions ${body}\n/** Result. */\nexport interface RunResult ${body}`,
    ),
  ).toEqual(["a.ts:5 RunOptions.retries", "a.ts:6 RunOptions.onDone"]);
});
