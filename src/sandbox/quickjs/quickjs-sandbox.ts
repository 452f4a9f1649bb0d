import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { Sandbox, SandboxAnswer, SandboxCode, SandboxEvent, SandboxListener } from "../sandbox.js";
import { lostError } from "../sandbox-texts.js";
import { sourceHook } from "../source-hook.js";
import type { WorkerCommand } from "./quickjs-worker.js";

const HERE = fileURLToPath(import.meta.url);
/** In the built package the modules are bundled into few files, and the worker is one of them. */
const SCRIPT = join(dirname(HERE), HERE.endsWith(".ts") ? "quickjs-worker.ts" : "sandbox-quickjs-worker.js");

/** An interpreter in a worker thread of its own, as this thread sees it. */
export class QuickJsSandbox implements Sandbox {
  /** Settles when the interpreter can run code, and rejects if it cannot be loaded. */
  readonly ready: Promise<void>;
  readonly #worker: Worker;
  #listener: SandboxListener | undefined;
  #isGone = false;

  constructor({ memoryMiB }: { readonly memoryMiB: number }) {
    const execArgv = HERE.endsWith(".ts") ? ["--no-warnings", "--import", sourceHook()] : [];
    this.#worker = new Worker(SCRIPT, { workerData: { memoryMiB }, env: {}, execArgv, stdout: true, stderr: true });
    this.ready = new Promise((resolve, reject) => {
      this.#worker.once("message", () => resolve()); // the first one says that it is ready
      this.#worker.once("error", reject);
    });
    this.#worker.on("message", (event: SandboxEvent | "ready") => {
      if (event !== "ready") this.#listener?.(event);
    });
    this.#worker.on("exit", () => this.#onExit());
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** Lets the process end while nothing runs here. */
  unref(): void {
    this.#worker.unref();
  }

  run(code: SandboxCode, listener: SandboxListener): void {
    this.#listener = listener;
    this.#say({ type: "run", code });
  }

  settle({ callId, ok, text, elapsedMs }: SandboxAnswer): void {
    this.#say({ type: "settle", answer: { callId, ok, text, elapsedMs } });
  }

  ping(): void {
    this.#say({ type: "ping" });
  }

  dispose(): void {
    this.#listener = undefined;
    this.#isGone = true;
    void this.#worker.terminate();
  }

  #say(command: WorkerCommand): void {
    this.#worker.postMessage(command);
  }

  #onExit(): void {
    this.#isGone = true;
    this.#listener?.({ type: "lost", error: lostError() });
  }
}
