import { Random } from "triact/bench";
import type { CellOutcome, CellRecord, CellTrace, RunManifest, TraceStep } from "../../../src/bench/record.ts";
import type { RecordedRun } from "../../../src/bench/report/read-run.ts";

/** A strategy of an invented run: how often it solves a task, and what it takes. */
export interface GeneratedArm {
  readonly name: string;
  readonly skill: number;
  /** Model calls for a fan-out. */
  readonly calls: (fanOut: number) => number;
}

/** What {@link generateRun} takes. */
export interface GeneratedRunOptions {
  readonly seed?: number;
  readonly arms?: readonly GeneratedArm[];
  readonly suites?: readonly string[];
  readonly tasks?: number;
  readonly trials?: number;
  readonly model?: string;
  readonly isReference?: boolean;
  readonly fault?: string;
  /** Replaces texts of the traces, for texts that mean harm. */
  readonly text?: (text: string) => string;
}

/** An invented run: the same seed gives the same one. */
export interface GeneratedRun {
  readonly manifest: RunManifest;
  readonly records: readonly CellRecord[];
  readonly traces: ReadonlyMap<string, CellTrace>;
}

export const generatedArms: readonly GeneratedArm[] = [
  { name: "react", skill: 0.7, calls: (fanOut) => 2 + fanOut },
  { name: 'codeact:{"finish":"model"}', skill: 0.85, calls: () => 5 },
  { name: "deep-research", skill: 0.6, calls: (fanOut) => 4 + Math.ceil(fanOut / 2) },
];

const failures = ["wrong", "wrong", "wrong", "step-limit", "parse-failure", "gave-up", "timeout"] as const satisfies readonly CellOutcome[];
const fanOuts = [1, 2, 4, 8, 16, 32];

export function generateRun(options: GeneratedRunOptions = {}): GeneratedRun {
  const { seed = 1, arms = generatedArms, suites = ["crossover"], tasks = 24, trials = 1, model = "reference" } = options;
  const { isReference = true } = options;
  const records: CellRecord[] = [];
  const traces = new Map<string, CellTrace>();
  for (const suite of suites) {
    for (let task = 0; task < tasks; task++) {
      for (const arm of arms) {
        for (let trial = 0; trial < trials; trial++) {
          const record = recordOf({ ...options, seed, model, suite, task, arm, trial });
          records.push(record);
          traces.set(record.trace, traceOf(record, options.text ?? ((text) => text)));
        }
      }
    }
  }
  const manifest: RunManifest = {
    version: 1,
    kind: "manifest",
    triact: "0.1.0",
    commit: "0123abc",
    node: "24.0.0",
    machine: "linux x64, 2 cores",
    seed,
    trials,
    suites: suites.map((name) => ({ name, version: "1", tasks })),
    arms: arms.map(({ name }) => ({ name, runtime: name.split(":")[0] ?? name, settings: {}, promptHash: `hash-of-${name.slice(0, 5)}` })),
    models: [model],
    ...(isReference
      ? { granularity: "level" as const }
      : { prices: { date: "2026-11-01", perMTok: { [model]: { input: 3, output: 15 } } } }),
    tokenizer: "o200k_base",
    startedAt: 1_800_000_000_000,
  };
  return { manifest, records: new Random(seed, "order").shuffle(records), traces };
}

interface CellOptions extends GeneratedRunOptions {
  readonly seed: number;
  readonly model: string;
  readonly suite: string;
  readonly task: number;
  readonly arm: GeneratedArm;
  readonly trial: number;
}

