import { expect, test } from "vitest";
import { readMarkdown } from "./markdown.ts";
import { snippetsOf } from "./snippets.ts";

const snippets = (text: string) => snippetsOf("a.md", readMarkdown(text).fences);

test("a snippet keeps the line numbers of its page", () => {
  expect(snippets("# Title\n\n```ts run\nconst a = 1;\n```\n\nThen\n\n```ts continue\na;\n```\n")).toEqual([
    { at: "a.md:4", file: "a.md", runs: true, text: "\n\n\nconst a = 1;\n\n\n\n\n\na;\n" },
  ]);
});

test("an indented block loses its indent, and a longer fence holds a shorter one", () => {
  const { fences } = readMarkdown("* item\n  ```js\n  a;\n    b;\n  ```\n\n````md\n```ts\n```\n````\n");
  expect(fences).toMatchObject([
    { info: "js", line: 3, code: ["a;", "  b;"] },
    { info: "md", line: 8, code: ["```ts", "```"] },
  ]);
});

test("links are found in prose and not in code", () => {
  const text = "[a](b.md#c) ![p](<d.png>) `[no](x.md)` [e][f]\n\n[f]: g.md\n\n```\n[no](y.md)\n```\n";
  expect(readMarkdown(text).links).toEqual([
    { target: "b.md#c", line: 1 },
    { target: "d.png", line: 1 },
    { target: "g.md", line: 3 },
  ]);
});

test.for([
  ["```ts no-check\n```", "a.md:1 A ts block may be marked `run` or `continue`, not `no-check`."],
  ["```typescript\n```", "a.md:1 Mark the block `ts`, not `typescript`."],
  ["```ts continue\n```", "a.md:1 There is no ts block before this one to continue."],
  ["text\n```ts\n", "The code block at line 2 is never closed."],
] as const)("%j is refused", ([text, message]) => {
  expect(() => snippets(text)).toThrow(new Error(message));
});
