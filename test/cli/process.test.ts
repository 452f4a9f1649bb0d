import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { projectRoot } from "../../scripts/source-files.ts";
import { runNode } from "../package/build-package.ts";
import { temporaryFolder, writeFiles } from "../package/temporary-folder.ts";
import { commandOf, installTriact, linkPackages, Running } from "./installed.ts";
import { addScript } from "./kit.ts";

const toolsFile = (body: string) => `
  import { createTool } from "triact";
  import { z } from "zod";
  const inputSchema = z.object({ a: z.number().optional(), b: z.number().optional() });
  export const add = createTool({ name: "add", description: "Adds.", inputSchema, execute: ${body} });
`;
const adds = toolsFile("({ a = 0, b = 0 }) => a + b");
const run = ["run", "Add 1 and 2", "--model", "scripted:script.json", "--tools", "tools.ts"];

let folder: string;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "triact-command-")));
  await installTriact(folder);
  writeFiles(folder, { "tools.ts": adds, "script.json": JSON.stringify(addScript), "hangs.json": '[{ "text": "Well", "hangs": true }]' });
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true }));

function start(args: readonly string[], cwd = folder): Running {
  const running = new Running([commandOf(folder), ...args], { cwd });
  onTestFinished(() => void running.child.kill("SIGKILL"));
  return running;
}

test("a run works from its prompt on standard input to its exit code", async () => {
  const ended = await start(["run", "-", ...run.slice(2)]).end("Add 1 and 2\n");
  expect(ended).toMatchObject({ exitCode: 0, stdout: "I add.\nIt is 3.\n" });
  expect(ended.stderr).toContain("← add 3 ");
});

test("the example of the documents works", async () => {
  cpSync(join(projectRoot, "examples/command"), join(folder, "examples/command"), { recursive: true });
  const files = ["--model", "scripted:examples/command/weather.json", "--tools", "examples/command/weather-tools.ts"];
  const { exitCode, stdout, stderr } = await start(["run", "How warm is it in Oslo?", ...files]).end();
  expect([exitCode, stdout]).toEqual([0, "I look it up.\nIt is 9 degrees in Oslo.\n"]);
  expect(stderr).toContain('→ weather {"city":"Oslo"}\n← weather 9 ');
});

test("a benchmark without a word more compares three strategies, without a key, and draws a page", { timeout: 60_000 }, async () => {
  const needed = ["gpt-tokenizer", "isolated-vm"];
  linkPackages(folder, needed);
  onTestFinished(() => {
    for (const name of needed) rmSync(join(folder, "node_modules", name));
  });
  const { exitCode, stdout, stderr } = await start(["bench", "run"]).end();
  const solved = stdout.split("\n").map((line) => line.split(/ {2,}/).slice(0, 3).join("|"));
  const rows = ["react", "codeact", "deep-research"].map((name) => `${name}|reference-policy|24/24`);
  expect([exitCode, solved]).toEqual([0, ["strategy|model|solved", ...rows, ""]]);
  const page = /^Report: (.+)$/m.exec(stderr)?.[1] ?? "";
  expect(readFileSync(join(folder, page), "utf8")).toContain("<title>Benchmark of strategies</title>");
});

test("a failed run ends with 1, a wrong call with 2, and no stack is shown", async () => {
  writeFiles(folder, { "fails.json": '[{ "finishReason": "error", "error": "overloaded" }]' });
  expect(await start(["run", "x", "--model", "scripted:fails.json"]).end()).toMatchObject({ exitCode: 1, stdout: "" });
  const { exitCode, stderr } = await start(["run", "x", "--modle", "y"]).end();
  expect([exitCode, stderr.trimEnd().split("\n").length]).toEqual([2, 1]);
});

test("an old Node gets one sentence", async () => {
  const old = 'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"18.20.1"})';
  const { exitCode, stdout, stderr } = await new Running(["--import", old, commandOf(folder), "--help"], { cwd: folder }).end();
  expect([exitCode, stdout]).toEqual([2, ""]);
  expect(stderr).toBe("triact needs Node 24 or later, and this is Node 18.20.1. Install a newer one from https://nodejs.org.\n");
});

