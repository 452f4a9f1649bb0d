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
 * The arm of a runtime's name, with options or without, or of a module that exports a runtime.
 * @throws UsageError for what cannot be used.
 */
export async function resolveArm(spec: string, host: Pick<CommandHost, "importModule" | "workingDirectory">): Promise<ResolvedArm> {
  if (isModulePath(spec)) return { arm: await loadArm(resolve(host.workingDirectory, spec), host), dispose: async () => undefined };
  const { runtime, dispose } = await resolveRuntime({ runtime: spec }, "--arm");
  const at = spec.indexOf(":");
  return { arm: { name: spec, runtime, settings: at < 0 ? {} : JSON.parse(spec.slice(at + 1)) }, dispose };
}

async function loadArm(path: string, { importModule }: Pick<CommandHost, "importModule">): Promise<BenchmarkArm> {
  let exported: Readonly<Record<string, unknown>>;
  try {
    exported = await importModule(pathToFileURL(path).href);
  } catch (cause) {
    throw new UsageError({ problem: `--arm: ${path} could not be loaded: ${importProblem(path, cause)}`, cause });
  }
  const values = [...new Set(Object.values(exported))];
  const [arm, ...others] = values.flatMap(armOf);
  if (arm !== undefined && others.length === 0) return arm;
  const problem = arm === undefined ? "exports no runtime" : "exports several runtimes";
  const hint = values.some((value) => typeof value === "function")
    ? " A class is none: export an instance, for example new MyRuntime()."
    : "";
  throw new UsageError({ problem: `--arm: ${path} ${problem}. Export one, or { name, runtime, settings }.${hint}` });
}

function armOf(value: unknown): BenchmarkArm[] {
  if (isRuntime(value)) return [{ name: value.name, runtime: value }];
  const isArm = isObject(value) && typeof value["name"] === "string" && isRuntime(value["runtime"]);
  return isArm ? [value as unknown as BenchmarkArm] : [];
}

function isRuntime(value: unknown): value is AgentRuntime {
  return typeof value === "object" && value !== null && "run" in value && typeof value.run === "function" && "name" in value;
}
