import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CodeActRuntime, DeepResearchRuntime, type ModelErrorClass, ReActRuntime } from "triact";
import {
  type BenchmarkArm,
  type CellRecord,
  type CellTrace,
  crossover,
  defineSuite,
  library,
  ReferencePolicy,
  type RunEstimate,
  readRecords,
  runBenchmark,
  type Suite,
  workday,
} from "triact/bench";
import { IsolatedVmExecutor } from "triact/sandbox";
import { ScriptedModel, say } from "triact/testing";
import { afterAll, describe, expect, test } from "vitest";
import { bench, counter, outputFolder, react, readRun, shop, timeless } from "./benchmark-kit.js";

const refusing = (errorClass: ModelErrorClass) => ({
  name: "m",
  model: new ScriptedModel(() => ({ finishReason: "error", error: "No.", errorClass })),
});

const executor = new IsolatedVmExecutor({ isolation: "in-process" });
afterAll(() => executor.dispose());

const codeArm = (finish: "value" | "summary" | "model"): BenchmarkArm => ({
  name: `codeact ${finish}`,
  runtime: new CodeActRuntime({ executor, finish }),
  settings: { finish },
});
const planArms = [
  { name: "deep-research", runtime: new DeepResearchRuntime() },
  { name: "deep-research replan", runtime: new DeepResearchRuntime({ replan: true }) },
];
const arms = [react, codeArm("value"), codeArm("summary"), codeArm("model"), ...planArms];

/** One task in so many of a suite, and those whose right action is none. */
const some = ({ name, version, tasks }: Suite, oneIn: number) =>
  defineSuite({
    name,
    version,
    tasks: async (options) => (await tasks(options)).filter(({ flags = [] }, index) => index % oneIn === 0 || flags.includes("no-action")),
  });
const suites = [
  some(crossover({ repeats: 1, sweeps: { goal: ["aggregate", "relay"], access: ["read", "write"], fanOut: [1, 8] } }), 2),
  some(workday(), 9),
  some(library(), 20),
];

describe("the self-checks", () => {
  test("the policy solves every task in every arm, and every ledger sums to its tokens", async () => {
    const { records } = await bench({ suites, arms });
    expect(records.filter(({ outcome }) => outcome !== "solved").map(({ cell, outcome, reason }) => ({ cell, outcome, reason }))).toEqual(
      [],
    );
    expect(records.length).toBeGreaterThan(50);
    expect(new Set(records.map(({ repeatedWrites }) => repeatedWrites))).toEqual(new Set([0]));
    expect(records.filter(({ ledger }) => ledger.repairs > 0).map(({ cell }) => cell)).toEqual([]);
    const parts = records.map(({ ledger }) => Object.values(ledger).reduce((sum, part) => sum + part, 0));
    expect(parts).toEqual(records.map(({ inputTokens, outputTokens }) => inputTokens + outputTokens));
    expect(records.map(({ countedInputTokens }) => countedInputTokens)).toEqual(records.map(({ inputTokens }) => inputTokens));
    expect(records.map(({ countedOutputTokens }) => countedOutputTokens)).toEqual(records.map(({ outputTokens }) => outputTokens));
  });

  test.for(["level", "call"] as const)("the policy solves tasks with results that are cut, too, by %s", async (granularity) => {
    const large = crossover({ base: { fanOut: 8, depth: 2 }, sweeps: { resultBytes: [500, 15_000] }, repeats: 1 });
    const { records } = await bench({ suites: [large], arms: [react, codeArm("value"), codeArm("model")], granularity });
    expect(records.map(({ outcome, arm }) => `${arm} ${outcome}`).filter((each) => !each.endsWith(" solved"))).toEqual([]);
  });

  test("a policy with wrong answers solves none, and one that does nothing solves the floor", async () => {
    const tasks = (await Promise.all(suites.map((suite) => suite.tasks({ seed: 1 })))).flat();
    const policy = (conduct: "wrong" | "idle") => ({ name: conduct, model: new ReferencePolicy({ tasks, counter, conduct }) });
    const { records } = await bench({ suites, arms: [react, codeArm("value")], models: [policy("wrong"), policy("idle")] });
    const floor = tasks.filter(({ flags = [] }) => flags.includes("no-action")).map(({ id }) => id);
    const solved = records.filter(({ outcome }) => outcome === "solved");
    expect(floor.length).toBeGreaterThan(0);
    expect(solved.map(({ model, task }) => `${model} ${task}`).toSorted()).toEqual(
      floor.flatMap((id) => [`idle ${id}`, `idle ${id}`]).toSorted(),
    );
  });

  test("one seed gives one set of records, at any concurrency", async () => {
    // Variables that stay would make the sandbox wait for code to come to rest, by the clock.
    const fresh = { name: "codeact fresh", runtime: new CodeActRuntime({ executor, state: "fresh" }) };
    const settings = { suites, arms: [react, fresh], seed: 7, granularity: "level" } as const;
    const alone = await bench({ ...settings, concurrency: 1 });
    const crowded = await bench({ ...settings, concurrency: 16 });
    expect(timeless(crowded)).toEqual(timeless(alone));
    const order = ({ records }: typeof alone) => records.map(({ cell }) => cell);
    expect(order(alone)).not.toEqual(order(alone).toSorted());
    expect(order(await bench({ ...settings, concurrency: 1 }))).toEqual(order(alone));
  });
});

