import { ProcessLockError, takeProcessLock } from "../agent/process-lock.js";
import { UsageError } from "./usage-error.js";

/**
 * Takes a lock file for this process. One that was left behind by a process that is gone is taken over.
 * @returns What removes it.
 * @throws UsageError when a process that is alive has it.
 */
export async function lockSession(name: string, path: string): Promise<() => Promise<void>> {
  try {
    return await takeProcessLock(path);
  } catch (cause) {
    if (!(cause instanceof ProcessLockError)) throw cause;
    const advice = `Wait for it, or end it. If it is no triact, delete ${path}`;
    throw new UsageError({ problem: `Session ${JSON.stringify(name)} is in use by process ${cause.owner}. ${advice}.`, cause });
  }
}
