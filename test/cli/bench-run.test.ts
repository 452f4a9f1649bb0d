import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentModelRequest, BaseAgentRuntime } from "triact";
import { defineSuite } from "triact/bench";
import { expect, test } from "vitest";
import { progressText } from "../../src/cli/bench/progress-line.ts";
import { fixture, protocols } from "../models/kit.ts";
import { startServer, whole } from "../models/server.ts";
import { World } from "./kit.ts";

class PoliteRuntime extends BaseAgentRuntime {
  override readonly name = "polite";
  protected override adaptRequest(request: AgentModelRequest): AgentModelRequest {
    return request;
  }
}

const greeting = defineSuite({
  name: "greetings",
  tasks: ["Ann", "Bob", "Cem"].map((name) => ({
    id: name.toLowerCase(),
    question: `Greet ${name}.`,
    program: `return "Hello ${name}"`,
    start: () => ({ tools: [], check: (answer) => ({ solved: answer === `Hello ${name}` }) }),
  })),
});

const wrong = defineSuite({
  name: "wrong",
  tasks: [
    {
      id: "one",
      question: "One?",
      program: 'return "2"',
      start: () => ({ tools: [], check: () => ({ solved: false, reason: "1 was expected" }) }),
    },
  ],
});

const modules = {
  "named.ts": { greeting, again: greeting },
  "both.ts": { greeting, wrong },
  "class.ts": { PoliteRuntime },
  "wrong.ts": { wrong },
  "suite.ts": { default: greeting },
  "polite.ts": { default: new PoliteRuntime() },
  "empty.ts": {},
};
const command = (...words: string[]) => ["bench", "run", "--suite", "suite.ts", "--arm", "react", "--output", "out", ...words];

test("a run without a key ends with a table, and says what it does not show", async () => {
  const world = new World({ modules });
  const { exitCode, stdout, stderr } = await world.triact(command("--arm", "./polite.ts"));
  expect([exitCode, stdout.split("\n").map((line) => line.split(/ {2,}/).slice(0, 4).join("|"))]).toEqual([
    0,
    ["strategy|model|solved|95 %", "react|reference-policy|3/3|44–100", "polite|reference-policy|3/3|44–100", ""],
  ]);
  expect(stderr.split("\n")).toEqual([
    expect.stringContaining("Reference policy, by whole: what each strategy makes of a right solution"),
    "6 cells, to out",
    "Records: out/records.jsonl",
    "Report: out/report.html",
    "",
  ]);
  expect(readdirSync(join(world.folder, "out/traces"))).toHaveLength(6);
  expect(readFileSync(join(world.folder, "out/report.html"), "utf8")).toContain("greetings/ann/polite/reference-policy/0");
});

test("a suite and a strategy may be exported by any name; of several none is taken, and a class is none", async () => {
  const world = new World({ modules });
  const run = (...words: string[]) => world.triact(["bench", "run", "--output", `out${Math.random()}`, ...words]);
  expect((await run("--suite", "named.ts", "--arm", "polite.ts")).exitCode).toBe(0);
  expect((await run("--suite", "both.ts", "--arm", "react")).stderr).toContain("both.ts exports several suites. Export one");
  expect((await run("--suite", "named.ts", "--arm", "class.ts")).stderr).toContain(
    "A class is none: export an instance, for example new MyRuntime().",
  );
});

test("what was not solved is named, with the reason", async () => {
  const { stderr } = await new World({ modules }).triact([
    "bench",
    "run",
    "--suite",
    "wrong.ts",
    "--arm",
    "react",
    "--trials",
    "7",
    "--output",
    "out",
  ]);
  const lines = stderr.split("\n");
  expect(lines.slice(2, 9)).toEqual([
    "Not solved:",
    ...Array<string>(5).fill("  one, react: wrong, 1 was expected"),
    "  and 2 more, in the report",
  ]);
});

test("--limit cuts the suite, and --json writes the summary as JSON", async () => {
  const { stdout } = await new World({ modules }).triact(command("--limit", "2", "--json", "--trials", "2"));
  expect(JSON.parse(stdout)).toMatchObject({ arm: "react", model: "reference-policy", cells: 4, solved: 4, modelCalls: 4 });
});

test("faults add a row each", async () => {
  const { stdout } = await new World({ modules }).triact(command("--faults", "refusal, rate-limit", "--json"));
  const rows = stdout.trim().split("\n");
  expect(rows.map((row) => JSON.parse(row) as unknown)).toMatchObject([
    { cells: 3, solved: 3 },
    { fault: "rate-limit", solved: 3 },
    { fault: "refusal", solved: 0 },
  ]);
});

test("a cap ends the run with 1 and says how to go on; --resume does", async () => {
  const world = new World({ modules });
  const capped = await world.triact(command("--max-time", "0"));
  expect([capped.exitCode, capped.stderr]).toEqual([
    1,
    expect.stringContaining("0 of 3 cells: --max-time was reached. Go on with: triact bench run … --resume"),
  ]);
  const resumed = await world.triact(command("--resume"));
  expect([resumed.exitCode, resumed.stdout]).toEqual([0, expect.stringContaining("3/3")]);
  expect((await world.triact(command())).stderr).toContain("holds records already. Resume them, or choose another folder");
});