test("a record says what was run and what came of it", async () => {
  const { records, manifest, output } = await bench({ maxTasks: 1 });
  expect(records).toHaveLength(1);
  expect(records[0]).toMatchObject({
    version: 1,
    cell: "shop/sum-of-1/react/reference-policy/0",
    outcome: "solved",
    endedBy: "natural",
    answer: "10",
    modelCalls: 2,
    toolCalls: 1,
    retries: 0,
    ledger: { plan: 0, repairs: 0, final: 1 },
  });
  expect(manifest).toMatchObject({
    kind: "manifest",
    seed: 1,
    suites: [{ name: "shop", version: "1", tasks: 1 }],
    arms: [{ name: "react", runtime: "react", settings: null, promptHash: expect.stringMatching(/^[0-9a-f]{16}$/) }],
    models: ["reference-policy"],
    granularity: "whole",
    tokenizer: "gpt-tokenizer o200k_base",
  });
  const trace = JSON.parse(readFileSync(join(output, records[0]?.trace ?? ""), "utf8")) as CellTrace;
  expect(trace.steps.map(({ kind }) => kind)).toEqual(["message", "request", "call", "request", "message", "end"]);
  expect(trace.steps[2]).toMatchObject({ toolName: "price", input: { number: 1 }, output: 10, isError: false });
});

test.for([{ evidence: true }, { parallel: true }, { replan: true }, {}])(
  "deep research with %j can be an arm, and its ledger sums up",
  async (options) => {
    const { records } = await bench({
      suites: [library()],
      maxTasks: 2,
      granularity: "call",
      arms: [{ name: "deep", runtime: new DeepResearchRuntime(options) }],
    });
    expect(records).toHaveLength(2);
    for (const { ledger, inputTokens, outputTokens, countedInputTokens, countedOutputTokens } of records) {
      expect(Object.values(ledger).reduce((sum, part) => sum + part, 0)).toBe(inputTokens + outputTokens);
      expect([countedInputTokens, countedOutputTokens]).toEqual([inputTokens, outputTokens]);
    }
  },
);

test("a trace holds code and the calls within it", async () => {
  const { records, output } = await bench({ maxTasks: 1, arms: [codeArm("value")] });
  const { steps } = JSON.parse(readFileSync(join(output, records[0]?.trace ?? ""), "utf8")) as CellTrace;
  expect(steps.find((step) => step.kind === "message" && step.role === "assistant")).toMatchObject({
    code: expect.stringContaining("price("),
  });
  const [inner, outer] = steps.filter((step) => step.kind === "call");
  expect([inner?.toolName, outer?.toolName, inner?.parentToolCallId]).toEqual(["price", "code", outer?.toolCallId]);
});

test("a context window that is too small is the strategy's own affair, and no error of the provider", async () => {
  const { records } = await bench({ maxTasks: 1, models: [refusing("context_window_exceeded")] });
  expect(records.map(({ outcome }) => outcome)).toEqual(["token-limit"]);
});

test("a check that throws or gives no verdict is not solved, and says why", async () => {
  const broken = (check: () => never) =>
    defineSuite({ name: "broken", tasks: [{ id: "one", question: "Q?", program: 'return "x"', start: () => ({ tools: [], check }) }] });
  const throwing = await bench({
    suites: [
      broken(() => {
        throw new Error("boom");
      }),
    ],
  });
  const silent = await bench({ suites: [broken(() => undefined as never)] });
  expect([throwing, silent].map(({ records: [record] }) => [record?.outcome, record?.reason])).toEqual([
    ["wrong", "The check of the task failed: boom"],
    ["wrong", "The check of the task gave no verdict: { solved: true } or { solved: false } was expected."],
  ]);
});

