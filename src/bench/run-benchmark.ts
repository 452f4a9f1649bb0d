import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { AgentConfigError } from "../base/errors.js";
import { type Fault, isModelFault, parseFault } from "./faults/fault-kinds.js";
import { takeProcessLock } from "./process-lock.js";
import type { RunManifest } from "./record.js";
import { type BenchmarkCell, firstDuplicate, type LoadedSuite, planCells } from "./runner/benchmark-cell.js";
import type { BenchmarkOptions, BenchmarkResult } from "./runner/benchmark-options.js";
import { BenchmarkRun, cellLimits } from "./runner/benchmark-run.js";
import { comparable, makeManifest } from "./runner/make-manifest.js";
import { RECORDS_FILE, RecordsFile, readStored } from "./runner/records-file.js";
import type { Suite } from "./suite.js";
import { TokenCounter } from "./token-counter.js";

/**
 * Runs each task by each strategy, model and trial, in a seeded order, and appends one line to the records for each cell that is finished. That file is what a
 * later call with `resume` goes on with, also when the process was killed.
 * @throws AgentConfigError for what cannot be run; ProcessLockError while another process writes to the same folder.
 */
export async function runBenchmark(options: BenchmarkOptions): Promise<BenchmarkResult> {
  const faults = (options.faults ?? []).map(parseFault);
  check(options, faults);
  const { output } = options;
  await mkdir(output, { recursive: true });
  const unlock = await takeProcessLock(join(output, "run.lock"), output);
  try {
    return await runLocked(options, faults);
  } finally {
    await unlock();
  }
}

async function runLocked(options: BenchmarkOptions, faults: readonly Fault[]): Promise<BenchmarkResult> {
  const { arms, models = [undefined], trials = 1, seed = 1, granularity = "whole", output } = options;
  const stored = await readStored(output);
  if (stored !== undefined && options.resume !== true) {
    throw new AgentConfigError({ field: "output", problem: `${output} holds records already. Resume them, or choose another folder` });
  }
  const suites = await Promise.all(options.suites.map((suite) => load(suite, { seed, maxTasks: options.maxTasks })));
  const counter = options.counter ?? (await TokenCounter.load());
  const plan = { suites, arms, models, trials, seed };
  const settings = { granularity, faults: faults.map(({ name }) => name), tokenizer: counter.name, limits: cellLimits(options) };
  const manifest = await makeManifest({ ...plan, ...settings });
  if (stored?.manifest !== undefined) checkSame(stored.manifest, manifest);
  const file = new RecordsFile(output);
  try {
    if (stored?.manifest === undefined) file.append(manifest);
    const run = new BenchmarkRun({ options, counter, file });
    const cells = planCells({ ...plan, faults });
    checkIds(cells);
    const end = await run.perform(cells, stored?.cells ?? new Set());
    return { manifest: stored?.manifest ?? manifest, records: join(output, RECORDS_FILE), ...end };
  } finally {
    file.close();
  }
}

async function load(suite: Suite, { seed, maxTasks }: { seed: number; maxTasks: number | undefined }): Promise<LoadedSuite> {
  return { suite, tasks: (await suite.tasks({ seed })).slice(0, maxTasks) };
}

function check({ suites, arms, models, trials = 1, concurrency = 4, seed = 1 }: BenchmarkOptions, faults: readonly Fault[]): void {
  const fail = (field: string, problem: string) => {
    throw new AgentConfigError({ field, problem });
  };
  const lists = { suites, arms, ...(models === undefined ? undefined : { models }), faults };
  for (const [field, list] of Object.entries(lists)) {
    if (list.length === 0 && field !== "faults") fail(field, "at least one was expected");
    const twice = firstDuplicate(list.map(({ name }) => name));
    const hint = field === "arms" ? ". Give one of them another name: { name, runtime, settings }" : "";
    if (twice !== undefined) fail(field, `the name ${JSON.stringify(twice)} stands there twice${hint}`);
  }
  for (const [field, value] of Object.entries({ trials, concurrency })) {
    if (!Number.isInteger(value) || value < 1) fail(field, `a whole number from 1 was expected, not ${value}`);
  }
  if (!Number.isSafeInteger(seed)) fail("seed", `a whole number was expected, not ${seed}`);
  const ours = models === undefined ? undefined : faults.find(({ kind }) => isModelFault(kind));
  if (ours !== undefined) fail("faults", `${ours.name} is a fault of the reference policy, and other models were given`);
}

/** Ids are names joined by slashes, which names may hold too. */
function checkIds(cells: readonly BenchmarkCell[]): void {
  const ids = new Set<string>();
  for (const { id } of cells) {
    if (ids.has(id))
      throw new AgentConfigError({ field: "arms", problem: `two cells have the id ${id}. Give a task or a strategy another name` });
    ids.add(id);
  }
}

function checkSame(stored: RunManifest, now: RunManifest): void {
  const [before, after] = [comparable(stored), comparable(now)];
  const field = Object.keys(after).find((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  if (field === undefined) return;
  const problem = `the records are of a run with other ${field}: ${JSON.stringify(before[field])}, not ${JSON.stringify(after[field])}`;
  throw new AgentConfigError({ field: "resume", problem });
}
