import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { projectRoot } from "../../scripts/source-files.ts";
import { buildPackage, runNode, runTsc } from "./build-package.ts";
import { writeFiles } from "./temporary-folder.ts";

const { dependencies } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8")) as { dependencies: Record<string, string> };

/** Optional, and here so that the packed sandbox can be run. */
const peersOfSandbox = ["isolated-vm", "node-gyp-build", "quickjs-emscripten"];

/** A project outside of this one that has the packed triact and its dependencies installed, and nothing else. */
let consumer: string;
let packed: string[];

beforeAll(async () => {
  consumer = realpathSync(mkdtempSync(join(tmpdir(), "triact-consumer-")));
  const folder = join(consumer, "packed");
  await buildPackage(folder);
  const [tarball] = JSON.parse(
    execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--loglevel=error"], { cwd: folder, encoding: "utf8" }),
  ) as { filename: string; files: { path: string }[] }[];
  if (tarball === undefined) throw new Error("npm pack made nothing.");
  packed = tarball.files.map(({ path }) => path);
  const installed = join(consumer, "node_modules/triact");
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", join(folder, tarball.filename), "--strip-components=1", "-C", installed]);
  for (const name of [...Object.keys(dependencies), ...peersOfSandbox, "@types/node", "undici-types"]) {
    mkdirSync(dirname(join(consumer, "node_modules", name)), { recursive: true });
    symlinkSync(join(projectRoot, "node_modules", name), join(consumer, "node_modules", name));
  }
  writeFiles(consumer, { "package.json": JSON.stringify({ type: "module" }) });
}, 120_000);

afterAll(() => rmSync(consumer, { recursive: true }));

test("the tarball holds the build, its types and the papers, and nothing else", () => {
  const others = packed.filter((path) => !path.match(/^dist\/.+(\.js|\.d\.ts)$/));
  expect(others.sort()).toEqual(["CHANGELOG.md", "LICENSE", "README.md", "package.json"]);
  expect(packed).toEqual(
    expect.arrayContaining([
      "dist/index.js",
      "dist/index.d.ts",
      "dist/bench.js",
      "dist/bench.d.ts",
      "dist/bench-page.js",
      "dist/testing.js",
      "dist/testing.d.ts",
      "dist/sandbox.js",
      "dist/sandbox/index.d.ts",
      "dist/sandbox-child.js",
      "dist/cli.js",
    ]),
  );
});

test("both entries and package.json are importable from plain JavaScript", async () => {
  const script = `
    import * as main from "triact";
    import * as testing from "triact/testing";
    import manifest from "triact/package.json" with { type: "json" };
    console.log(JSON.stringify([Object.keys(main).length > 0, Object.keys(testing).length > 0, manifest.name]));
  `;
  writeFiles(consumer, { "both.js": script });
  const { output } = await runNode(["both.js"], { cwd: consumer, timeoutMs: 30_000 });
  expect(output).toBe('[true,true,"triact"]\n');
});

test("the packed sandbox runs code in a child process, in this one and in WebAssembly", async () => {
  const script = `
    import { IsolatedVmExecutor, QuickJsExecutor } from "triact/sandbox";
    const executors = [new IsolatedVmExecutor(), new IsolatedVmExecutor({ isolation: "in-process" }), new QuickJsExecutor()];
    for (const executor of executors) {
      const { result } = await executor.execute({ language: "ts", code: "const a: number = 1; return a" });
      console.log(executor.capabilities.isolation, result);
      await executor.dispose();
    }
  `;
  writeFiles(consumer, { "sandbox.js": script });
  const { output } = await runNode(["sandbox.js"], { cwd: consumer, timeoutMs: 30_000 });
  expect(output).toBe("process 1\nisolate 1\nwasm 1\n");
});

test("an executor whose engine is not installed says what to install, before any code runs", async () => {
  for (const name of peersOfSandbox) rmSync(join(consumer, "node_modules", name));
  const script = `
    import { IsolatedVmExecutor, PyodideExecutor, QuickJsExecutor } from "triact/sandbox";
    const executors = [
      [new IsolatedVmExecutor(), "js"],
      [new IsolatedVmExecutor({ isolation: "in-process" }), "js"],
      [new IsolatedVmExecutor({ typecheck: true }), "ts"],
      [new QuickJsExecutor(), "js"],
      [new PyodideExecutor(), "python"],
    ];
    for (const [executor, language] of executors) {
      await executor.execute({ language, code: "1" }).catch(({ name, message }) => console.log(name, message));
      await executor.dispose();
    }
  `;
  writeFiles(consumer, { "missing.js": script });
  const { output } = await runNode(["missing.js"], { cwd: consumer, timeoutMs: 30_000 });
  for (const name of peersOfSandbox) symlinkSync(join(projectRoot, "node_modules", name), join(consumer, "node_modules", name));
  expect(output.trimEnd().split("\n")).toEqual([
    "SandboxUnavailableError isolated-vm is not installed. Install it: npm install isolated-vm@7 (Node 24 or later).",
    "SandboxUnavailableError isolated-vm could not be loaded. Install it: npm install isolated-vm@7 (Node 24 or later).",
    "SandboxUnavailableError `typecheck` needs the package typescript. Install it: npm install typescript@7.",
    "SandboxUnavailableError quickjs-emscripten could not be loaded. Install it: npm install quickjs-emscripten@0.32.",
    "SandboxUnavailableError pyodide is not installed. Install it: npm install pyodide@314.0.7.",
  ]);
});

