import { setTimeout as sleep } from "node:timers/promises";
import type { AgentMessage } from "triact";
import { cpuTime } from "./clock.ts";
import { deltasScript, parallelScript, type Script, ScriptModel, turnsScript } from "./script-model.ts";
import { lowerQuartile, median, sum } from "./statistics.ts";
import type { BenchmarkTool, Conversation, CreateSubject, Listener, Subject } from "./subject.ts";

/** What a case found out, by name of the figure. */
export type Figures = Readonly<Record<string, number>>;

/** Measures one subject in a fresh process. */
export type Case = (createSubject: CreateSubject) => Promise<Figures>;

const NAME = "forecast";
const forecast: BenchmarkTool = { name: NAME, execute: ({ days }) => ({ days, celsius: 21 }) };

/** All cases but `import` and `packages`, which have other subjects. */
export const cases = {
  /** Time of a turn in a run of 100. */
  turns100: (createSubject) => timePerTurn(createSubject, 100),
  /** Time of a turn in a run of 1,000. */
  turns1000: (createSubject) => timePerTurn(createSubject, 1_000),
  /** Time of a text delta when the history is long. */
  deltas: timePerDelta,
  /** Time of a run whose model calls 64 tools at once. */
  parallel: timeOfParallelCalls,
  /** Time of many runs at once. */
  manySpeed: speedOfManyRuns,
  /** Memory of many runs at once. */
  manyMemory: memoryOfManyRuns,
  /** Memory that a long conversation keeps. */
  kept: memoryKept,
} satisfies Record<string, Case>;

async function timePerTurn(createSubject: CreateSubject, turns: number): Promise<Figures> {
  const subject = createSubject(forecast);
  const script = turnsScript({ turns, toolName: NAME });
  const runs = 1_000 / turns; // one sample has as many turns, and so as much garbage to collect, whatever the length of a run
  const time = await measureWarm(async () => sum(await repeat(runs, () => timeRun(subject, { script }))));
  return { "microseconds per turn": (time * 1_000) / (runs * (turns + 1)) };
}

async function timePerDelta(createSubject: CreateSubject): Promise<Figures> {
  const subject = createSubject(forecast);
  const deltas = 20_000;
  const script = deltasScript(deltas);
  const history = Array.from({ length: 200 }, (_, index): AgentMessage => {
    const content = [{ type: "text", text: flatText(2_048) } as const];
    return { id: `msg_${index}`, role: index % 2 === 0 ? "user" : "assistant", content, createdAt: index };
  });
  const time = await measureWarm(() => timeRun(subject, { script, history }));
  return { "microseconds per delta": (time * 1_000) / deltas };
}

async function timeOfParallelCalls(createSubject: CreateSubject): Promise<Figures> {
  const execute = async () => {
    await sleep(5);
    return { celsius: 21 };
  };
  const subject = createSubject({ name: NAME, execute });
  const script = parallelScript({ calls: 64, toolName: NAME });
  const runOnce = () => timeRun(subject, { script, clock: () => performance.now() }); // waiting is the point
  await repeat(300, runOnce); // most of a run is waiting, so it takes many until the code is compiled
  return { "milliseconds per run": median(await repeat(100, runOnce)) };
}

const AT_ONCE = 1_000;
const TURNS_OF_MANY = 10;

async function speedOfManyRuns(createSubject: CreateSubject): Promise<Figures> {
  const subject = createSubject(forecast);
  const script = turnsScript({ turns: TURNS_OF_MANY, toolName: NAME });
  const batch = async () => {
    const from = cpuTime();
    await startMany(subject, script, AT_ONCE);
    return cpuTime() - from;
  };
  await repeat(2, batch);
  return { "runs per second of CPU": (AT_ONCE * 1_000) / median(await repeat(3, batch)) };
}