test("the file that looks at Node's version imports nothing before it has looked", () => {
  const launcher = readFileSync(commandOf(folder), "utf8");
  expect(launcher).toMatch(/^#!\/usr\/bin\/env node\n/);
  expect(launcher).not.toMatch(/^\s*(?:import|export)\b(?!\(| \{\};)|\?\?|\?\.|\bawait\b|#\w+\s*[=(]/m);
});

const oldNode = ["/usr/bin/node", "/usr/local/bin/node"].find((path) => {
  const { stdout } = spawnSync(path, ["--version"], { encoding: "utf8" });
  return Number(stdout?.match(/^v(\d+)/)?.[1] ?? 24) < 24;
});

test.skipIf(oldNode === undefined)("a real old Node reads the file (skipped where none is installed)", () => {
  const { status, stderr } = spawnSync(oldNode ?? "", [commandOf(folder), "--help"], { encoding: "utf8" });
  expect([status, stderr]).toEqual([2, expect.stringMatching(/^triact needs Node 24 or later, and this is Node .+\n$/)]);
});

test.for(["SIGINT", "SIGTERM"] as const)("%s aborts the run and keeps what was said", async (signal) => {
  const running = start(["run", "x", "--model", "scripted:hangs.json", "--session", signal]);
  await running.writes("Well");
  running.child.kill(signal);
  const ended = await running.ended;
  expect(ended).toMatchObject({ exitCode: signal === "SIGINT" ? 130 : 143, stdout: "Well\n" });
  expect(ended.stderr).toContain("aborted (abort)");
  const { stdout } = await start(["sessions", "--json"]).end();
  const sessions = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
  expect(sessions).toContainEqual(expect.objectContaining({ sessionId: signal, status: "aborted" }));
});

test("a second Ctrl-C ends at once what does not listen to the first", async () => {
  writeFiles(folder, { "stuck.ts": 'setInterval(() => undefined, 1000);\nconsole.error("stuck");\nawait new Promise(() => undefined);\n' });
  const running = start(["run", "x", "--model", "scripted:script.json", "--tools", "stuck.ts"]);
  await running.writes("stuck");
  running.child.kill("SIGINT");
  running.child.kill("SIGTERM");
  const { exitCode } = await running.ended;
  expect([130, 143]).toContain(exitCode);
});

test("a reader that leaves ends the run quietly", async () => {
  const body = `async (_input, { signal, emitUpdate }) => {
    while (!signal.aborted) {
      emitUpdate("still here");
      await new Promise((resolve) => setImmediate(resolve));
    }
  }`;
  writeFiles(folder, { "endless.ts": toolsFile(body) });
  const running = start(["run", "x", "--model", "scripted:script.json", "--tools", "endless.ts", "--json"]);
  await running.writes("still here");
  running.child.stdout.destroy();
  expect(await running.ended).toMatchObject({ exitCode: 4, stderr: "" });
});

test("timers that a tool leaves behind do not keep the command", async () => {
  writeFiles(folder, { "timer.ts": toolsFile("() => { setInterval(() => undefined, 1000); return 3; }") });
  expect(await start([...run.slice(0, 4), "--tools", "timer.ts", "-q"]).end()).toMatchObject({ exitCode: 0, stdout: "It is 3.\n" });
});

test("a run whose process was killed is resumed without questions", async () => {
  const body =
    '() => { process.stderr.write("under way\\n"); return process.env["HANG"] ? new Promise(() => setInterval(() => undefined, 1000)) : 3; }';
  writeFiles(folder, { "killed.ts": toolsFile(body) });
  const args = [commandOf(folder), ...run.slice(0, 4), "--tools", "killed.ts", "--session", "killed"];
  const running = new Running(args, { cwd: folder, env: { HANG: "1" } });
  await running.writes("under way");
  running.child.kill("SIGKILL");
  await running.ended;
  expect(await start(args.slice(1)).end()).toMatchObject({
    exitCode: 2,
    stderr: 'triact: The last run of session "killed" was not finished when its process ended. Go on with: triact resume killed\n',
  });
  const resumed = await start(["resume", "killed"]).end();
  expect(resumed).toMatchObject({ exitCode: 0, stdout: "It is 3.\n" });
  expect(resumed.stderr).not.toContain("under way"); // the call was not made again
});

test("a tools file of a project with its own triact gets the command's", async () => {
  const other = temporaryFolder({ "tools.ts": adds, "script.json": JSON.stringify(addScript), "package.json": '{ "type": "module" }' });
  cpSync(join(folder, "node_modules"), join(other, "node_modules"), { recursive: true, verbatimSymlinks: true });
  expect(await start([...run, "-q"], other).end()).toMatchObject({ exitCode: 0, stdout: "It is 3.\n", stderr: "" });
});

test("a tools file that Node takes for CommonJS is refused with advice, and works when it is named .mts", async () => {
  const files = { "tools.ts": adds, "tools.mts": adds, "script.json": JSON.stringify(addScript), "package.json": '{ "type": "commonjs" }' };
  const other = temporaryFolder(files);
  const { exitCode, stderr } = await start([...run, "-q"], other).end();
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('name the file .mts or set "type": "module" in its package.json.\n')]);
  expect(await start([...run.slice(0, 4), "-t", "tools.mts", "-q"], other).end()).toMatchObject({ exitCode: 0, stdout: "It is 3.\n" });
});

test("a tools file outside of any project gets triact and zod from the command", async () => {
  const other = temporaryFolder({
    "tools.mts": adds,
    "script.mts": 'import { say } from "triact/testing";\nexport default [say("Hello.")];\n',
  });
  const args = ["run", "x", "--model", "scripted:script.mts", "--tools", "tools.mts", "-q"];
  expect(await start(args, other).end()).toEqual({ exitCode: 0, signal: null, stdout: "Hello.\n", stderr: "" });
});

test("npx triact works in a clone that was built, whose tools files import triact by its name", { timeout: 90_000 }, async () => {
  const clone = temporaryFolder({ "tools.ts": adds, "script.json": JSON.stringify(addScript), "node_modules/.bin/.keep": "" });
  for (const name of ["package.json", "tsconfig.json", "tsconfig.build.json", "scripts", "src"]) {
    cpSync(join(projectRoot, name), join(clone, name), { recursive: true });
  }
  for (const name of readdirSync(join(projectRoot, "node_modules")).filter((each) => !each.startsWith("."))) {
    symlinkSync(join(projectRoot, "node_modules", name), join(clone, "node_modules", name));
  }
  expect(await runNode(["scripts/build.ts"], { cwd: clone, timeoutMs: 60_000 })).toEqual({ ok: true, output: "" });
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`, HOME: clone, npm_config_offline: "true" };
  const npx = (args: readonly string[]) => execFileSync("npx", ["triact", ...args], { cwd: clone, encoding: "utf8", env });
  expect(npx(["--help"])).toContain("Usage: triact COMMAND");
  expect(npx([...run, "-q"])).toBe("It is 3.\n");
});
