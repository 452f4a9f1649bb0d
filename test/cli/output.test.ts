import { PassThrough } from "node:stream";
import fc from "fast-check";
import { type AgentEvent, createTool, toolResult } from "triact";
import { expect, test } from "vitest";
import { z } from "zod";
import { HumanRenderer } from "../../src/cli/human-renderer.ts";
import { toJsonLine } from "../../src/cli/json-renderer.ts";
import { oneLine, safeText } from "../../src/cli/safe-text.ts";
import { addRun, addScript, World } from "./kit.ts";

const files = { "script.json": addScript };
const lines = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test("text goes to standard output, calls and the end to standard error", async () => {
  const { exitCode, stdout, stderr } = await new World({ files }).triact(addRun);
  expect([exitCode, stdout]).toEqual([0, "I add.\nIt is 3.\n"]);
  expect(stderr.replace(/\(\d+ ms\)/, "(TIME)").replace(/\d+ ms$/m, "TIME")).toBe(
    '→ add {"a":1,"b":2}\n← add 3 (TIME)\ncompleted\n2 turns · 30 tokens in, 11 out · cost 0.00123 · TIME\n',
  );
});

test("--quiet writes the final text alone", async () => {
  expect(await new World({ files }).triact([...addRun, "--quiet"])).toEqual({ exitCode: 0, stdout: "It is 3.\n", stderr: "" });
});

test("--quiet tells of a failure on standard error, and writes no text", async () => {
  const world = new World({ files: { "script.json": [{ text: "Half", finishReason: "error", error: "overloaded" }] } });
  const { exitCode, stdout, stderr } = await world.triact(["run", "x", "-q", "--model", "scripted:script.json"]);
  expect([exitCode, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/^failed \(error\): .*overloaded/);
});

test("--json writes one event a line, and nothing else", async () => {
  const { exitCode, stdout, stderr } = await new World({ files }).triact([...addRun, "--json"]);
  const events = lines(stdout);
  expect([exitCode, stderr]).toEqual([0, ""]);
  expect(events.map(({ type }) => type)).toEqual([
    "run-started",
    "message-added",
    ...["turn-started", "assistant-text-delta", "assistant-tool-call-delta", "usage-updated", "message-added", "assistant-message"],
    ...["tool-started", "tool-finished", "message-added", "turn-finished"],
    ...["turn-started", "assistant-text-delta", "usage-updated", "message-added", "assistant-message", "turn-finished"],
    "run-finished",
  ]);
  expect(events.some((event) => "snapshot" in event || "accumulatedText" in event)).toBe(false);
  expect(events.at(-1)).toMatchObject({ result: { status: "completed", outputText: "It is 3." } });
});

test("--json writes errors with their code and class", async () => {
  const world = new World({ files: { "script.json": [{ finishReason: "error", error: "no credit", errorClass: "billing" }] } });
  const { exitCode, stdout } = await world.triact(["run", "x", "--json", "--model", "scripted:script.json"]);
  const error = { name: "ModelError", code: "model", errorClass: "billing", message: expect.stringContaining("no credit") };
  expect(exitCode).toBe(1);
  expect(lines(stdout).at(-1)).toMatchObject({ type: "run-failed", error, errorClass: "billing", result: { status: "failed", error } });
});

test("an update that is no JSON costs its event, not the run", async () => {
  const circle: Record<string, unknown> = { size: 10n };
  const tool = createTool({
    name: "add",
    description: "…",
    inputSchema: z.object({}).loose(),
    execute: (_input, { emitUpdate }) => {
      emitUpdate({ big: 10n });
      circle["self"] = circle;
      emitUpdate(circle);
      return 3;
    },
  });
  const world = new World({ files, modules: { "tools.ts": { tool } } });
  const { stdout } = await world.triact([...addRun, "--json"]);
  const updates = lines(stdout).filter(({ type }) => type === "tool-updated");
  expect(updates).toMatchObject([{ update: { big: "10" } }, { problem: expect.stringContaining("The event is not JSON") }]);
  expect((await world.triact(addRun)).stderr).toContain("… add [object Object]\n");
});

test("the output of a completion tool is shown as the answer", async () => {
  const tool = createTool({
    name: "add",
    description: "…",
    inputSchema: z.object({}).loose(),
    lifecycle: { completesRun: true },
    execute: () => toolResult({ output: { sum: 3 } }),
  });
  const world = new World({ files, modules: { "tools.ts": { tool } } });
  expect((await world.triact(addRun)).stdout).toBe('I add.\n{"sum":3}\n');
});

test("the list of sources follows the report that was streamed, which is not written twice", async () => {
  const tool = createTool({ name: "add", description: "…", inputSchema: z.object({}).loose(), execute: () => ({ path: "sums.md" }) });
  const script = [{ toolCalls: [{ toolName: "add", input: {} }] }, { text: "It is 3 [1]." }];
  const world = new World({ files: { "script.json": script }, modules: { "tools.ts": { tool } } });
  const research = ["--runtime", 'deep-research:{"planner":false,"evidence":true}'];
  expect((await world.triact([...addRun, ...research])).stdout).toBe("It is 3 [1].\n\nSources:\n[1] sums.md\n");
});

test("a surrogate pair that is cut between two deltas is written whole", async () => {
  const text = "😀".repeat(50);
  const world = new World({ files: { "script.json": { seed: 3, turns: [{ text }] } } });
  expect((await world.triact(["run", "x", "--model", "scripted:script.json"])).stdout).toBe(`${text}\n`);
});

test("into a pipe the model's text goes as it is; lines of calls are always safe", async () => {
  const evil = "\u001b[2J";
  const script = [{ text: evil, toolCalls: [{ toolName: "add", input: { a: evil } }] }, { text: "ok" }];
  const world = new World({ files: { "script.json": script } });
  const { stdout, stderr } = await world.triact(addRun);
  expect(stdout).toBe(`${evil}\nok\n`);
  expect(stderr).not.toContain("\u001b");
});

test("long inputs and results are cut", async () => {
  const script = [{ toolCalls: [{ toolName: "add", input: { a: "x".repeat(5_000) } }] }, { text: "ok" }];
  const { stderr } = await new World({ files: { "script.json": script } }).triact(addRun);
  expect(stderr).toContain("more characters]\n");
  expect(Math.max(...stderr.split("\n").map((line) => line.length))).toBeLessThan(260);
});

test("a safe text holds no control characters, however it is cut", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary" })), (pieces) => {
      const safe = pieces.map(safeText).join("");
      expect(safe).not.toMatch(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/u);
      expect(oneLine(safe, 100)).not.toMatch(/\p{Cc}/u);
    }),
  );
});