test("a process that waits for nothing but code that is suspended does not end before it", async () => {
  const script = `
    import { IsolatedVmExecutor } from "triact/sandbox";
    const tools = { ask: () => ({ kind: "suspend" }) };
    const { status } = await new IsolatedVmExecutor().execute({ language: "js", code: "return await ask({})", tools });
    console.log(status);
  `;
  writeFiles(consumer, { "suspended.js": script });
  expect(await runNode(["suspended.js"], { cwd: consumer, timeoutMs: 30_000 })).toEqual({ ok: true, output: "suspended\n" });
});

test("npx triact runs the command of the package", { timeout: 60_000 }, () => {
  mkdirSync(join(consumer, "node_modules/.bin"), { recursive: true });
  symlinkSync("../triact/dist/cli.js", join(consumer, "node_modules/.bin/triact")); // as npm links it
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`, npm_config_offline: "true" };
  const output = execFileSync("npx", ["triact", "--help"], { cwd: consumer, encoding: "utf8", env });
  expect(output).toContain("Usage: triact COMMAND");
});

test("importing triact loads nothing but triact and its dependencies", async () => {
  const script = `
    import { registerHooks } from "node:module";
    const urls = new Set();
    registerHooks({ resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      urls.add(resolved.url);
      return resolved;
    } });
    await import("triact");
    await import("triact/testing");
    await import("triact/sandbox");
    console.log(JSON.stringify([...urls]));
  `;
  writeFiles(consumer, { "graph.js": script });
  const { output } = await runNode(["graph.js"], { cwd: consumer, timeoutMs: 30_000 });
  const urls = JSON.parse(output) as string[];
  const packages = urls.flatMap((url) => url.match(/.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? []);
  expect(packages).toContain("triact");
  expect(packages.filter((name) => name !== "triact" && !(name in dependencies))).toEqual([]);
  expect(urls.filter((url) => /models\/(?:anthropic-|openai-|connector|reply-stream|error-)/.test(url))).toEqual([]);
});

test("importing triact loads no module of Node", async () => {
  const script = `
    import { registerHooks } from "node:module";
    const wanted = [];
    registerHooks({ resolve(specifier, context, next) {
      if (specifier.startsWith("node:") && context.parentURL.includes("/triact/")) wanted.push(specifier);
      return next(specifier, context);
    } });
    await import("triact");
    await import("triact/testing");
    console.log(JSON.stringify(wanted));
  `;
  writeFiles(consumer, { "node-modules.js": script });
  expect(await runNode(["node-modules.js"], { cwd: consumer, timeoutMs: 30_000 })).toEqual({ ok: true, output: "[]\n" });
});

test.for([
  ["anthropic", "@anthropic-ai/sdk"],
  ["openai", "openai"],
  ["openaiChat", "openai"],
])("%s without its SDK says in one sentence what to install", async ([name, packageName]) => {
  const script = `
    import { ${name} } from "triact";
    const request = { messages: [], tools: [], options: {}, signal: new AbortController().signal };
    try {
      for await (const _ of ${name}("m", { apiKey: "some-key" }).stream(request));
    } catch (error) {
      console.log(error.name, error.message);
    }
  `;
  writeFiles(consumer, { "missing.js": script });
  const { output } = await runNode(["missing.js"], { cwd: consumer, timeoutMs: 30_000 });
  expect(output).toBe(`ModelError This model needs the package ${packageName}; install it with: npm install ${packageName}\n`);
});

test.for([
  ["Node", { lib: ["ES2024", "ESNext.Disposable"], types: ["node"] }],
  ["a browser", { lib: ["ES2024", "ESNext.Disposable", "DOM"], types: [] }],
] as const)("the types compile in a strict project for %s", async ([, environment]) => {
  const compilerOptions = {
    ...environment,
    target: "ES2024",
    module: "NodeNext",
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    noEmit: true,
  };
  writeFiles(consumer, {
    "types.ts":
      'import * as main from "triact";\nimport * as bench from "triact/bench";\nimport * as sandbox from "triact/sandbox";\nimport * as testing from "triact/testing";\nexport const names: string[] = [main, bench, sandbox, testing].flatMap((entry) => Object.keys(entry));\n',
    "tsconfig.json": JSON.stringify({ compilerOptions, files: ["types.ts"] }),
  });
  expect(await runTsc(["-p", "."], consumer)).toEqual({ ok: true, output: "" });
});
