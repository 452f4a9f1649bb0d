import { randomUUID } from "node:crypto";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { TriactError } from "../base/errors.js";

/** A process that is alive has the lock. */
export class ProcessLockError extends TriactError {
  override readonly name = "ProcessLockError";
  readonly code = "process-lock";
  /** The lock file. */
  readonly path: string;
  /** Id of the process that has it. */
  readonly owner: number;
  constructor({ path, owner }: { path: string; owner: number }) {
    super(`${path} is held by process ${owner}. Wait for it, or end it. If it is no triact, delete the file.`);
    this.path = path;
    this.owner = owner;
  }
}

/**
 * Takes a lock file for this process. One that was left behind by a process that is gone is taken over.
 *
 * The file is complete when it appears, and a stale one is moved away before it is replaced, so that of several processes that start at once one gets it.
 * @returns What gives it up.
 * @throws ProcessLockError when a process that is alive has it, this one included.
 */
export async function takeProcessLock(path: string): Promise<() => Promise<void>> {
  for (;;) {
    if (await create(path)) return () => rm(path, { force: true });
    const owner = await ownerOf(path);
    if (owner === undefined) continue; // it was given up in the meantime
    if (isAlive(owner)) throw new ProcessLockError({ path, owner });
    await removeStale(path, owner);
  }
}

async function create(path: string): Promise<boolean> {
  const draft = `${path}.${process.pid}.${randomUUID()}`;
  await writeFile(draft, `${process.pid}\n`, { mode: 0o600 });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Another process may have taken the stale lock over since it was read: what was moved away by mistake is put back. */
async function removeStale(path: string, owner: number): Promise<void> {
  const aside = `${path}.stale.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return;
    throw error;
  }
  if ((await ownerOf(aside)) !== owner) await link(aside, path).catch(() => undefined); // somebody else has it by now
  await rm(aside, { force: true });
}

/** 0 for a file that names no process. */
async function ownerOf(path: string): Promise<number | undefined> {
  try {
    const pid = Number((await readFile(path, "utf8")).trim());
    return Number.isInteger(pid) && pid > 0 ? pid : 0;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  if (pid === 0) return false;
  try {
    process.kill(pid, 0); // asks only
    return true;
  } catch (error) {
    return hasCode(error, "EPERM"); // somebody else's process
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
