/** Measures what `runBenchmark` costs besides the agents that it runs. See README.md beside it. */
import fs, { existsSync, mkdtempSync, rmSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type AgentModel, createAgent, ReActRuntime } from "triact";
import { defineSuite, ReferencePolicy, runBenchmark, type Suite, TokenCounter } from "triact/bench";
import { median } from "../statistics.ts";
import { chainSuite } from "./chain-suite.ts";
import { ReplayedModel } from "./replayed-model.ts";

const MOST_HARNESS = 0.5;
const MOST_GROWTH_MIB = 4;
/** Those of a cell: with a limit of time a run looks at the clock. */
const LIMITS = { maxIterations: 50, limits: { timeoutMs: 120_000 } };
const { signal } = new AbortController();
/** Attempts at each of the fifty tasks in one round. */
const TRIALS = 20;

/** Files in memory, where there are such: what a disk costs is not the harness. */
const MEMORY = "/dev/shm";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "7" },
    cells: { type: "string", default: "10000" },
    check: { type: "boolean", default: false },
  },
});

const tasks = await chainSuite.tasks({ seed: 1 });
const counter = await TokenCounter.load();
const policy = new ReferencePolicy({ tasks, counter });
const model = new ReplayedModel(policy);
const runtime = new ReActRuntime();

/** Processor time of the agents' own runs, of their tasks, and of counting their messages, in milliseconds a cell. */
async function measureAgents(by: AgentModel): Promise<{ readonly agentMs: number; readonly stateMs: number; readonly countMs: number }> {
  const spent = { agent: 0, state: 0, count: 0 };
  const timed = async <T>(part: keyof typeof spent, work: () => T | Promise<T>): Promise<T> => {
    const from = cpuMs();
    const value = await work();
    spent[part] += cpuMs() - from;
    return value;
  };
  for (const task of Array.from({ length: TRIALS }, () => tasks).flat()) {
    const { tools, check } = await timed("state", () => task.start({ seed: 1 }));
    const agent = await timed("agent", () => createAgent({ model: by, runtime, tools, ...LIMITS }));
    const { outputText, messages } = await timed("agent", () => agent.run(task.question, { signal }));
    await timed("state", () => check(outputText));
    const fresh = structuredClone(messages); // what was counted is remembered
    await timed("count", () => {
      for (const message of fresh) counter.message(message);
      for (const message of fresh) if (message.role === "assistant") counter.reply(message);
    });
  }
  const perCell = (ms: number) => ms / (tasks.length * TRIALS);
  return { agentMs: perCell(spent.agent), stateMs: perCell(spent.state), countMs: perCell(spent.count) };
}

/** Processor time of whole cells, and of writing their traces. */
async function measureCells(): Promise<{ readonly cellMs: number; readonly traceMs: number }> {
  return inFolder(async (output) => {
    let begun = 0; // the first report comes when everything is ready
    const onProgress = () => {
      begun ||= cpuMs();
    };
    const traces = watchTraces();
    await runBenchmark({ ...benchmark(chainSuite, output), concurrency: 1, trials: TRIALS, onProgress });
    const cells = tasks.length * TRIALS;
    const cellMs = (cpuMs() - begun - traces.watchingMs()) / cells;
    return { cellMs, traceMs: traces.end() / cells };
  });
}

/** Adds up the processor time of writing traces, and of making their text, which is done once more to be measured. */
function watchTraces(): { watchingMs(): number; end(): number } {
  const original = fs.writeFileSync;
  let written = 0;
  let watching = 0;
  fs.writeFileSync = (path, text, ...rest) => {
    const from = cpuMs();
    original(path, text, ...rest);
    const writtenAt = cpuMs();
    const trace = JSON.parse(String(text)) as unknown;
    const parsedAt = cpuMs();
    JSON.stringify(trace);
    const end = cpuMs();
    written += writtenAt - from + (end - parsedAt);
    watching += end - writtenAt;
  };
  syncBuiltinESMExports();
  return {
    watchingMs: () => watching,
    end: () => {
      fs.writeFileSync = original;
      syncBuiltinESMExports();
      return written;
    },
  };
}

function benchmark(of: Suite, output: string) {
  return { suites: [of], arms: [{ name: "react", runtime }], models: [{ name: "replayed", model }], counter, output };
}

/** Heap in MiB after so many cells, for a growing number of them. */
async function measureGrowth(cells: number): Promise<{ readonly done: number; readonly heapMiB: number }[]> {
  const [task] = tasks;
  if (task === undefined) throw new RangeError("The suite is empty.");
  const one = defineSuite({ name: "one", tasks: [task] });
  const heaps: { done: number; heapMiB: number }[] = [];
  const onProgress = ({ done }: { readonly done: number }) => {
    if (done === 0 || done % (cells / 5) !== 0) return;
    globalThis.gc?.();
    heaps.push({ done, heapMiB: process.memoryUsage().heapUsed / 2 ** 20 });
  };
  await inFolder((output) => runBenchmark({ ...benchmark(one, output), trials: cells, onProgress }));
  return heaps;
}

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), "triact-harness-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

const WARM_UP = 3; // rounds of a thousand cells: before that the compiler is not done
const rounds: { policyMs: number; agentMs: number; harnessMs: number; traceMs: number; countMs: number }[] = [];
for (let round = -WARM_UP; round < Number(options.rounds); round++) {
  const { agentMs: policyMs } = await measureAgents(policy);
  const { agentMs, stateMs, countMs } = await measureAgents(model);
  const { cellMs, traceMs } = await measureCells();
  if (round >= 0) rounds.push({ policyMs, agentMs, traceMs, countMs, harnessMs: cellMs - agentMs - stateMs - traceMs - countMs });
}
const milliseconds = (name: keyof (typeof rounds)[number]) => `${median(rounds.map((round) => round[name])).toFixed(3)} ms`;
const share = median(rounds.map(({ harnessMs, policyMs }) => harnessMs / policyMs));
const bare = median(rounds.map(({ harnessMs, agentMs }) => harnessMs / agentMs));
console.log(`a run of an agent: on the reference policy ${milliseconds("policyMs")}, on replies from memory ${milliseconds("agentMs")}`);
console.log(
  `besides, a cell: harness ${milliseconds("harnessMs")}, tokenizer ${milliseconds("countMs")}, trace ${milliseconds("traceMs")}`,
);
console.log(`harness / agent on the reference policy: ${share.toFixed(2)} (at most ${MOST_HARNESS})`);
console.log(`harness / agent on replies from memory: ${bare.toFixed(2)}`);

const heaps = await measureGrowth(Number(options.cells));
for (const { done, heapMiB } of heaps) console.log(`after ${done} cells: ${heapMiB.toFixed(1)} MiB of heap`);
const growth = (heaps.at(-1)?.heapMiB ?? 0) - (heaps[0]?.heapMiB ?? 0);
console.log(`growth: ${growth.toFixed(1)} MiB (at most ${MOST_GROWTH_MIB})`);
if (options.check && (share > MOST_HARNESS || growth > MOST_GROWTH_MIB)) process.exitCode = 1;
