import { expect, test } from "vitest";
import { add, addScript, World } from "./kit.ts";

const PROMPT = "› ";
const chat = ["chat", "--model", "scripted:script.json", "--tools", "tools.ts"];
const withoutTimes = (text: string) => text.replaceAll(/\d+(\.\d+)? m?s\b/g, "TIME");

/** A model that says how many messages it got, and which tools. */
const counting = Array.from({ length: 9 }, () => ({ messages, tools }: { messages: unknown[]; tools: unknown[] }) => ({
  text: `${messages.length} messages, ${tools.length} tools`,
}));

test("lines of standard input are messages, one run each, and the history goes on", async () => {
  const world = new World({ modules: { "count.ts": { default: counting } } });
  const args = ["chat", "--model", "scripted:count.ts"];
  const { exitCode, stdout, stderr } = await world.triact(args, { stdin: "one\ntwo\\\nmore\n\nthree" });
  expect([exitCode, stdout]).toEqual([0, "1 messages, 0 tools\n3 messages, 0 tools\n5 messages, 0 tools\n"]);
  expect(withoutTimes(stderr).split("\n")[0]).toBe("1 turn · 0 tokens in, 0 out · TIME · so far 1 run, 0 tokens in, 0 out");
});

test("the exit code of a conversation without a terminal is that of its last run", async () => {
  const world = new World({ files: { "script.json": [{ finishReason: "error", error: "down" }] }, modules: { "tools.ts": { add } } });
  const { exitCode, stderr } = await world.triact(chat, { stdin: "one\n" });
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^failed \(error\): .*down/);
});

test("tokens and cost are counted over all turns", async () => {
  const world = new World({ files: { "script.json": [...addScript, ...addScript] } });
  const { stderr } = await world.triact(chat, { stdin: "Add\nAgain\n/usage\n" });
  expect(stderr).toContain(" · so far 1 run, 30 tokens in, 11 out, cost 0.00123\n");
  expect(stderr).toMatch(/^2 runs, 60 tokens in, 22 out, cost 0\.00246$/m);
});

test("a person is asked about a call, and always lasts for the conversation", async () => {
  const world = new World({ files: { "script.json": [...addScript, ...addScript] }, interactive: true });
  const { exitCode, stdout, stderr } = await world.triact([...chat, "--policy", "ask"], {
    answers: [
      [PROMPT, "Add"],
      ["[s]uspend > ", "a"],
      [PROMPT, "Again"],
      [PROMPT, "^D"],
    ],
  });
  expect([exitCode, stdout]).toEqual([0, "I add.\nIt is 3.\nI add.\nIt is 3.\n"]);
  expect(stderr.match(/May it call/g)).toHaveLength(1);
  expect(stderr).toContain("[a]lways add in this conversation");
});

test("a suspended call waits, and is asked about again", async () => {
  const world = new World({ files: { "script.json": [...addScript, { text: "Bye." }] }, interactive: true });
  const { exitCode, stdout, stderr } = await world.triact([...chat, "--policy", "ask"], {
    answers: [
      [PROMPT, "Add"],
      ["[s]uspend > ", "s"],
      [PROMPT, "/runtime codeact"],
      [PROMPT, "And then?"],
      ["[l]eave it waiting > ", "l"],
      [PROMPT, "/resume"],
      ["[l]eave it waiting > ", "y"],
      [PROMPT, "And then?"],
      [PROMPT, "/exit"],
    ],
  });
  expect([exitCode, stdout]).toEqual([0, "I add.\nIt is 3.\nBye.\n"]);
  expect(stderr).toContain("suspended\n  waits: call_1 add ");
  expect(stderr).toContain("triact: Calls wait for an answer. /resume asks about them");
  expect(stderr).toContain("Not sent: the calls have to be answered first.");
  expect(stderr).toContain("so far 1 run, 30 tokens in, 11 out, cost 0.00123\n");
});

test("a session goes on in another process, with its calls that wait", async () => {
  const world = new World({ files: { "script.json": [...addScript, { text: "Bye." }] }, interactive: true });
  await world.triact([...chat, "--policy", "ask", "--session", "s"], {
    answers: [
      [PROMPT, "Add"],
      ["[s]uspend > ", "s"],
      [PROMPT, "/session"],
      [PROMPT, "^D"],
    ],
  });
  const { stdout, stderr } = await world.triact(["chat", "--session", "s"], {
    answers: [
      ["[l]eave it waiting > ", "y"],
      [PROMPT, "And then?"],
      [PROMPT, "^D"],
    ],
  });
  expect(stdout).toBe("It is 3.\nBye.\n");
  expect(stderr).toContain("← add 3");
});

test("a conversation goes on in another session, and back, with what each was built from", async () => {
  const world = new World({ modules: { "count.ts": { default: counting }, "tools.ts": { add } } });
  const args = ["chat", "--model", "scripted:count.ts"];
  await world.triact([...args, "--tools", "tools.ts", "--session", "a"], { stdin: "one\ntwo\n" });
  const stdin = "one\n/session a\nthree\n/session new\nfirst\n/session b\ntwo\n/session\n";
  const { exitCode, stdout, stderr } = await world.triact([...args, "--session", "b"], { stdin });
  expect([exitCode, stdout]).toEqual([0, "1 messages, 0 tools\n5 messages, 1 tools\n1 messages, 1 tools\n3 messages, 0 tools\n"]);
  expect(stderr).toMatch(/^4 messages, session a in /m);
  expect(stderr).toMatch(/^0 messages, session new in /m);
  expect(stderr.match(/^4 messages, session b in /gm)).toHaveLength(1);
  const later = await world.triact(["chat", "--session", "a"], { stdin: "/session new\n/session b\n" });
  expect(later.stderr).toMatch(/^2 messages, session new in .*\n4 messages, session b in /m); // nobody holds them any more
});

