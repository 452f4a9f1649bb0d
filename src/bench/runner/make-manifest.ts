import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism, cpus } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { createAgent } from "../../agent/agent.js";
import type { AgentRuntime } from "../../base/agent-runtime.js";
import type { AgentModel } from "../../base/model.js";
import { createTool } from "../../base/tool.js";
import type { CellLimits, RunManifest } from "../record.js";
import type { Granularity } from "../reference/policy-protocol.js";
import { type BenchmarkArm, type BenchmarkModel, type LoadedSuite, REFERENCE_POLICY } from "./benchmark-cell.js";

/** What {@link makeManifest} takes. */
export interface ManifestOptions {
  /** What is to be solved. */
  readonly suites: readonly LoadedSuite[];
  /** What is compared. */
  readonly arms: readonly BenchmarkArm[];
  /** Undefined stands for the reference policy. */
  readonly models: readonly (BenchmarkModel | undefined)[];
  /** Attempts at each task. */
  readonly trials: number;
  /** Chooses everything that is chosen. */
  readonly seed: number;
  /** Of the reference policy. */
  readonly granularity: Granularity;
  /** Their names. */
  readonly faults: readonly string[];
  /** Name of the tokenizer. */
  readonly tokenizer: string;
  /** Of each cell. */
  readonly limits: CellLimits;
}

/** Says what is run: the first line of the records. */
export async function makeManifest(options: ManifestOptions): Promise<RunManifest> {
  const { suites, arms, models, trials, seed, granularity, faults, tokenizer, limits } = options;
  const commit = await ownCommit();
  const prices = models.flatMap((model) => (model?.pricing === undefined ? [] : [[model.name, model.pricing] as const]));
  return {
    version: 1,
    kind: "manifest",
    triact: ownPackage().version,
    ...(commit === undefined ? undefined : { commit }),
    node: process.version,
    machine: `${process.platform} ${process.arch}, ${availableParallelism()} × ${cpus()[0]?.model ?? "unknown"}`,
    seed,
    trials,
    suites: suites.map(({ suite: { name, version }, tasks }) => ({ name, version, tasks: tasks.length })),
    arms: await Promise.all(arms.map(describeArm)),
    models: models.map((model) => model?.name ?? REFERENCE_POLICY),
    ...(models.includes(undefined) ? { granularity } : undefined),
    ...(faults.length === 0 ? undefined : { faults: faults.join(", ") }),
    tokenizer,
    limits,
    ...(prices.length === 0 ? undefined : { prices: { date: new Date().toISOString().slice(0, 10), perMTok: Object.fromEntries(prices) } }),
    startedAt: Date.now(),
  };
}

/** What has to be equal in two runs whose records stand in one file. */
export function comparable(manifest: RunManifest): Readonly<Record<string, unknown>> {
  const { triact, commit, seed, trials, suites, arms, models, granularity, faults, tokenizer, limits, prices } = manifest;
  return { triact, commit, seed, trials, suites, arms, models, granularity, faults, tokenizer, limits, prices: prices?.perMTok };
}

async function describeArm({ name, runtime, settings = null }: BenchmarkArm): Promise<RunManifest["arms"][number]> {
  return { name, runtime: runtime.name, settings, promptHash: await promptHash(runtime) };
}

/** Some strategies cannot do without a tool. */
const anyTool = createTool({
  name: "look",
  description: "Looks something up.",
  inputSchema: { type: "object", properties: {} },
  execute: () => "",
});

/** A hash of what the strategy tells a model that has one tool. */
async function promptHash(runtime: AgentRuntime): Promise<string> {
  let prompt = "";
  const probe: AgentModel = {
    async *stream({ systemPrompt = "", messages }) {
      prompt ||= JSON.stringify([systemPrompt, messages.map(({ role, content }) => ({ role, content }))]);
      yield { type: "finish", reason: "refusal" };
    },
  };
  const logger = { error: () => undefined, warn: () => undefined };
  await createAgent({ model: probe, runtime, tools: [anyTool], maxIterations: 1, logger }).run("A question.");
  return createHash("sha256").update(prompt).digest("hex").slice(0, 16);
}

function ownPackage(): { readonly version: string } {
  return createRequire(import.meta.url)("triact/package.json") as { version: string };
}

/** The commit of a clone. An installed package has none. */
async function ownCommit(): Promise<string | undefined> {
  const folder = dirname(createRequire(import.meta.url).resolve("triact/package.json"));
  if (!existsSync(join(folder, ".git"))) return undefined;
  try {
    const { stdout } = await promisify(execFile)("git", ["-C", folder, "rev-parse", "HEAD"]);
    return stdout.trim();
  } catch {
    return undefined; // no git
  }
}
