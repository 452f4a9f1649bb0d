import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTool, JsonlSessionStore } from "triact";
import { expect, test } from "vitest";
import { z } from "zod";
import { lockSession } from "../../src/cli/session-lock.ts";
import { addRun, addScript, World } from "./kit.ts";

const files = { "script.json": addScript };
const call = (a: number) => ({ toolName: "add", input: { a, b: 0 } });
const three = [{ toolCalls: [call(1), call(2), call(3)] }, { text: "Done." }];
const ask = [...addRun, "--policy", "ask", "--session", "s"];
const CHOICES = "[l]eave it waiting > ";

const suspended = async (script: unknown = addScript) => {
  const world = new World({ files: { "script.json": script } });
  return { world, ended: await world.triact(ask) };
};

test("a conversation goes on over several calls", async () => {
  const script = {
    default: Array.from({ length: 2 }, () => ({ messages }: { messages: unknown[] }) => ({ text: `${messages.length}` })),
  };
  const world = new World({ modules: { "count.ts": script } });
  const args = ["run", "x", "--model", "scripted:count.ts", "--session", "s", "-q"];
  expect([(await world.triact(args)).stdout, (await world.triact(args)).stdout]).toEqual(["1\n", "3\n"]);
});

test("sessions are in $TRIACT_HOME/sessions, readable by their owner alone, and no lock is left", async () => {
  const { world } = await suspended();
  const folder = join(world.folder, "sessions");
  expect(readdirSync(folder).sort()).toEqual(["s.command.json", "s.jsonl"]);
  expect([folder, join(folder, "s.jsonl"), join(folder, "s.command.json")].map((path) => statSync(path).mode & 0o077)).toEqual([0, 0, 0]);
});

test("--session-dir is another folder, and the hint names it", async () => {
  const world = new World({ files });
  const { stderr } = await world.triact([...ask, "--session-dir", "my sessions"]);
  expect(stderr).toContain("Go on with: triact resume s --session-dir 'my sessions'\n");
  expect(existsSync(join(world.folder, "my sessions/s.jsonl"))).toBe(true);
});

test("without a terminal a call waits, and the run is suspended", async () => {
  const { ended } = await suspended();
  expect(ended).toMatchObject({ exitCode: 3, stdout: "I add.\n" });
  expect(ended.stderr).toContain('suspended\n  waits: call_1 add {"a":1,"b":2}\nGo on with: triact resume s\n');
});

test("--json ends a suspended run with its event", async () => {
  const world = new World({ files });
  const { exitCode, stdout, stderr } = await world.triact([...ask, "--json"]);
  expect([exitCode, stderr]).toEqual([3, ""]);
  expect(JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({ type: "run-finished", result: { status: "suspended" } });
});

test("run refuses a session whose run waits", async () => {
  const { world } = await suspended();
  const { exitCode, stderr } = await world.triact(ask);
  expect([exitCode, stderr]).toEqual([2, 'triact: The last run of session "s" waits for an approval. Go on with: triact resume s\n']);
});

test("resume builds the agent as the run did, and the script goes on", async () => {
  const { world } = await suspended();
  expect(await world.triact(["resume", "s", "--approve", "all"])).toMatchObject({ exitCode: 0, stdout: "It is 3.\n" });
  expect(await world.triact(["resume", "s"])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('The last run of session "s" is over (completed).'),
  });
});

test("resume without answers and without a terminal lists what waits", async () => {
  const { world } = await suspended();
  const { exitCode, stdout, stderr } = await world.triact(["resume", "s"]);
  expect([exitCode, stdout]).toEqual([3, ""]);
  expect(stderr).toBe('waits: call_1 add {"a":1,"b":2}\nAnswer at a terminal, or with --approve ID, --reject ID=REASON, --approve all.\n');
  expect(await world.triact(["resume", "s", "--approve", "all"])).toMatchObject({ exitCode: 0 });
});

test.for([
  [
    ["--approve", "call_1", "--reject", "call_2=too=much", "--reject", "call_3"],
    ["← add 1", "✗ add Approval for tool add was denied: too=much.", "✗ add Approval for tool add was denied"],
  ],
  [
    ["--reject", "all=no", "--approve", "call_2"],
    ["denied: no.", "← add 2", "denied: no."],
  ],
] as const)("%j answer", async ([flags, shown]) => {
  const { world } = await suspended(three);
  const { exitCode, stderr } = await world.triact(["resume", "s", ...flags]);
  expect(exitCode).toBe(0);
  const results = stderr.split("\n").filter((line) => /^[←✗]/.test(line));
  expect(results).toEqual(shown.map((text) => expect.stringContaining(text)));
});

