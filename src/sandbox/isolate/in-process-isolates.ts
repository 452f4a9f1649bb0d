import { setTimeout as sleep } from "node:timers/promises";
import { loadParser } from "../code/prepare-code.js";
import type { Sandbox } from "../sandbox.js";
import { SandboxUnavailableError } from "../sandbox-errors.js";
import type { OpenOptions } from "../sandbox-executor.js";
import { IsolateSandbox } from "./isolate-sandbox.js";
import { loadIsolatedVm } from "./load-isolated-vm.js";

/** A process that exits sooner after an isolate was disposed of in the middle of its work tends to crash. */
const SETTLE_MS = 100;

/** Set once V8 has given up in an isolate of this process: its thread and memory are lost, and another one could end the process. */
let isPoisoned = false;

/** Isolates in this process. */
export class InProcessIsolates {
  #loaded: Promise<[Awaited<ReturnType<typeof loadIsolatedVm>>, Awaited<ReturnType<typeof loadParser>>]> | undefined;
  #disposedAt = Number.NEGATIVE_INFINITY;

  /**
   * Makes an isolate.
   * @throws SandboxUnavailableError if isolated-vm is missing, or after V8 gave up in this process.
   */
  async open({ memoryMiB, signal }: OpenOptions): Promise<Sandbox> {
    if (isPoisoned)
      throw new SandboxUnavailableError({
        problem:
          'V8 gave up in an isolate of this process, most likely for want of memory. No further isolates are made here; restart the process, or use `isolation: "process"`.',
      });
    this.#loaded ??= Promise.all([loadIsolatedVm(), loadParser()]);
    const [ivm, parser] = await this.#loaded;
    const onCatastrophe = () => {
      isPoisoned = true;
    };
    const onDispose = () => {
      this.#disposedAt = performance.now();
    };
    const sandbox = await IsolateSandbox.create({ ivm, parser, memoryMiB, onCatastrophe, onDispose });
    if (!signal.aborted) return sandbox;
    sandbox.dispose();
    throw signal.reason;
  }

  /** Waits until the process may exit. */
  async close(): Promise<void> {
    const waitMs = this.#disposedAt + SETTLE_MS - performance.now();
    if (waitMs > 0) await sleep(waitMs);
  }
}