test("a session that somebody else has, and a conversation that would be lost, stay as they are", async () => {
  const world = new World({ modules: { "count.ts": { default: counting } }, files: { "sessions/taken.lock": `${process.ppid}\n` } });
  const args = ["chat", "--model", "scripted:count.ts"];
  const lost = await world.triact(args, { stdin: "one\n/session other\ntwo\n/clear\n/session other\nthree\n" });
  expect(lost.stdout).toBe("1 messages, 0 tools\n3 messages, 0 tools\n1 messages, 0 tools\n");
  expect(lost.stderr).toContain("triact: This conversation is not kept anywhere and would be lost. /clear forgets it.\n");
  const taken = await world.triact([...args, "--session", "mine"], { stdin: "one\n/session taken\ntwo\n" });
  expect(taken.stdout).toBe("1 messages, 0 tools\n3 messages, 0 tools\n");
  expect(taken.stderr).toContain('Session "taken" is in use by process');
});

test("another runtime goes on with the history, and so does another model", async () => {
  const codeact = [JSON.stringify({ type: "code", code: "return await add({ a: 2, b: 2 })" })].map((text) => ({ text }));
  const world = new World({
    files: { "script.json": [...addScript, ...codeact] },
    modules: { "tools.ts": { add }, "count.ts": { default: counting } },
  });
  for (const session of [[], ["--session", "s"]]) {
    const stdin = "Add\n/runtime codeact\nTwice\n/runtime react\n/model scripted:count.ts\nHow many?\n/model\n/runtime\n";
    const { exitCode, stdout, stderr } = await world.triact([...chat, ...session], { stdin });
    expect(stdout).toBe("I add.\nIt is 3.\n4\n8 messages, 1 tools\n");
    expect(stderr).toContain("│ return await add({ a: 2, b: 2 })\n");
    expect(stderr).toContain("runtime: react. There are react, codeact, deep-research\n");
    expect(exitCode).toBe(0);
  }
});

test("a change that cannot be made changes nothing", async () => {
  const world = new World({ modules: { "count.ts": { default: counting } } });
  const stdin = '/runtime magic\n/runtime codeact:{"finish":1}\n/model groq:x\n/model\n/nope\n /nope\n';
  const { exitCode, stdout, stderr } = await world.triact(["chat", "--model", "scripted:count.ts"], { stdin });
  expect([exitCode, stdout]).toEqual([0, "1 messages, 0 tools\n"]);
  expect(stderr).toContain('triact: --runtime: there is no runtime "magic".');
  expect(stderr).toContain("triact: CodeActRuntime.finish: ");
  expect(stderr).toContain("triact: --model: there is no key for groq. Set GROQ_API_KEY");
  expect(stderr).toMatch(/^model: scripted:.*count\.ts$/m);
  expect(stderr).toContain("There is no command /nope.");
});

test("the commands of the help are there, tools are listed, and clear forgets", async () => {
  const world = new World({ modules: { "tools.ts": { add }, "count.ts": { default: counting } } });
  const stdin = "/help\n/tools\none\n/clear\ntwo\n/session\n/exit\nnever\n";
  const { stdout, stderr } = await world.triact(["chat", "--model", "scripted:count.ts", "--tools", "tools.ts"], { stdin });
  expect(stdout).toBe("1 messages, 1 tools\n1 messages, 1 tools\n");
  for (const name of ["help", "runtime NAME", "model PROVIDER:MODEL", "tools", "session NAME", "usage", "clear", "exit"]) {
    expect(stderr).toContain(`\n/${name} `.replace(/^\n\/help/, "/help"));
  }
  expect(stderr).toContain("add  Adds two numbers.\n");
  expect(stderr).toContain("2 messages, not kept; ");
});

test("what is typed while the agent works is told to it", async () => {
  const said: string[] = [];
  const turns = [
    addScript[0],
    ({ messages }: { messages: { role: string; content: { text?: string }[] }[] }) => {
      said.push(...messages.filter(({ role }) => role === "user").map(({ content }) => content[0]?.text ?? ""));
      return { text: "Done." };
    },
  ];
  const world = new World({ modules: { "tools.ts": { add }, "script.ts": { default: turns } }, interactive: true });
  await world.triact(["chat", "--model", "scripted:script.ts", "--tools", "tools.ts", "--policy", "ask"], {
    answers: [
      [PROMPT, "Add"],
      ["[s]uspend > ", "y\nand be quick"],
      [PROMPT, "^D"],
    ],
  });
  expect(said).toEqual(["Add", "and be quick"]);
});

test("SIGINT ends the turn and the conversation", async () => {
  const world = new World({ files: { "script.json": addScript }, interactive: true });
  const { exitCode } = await world.triact([...chat, "--policy", "ask"], {
    answers: [
      [PROMPT, "Add"],
      ["[s]uspend > ", "^C"],
    ],
  });
  expect(exitCode).toBe(130);
});