test("the id of a call may hold an equals sign", async () => {
  const { world } = await suspended([{ toolCalls: [{ ...call(1), toolCallId: "c=1" }] }, { text: "Done." }]);
  const { exitCode, stderr } = await world.triact(["resume", "s", "--reject", "c=1"]);
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining("✗ add Approval for tool add was denied")]);
});

test("some answers run some calls, and the rest waits again", async () => {
  const { world } = await suspended(three);
  const { exitCode, stderr } = await world.triact(["resume", "s", "--approve", "call_2"]);
  expect(exitCode).toBe(3);
  expect(stderr).toContain("← add 2 ");
  expect(stderr).toContain("waits: call_1");
  expect(stderr).not.toContain("waits: call_2");
  expect(await world.triact(["resume", "s", "--approve", "all"])).toMatchObject({ exitCode: 0, stdout: "Done.\n" });
});

test.for([
  [["--approve", "call_9"], "--approve call_9: no call of this id waits. Waiting: call_1."],
  [["--approve", "call_1", "--reject", "call_1=no"], "--reject call_1=no: call_1 was answered by another flag already."],
  [["--approve", "all", "--reject", "all"], "--reject all: all was answered by another flag already."],
] as const)("%j is refused, and nothing runs", async ([flags, problem]) => {
  const { world } = await suspended();
  expect(await world.triact(["resume", "s", ...flags])).toEqual({ exitCode: 2, stdout: "", stderr: `triact: ${problem}\n` });
  expect(await world.triact(["resume", "s"])).toMatchObject({ exitCode: 3 });
});

test("a person is asked about each call that waits", async () => {
  const { world } = await suspended(three);
  const { exitCode, stderr } = await world.triact(["resume", "s"], {
    interactive: true,
    answers: [
      [CHOICES, "y"],
      [CHOICES, "l"],
      [CHOICES, "n"],
      ["(may be empty): ", "no"],
    ],
  });
  expect(exitCode).toBe(3);
  expect(stderr).toContain("← add 1 ");
  expect(stderr).toContain("denied: no.");
  expect(stderr).toContain("waits: call_2 ");
});

test("always answers the calls behind it, and later calls of the run", async () => {
  const { world } = await suspended([...three.slice(0, 1), { toolCalls: [call(4)] }, { text: "Done." }]);
  const { exitCode, stderr } = await world.triact(["resume", "s"], { interactive: true, answers: [[CHOICES, "a"]] });
  expect(exitCode).toBe(0);
  expect(stderr.match(/May it call/g)).toHaveLength(1);
  expect(stderr).toContain("← add 4 ");
});

test("an edited input is executed; one that does not fit is refused before anything runs", async () => {
  const { world } = await suspended();
  const wrong = await world.triact(["resume", "s"], {
    interactive: true,
    answers: [
      [CHOICES, "e"],
      ["on one line: ", "[1]"],
      [CHOICES, "e"],
      ["on one line: ", '{"a":"x"}'],
    ],
  });
  expect(wrong.exitCode).toBe(2);
  expect(wrong.stderr).toContain("Expected a JSON object. The input stays as it is.\n");
  expect(wrong.stderr).toContain("decisions.call_1.input does not fit the schema of add");
  const right = await world.triact(["resume", "s"], {
    interactive: true,
    answers: [
      [CHOICES, "e"],
      ["on one line: ", '{"a":40,"b":2}'],
    ],
  });
  expect(right).toMatchObject({ exitCode: 0, stderr: expect.stringContaining("← add 42 ") });
});

test("Ctrl-C while calls are decided leaves the session as it was", async () => {
  const { world } = await suspended(three);
  const { exitCode } = await world.triact(["resume", "s"], {
    interactive: true,
    answers: [
      [CHOICES, "y"],
      [CHOICES, "^C"],
    ],
  });
  expect(exitCode).toBe(130);
  const store = new JsonlSessionStore(join(world.folder, "sessions"));
  const calls = (await store.load("s"))?.snapshot.pendingToolCalls.map(({ decision, state }) => [decision, state]);
  expect(calls).toEqual([1, 2, 3].map(() => [undefined, "awaiting-approval"]));
});

