import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createTool } from "triact";
import { expect, test } from "vitest";
import { z } from "zod";
import { projectRoot } from "../../scripts/source-files.ts";
import { commands } from "../../src/cli/commands.ts";
import { add, addRun, addScript, World } from "./kit.ts";

const files = { "script.json": addScript };
const other = createTool({ name: "add", description: "Another.", inputSchema: z.object({}), execute: () => 0 });

test("--version is the version of the package", async () => {
  const { version } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8")) as { version: string };
  expect(await new World().triact(["--version"])).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: "" });
});

test("--help names every command and exit code, on lines that fit a terminal", async () => {
  const { exitCode, stdout } = await new World().triact(["--help"]);
  expect(exitCode).toBe(0);
  for (const word of [...Object.keys(commands), "0 ", "1 ", "2 ", "3 ", "4 ", "130 "]) expect(stdout).toContain(`\n  ${word}`);
  expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
});

test.for(Object.keys(commands))("triact %s --help shows its flags, as triact help does", async (name) => {
  const world = new World();
  const { exitCode, stdout } = await world.triact([name, "--help"]);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(new RegExp(`^Usage: triact ${name}.*\n`));
  expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  expect((await world.triact(["help", name])).stdout).toBe(stdout);
});

test("without a command the help is an error", async () => {
  const { exitCode, stdout, stderr } = await new World().triact([]);
  expect([exitCode, stdout]).toEqual([2, ""]);
  expect(stderr).toContain("Usage: triact COMMAND");
});

test("without a model it says in three lines what to set", async () => {
  const { exitCode, stdout, stderr } = await new World().triact(["run", "Hello"]);
  expect([exitCode, stdout]).toEqual([2, ""]);
  expect(stderr.trimEnd().split("\n")).toHaveLength(3);
  expect(stderr).toContain("TRIACT_MODEL");
});

test("TRIACT_MODEL is the default of --model", async () => {
  const world = new World({ files, environment: { TRIACT_MODEL: "scripted:script.json" } });
  expect(await world.triact(["run", "Add", "--tools", "tools.ts", "--quiet"])).toMatchObject({ exitCode: 0, stdout: "It is 3.\n" });
});