test("a trial that cannot be disposed of keeps its record", async () => {
  const dispose = () => Promise.reject(new Error("boom"));
  const start = () => ({ tools: [], check: () => ({ solved: true }), dispose });
  const suite = defineSuite({ name: "broken", tasks: [{ id: "one", question: "Q?", program: 'return "x"', start }] });
  expect((await bench({ suites: [suite] })).records.map(({ outcome }) => outcome)).toEqual(["solved"]);
});

test("a task that cannot start ends the run, and is named", async () => {
  const start = () => {
    throw new Error("boom");
  };
  const suite = defineSuite({ name: "broken", tasks: [{ id: "one", question: "Q?", program: 'return "x"', start }] });
  await expect(bench({ suites: [suite] })).rejects.toThrow("suite broken, task one: start(): it failed: boom");
});

describe("resuming", () => {
  test("runs the cells that are missing, and gives what an uninterrupted run gives", async () => {
    const whole = await bench();
    const output = outputFolder();
    const stopping = new AbortController();
    const onProgress = ({ done }: { done: number }) => done === 2 && stopping.abort();
    const { stoppedBy } = await runBenchmark({
      suites: [shop],
      arms: [react],
      counter,
      output,
      concurrency: 1,
      signal: stopping.signal,
      onProgress,
    });
    expect([stoppedBy, readRun(output).records.length]).toEqual(["abort", 2]);
    const resumed = await bench({ output, resume: true });
    expect(timeless(resumed)).toEqual(timeless(whole));
  });

  test("cuts off a line that a killed process left unfinished, and runs its cell again", async () => {
    const whole = await bench();
    const path = join(whole.output, "records.jsonl");
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.slice(0, -30));
    expect(timeless(await bench({ output: whole.output, resume: true }))).toEqual(timeless(whole));
  });

  test("keeps a last line that lacks only its end", async () => {
    const whole = await bench();
    const path = join(whole.output, "records.jsonl");
    writeFileSync(path, readFileSync(path, "utf8").trimEnd());
    expect(await bench({ output: whole.output, resume: true })).toEqual(whole);
  });

  test("runs the cells again whose provider failed, and the last record of a cell counts", async () => {
    const output = outputFolder();
    const settings = { output, maxTasks: 1 };
    expect((await bench({ ...settings, models: [refusing("auth")] })).records.map(({ outcome }) => outcome)).toEqual(["provider-error"]);
    const models = [{ name: "m", model: new ScriptedModel(() => say("10")) }];
    const { records } = await bench({ ...settings, models, resume: true });
    expect(records.map(({ outcome }) => outcome)).toEqual(["provider-error", "solved"]);
    expect((await bench({ ...settings, models, resume: true })).records).toHaveLength(2);
  });

  test("is refused for the records of another version", async () => {
    const { output, manifest } = await bench();
    const path = join(output, "records.jsonl");
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replace(JSON.stringify(manifest.triact), '"0.0.0"'));
    await expect(bench({ output, resume: true })).rejects.toThrow('a run with other triact: "0.0.0", not');
  });

  test("is refused for other settings, for records without it, and for a file that is broken in its middle", async () => {
    const { output } = await bench();
    await expect(bench({ output, resume: true, seed: 2 })).rejects.toThrow("resume: the records are of a run with other seed: 1, not 2");
    await expect(bench({ output, resume: true, maxIterations: 3 })).rejects.toThrow("the records are of a run with other limits");
    await expect(bench({ output })).rejects.toThrow("holds records already");
    appendFileSync(join(output, "records.jsonl"), "not JSON\n{}\n");
    await expect(bench({ output, resume: true })).rejects.toThrow("line 6 of");
  });
});

