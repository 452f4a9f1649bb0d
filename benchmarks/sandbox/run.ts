/**
 * Compares the executor on isolated-vm with isolated-vm alone, in interleaved rounds, and prints one table. See README.md beside it.
 */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { IsolatedVmExecutor, type SandboxSession } from "triact/sandbox";
import { median } from "../statistics.ts";
import { type SandboxSubject, type SubjectName, subjects } from "./subjects.ts";

interface Row {
  readonly label: string;
  readonly unit: string;
  readonly subject: Exclude<SubjectName, "raw">;
  readonly atMost: number;
  readonly measure: (subject: SandboxSubject) => Promise<number>;
}

const ROUNDS = Number(process.env["ROUNDS"] ?? 5);
const CALLS = 2_000;

async function perSandbox(subject: SandboxSubject): Promise<number> {
  const times: number[] = [];
  for (let done = 0; done < 60; done++) {
    const from = performance.now();
    await subject.run("return 1");
    times.push(performance.now() - from);
  }
  return median(times);
}

/** Time of a call in a long row of calls; what making the sandbox costs is too little to matter. */
async function perCall(subject: SandboxSubject): Promise<number> {
  const from = performance.now();
  await subject.run(`for (let i = 0; i < ${CALLS}; i++) await tool({ i }); return 1`);
  return ((performance.now() - from) * 1_000) / CALLS;
}

async function parallelCalls(subject: SandboxSubject): Promise<number> {
  const times: number[] = [];
  for (let done = 0; done < 10; done++) {
    const from = performance.now();
    await subject.run("await Promise.all(Array.from({ length: 64 }, () => tool({ sleep: 5 }))); return 1");
    times.push(performance.now() - from);
  }
  return median(times);
}

async function manyAtOnce(subject: SandboxSubject): Promise<number> {
  const from = performance.now();
  await Promise.all(Array.from({ length: 200 }, () => subject.run("return await tool({ a: 1 })")));
  return performance.now() - from;
}

const rows: readonly Row[] = [
  { label: "create, run, dispose", unit: "ms", subject: "child", atMost: 1.8, measure: perSandbox },
  { label: "create, run, dispose", unit: "ms", subject: "in process", atMost: 1.8, measure: perSandbox },
  { label: "awaited tool call", unit: "µs", subject: "child", atMost: 2.5, measure: perCall },
  { label: "awaited tool call", unit: "µs", subject: "in process", atMost: 1.1, measure: perCall },
  { label: "64 parallel calls of 5 ms", unit: "ms", subject: "child", atMost: 2.3, measure: parallelCalls },
  { label: "200 sandboxes at once", unit: "ms", subject: "child", atMost: 1.6, measure: manyAtOnce },
  { label: "200 sandboxes at once", unit: "ms", subject: "shared", atMost: 1.6, measure: manyAtOnce },
];

const tool = (input: unknown) => {
  const { sleep: milliseconds } = input as { sleep?: number };
  return milliseconds === undefined ? { ok: true } : sleep(milliseconds, { ok: true });
};

/** Raw and ours one after the other, so that what else the machine does meets both. The first round warms up and does not count. */
async function compare({ subject: name, measure }: Row): Promise<{ raw: number[]; ours: number[] }> {
  const raw = subjects.raw(tool);
  const ours = subjects[name](tool);
  const figures = { raw: [] as number[], ours: [] as number[] };
  for (let round = 0; round <= ROUNDS; round++) {
    const rawFigure = await measure(raw);
    const figure = await measure(ours);
    if (round > 0) figures.raw.push(rawFigure);
    if (round > 0) figures.ours.push(figure);
  }
  await ours.dispose();
  return figures;
}

/** Resident memory of child processes, in megabytes, without what they share with this one. */
function childMemory(): number {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").trim().split(" ").filter(Boolean);
  return children.reduce(
    (total, pid) => total + Number(/Private_Dirty: +(\d+)/.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? 0) / 1_000,
    0,
  );
}

/** Memory of one more sandbox that is kept, in megabytes: with a child of its own, and in a child that it shares. */
async function memory(sandboxesPerChild: number, count: number): Promise<number> {
  const maxChildren = sandboxesPerChild === 1 ? count : 1;
  await using executor = new IsolatedVmExecutor({ pool: { maxChildren, sandboxesPerChild, spareChildren: 0 } });
  const run = (session: SandboxSession) => executor.execute({ language: "javascript", code: "1", session });
  await run(executor.createSession());
  const before = childMemory();
  for (let made = 1; made < count; made++) await run(executor.createSession());
  return (childMemory() - before) / (count - 1);
}

const lines = [["", "way", "raw", "triact", "compared", "at most", ""]];
for (const row of rows) {
  const { raw, ours } = await compare(row);
  const ratio = median(ours.map((figure, round) => figure / (raw[round] ?? Number.NaN)));
  const cells = [median(raw), median(ours)].map((figure) => `${figure.toFixed(2)} ${row.unit}`);
  lines.push([row.label, row.subject, ...cells, `${ratio.toFixed(2)}x`, `${row.atMost}x`, ratio <= row.atMost ? "pass" : "MISS"]);
}
if (process.platform === "linux")
  for (const [label, perChild, count, atMost] of [
    ["memory of a child", 1, 6, 12],
    ["memory of a shared isolate", 50, 21, 1.3],
  ] as const) {
    const figure = await memory(perChild, count);
    lines.push([label, "child", "", `${figure.toFixed(2)} MB`, "", `${atMost} MB`, figure <= atMost ? "pass" : "MISS"]);
  }
const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((cells) => (cells[column] ?? "").length)));
for (const cells of lines)
  console.log(
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
