import { expect, test } from "vitest";
import { findWrongImports } from "../../scripts/check-imports.ts";
import { projectRoot } from "../../scripts/source-files.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const manifest = JSON.stringify({
  dependencies: { zod: "^4.0.0" },
  peerDependencies: { openai: "^6.0.0", "isolated-vm": "^7.0.0" },
  devDependencies: { plots: "1.0.0" },
});

function wrongImports(files: Readonly<Record<string, string>>): string[] {
  return findWrongImports(temporaryFolder({ "package.json": manifest, ...files }));
}

test("the imports of src are in order", () => {
  expect(findWrongImports(projectRoot)).toEqual([]);
});

test("every allowed arrow passes", () => {
  const files = {
    "src/index.ts": 'export * from "./agent/a.js";\nexport type { B } from "./base/b.js";',
    "src/sandbox/index.ts": 'export * from "./s.js";',
    "src/testing.ts": 'export { a } from "./testing-agents/a.js";\nexport { b } from "./testing-executors/b.js";',
    "src/testing-agents/a.ts": 'import { a } from "../agent/a.js";\nimport { b } from "../base/b.js";\nexport const c = [a, b];',
    "src/cli/a.ts": 'import { a } from "../bench/a.js";\nimport(process.argv[2]);',
    "src/bench-page/a.ts": 'import { plot } from "plots";\nimport { a } from "../bench/a.js";',
    "src/bench/a.ts": 'import { a } from "../agent/a.js";',
    "src/agent/a.ts":
      'import { r } from "../runtimes/r.js";\nimport { m } from "../models/m.js";\nimport type { S } from "../sandbox/s.js";\nimport("../sandbox/s.js");',
    "src/runtimes/r.ts": 'import { b } from "../base/b.js";\nimport { s } from "../sandbox/s.js";',
    "src/models/m.ts": 'import { b } from "../base/b.js";\nimport type OpenAI from "openai";\nimport("openai");',
    "src/sandbox/s.ts": 'import { fork } from "node:child_process";\nimport("isolated-vm");',
    "src/base/b.ts": 'import { z } from "zod";\nimport { c } from "./c.js";',
  };
  expect(wrongImports(files)).toEqual([]);
});

test.for([
  ["src/base/a.ts", 'import { x } from "../runtimes/x.js";', 'base may not import runtimes ("../runtimes/x.js")'],
  ["src/base/a.ts", 'import type { X } from "../agent/x.js";', 'base may not import agent ("../agent/x.js")'],
  ["src/base/deep/a.ts", 'import { x } from "../../sandbox/x.js";', 'base may not import sandbox ("../../sandbox/x.js")'],
  ["src/base/a.ts", 'const x = () => import("../sandbox/x.js");', 'base may not import sandbox ("../sandbox/x.js")'],
  ["src/base/a.ts", 'type X = import("../models/x.js").X;', 'base may not import models ("../models/x.js")'],
  ["src/base/a.ts", 'import { x } from "../index.js";', 'base may not import index.ts ("../index.js")'],
  ["src/base/a.ts", 'import { readFile } from "node:fs/promises";', "base may not import node:fs/promises"],
  ["src/base/a.ts", 'import type OpenAI from "openai";', "base may not import the peer dependency openai"],
  ["src/base/a.ts", 'import x from "@scope/x/deep";', "@scope/x is neither a dependency nor a peer dependency"],
  ["src/base/a.ts", 'export { x } from "./x.js";', 'only entry files re-export; import "./x.js" where it is used'],
  ["src/bench/a.ts", 'import { plot } from "plots";', "plots is neither a dependency nor a peer dependency"],
  ["src/bench-page/a.ts", 'import { readFile } from "node:fs/promises";', "bench-page may not import node:fs/promises"],
  ["src/runtimes/a.ts", 'import { x } from "../models/x.js";', 'runtimes may not import models ("../models/x.js")'],
  ["src/sandbox/a.ts", 'import type { Json } from "../base/json.js";', 'sandbox may not import base ("../base/json.js")'],
  ["src/models/a.ts", 'import { x } from "../agent/x.js";', 'models may not import agent ("../agent/x.js")'],
  ["src/models/a.ts", 'import OpenAI from "openai";', "the peer dependency openai may be imported only by import() or import type"],
  [
    "src/agent/a.ts",
    'import { s } from "../sandbox/s.js";',
    'agent may import sandbox only by import() or import type ("../sandbox/s.js")',
  ],
  ["src/agent/a.ts", 'import { readFile } from "node:fs/promises";', "agent may import node:fs/promises only by import() or import type"],
  ["src/agent/a.ts", "const x = (name: string) => import(name);", "agent may import() only a plain string"],
  ["src/agent/a.ts", 'import { x } from "../bench/x.js";', 'agent may not import bench ("../bench/x.js")'],
  ["src/bench/a.ts", 'import { x } from "../cli/x.js";', 'bench may not import cli ("../cli/x.js")'],
  ["src/testing.ts", 'export { x } from "./sandbox/x.js";', 'testing.ts may not import sandbox ("./sandbox/x.js")'],
  ["src/index.ts", "export const x = 1;", "an entry file holds nothing but re-exports"],
  ["src/shared/a.ts", "", "stands in no known folder; scripts/check-imports.ts has no rule for shared"],
] as const)("%s: %s", ([file, text, problem]) => {
  expect(wrongImports({ [file]: text })).toEqual([`${file}:1 ${problem}`]);
});