test.for([
  [["frobnicate"], 'There is no command "frobnicate". Commands: run, '],
  [["run", "x", "--modle", "a"], "--modle: there is no such flag. Flags of triact run: --model, "],
  [["run", "x", "-z"], "-z: there is no such flag."],
  [["run", "x", "--model"], "--model: a value is missing. Expected SPEC: provider:model, or scripted:FILE"],
  [["run", "x", "--model", "--json"], "--model: expected SPEC, received --json."],
  [["run", "x", "--model=a:b", "-m", "c:d"], "-m: given twice. It may be given once."],
  [["run", "x", "--json=yes"], '--json: it takes no value, received "yes".'],
  [["run", "x", "--max-iterations", "0"], '--max-iterations: expected an integer from 1, received "0".'],
  [["run", "x", "--max-iterations", "1.5"], '--max-iterations: expected an integer from 1, received "1.5".'],
  [["run", "x", "--max-tokens", ""], '--max-tokens: expected an integer from 1, received "".'],
  [["run", "x", "--timeout", "soon"], '--timeout: expected a number from 0.001 to 2147483, received "soon".'],
  [["run", "x", "--model", "gpt"], '--model: expected provider:model or scripted:FILE, received "gpt".'],
  [["run", "x", "--model", "acme:gpt"], '--model: there is no provider "acme". Known: openai, openai-chat, anthropic, '],
  [[...addRun, "--runtime", "magic"], '--runtime: there is no runtime "magic". Allowed: react, codeact, deep-research.'],
  [[...addRun, "--runtime", "toString"], '--runtime: there is no runtime "toString".'],
  [[...addRun, "--json", "--quiet"], "--quiet: not allowed together with --json."],
  [[...addRun, "more"], "One prompt is expected, received 2 arguments."],
  [["run", "", "--model", "scripted:script.json"], "The prompt is empty."],
  [[...addRun, "--session", ""], "The name of the session is empty."],
  [
    [...addRun, "--session", "ä".repeat(40)],
    "The name of the session is too long. Allowed are 200 plain letters; other signs count as three to twelve.",
  ],
  [["resume"], "Expected the name of one session: triact resume NAME."],
  [["resume", "nobody"], 'There is no session "nobody". See triact sessions.'],
  [["sessions", "x"], "No argument is expected, received x."],
  [[...addRun, "--session", "s", "--session-dir", "script.json"], "script.json, cannot be used: EEXIST"],
  [[...addRun, "--policy", "deny:ad"], '--policy deny:ad: there is no tool "ad". Tools: add.'],
  [[...addRun, "--policy", "ask:"], "--policy ask:: the name of a tool is missing behind the colon."],
  [[...addRun, "--policy", "dney:add"], "Expected ask, allow, deny, one of them with :NAME, or a JSON file of policies."],
  [[...addRun, "--policy", "bad.json"], 'bad.json: it cannot be used: *: Unrecognized key: "autoAprove"'],
  [
    [...addRun, "--policy", "worse.json"],
    'worse.json: it cannot be used: add.enabled: Invalid input: expected boolean, received string, received "no"',
  ],
] as const)("%j is refused", async ([args, problem]) => {
  const policies = { "bad.json": { "*": { autoAprove: false } }, "worse.json": { add: { enabled: "no" } } };
  const { exitCode, stdout, stderr } = await new World({ files: { ...files, ...policies } }).triact(args);
  expect([exitCode, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(problem);
  expect(stderr).toMatch(/^triact: /);
});

test.for([
  ["text", "expected a list of replies, or { turns, seed }, received"],
  [[{ txt: "a" }], 'turns.0: Unrecognized key: "txt"'],
  [[{ text: 1 }], "turns.0.text: Invalid input: expected string, received number, received 1"],
  [[{ text: "a" }, { toolCalls: [{ input: {} }] }], "turns.1.toolCalls.0.toolName: Invalid input: expected string"],
  [{ turns: [], seeds: 1 }, 'Unrecognized key: "seeds"'],
] as const)("the script %j is refused", async ([script, problem]) => {
  const world = new World({ files: { "script.json": JSON.stringify(script) } });
  const { exitCode, stderr } = await world.triact(addRun);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(`--model: the script ${join(world.folder, "script.json")} cannot be used: ${problem}`);
});

test("a script that is no JSON or not there is refused", async () => {
  const world = new World({ files: { "script.json": "[" } });
  expect((await world.triact(addRun)).stderr).toContain("could not be read: ");
  expect((await world.triact(["run", "x", "--model", "scripted:none.json"])).stderr).toContain("could not be read: ENOENT");
});

test("a module is a script whose turns may be functions", async () => {
  const turns = [addScript[0], ({ messages }: { messages: unknown[] }) => ({ text: `${messages.length} messages` })];
  const world = new World({ modules: { "script.ts": { default: turns }, "tools.ts": { add } } });
  const { stdout } = await world.triact(["run", "x", "--model", "scripted:script.ts", "--tools", "tools.ts", "-q"]);
  expect(stdout).toBe("3 messages\n");
});

const tool = (name: string) => createTool({ name, description: name, inputSchema: z.object({}), execute: () => name });

test.for([
  ["by name", { add, helper: () => 1, VERSION: 2 }],
  ["as default", { default: add }],
  ["in a list", { default: [tool("sub"), add] }],
  ["by name and in a list", { add, default: [add] }],
] as const)("tools are exported %s", async ([, module]) => {
  const { exitCode, stderr } = await new World({ files, modules: { "tools.ts": module } }).triact(addRun);
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining("← add 3 ")]);
});

