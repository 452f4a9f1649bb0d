import { randomUUID } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { TriactError } from "../base/errors.js";

/** Another process, or this one, has the lock. */
export class ProcessLockError extends TriactError {
  override readonly name = "ProcessLockError";
  readonly code = "process-lock";
  constructor({ words }: { words: string }) {
    super(words);
  }
}

/** Locks that this process has or is about to take. One with its number that is not among them was another's: in each of two containers it may be process 1. */
const held = new Set<string>();

/**
 * Takes a lock file for this process. One that was left behind by a process that is gone is taken over.
 * @param subject - What the lock is for, for the error. For example `Session "trip"`.
 * @returns What gives it up.
 * @throws ProcessLockError when a process that is alive has it, this one included.
 */
export async function takeProcessLock(path: string, subject: string): Promise<() => Promise<void>> {
  if (held.has(path)) throw inUseBy(process.pid, path, subject);
  held.add(path);
  try {
    if (!(await create(path))) await takeOver(path, subject);
  } catch (error) {
    held.delete(path);
    throw error;
  }
  return async () => {
    held.delete(path);
    await rm(path, { force: true });
  };
}

/** Only one process at a time looks whether the lock is abandoned and replaces it: a second one could remove the new lock of the first. */
async function takeOver(path: string, subject: string): Promise<void> {
  await checkAbandoned(path, subject);
  const guard = `${path}.takeover`;
  if (!(await create(guard))) throw inUse(subject, `by another process, which has just taken it. If that is long ago, delete ${guard}`);
  try {
    await checkAbandoned(path, subject);
    await rm(path, { force: true });
    if (!(await create(path))) throw inUse(subject, "by another process");
  } finally {
    await rm(guard, { force: true });
  }
}

/** @throws ProcessLockError when the process that has the lock is alive. */
async function checkAbandoned(path: string, subject: string): Promise<void> {
  const owner = Number.parseInt(await readFile(path, "utf8").catch(() => ""), 10);
  if (owner !== process.pid && isAlive(owner)) throw inUseBy(owner, path, subject);
}

function inUseBy(owner: number, path: string, subject: string): ProcessLockError {
  return inUse(subject, `by process ${owner}. Wait for it, or end it. If it is no triact, delete ${path}`);
}

function inUse(subject: string, words: string): ProcessLockError {
  return new ProcessLockError({ words: `${subject} is in use ${words}.` });
}

/** Makes the file, unless it is there. It is complete when it appears: nobody can see a lock that names no process yet. */
async function create(path: string): Promise<boolean> {
  const draft = `${path}.${process.pid}.${randomUUID()}`;
  await writeFile(draft, `${process.pid}\n`, { mode: 0o600 });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
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
