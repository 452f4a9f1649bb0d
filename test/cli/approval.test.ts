import { PassThrough } from "node:stream";
import { createTool } from "triact";
import { expect, test } from "vitest";
import { z } from "zod";
import { createApproval } from "../../src/cli/create-approval.ts";
import { Questions } from "../../src/cli/questions.ts";
import { addRun, addScript, World } from "./kit.ts";

const PROMPT = "[s]uspend > ";
const REASON = "(may be empty): ";
const NAME = "(Enter to go back): ";
const ask = [...addRun, "--policy", "ask"];
const two = { toolName: "add", input: { a: 1, b: 2 } };
const twice = [{ toolCalls: [two, two] }, { toolCalls: [two] }, { text: "Done." }];

async function answered(answers: readonly (readonly [string, string])[], script: unknown = addScript) {
  const world = new World({ files: { "script.json": script }, interactive: true });
  return { world, ...(await world.triact(ask, { answers })) };
}

test("the question shows the call and its whole input", async () => {
  const { stderr } = await answered([[PROMPT, "y"]]);
  expect(stderr).toContain('May it call add? call_1\n{\n  "a": 1,\n  "b": 2\n}\n[y]es  [n]o  [a]lways add in this run  [s]uspend > ');
  expect(stderr).toContain("← add 3 ");
});

test("a long input is cut, and shown whole when that is asked for", async () => {
  const script = [{ toolCalls: [{ toolName: "note", input: { text: `${"x".repeat(3_000)}end` } }] }, { text: "ok" }];
  const note = createTool({ name: "note", description: "…", inputSchema: z.object({ text: z.string() }), execute: () => 1 });
  const world = new World({ files: { "script.json": script }, modules: { "tools.ts": { note } }, interactive: true });
  const { stderr } = await world.triact(ask, {
    answers: [
      ["[f]ull input > ", "f"],
      ["[f]ull input > ", "y"],
    ],
  });
  expect(stderr.match(/xend/g)).toHaveLength(1);
  expect(stderr).toContain("more characters]\n");
});

test("an input cannot pretend to be something else", async () => {
  const script = [{ toolCalls: [{ toolName: "add", input: { a: 1, b: 2, "\u001b[1A\r\u202e": "\u009b" } }] }, { text: "ok" }];
  const { stderr } = await answered([[PROMPT, "y"]], script);
  expect(stderr).not.toMatch(/[^\P{Cc}\n\t]|\u202e/u);
});

test("no asks for a reason, which the model gets", async () => {
  const { stderr } = await answered([
    [PROMPT, "n"],
    [REASON, "too much"],
  ]);
  expect(stderr).toContain("✗ add Approval for tool add was denied: too much. Nothing was executed.");
});

test("always holds for the tool and the run", async () => {
  const { exitCode, stderr } = await answered([[PROMPT, "a"]], twice);
  expect(exitCode).toBe(0);
  expect(stderr.match(/May it call/g)).toHaveLength(1);
  expect(stderr.match(/← add 3/g)).toHaveLength(3);
});

test("yes holds for one call", async () => {
  const { stderr } = await answered(
    [1, 2, 3].map(() => [PROMPT, "yes"] as const),
    twice,
  );
  expect(stderr.match(/May it call/g)).toHaveLength(3);
});

test("what is no answer is asked again", async () => {
  const { exitCode, stderr } = await answered([
    [PROMPT, ""],
    [PROMPT, "maybe"],
    [PROMPT, "y"],
  ]);
  expect(exitCode).toBe(0);
  expect(stderr).toContain("Received: maybe\n");
  expect(stderr).toContain("Received: nothing\n");
});

test("the end of the input denies the call where there is no session", async () => {
  const { exitCode, stderr } = await answered([[PROMPT, "^D"]]);
  expect(exitCode).toBe(0);
  expect(stderr).toContain("✗ add Approval for tool add was denied: the person left without an answer.");
});

test("suspending without a session offers one, and Enter goes back to the question", async () => {
  const { world, exitCode, stderr } = await answered([
    [PROMPT, "s"],
    [NAME, ""],
    [PROMPT, "s"],
    [NAME, "x".repeat(201)],
    [NAME, "later"],
  ]);
  expect(exitCode).toBe(3);
  expect(stderr).toContain("does not. Choose another name.\n");
  expect(stderr).toContain("This run has no session, so it would be lost.");
  expect(stderr).toContain("suspended\n  waits: call_1 add");
  expect(stderr).toContain("Go on with: triact resume later\n");
  expect(await world.triact(["resume", "later", "--approve", "call_1"], { interactive: false })).toMatchObject({
    exitCode: 0,
    stdout: "It is 3.\n",
  });
});

test("an interruption at a question aborts the run", async () => {
  const { exitCode, stderr } = await answered([[PROMPT, "^C"]]);
  expect(exitCode).toBe(130);
  expect(stderr).toContain("aborted (abort): The run was aborted: interrupted by Ctrl-C\n");
});

test("calls at the same time are asked about one after the other", async () => {
  const world = new World({ interactive: true });
  const order: string[] = [];
  const asked: string[] = [];
  const questions = new Questions({
    terminal: { stdout: output(asked), stderr: output(asked), stdin: endless(), isInteractive: true },
    interruption: world.interruption,
  });
  const controller = new AbortController();
  const first = questions.take(async () => {
    order.push("first begins");
    await Promise.resolve();
    order.push("first ends");
  }, controller.signal);
  const failing = questions.take(async () => {
    order.push("failing");
    throw new Error("no");
  }, controller.signal);
  const last = questions.take(async () => order.push("last"), controller.signal);
  await expect(failing).rejects.toThrow("no");
  await Promise.all([first, last]);
  expect(order).toEqual(["first begins", "first ends", "failing", "last"]);
});

test("always, said to one call, answers those that waited for their turn", async () => {
  const shown: string[] = [];
  const stdin = endless();
  const terminal = { stdout: output(shown), stderr: output(shown), stdin, isInteractive: true };
  const questions = new Questions({ terminal, interruption: new World().interruption });
  const approve = createApproval({ host: { terminal }, questions, always: new Set(), hasSession: true, keepInSession: async () => true });
  const { signal } = new AbortController();
  const request = { agentId: "a", runId: "r", iteration: 1, toolCallId: "c", toolName: "add", input: {}, signal };
  const answers = Promise.all([approve(request), approve({ ...request, toolCallId: "d" })]);
  stdin.write("always\n");
  expect(await answers).toEqual([{ approved: true }, { approved: true }]);
  expect(shown.filter((text) => text.includes("May it call"))).toHaveLength(1);
});

test("a call whose run has ended while others were asked is not asked about", async () => {
  const world = new World({ interactive: true });
  const shown: string[] = [];
  const terminal = { stdout: output(shown), stderr: output(shown), stdin: endless(), isInteractive: true };
  const questions = new Questions({ terminal, interruption: world.interruption });
  const approve = createApproval({ host: { terminal }, questions, always: new Set(), hasSession: true, keepInSession: async () => true });
  const controller = new AbortController();
  controller.abort(new Error("over"));
  const request = { agentId: "a", runId: "r", iteration: 1, toolCallId: "c", toolName: "add", input: {}, signal: controller.signal };
  await expect(approve(request)).rejects.toThrow("over");
  expect(shown).toEqual([]);
});

function output(written: string[]) {
  const stream = new PassThrough();
  return {
    stream,
    isTerminal: true,
    isErasable: false,
    write: (text: string) => void written.push(text),
    paint: (_paint: unknown, text: string) => text,
  };
}

function endless() {
  return new PassThrough();
}