test("flags of resume go before those of the run", async () => {
  const { world } = await suspended();
  const modules = {
    "other.ts": { add: createTool({ name: "add", description: "…", inputSchema: z.object({}).loose(), execute: () => "other" }) },
  };
  const { stderr } = await world.triact(["resume", "s", "--approve", "all", "--tools", "other.ts"], { modules });
  expect(stderr).toContain("← add other ");
});

test("another model on resume begins its script from the start", async () => {
  const { world } = await suspended();
  writeFileSync(join(world.folder, "second.json"), JSON.stringify([{ text: "Second." }]));
  expect((await world.triact(["resume", "s", "--approve", "all", "--model", "scripted:second.json"])).stdout).toBe("Second.\n");
});

test("a session that another process has is refused, and one that a dead process had is taken over", async () => {
  const { world } = await suspended();
  const lock = join(world.folder, "sessions/s.lock");
  writeFileSync(lock, `${process.ppid}\n`);
  const { exitCode, stderr } = await world.triact(["resume", "s", "--approve", "all"]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`Session "s" is in use by process ${process.ppid}.`)]);
  writeFileSync(lock, "999999999\n");
  expect(await world.triact(["resume", "s", "--approve", "all"])).toMatchObject({ exitCode: 0 });
  expect(existsSync(lock)).toBe(false);
});

test("of several processes that find the lock of a dead one, one takes it over", async () => {
  const { folder } = new World();
  for (let round = 0; round < 30; round++) {
    const path = join(folder, `${round}.lock`);
    writeFileSync(path, "999999999\n");
    const taking = await Promise.allSettled([1, 2, 3, 4].map(() => lockSession("s", path)));
    expect(taking.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  }
  expect(readdirSync(folder).filter((name) => !name.endsWith(".lock"))).toEqual([]);
});

test("an aborted run keeps its history, and the conversation goes on", async () => {
  const world = new World({ files: { "script.json": [{ toolCalls: [{ toolName: "stop" }] }, { text: "Here." }] } });
  const stop = createTool({
    name: "stop",
    description: "…",
    inputSchema: z.object({}),
    execute: () => world.interruption.interrupt("SIGTERM"),
  });
  const modules = { "tools.ts": { stop } };
  const args = ["run", "x", "--model", "scripted:script.json", "--tools", "tools.ts", "--session", "s"];
  expect(await world.triact(args, { modules })).toMatchObject({ exitCode: 143, stderr: expect.stringContaining("aborted (abort)") });
  expect(JSON.parse((await world.triact(["sessions", "--json"])).stdout)).toMatchObject({
    sessionId: "s",
    status: "aborted",
    messageCount: 3,
  });
  expect(await world.triact(args, { modules })).toMatchObject({ exitCode: 0, stdout: "Here.\n" });
});

test("sessions lists what is there", async () => {
  const { world } = await suspended();
  expect((await world.triact(["sessions"])).stdout).toMatch(/^s {2}suspended {2}2 messages {2}\d{4}-\d\d-\d\d \d\d:\d\d\n$/);
  writeFileSync(join(world.folder, "sessions/old.jsonl"), "?\n");
  const { exitCode, stdout } = await world.triact(["sessions"]);
  expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^old {2}damaged .*\ns {4}suspended /m)]);
  expect(await new World().triact(["sessions"])).toMatchObject({
    exitCode: 0,
    stdout: "",
    stderr: expect.stringContaining("There are no sessions in "),
  });
});

test("the advice for a session whose run is over can be copied, whatever its name and place", async () => {
  const world = new World({ files });
  const place = ["--session-dir", "my sessions"];
  await world.triact([...addRun, "--session", "it's over", ...place]);
  const { exitCode, stderr } = await world.triact(["resume", "it's over", ...place]);
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringContaining(`triact run "…" --session 'it'\\''s over' --session-dir 'my sessions'\n`),
  ]);
});

// a process in a container often has the number that the last one had
test("a lock of a process that had the number of this one is taken over", async () => {
  const { world } = await suspended();
  writeFileSync(join(world.folder, "sessions/s.lock"), `${process.pid}\n`);
  expect(await world.triact(["resume", "s", "--approve", "all"])).toMatchObject({ exitCode: 0 });
  expect(readdirSync(join(world.folder, "sessions")).sort()).toEqual(["s.command.json", "s.jsonl"]);
});

test("a session that this process is using is refused", async () => {
  const { world } = await suspended();
  const lock = join(world.folder, "sessions/s.lock");
  const unlock = await lockSession("s", lock);
  await expect(lockSession("s", lock)).rejects.toThrow(`in use by process ${process.pid}.`);
  await unlock();
  await (await lockSession("s", lock))();
});
