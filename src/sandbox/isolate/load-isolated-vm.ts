import type IsolatedVm from "isolated-vm";
import { SandboxUnavailableError } from "../sandbox-errors.js";

/** The module isolated-vm. */
export type Ivm = typeof IsolatedVm;

/**
 * Loads the optional peer dependency isolated-vm, and tries whether it works here.
 * @throws SandboxUnavailableError that says what to install or change.
 */
export async function loadIsolatedVm(): Promise<Ivm> {
  const { default: ivm } = await importIt();
  try {
    const isolate = new ivm.Isolate({ memoryLimit: 8 });
    const works = isolate.createContextSync().evalSync("1 + 1");
    isolate.dispose();
    if (works === 2) return ivm;
  } catch (cause) {
    throw unavailable(`isolated-vm is installed but does not work on Node ${process.version}: ${(cause as Error).message}`, cause);
  }
  throw unavailable(`isolated-vm is installed but does not work on Node ${process.version}.`);
}

async function importIt(): Promise<{ default: Ivm }> {
  try {
    return await import("isolated-vm");
  } catch (cause) {
    throw unavailable("isolated-vm could not be loaded. Install it: npm install isolated-vm@7 (Node 24 or later).", cause);
  }
}

function unavailable(problem: string, cause?: unknown): SandboxUnavailableError {
  return new SandboxUnavailableError({ problem, cause });
}
