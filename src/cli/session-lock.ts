import { open, readFile, rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { UsageError } from "./usage-error.js";

/** A process that has made its lock needs less to write its id into it. */
const WRITING_MS = 100;

/** The locks of this process. A lock with its number that it does not hold is another's: in each of two containers it may be process 1. */
const held = new Set<string>();

/**
 * Takes a lock file for this process. One that was left behind by a process that is gone is taken over.
 * @returns What removes it.
 * @throws UsageError when a process that is alive has it.
 */
export async function lockSession(name: string, path: string): Promise<() => Promise<void>> {
  if (!(await create(path))) await takeOver(name, path);
  held.add(path);
  return async () => {
    held.delete(path);
    await rm(path, { force: true });
  };
}

/** Only one process at a time looks whether the lock is abandoned and replaces it: a second one could remove the new lock of the first. */
async function takeOver(name: string, path: string): Promise<void> {
  await checkAbandoned(name, path);
  const guard = `${path}.takeover`;
  if (!(await create(guard))) throw inUse(name, `by another process, which has just taken it. If that is long ago, delete ${guard}`);
  try {
    await checkAbandoned(name, path);
    await rm(path, { force: true });
    if (!(await create(path))) throw inUse(name, "by another process");
  } finally {
    await rm(guard, { force: true });
  }
}

/** @throws UsageError when the process that has the lock is alive. */
async function checkAbandoned(name: string, path: string): Promise<void> {
  const owner = await readOwner(path);
  if (owner === process.pid ? held.has(path) : isAlive(owner))
    throw inUse(name, `by process ${owner}. Wait for it, or end it. If it is no triact, delete ${path}`);
}

function inUse(name: string, words: string): UsageError {
  return new UsageError({ problem: `Session ${JSON.stringify(name)} is in use ${words}.` });
}

/** The process in a lock file; `NaN` when there is none. */
async function readOwner(path: string): Promise<number> {
  const read = async () => (await readFile(path, "utf8").catch(() => "")).trim();
  let owner = await read();
  if (owner === "") {
    await sleep(WRITING_MS);
    owner = await read();
  }
  return Number.parseInt(owner, 10);
}

async function create(path: string): Promise<boolean> {
  try {
    const file = await open(path, "wx", 0o600);
    await file.writeFile(`${process.pid}\n`);
    await file.close();
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0); // asks only
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"; // somebody else's process
  }
}
