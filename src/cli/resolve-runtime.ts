import type { AgentRuntime } from "../base/agent-runtime.js";
import { ReActRuntime } from "../runtimes/react-runtime.js";
import { UsageError } from "./usage-error.js";

/** A row of the table of runtimes. */
export interface RuntimeRow {
  readonly create: () => AgentRuntime;
  /** Names of calls that the runtime itself makes, which a policy may name. */
  readonly ownToolNames: readonly string[];
}

/** Every runtime that `--runtime` knows, by name. */
export const runtimes: Readonly<Record<string, RuntimeRow>> = {
  react: { create: () => new ReActRuntime(), ownToolNames: [] },
};

/**
 * The runtime of a name. Default: ReAct.
 * @throws UsageError that lists the names, for another one.
 */
export function resolveRuntime(name = "react"): RuntimeRow {
  const row = Object.hasOwn(runtimes, name) ? runtimes[name] : undefined;
  if (row !== undefined) return row;
  throw new UsageError({
    problem: `--runtime: there is no runtime ${JSON.stringify(name)}. Allowed: ${Object.keys(runtimes).join(", ")}.`,
  });
}
