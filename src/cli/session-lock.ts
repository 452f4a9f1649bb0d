import { ProcessLockError, takeProcessLock } from "../bench/process-lock.js";
import { UsageError } from "./usage-error.js";

/**
 * Takes the lock of a session for this process. One that was left behind by a process that is gone is taken over.
 * @returns What removes it.
 * @throws UsageError when a process that is alive has it.
 */
export async function lockSession(name: string, path: string): Promise<() => Promise<void>> {
  try {
    return await takeProcessLock(path, `Session ${JSON.stringify(name)}`);
  } catch (cause) {
    throw cause instanceof ProcessLockError ? new UsageError({ problem: cause.message, cause }) : cause;
  }
}