test.for([
  [
    { default: [add, { name: "x", execute: () => 1 }] },
    "item 1 of the default export of FILE is no tool. What looks like a tool was not made by createTool.",
  ],
  [{ default: 7 }, "the default export of FILE is no tool. Export what createTool"],
  [{ helper: () => 1 }, "FILE exports no tool. Export what createTool"],
  [{ add: { ...add } }, "FILE exports no tool. What looks like a tool was not made by createTool."],
  [{ add, other }, "there are two tools named add, in FILE. Names must be unique."],
] as const)("the module of tools %# is refused", async ([module, problem]) => {
  const world = new World({ files, modules: { "tools.ts": module } });
  const { exitCode, stderr } = await world.triact(addRun);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(`--tools: ${problem.replace("FILE", join(world.folder, "tools.ts"))}`);
});

test("--tools may be given several times", async () => {
  const world = new World({ files, modules: { "tools.ts": { add }, "more.ts": { other } } });
  expect((await world.triact([...addRun, "--tools", "more.ts"])).stderr).toContain(
    `in ${join(world.folder, "tools.ts")} and ${join(world.folder, "more.ts")}`,
  );
  expect((await world.triact([...addRun, "--tools", "none.ts"])).stderr).toContain("none.ts could not be loaded: Cannot find module");
});

test.for([
  [["deny"], "The policy does not allow tool add. Nothing was executed."],
  [["deny:add"], "The policy does not allow tool add. Nothing was executed."],
  [["ask"], "there is no terminal at which a person could be asked"],
  [["ask", "allow:add"], "← add 3"],
  [["deny", "allow:add"], "← add 3"],
  [["deny:add", "allow:add"], "← add 3"],
  [["allow:add", "deny"], "← add 3"],
  [["policies.json"], "The policy does not allow tool add: it is Sunday. Nothing was executed."],
  [["policies.json", "allow:add"], "← add 3"],
] as const)("the policies %j hold", async ([policies, shown]) => {
  const world = new World({ files: { ...files, "policies.json": { add: { enabled: false, reason: "it is Sunday" } } } });
  const { exitCode, stderr } = await world.triact([...addRun, ...policies.flatMap((policy) => ["--policy", policy])]);
  expect(exitCode).toBe(0);
  expect(stderr).toContain(shown);
});

test.for([
  ["the argument", ["run", "hello"], "", "hello"],
  ["standard input for a dash", ["run", "-"], "from a pipe\n", "from a pipe\n"],
  ["standard input without an argument", ["run"], "from a pipe", "from a pipe"],
  ["the argument even when something is piped", ["run", "hello"], "piped", "hello"],
  ["an argument that begins with a dash behind two", ["run", "--", "-v"], "", "-v"],
] as const)("the prompt is %s", async ([, [command, ...args], stdin, prompt]) => {
  const script = {
    default: [({ messages }: { messages: { content: { text: string }[] }[] }) => ({ text: messages[0]?.content[0]?.text ?? "" })],
  };
  const world = new World({ modules: { "echo.ts": script } });
  expect((await world.triact([command, "--model", "scripted:echo.ts", "-q", ...args], { stdin })).stdout).toBe(`${prompt}\n`);
});

test("at a terminal a prompt has to be given", async () => {
  const { exitCode, stderr } = await new World({ files, interactive: true }).triact(["run", "-m", "scripted:script.json"]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("A prompt is missing: triact run")]);
});

test("--system and --max-iterations and --max-tokens reach the run", async () => {
  const asked: unknown[] = [];
  const turn = ({ systemPrompt }: { systemPrompt: string }) => {
    asked.push(systemPrompt);
    return addScript[0];
  };
  const world = new World({ modules: { "script.ts": { default: [turn, turn, turn] }, "tools.ts": { add } } });
  const args = ["run", "x", "--model", "scripted:script.ts", "--tools", "tools.ts", "--system", "Be brief."];
  expect(await world.triact([...args, "--max-iterations", "1"])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("failed (max-iterations)"),
  });
  expect(await world.triact([...args, "--max-tokens", "20"])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("failed (token-limit)"),
  });
  expect(asked[0]).toContain("Be brief.");
});

test("--timeout ends a run whose model is silent", async () => {
  const world = new World({ files: { "script.json": [{ hangs: true }] } });
  const { exitCode, stderr } = await world.triact(["run", "x", "--model", "scripted:script.json", "--timeout", "0.02"]);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining("failed (time-limit)")]);
});
