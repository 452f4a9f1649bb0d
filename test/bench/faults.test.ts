import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CodeActRuntime } from "triact";
import { type CellTrace, providerFaultKinds, toolFaultKinds } from "triact/bench";
import { IsolatedVmExecutor } from "triact/sandbox";
import { ScriptedModel, say } from "triact/testing";
import { afterAll, describe, expect, test } from "vitest";
import { bench, react } from "./benchmark-kit.js";

const executor = new IsolatedVmExecutor({ isolation: "in-process" });
afterAll(() => executor.dispose());
const codeact = { name: "codeact", runtime: new CodeActRuntime({ executor }) };

describe.for([react, codeact])("under $name", (arm) => {
  test("each cell runs without a fault and with each", async () => {
    const { records, manifest } = await bench({ arms: [arm], maxTasks: 2, faults: ["empty", "tool-slow:0.5"] });
    const faults = records.map(({ task, fault = "none" }) => `${task} ${fault}`).toSorted();
    expect(faults).toEqual(
      ["sum-of-1", "sum-of-2"].flatMap((task) => ["empty", "none", "tool-slow:0.5"].map((fault) => `${task} ${fault}`)),
    );
    expect(manifest.faults).toBe("empty, tool-slow:0.5");
    expect(records.filter(({ outcome }) => outcome !== "solved")).toEqual([]);
  });

  test.for(providerFaultKinds)("%s is retried, counted, and never wrong", async (kind) => {
    const { records } = await bench({ arms: [arm], faults: [kind] });
    expect(records.map(({ outcome }) => outcome)).toEqual(records.map(() => "solved"));
    expect(records.map(({ retries }) => retries)).toEqual(records.map(({ fault }) => (fault === undefined ? 0 : 1)));
    const tokens = (isHit: boolean) =>
      records.filter(({ fault }) => (fault !== undefined) === isHit).reduce((sum, { inputTokens }) => sum + inputTokens, 0);
    expect(tokens(true)).toBe(tokens(false));
  });

  test.for(toolFaultKinds)("%s ends as it must", async (kind) => {
    const { records } = await bench({ arms: [arm], faults: [kind] });
    const hit = records.filter(({ fault }) => fault !== undefined);
    expect(hit.map(({ outcome }) => outcome)).toEqual(hit.map(() => (kind === "tool-throws-always" ? "wrong" : "solved")));
  });
});

test("a provider that stays away is a provider error, whatever the answer would have been", async () => {
  const model = new ScriptedModel(() => say("", { finishReason: "error", error: "429", errorClass: "rate_limit" }));
  const { records } = await bench({ models: [{ name: "away", model }], maxTasks: 1, retryDelayMs: 0 });
  expect(records[0]).toMatchObject({ outcome: "provider-error", retries: 3, reason: "429", inputTokens: expect.any(Number) });
  expect(model.requests).toHaveLength(4);
});

test("an error that stays is not retried", async () => {
  const model = new ScriptedModel(() => say("", { finishReason: "error", error: "no such key", errorClass: "auth" }));
  const { records } = await bench({ models: [{ name: "locked", model }], maxTasks: 1 });
  expect(records[0]).toMatchObject({ outcome: "provider-error", retries: 0, reason: "no such key" });
});

describe("outcomes", () => {
  test.for([
    ["a wrong answer", "wrong", () => say("11")],
    ["text instead of the protocol, in the end", "parse-failure", () => say("I would say 11.")],
    ["a refusal", "gave-up", () => say("No.", { finishReason: "refusal" })],
    ["nothing at all", "gave-up", () => say("")],
    ["code for ever", "step-limit", () => say(JSON.stringify({ type: "code", code: "1" }))],
    ["an answer that the output limit cut", "token-limit", () => say('{"type":"final","output":"1', { finishReason: "max-tokens" })],
  ] as const)("%s is %s", async ([, outcome, reply]) => {
    const arm = outcome === "wrong" || outcome === "token-limit" ? react : codeact;
    const { records } = await bench({
      arms: [arm],
      models: [{ name: "m", model: new ScriptedModel(reply) }],
      maxTasks: 1,
      maxIterations: 5,
    });
    expect(records[0]?.outcome).toBe(outcome);
  });

  test("a run out of time is a timeout", async () => {
    const model = new ScriptedModel(() => ({ hangs: true }));
    const { records } = await bench({ models: [{ name: "slow", model }], maxTasks: 1, limits: { timeoutMs: 20 } });
    expect(records[0]).toMatchObject({ outcome: "timeout", endedBy: "time-limit" });
  });

  test("an executor that was disposed of is a failure of the sandbox", async () => {
    const gone = new IsolatedVmExecutor({ isolation: "in-process" });
    const runtime = new CodeActRuntime({ executor: gone });
    await gone.dispose();
    const { records } = await bench({ arms: [{ name: "gone", runtime }], maxTasks: 1 });
    expect(records[0]?.outcome).toBe("sandbox-failure");
  });
});

describe("the ledger books", () => {
  test("errors and corrections as repairs, results as results, and code as actions", async () => {
    const { records } = await bench({ arms: [codeact], maxTasks: 1, faults: ["syntax-error", "empty"] });
    const ledgers = Object.fromEntries(records.map(({ fault = "none", ledger }) => [fault, ledger]));
    expect(ledgers["none"]).toMatchObject({ results: 0, repairs: 0, final: 0 });
    expect(ledgers["none"]?.actions).toBeGreaterThan(20);
    expect(ledgers["syntax-error"]?.repairs).toBeGreaterThan(10); // the error, once
    expect(ledgers["syntax-error"]?.actions).toBeGreaterThan(2 * (ledgers["none"]?.actions ?? 0)); // the wrong code is sent once more with the error
    expect(ledgers["empty"]?.repairs).toBeGreaterThan(5);
    expect(ledgers["empty"]?.actions).toBe(ledgers["none"]?.actions);
  });

  test("a reply that was corrected as a repair, in the request and in the reply", async () => {
    const { records, output } = await bench({ arms: [codeact], maxTasks: 1, faults: ["prose"] });
    const spoiled = records.find(({ fault }) => fault === "prose");
    const { steps } = JSON.parse(readFileSync(join(output, spoiled?.trace ?? ""), "utf8")) as CellTrace;
    const [first, second] = steps.filter((step) => step.kind === "request");
    const prose = first?.outputTokens ?? 0;
    const added = (second?.inputTokens ?? 0) - (first?.inputTokens ?? 0); // the prose and the correction
    expect(spoiled?.ledger.repairs).toBe(prose + added);
  });
});
