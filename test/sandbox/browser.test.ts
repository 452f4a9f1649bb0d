import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { rolldown } from "rolldown";
import { expect, test } from "vitest";

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

function findChromium(): string | undefined {
  try {
    return execFileSync("which", ["chromium"], { encoding: "utf8" }).trim();
  } catch {
    return undefined; // it is not installed
  }
}

/** One file for a browser. What only Node has is left outside, and must be asked for by nothing that is loaded at once. */
async function bundle(file: string): Promise<Map<string, string>> {
  const built = await rolldown({
    input: { main: file },
    external: /^node:/,
    platform: "browser",
    resolve: {
      extensionAlias: { ".js": [".ts", ".js"] },
      alias: {
        "triact/sandbox": path("../../src/sandbox/index.ts"),
        "triact/testing": path("../../src/testing.ts"),
        triact: path("../../src/index.ts"),
      },
    },
    treeshake: { moduleSideEffects: false },
    checks: { importIsUndefined: false },
    logLevel: "silent",
  });
  const { output } = await built.generate({ format: "esm", entryFileNames: "[name].js" });
  await built.close();
  return new Map(output.flatMap((each) => (each.type === "chunk" ? [[each.fileName, each.code] as const] : [])));
}

/** The interpreter itself, which a page has to serve beside the worker. */
function quickJsWasm(): Buffer {
  const require = createRequire(createRequire(import.meta.url).resolve("quickjs-emscripten"));
  return readFileSync(require.resolve("@jitl/quickjs-wasmfile-release-sync/wasm"));
}

const TYPES: Readonly<Record<string, string>> = { js: "text/javascript", wasm: "application/wasm" };

/** Serves files from memory, on this machine alone. */
async function serve(files: ReadonlyMap<string, string | Buffer>) {
  const server = createServer(({ url = "/" }, response) => {
    const file = files.get(url);
    response.writeHead(file === undefined ? 404 : 200, { "content-type": TYPES[url.split(".").at(-1) ?? ""] ?? "text/html" }).end(file);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, [Symbol.asyncDispose]: async () => void server.close() };
}

const executablePath = findChromium();

test("CodeAct runs in a browser, with its code in QuickJS", { timeout: 120_000 }, async (context) => {
  if (executablePath === undefined) return context.skip("chromium is not installed: apt-get install chromium");
  const files = new Map<string, string | Buffer>([["/emscripten-module.wasm", quickJsWasm()]]);
  files.set("/", `<!doctype html><link rel="icon" href="data:,"><script type="module" src="/main.js"></script>`);
  for (const [name, code] of await bundle(path("browser-page.ts"))) files.set(`/${name}`, code);
  const worker = await bundle(path("../../src/sandbox/quickjs/quickjs-web-worker.ts"));
  for (const [name, code] of worker) files.set(name === "main.js" ? "/worker.js" : `/${name}`, code);
  await using server = await serve(files);
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage();
    const problems: string[] = [];
    const failed = Promise.withResolvers<never>();
    page.on("console", (message) => {
      problems.push(message.text());
      failed.reject(new Error(message.text()));
    });
    page.on("pageerror", failed.reject);
    await page.goto(server.url);
    const result = page.waitForFunction(() => (globalThis as { result?: unknown }).result, undefined, { timeout: 60_000 });
    const handle = await Promise.race([result, failed.promise]);
    expect(await handle.jsonValue()).toEqual({
      status: "completed",
      output: ["undefined", "undefined", "undefined", 7],
      languages: ["javascript"],
      told: [
        [{ type: "text", text: "Add." }],
        [{ type: "text", text: 'CODE_RESULT: {"result":2,"logs":"sums [2, 3]"}' }],
        [{ type: "text", text: expect.stringMatching(/^CODE_ERROR: \{"errorType":"cpu"/) }],
      ],
    });
    expect(problems).toEqual([]);
  } finally {
    await browser.close();
  }
});
