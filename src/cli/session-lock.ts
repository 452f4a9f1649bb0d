import { open, readFile, rm } from "node:fs/promises";
import { UsageError } from "./usage-error.js";

/**
 * Takes a lock file for this process. One that was left behind by a process that is gone is taken over.
 * @returns What removes it.
 * @throws UsageError when a process that is alive has it.
 */
export async function lockSession(name: string, path: string): Promise<() => Promise<void>> {
  if (!(await create(path))) {
    const owner = Number((await readFile(path, "utf8").catch(() => "")).trim());
    if (isAlive(owner)) {
      const advice = `Wait for it, or end it. If it is no triact, delete ${path}`;
      throw new UsageError({ problem: `Session ${JSON.stringify(name)} is in use by process ${owner}. ${advice}.` });
    }
    await rm(path, { force: true });
    if (!(await create(path))) throw new UsageError({ problem: `Session ${JSON.stringify(name)} is in use by another process.` });
  }
  return () => rm(path, { force: true });
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