test("of two runs that write to the same folder at once one is refused, and tells who has it", async () => {
  const output = outputFolder();
  const run = () => runBenchmark({ suites: [shop], arms: [react], counter, output });
  const ends = await Promise.allSettled([run(), run()]);
  expect(ends.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  const refused = ends.find((end) => end.status === "rejected");
  expect(String(refused?.reason)).toContain(`is in use by process ${process.pid}. Wait for it, or end it.`);
  expect(existsSync(join(output, "run.lock"))).toBe(false);
});

test("the lock of a process that is gone is taken over", async () => {
  const output = outputFolder();
  writeFileSync(join(output, "run.lock"), "4194303\n"); // above the highest id that Linux gives
  expect((await bench({ output })).records).toHaveLength(4);
});

describe("limits", () => {
  const paid = (price: number) => ({
    name: "paid",
    model: new ScriptedModel(() => say("10", { usage: { inputTokens: 100, outputTokens: 10, totalCost: price } })),
  });

  test("no cell begins when the cost is reached", async () => {
    const output = outputFolder();
    const result = await runBenchmark({ suites: [shop], arms: [react], counter, output, models: [paid(2)], maxCost: 3, concurrency: 1 });
    expect(result).toMatchObject({ done: 2, total: 4, stoppedBy: "max-cost" });
  });

  test("no cell begins when the time is over", async () => {
    const result = await runBenchmark({ suites: [shop], arms: [react], counter, output: outputFolder(), maxTimeMs: 0 });
    expect(result).toMatchObject({ done: 0, total: 4, stoppedBy: "max-time" });
  });

  test("an estimate of a run with models comes from the reference policy, before the first cell", async () => {
    const model = new ScriptedModel(() => say("100"));
    const order: string[] = [];
    const estimates: RunEstimate[] = [];
    const pricing = { inputPerMTok: 1_000_000, outputPerMTok: 0 };
    await bench({
      models: [{ name: "said", model, pricing }],
      trials: 2,
      onEstimate: (estimate) => {
        estimates.push(estimate);
        order.push("estimate");
      },
      onProgress: ({ done }) => void order.push(`done ${done}`),
    });
    const { records } = await bench({ granularity: "level" });
    const total = (number: (record: CellRecord) => number) => 2 * records.reduce((sum, record) => sum + number(record), 0);
    expect(order.slice(0, 3)).toEqual(["done 0", "estimate", "done 1"]);
    expect(estimates).toEqual([
      {
        modelCalls: total(({ modelCalls }) => modelCalls),
        inputTokens: total(({ inputTokens }) => inputTokens),
        outputTokens: total(({ outputTokens }) => outputTokens),
        cost: total(({ inputTokens }) => inputTokens),
        sampledTasks: 4,
      },
    ]);
  });

  test("progress tells what is done, what it cost, and what is left", async () => {
    const seen: unknown[] = [];
    await bench({
      models: [paid(2)],
      concurrency: 1,
      onProgress: ({ done, total, cost, leftMs }) => seen.push([done, total, cost, typeof leftMs]),
    });
    expect(seen).toEqual([0, 2, 4, 6, 8].map((cost, done) => [done, 4, cost, done === 0 ? "undefined" : "number"]));
  });
});

test("where the provider counts otherwise, its numbers stand in the record and the ledger sums to them", async () => {
  const model = new ScriptedModel(() => say("10", { usage: { inputTokens: 1_001, outputTokens: 7 } }));
  const { records } = await bench({ models: [{ name: "other", model }], maxTasks: 1 });
  const [{ ledger, inputTokens, countedInputTokens } = expect.fail()] = records;
  expect([inputTokens, Object.values(ledger).reduce((sum, part) => sum + part, 0)]).toEqual([1_001, 1_008]);
  expect(countedInputTokens).toBeLessThan(100);
});

test("replies that are cached are asked for once, and the records say so", async () => {
  const cache = outputFolder();
  const model = new ScriptedModel(() => say("10", { usage: { inputTokens: 10, outputTokens: 1, totalCost: 1 } }));
  const run = () => bench({ models: [{ name: "cached", model }], cache, trials: 2 });
  const [first, second] = [await run(), await run()];
  expect(model.requests).toHaveLength(8);
  expect([first.records[0]?.cached, second.records.every(({ cached }) => cached === true)]).toEqual([undefined, true]);
  const withoutMark = timeless(second).map(({ cached: _, ...record }) => record);
  expect(withoutMark).toEqual(timeless(first));
});

describe("options that cannot be used are refused before anything is written:", () => {
  test.for([
    ["two arms of one name", { arms: [react, { ...react, runtime: new ReActRuntime() }] }, 'arms: the name "react" stands there twice'],
    ["no suite", { suites: [] }, "suites: at least one was expected"],
    ["half a trial", { trials: 0.5 }, "trials: a whole number from 1 was expected, not 0.5"],
    ["an unknown fault", { faults: ["earthquake"] }, 'there is no fault "earthquake"'],
    [
      "a fault of the policy with another model",
      { faults: ["prose"], models: [{ name: "m", model: new ScriptedModel([]) }] },
      "prose is a fault of the reference policy",
    ],
  ] as const)("%s", async ([, options, problem]) => {
    const output = outputFolder();
    await expect(bench({ ...options, output })).rejects.toThrow(problem);
    expect(existsSync(join(output, "records.jsonl"))).toBe(false);
  });
});

test("records are read one by one", async () => {
  const { output } = await bench();
  const kinds: string[] = [];
  for await (const record of readRecords(output)) kinds.push("kind" in record ? "manifest" : record.outcome);
  expect(kinds).toEqual(["manifest", "solved", "solved", "solved", "solved"]);
});
