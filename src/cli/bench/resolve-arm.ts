import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { AgentRuntime } from "../../base/agent-runtime.js";
import { isObject } from "../../base/json.js";
import type { BenchmarkArm } from "../../bench/runner/benchmark-cell.js";
import type { CommandHost } from "../command.js";
import { importProblem } from "../import-problem.js";
import { resolveRuntime } from "../resolve-runtime.js";
import { UsageError } from "../usage-error.js";
import { isModulePath } from "./module-path.js";

/** An arm for the time of a command. */
export interface ResolvedArm {
  readonly arm: BenchmarkArm;
  /** Ends what its runtime started. */
  readonly dispose: () => Promise<void>;
}

/**
 * The arm of a runtime's name, with options or without, or of a module that exports a runtime as default.
 * @throws UsageError for what cannot be used.
 */
export async function resolveArm(spec: string, host: Pick<CommandHost, "importModule" | "workingDirectory">): Promise<ResolvedArm> {
  if (isModulePath(spec)) return { arm: await loadArm(resolve(host.workingDirectory, spec), host), dispose: async () => undefined };
  const { runtime, dispose } = await resolveRuntime({ runtime: spec }, "--arm");
  const at = spec.indexOf(":");
  return { arm: { name: spec, runtime, settings: at < 0 ? {} : JSON.parse(spec.slice(at + 1)) }, dispose };
}

async function loadArm(path: string, { importModule }: Pick<CommandHost, "importModule">): Promise<BenchmarkArm> {
  let exported: unknown;
  try {
    exported = (await importModule(pathToFileURL(path).href))["default"];
  } catch (cause) {
    throw new UsageError({ problem: `--arm: ${path} could not be loaded: ${importProblem(path, cause)}`, cause });
  }
  if (isRuntime(exported)) return { name: exported.name, runtime: exported };
  if (isObject(exported) && typeof exported["name"] === "string" && isRuntime(exported["runtime"]))
    return exported as unknown as BenchmarkArm;
  throw new UsageError({ problem: `--arm: ${path} exports no runtime. Export a runtime, or { name, runtime, settings }, as default.` });
}

function isRuntime(value: unknown): value is AgentRuntime {
  return typeof value === "object" && value !== null && "run" in value && typeof value.run === "function" && "name" in value;
}