function recordOf({ seed, suite, task, arm, trial, model, fault, isReference = true }: CellOptions): CellRecord {
  const id = `task-${task + 1}`;
  const difficulty = new Random(seed, suite, id).next() * 0.4 - 0.2;
  const random = new Random(seed, suite, id, arm.name, trial, fault ?? "");
  const solved = random.chance(Math.min(1, Math.max(0, arm.skill - difficulty)));
  const fanOut = fanOuts[task % fanOuts.length] as number;
  const modelCalls = Math.max(1, arm.calls(fanOut) + random.integer(0, 1));
  const ledger = {
    instructions: 300 + arm.name.length * 10,
    tools: 450,
    question: 60,
    actions: modelCalls * random.integer(25, 40),
    results: modelCalls * fanOut * random.integer(20, 30) + 100,
    plan: arm.name === "deep-research" ? 420 : 0,
    repairs: random.chance(0.2) ? random.integer(40, 200) : 0,
    final: 18,
  };
  const outputTokens = ledger.actions + ledger.plan + ledger.final;
  const inputTokens = Object.values(ledger).reduce((sum, part) => sum + part, 0) - outputTokens;
  const cell = `${suite}/${id}/${arm.name}/${model}/${trial}${fault === undefined ? "" : `/${fault}`}`;
  const [modelMs, toolMs, sandboxMs] = [modelCalls * random.integer(2, 5), fanOut * 1.5, arm.name.startsWith("codeact") ? 8 : 0];
  return {
    version: 1,
    cell,
    suite,
    suiteVersion: "1",
    task: id,
    ...(task % 5 === 4 ? { flags: ["ambiguous"] } : undefined),
    ...(suite === "crossover" ? { knobs: { fanOut, depth: 2, goal: "aggregate" } } : undefined),
    arm: arm.name,
    model,
    trial,
    ...(fault === undefined ? undefined : { fault }),
    outcome: solved ? "solved" : random.pick(failures),
    ...(solved ? undefined : { reason: 'the answer should be "12", and was "13"' }),
    sideEffects: 0,
    ...(fault === undefined ? undefined : { faultsMade: 1 }),
    endedBy: "final-text",
    answer: solved ? "12" : "13",
    modelCalls,
    toolCalls: fanOut * 2,
    inputTokens,
    cachedTokens: Math.floor(inputTokens / 4),
    outputTokens,
    ...(isReference ? undefined : { cost: (inputTokens * 3 + outputTokens * 15) / 1_000_000 }),
    ledger,
    wallMs: modelMs + toolMs + sandboxMs + modelCalls * 0.8,
    modelMs,
    toolMs,
    sandboxMs,
    retries: 0,
    trace: `traces/${encodeURIComponent(cell.toWellFormed())}.json`,
  };
}

function traceOf({ cell, arm, answer, modelCalls, knobs }: CellRecord, text: (text: string) => string): CellTrace {
  const fanOut = Number(knobs?.["fanOut"] ?? 2);
  const isCode = arm.startsWith("codeact");
  const calls = Array.from(
    { length: fanOut },
    (_, index): TraceStep => ({
      kind: "call",
      atMs: 4 + index,
      durationMs: 1.5,
      toolCallId: `call_${index + 2}`,
      ...(isCode ? { parentToolCallId: "call_1" } : undefined),
      toolName: "get_record",
      input: { id: `R${index}` },
      output: text(`record ${index}: value ${index * 3}`),
      isError: index === 3,
    }),
  );
  const code = 'const all = await Promise.all(ids.map((id) => get_record({ id })));\nreturn all.length > 3 ? "12" : "13";';
  return {
    cell,
    question: text("How many of the records count?"),
    steps: [
      { kind: "message", atMs: 0, role: "user", text: text("How many of the records count?") },
      { kind: "request", atMs: 0, inputTokens: 900, outputTokens: 60, purpose: "turn" },
      { kind: "message", atMs: 2, role: "assistant", text: text("I read the records first."), ...(isCode ? { code } : undefined) },
      ...(isCode
        ? [
            {
              kind: "call" as const,
              atMs: 3,
              durationMs: 9,
              toolCallId: "call_1",
              toolName: "code",
              input: { code },
              output: text("12"),
              isError: false,
            },
          ]
        : []),
      ...calls,
      { kind: "request", atMs: 20, inputTokens: 1200 + modelCalls, outputTokens: 18, purpose: "turn" },
      { kind: "message", atMs: 22, role: "assistant", text: text(`It is ${answer}.`) },
      { kind: "end", atMs: 23, endedBy: "final-text", answer: text(answer) },
    ],
  };
}

/** Runs as they are after reading, without files. */
export function recordedRun(...runs: readonly GeneratedRun[]): RecordedRun {
  return {
    manifests: runs.map(({ manifest }) => manifest),
    records: runs.flatMap(({ records }) => records.map((record) => ({ record, folder: "." }))),
    notes: [],
  };
}

/** The files of a run below a folder, by name. */
export function filesOf({ manifest, records, traces }: GeneratedRun, folder = "run"): Record<string, string> {
  const lines = [manifest, ...records].map((line) => `${JSON.stringify(line)}\n`).join("");
  const traceFiles = [...traces].map(([name, trace]) => [`${folder}/${name}`, JSON.stringify(trace)] as const);
  return { [`${folder}/records.jsonl`]: lines, ...Object.fromEntries(traceFiles) };
}
