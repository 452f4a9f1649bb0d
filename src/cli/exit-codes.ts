import type { AgentRunResult } from "../base/agent-runtime.js";
import type { Interruption } from "./interruption.js";

/** What the process ends with. Scripts rely on these numbers. */
export const exitCodes = {
  completed: 0,
  failed: 1,
  usage: 2,
  suspended: 3,
  aborted: 4,
  SIGINT: 130,
  SIGTERM: 143,
} as const;

/** The exit code for a run. */
export function exitCodeOf({ status, endedBy }: AgentRunResult, interruption: Interruption): number {
  return status === "aborted" && endedBy === "abort" ? (interruption.exitCode ?? exitCodes.aborted) : exitCodes[status];
}
