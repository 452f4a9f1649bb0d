import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTool, ReActRuntime } from "triact";
import {
  type BenchmarkArm,
  type BenchmarkOptions,
  type CellRecord,
  defineSuite,
  type RunManifest,
  runBenchmark,
  TokenCounter,
} from "triact/bench";
import { onTestFinished } from "vitest";
import { z } from "zod";

/** One for all tests of a file: it takes a third of a second to load. */
export const counter = await TokenCounter.load();

/** A shop whose tasks ask for sums of prices. */
export const shop = defineSuite({
  name: "shop",
  tasks: [1, 2, 3, 4].map((count) => ({
    id: `sum-of-${count}`,
    question: `What do the first ${count} things cost together?`,
    program: `const prices = await Promise.all([${Array.from({ length: count }, (_, index) => index + 1)}].map((number) => price({ number })));
return String(prices.reduce((sum, price) => sum + price, 0));`,
    start: () => ({
      tools: [
        createTool({
          name: "price",
          description: "The price of a thing.",
          inputSchema: z.object({ number: z.number() }),
          outputSchema: z.number(),
          execute: ({ number }) => number * 10,
        }),
      ],
      check: (answer) => ({ solved: Number(answer) === (count * (count + 1) * 10) / 2, reason: "another sum was expected" }),
    }),
  })),
});

/** Native calls. */
export const react: BenchmarkArm = { name: "react", runtime: new ReActRuntime() };

/** What a run left behind. */
export interface Ran {
  readonly output: string;
  readonly manifest: RunManifest;
  /** In the order in which they were written. */
  readonly records: readonly CellRecord[];
}

/** A folder that is removed when the test ends. */
export function outputFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "triact-bench-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs a benchmark: of the shop with native calls, if nothing else is said. */
export async function bench(options: Partial<BenchmarkOptions> = {}): Promise<Ran> {
  const { output = outputFolder() } = options;
  await runBenchmark({ suites: [shop], arms: [react], counter, ...options, output });
  return readRun(output);
}

/** Reads what a run wrote. */
export function readRun(output: string): Ran {
  const lines = readFileSync(join(output, "records.jsonl"), "utf8").trimEnd().split("\n");
  const [manifest, ...records] = lines.map((line) => JSON.parse(line) as unknown);
  return { output, manifest: manifest as RunManifest, records: records as CellRecord[] };
}

/** The records by cell, without the times that they took. */
export function timeless({ records }: Ran): Omit<CellRecord, "wallMs" | "modelMs" | "toolMs" | "sandboxMs">[] {
  return records
    .map(({ wallMs: _, modelMs: _model, toolMs: _tool, sandboxMs: _sandbox, ...record }) => record)
    .toSorted((a, b) => (a.cell < b.cell ? -1 : 1));
}