test("text without control characters is left alone", () => {
  expect(safeText("Grüße, 世界 😀\n\tعربي\r\n")).toBe("Grüße, 世界 😀\n\tعربي\n");
});

test.for([
  [{}, false, false],
  [{}, true, true],
  [{ NO_COLOR: "1" }, true, false],
  [{ NO_COLOR: "" }, true, true],
  [{ FORCE_COLOR: "1" }, false, true],
  [{ FORCE_COLOR: "0" }, true, false],
  [{ FORCE_COLOR: "1", NO_COLOR: "1" }, false, true],
] as const)("with %j, terminal %j: colours %j", async ([environment, interactive, coloured]) => {
  const world = new World({ files, environment: { TERM: "xterm", ...environment } });
  const { stderr } = await world.triact(addRun, { interactive });
  expect(stderr.includes("\u001b[36m→")).toBe(coloured);
});

test("the spinner is drawn on a terminal alone", async () => {
  const world = new World({ files, environment: { TERM: "xterm", NO_COLOR: "1" } });
  expect((await world.triact(addRun, { interactive: true })).stderr).toContain("waiting for the model\r\u001b[2K");
  expect((await world.triact(addRun)).stderr).not.toContain("waiting for the model");
});

test("no spinner is drawn over a question, even while other calls go on", () => {
  const written: string[] = [];
  const output = {
    stream: new PassThrough(),
    isTerminal: true,
    isErasable: true,
    write: (text: string) => void written.push(text),
    paint: (_paint: unknown, text: string) => text,
  };
  const renderer = new HumanRenderer({ stdout: output, stderr: output });
  const send = (event: object) => renderer.onEvent({ runId: "r", iteration: 1, ...event } as AgentEvent);
  const result = { type: "tool-result", toolCallId: "b", toolName: "add", output: 3 };
  send({ type: "tool-started", toolCall: { toolCallId: "a", toolName: "add", input: {} } });
  send({ type: "tool-started", toolCall: { toolCallId: "b", toolName: "add", input: {} } });
  send({ type: "approval-requested", pending: [{ toolCallId: "a", toolName: "add", input: {} }] });
  const before = written.length;
  send({ type: "tool-finished", toolCallId: "b", toolName: "add", result, durationMs: 1 });
  expect(written.slice(before)).toEqual(["← add 3 (1 ms)\n"]);
  send({ type: "approval-resolved", toolCallId: "a", toolName: "add", approved: true });
  expect(written.at(-1)).toContain("tools are running");
  renderer.close();
});

test("a line of JSON holds no control characters and no line breaks of Unicode", () => {
  const text = "\u001b\u009b\u007f\u2028\u2029\n";
  const line = toJsonLine({ type: "assistant-text-delta", runId: "r", text, accumulatedText: text } as AgentEvent);
  expect(line).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
  expect(JSON.parse(line)).toEqual({ type: "assistant-text-delta", runId: "r", text });
});