test("a cap on a cost that nobody knows is said, once", async () => {
  const server = await startServer(whole(protocols["openai-chat"].blocks(fixture("openai-chat", "text"))));
  const world = new World({ modules, environment: { OLLAMA_BASE_URL: server.url } });
  const { stderr } = await world.triact(command("--model", "ollama:qwen3:8b", "--max-cost", "1"));
  expect(stderr.split("\n")).toEqual([
    "3 cells, cost at most 1, to out",
    expect.stringMatching(/^Estimate: 3 model calls, \d+ tokens in, \d+ out\. It is what the reference policy takes on 3 tasks/),
    "The provider tells no cost, and no prices are known: --max-cost cannot stop this run. --max-time can.",
    "Not solved:",
    ...Array<unknown>(3).fill(expect.stringMatching(/^ {2}(ann|bob|cem), react: wrong$/)),
    "Records: out/records.jsonl",
    "Report: out/report.html",
    "",
  ]);
});

test("with prices the estimate has a cost, and so has the table", async () => {
  const server = await startServer(whole(protocols["openai-chat"].blocks(fixture("openai-chat", "text"))));
  const world = new World({ modules, environment: { OLLAMA_BASE_URL: server.url } });
  const { stderr, stdout } = await world.triact(command("--model", "ollama:qwen3:8b", "--price", "1000/2000"));
  expect(stderr).toMatch(/^Estimate: 3 model calls, .* out, cost 0\.\d\d\. It is/m);
  expect(stdout).toMatch(/out\/cell +cost +time p50\n.* \d\.\d{4} /);
});

test("a folder that another process writes to is refused", async () => {
  const world = new World({ modules });
  await world.triact(command());
  writeFileSync(join(world.folder, "out/run.lock"), `${process.ppid}\n`);
  const { exitCode, stderr } = await world.triact(command("--resume"));
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`out is in use by process ${process.ppid}.`)]);
});

test.for([
  [["--suite", "nothing"], '--suite: there is no suite "nothing". Allowed: mixed, crossover'],
  [["--suite", "m3tooleval"], "--suite: m3tooleval needs the folder of its data. Give it by --data FOLDER."],
  [["--suite", "empty.ts"], "exports no suite. Export one that defineSuite"],
  [["--arm", "plan"], '--arm: there is no runtime "plan". Allowed: react, codeact, deep-research.'],
  [["--arm", 'react:{"a":1}'], "--arm: react takes no options."],
  [["--arm", "empty.ts"], "exports no runtime. Export one, or { name, runtime, settings }."],
  [["--arm", "react"], 'arms: the name "react" stands there twice'],
  [["--granularity", "half"], '--granularity: expected call, level or whole, received "half".'],
  [["--faults", "earthquake"], 'there is no fault "earthquake"'],
  [["--trials", "0"], "--trials: expected an integer from 1"],
  [["--model", "nobody:x"], "--model: there is no provider"],
  [["--price", "3/15"], "--price: the reference policy costs nothing. Give it with --model."],
  [["--model", "ollama:x", "--price", "3"], '--price: expected two numbers from 0 as in 3/15, received "3".'],
  [["--model", "ollama:x", "--price", "1/2", "--price", "3/4"], "--price: one is expected, or one for each --model; received 2 for 1."],
  [["more"], "No argument is expected, received more."],
] as const)("%j is refused, and nothing is run", async ([words, problem]) => {
  const world = new World({ modules });
  const { exitCode, stderr } = await world.triact(command(...words));
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(problem)]);
  expect(existsSync(join(world.folder, "out/records.jsonl"))).toBe(false);
});

test("--resume without --output is refused", async () => {
  const { exitCode, stderr } = await new World({ modules }).triact(["bench", "run", "--resume"]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("name the folder to go on with by --output FOLDER")]);
});

test("the suites are listed", async () => {
  const { exitCode, stdout } = await new World().triact(["bench", "list", "--json"]);
  const rows = stdout.trim().split("\n");
  expect(exitCode).toBe(0);
  expect(rows.map((row) => (JSON.parse(row) as { name: string }).name)).toEqual(["mixed", "crossover", "workday", "library", "m3tooleval"]);
});

test("the help names the commands of two words, and each has its own", async () => {
  const world = new World();
  expect((await world.triact(["bench", "--help"])).stdout).toContain("run                     run tasks by each strategy");
  const { stdout } = await world.triact(["help", "bench", "run"]);
  expect(stdout).toContain("Usage: triact bench run [flags]");
  expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  expect(await world.triact(["bench"])).toMatchObject({ exitCode: 2, stdout: "" });
  expect((await world.triact(["bench", "dance"])).stderr).toContain(
    'There is no command "bench dance". Commands: run, list, report, compare.',
  );
});

test("progress is a bar with the cells done, the cost and the time left", () => {
  const progress = { done: 5, total: 20, cost: 0, elapsedMs: 1_000, leftMs: undefined };
  expect(progressText(progress)).toBe("█████░░░░░░░░░░░░░░░ 5/20 cells");
  expect(progressText({ ...progress, cost: 0.25, leftMs: 4_800_000 })).toBe(
    "█████░░░░░░░░░░░░░░░ 5/20 cells, cost 0.2500, 1 h 20 min left",
  );
});