/** All runs are held in the tool of their middle turn, so that the heap can be looked at while they are under way. */
async function memoryOfManyRuns(createSubject: CreateSubject): Promise<Figures> {
  const gate = Promise.withResolvers<void>();
  let measuring = false;
  let calls = 0;
  let waiting = 0;
  let heapUnderWay = 0;
  let residentPeak = 0;
  const execute: BenchmarkTool["execute"] = async ({ days }) => {
    calls += 1;
    if (calls % 50 === 0) residentPeak = Math.max(residentPeak, process.memoryUsage.rss());
    if (measuring && days === TURNS_OF_MANY / 2) {
      waiting += 1;
      if (waiting === AT_ONCE) {
        heapUnderWay = heapAfterGc();
        gate.resolve();
      }
      await gate.promise;
    }
    return { days, celsius: 21 };
  };
  const subject = createSubject({ name: NAME, execute });
  const script = turnsScript({ turns: TURNS_OF_MANY, toolName: NAME });
  await repeat(100, () => timeRun(subject, { script })); // what code costs once is not what a run costs
  const heapBefore = heapAfterGc();
  const residentBefore = process.memoryUsage.rss();
  residentPeak = residentBefore;
  measuring = true;
  const kept = await startMany(subject, script, AT_ONCE);
  const heapKept = heapAfterGc();
  if (kept.length !== waiting) throw new Error("The runs did not meet in their middle turn.");
  return {
    "peak RSS growth, MB": (residentPeak - residentBefore) / 1e6,
    "heap under way, MB": (heapUnderWay - heapBefore) / 1e6,
    "heap kept, MB": (heapKept - heapBefore) / 1e6,
  };
}

async function memoryKept(createSubject: CreateSubject): Promise<Figures> {
  const subject = createSubject({ name: NAME, execute: () => flatText(2_048) });
  await timeRun(subject, { script: turnsScript({ turns: 200, toolName: NAME }) });
  const script = turnsScript({ turns: 1_000, toolName: NAME });
  const heapBefore = heapAfterGc();
  const held = await startMany(subject, script, 1);
  const kept = heapAfterGc() - heapBefore;
  return { "bytes kept per byte": kept / JSON.stringify(held[0]?.messages).length };
}

/** Milliseconds of one run, without what comes before it. */
async function timeRun(subject: Subject, { script, history = [], clock = cpuTime }: TimedRun): Promise<number> {
  const conversation = subject.start({ model: new ScriptModel(script), listener: createListener(), history });
  const from = clock();
  await conversation.run("How is the weather?");
  return clock() - from;
}

interface TimedRun {
  readonly script: Script;
  readonly history?: readonly AgentMessage[];
  /** Milliseconds. @default cpuTime */
  readonly clock?: () => number;
}

/** A conversation after its run. Whoever holds it keeps all of it alive. */
interface Ended {
  readonly conversation: Conversation;
  readonly messages: readonly AgentMessage[];
}

/** Runs new conversations, all started before the first one ends. */
async function startMany(subject: Subject, script: Script, count: number): Promise<Ended[]> {
  const conversations = Array.from({ length: count }, () => subject.start({ model: new ScriptModel(script), listener: createListener() }));
  return Promise.all(
    conversations.map(async (conversation) => ({ conversation, messages: await conversation.run("How is the weather?") })),
  );
}

/** A subscriber that does as good as nothing, but not nothing. */
function createListener(): Listener {
  const counts = { events: 0 };
  return () => {
    counts.events += 1;
  };
}

/** Repeats work until it is compiled, then for a while that counts. Returns the lower quartile: what disturbs only ever adds. */
async function measureWarm(work: () => Promise<number>): Promise<number> {
  await repeatFor(WARM_UP_MS, work);
  return lowerQuartile(await repeatFor(MEASURED_MS, work));
}

/** Long enough for some 60,000 turns: before that the compiler is not done with the loop. */
const WARM_UP_MS = 1_500;
const MEASURED_MS = 700;

async function repeatFor(milliseconds: number, work: () => Promise<number>): Promise<number[]> {
  const results: number[] = [];
  for (const until = performance.now() + milliseconds; performance.now() < until; ) results.push(await work());
  return results;
}

async function repeat(times: number, work: () => Promise<number>): Promise<number[]> {
  const results: number[] = [];
  for (let done = 0; done < times; done++) results.push(await work());
  return results;
}

let made = 0;

/** Text of its own memory: concatenated or repeated text would share it. */
function flatText(length: number): string {
  made += 1;
  return Buffer.alloc(length, `${made} `).toString("latin1");
}

/** Bytes of living objects. */
function heapAfterGc(): number {
  if (globalThis.gc === undefined) throw new Error("Start node with --expose-gc.");
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}
