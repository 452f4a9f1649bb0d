/** Measures what `runBenchmark` costs besides the agents that it runs. See README.md beside it. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createAgent, ReActRuntime } from "triact";
import { defineSuite, ReferencePolicy, runBenchmark, type Suite, TokenCounter } from "triact/bench";
import { median } from "../statistics.ts";
import { chainSuite } from "./chain-suite.ts";
import { ReplayedModel } from "./replayed-model.ts";

const MOST_HARNESS = 0.5;
const MOST_GROWTH_MIB = 4;

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
const model = new ReplayedModel(new ReferencePolicy({ tasks, counter }));
const runtime = new ReActRuntime();

/** Processor time of the agents' own runs, in milliseconds a cell. */
async function measureAgents(): Promise<{ readonly agentMs: number; readonly stateMs: number }> {
  const spent = { agent: 0, state: 0 };
  for (const task of tasks) {
    let from = cpuMs();
    const { tools, check } = await task.start({ seed: 1 });
    spent.state += cpuMs() - from;
    from = cpuMs();
    const agent = createAgent({ model, runtime, tools, maxIterations: 50 });
    const { outputText } = await agent.run(task.question);
    spent.agent += cpuMs() - from;
    from = cpuMs();
    await check(outputText);
    spent.state += cpuMs() - from;
  }
  return { agentMs: spent.agent / tasks.length, stateMs: spent.state / tasks.length };
}

/** Processor time of whole cells, and of writing their traces once more. */
async function measureCells(): Promise<{ readonly cellMs: number; readonly traceMs: number }> {
  return inFolder(async (output) => {
    let begun = 0; // the first report comes when everything is ready
    const onProgress = () => {
      begun ||= cpuMs();
    };
    await runBenchmark({ ...benchmark(chainSuite, output), concurrency: 1, onProgress });
    const cellMs = (cpuMs() - begun) / tasks.length;
    const folder = join(output, "traces");
    const fresh = join(output, "once-more"); // to make a file takes longer than to write to one that is there
    mkdirSync(fresh);
    const traces = readdirSync(folder).map((name) => [join(fresh, name), JSON.parse(readFileSync(join(folder, name), "utf8"))] as const);
    const from = cpuMs();
    for (const [path, trace] of traces) writeFileSync(path, JSON.stringify(trace));
    return { cellMs, traceMs: (cpuMs() - from) / tasks.length };
  });
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

const rounds: { agentMs: number; harnessMs: number; traceMs: number }[] = [];
for (let round = -3; round < Number(options.rounds); round++) {
  const { agentMs, stateMs } = await measureAgents();
  const { cellMs, traceMs } = await measureCells();
  if (round >= 0) rounds.push({ agentMs, traceMs, harnessMs: cellMs - agentMs - stateMs - traceMs }); // the first ones warm up
}
const [agent, harness, trace] = (["agentMs", "harnessMs", "traceMs"] as const).map((name) => median(rounds.map((round) => round[name])));
const share = median(rounds.map(({ harnessMs, agentMs }) => harnessMs / agentMs));
console.log(`a cell: agent ${agent?.toFixed(3)} ms, harness ${harness?.toFixed(3)} ms, trace ${trace?.toFixed(3)} ms`);
console.log(`harness / agent: ${share.toFixed(2)} (at most ${MOST_HARNESS})`);

const heaps = await measureGrowth(Number(options.cells));
for (const { done, heapMiB } of heaps) console.log(`after ${done} cells: ${heapMiB.toFixed(1)} MiB of heap`);
const growth = (heaps.at(-1)?.heapMiB ?? 0) - (heaps[0]?.heapMiB ?? 0);
console.log(`growth: ${growth.toFixed(1)} MiB (at most ${MOST_GROWTH_MIB})`);
if (options.check && (share > MOST_HARNESS || growth > MOST_GROWTH_MIB)) process.exitCode = 1;
