import { z } from "zod";
import type { ExecutorCapabilities } from "./code-executor.js";
import { QuickJsSandbox, type QuickJsThread } from "./quickjs/quickjs-sandbox.js";
import { type WebWorker, webThread } from "./quickjs/quickjs-web-thread.js";
import type { Sandbox } from "./sandbox.js";
import { SandboxUnavailableError } from "./sandbox-errors.js";
import { type OpenOptions, SandboxExecutor } from "./sandbox-executor.js";
import { createLimitsSchema, DEFAULT_LIMITS, parseOptions, resolveLimits, type SandboxLimits } from "./sandbox-limits.js";

/** Options of an executor on QuickJS. */
export interface QuickJsExecutorOptions {
  /** Limits of every execution for which nothing else is said. */
  readonly limits?: SandboxLimits;
  /**
   * Makes a worker of a browser that runs `triact/sandbox/quickjs-web-worker`, for one sandbox. TypeScript cannot be run there. @default a worker thread of Node
   */
  readonly createWorker?: () => WebWorker;
}

const optionsSchema = z.strictObject({
  limits: createLimitsSchema().optional(),
  createWorker: z.custom<() => WebWorker>((value) => typeof value === "function", "expected a function that makes a worker").optional(),
});

const CAPABILITIES: Omit<ExecutorCapabilities, "languages"> = {
  isolation: "wasm",
  isolationNotes:
    "An interpreter in WebAssembly, in a worker thread of this process: a guest would have to break out of both. It has no limit of its own for the memory of the thread.",
  sessions: true,
  replay: true,
  globals: ["console", "setTimeout", "clearTimeout", "performance"],
};

/**
 * Runs JavaScript and TypeScript in an interpreter in WebAssembly, in a worker thread for each sandbox: where native addons cannot be had. It computes some 40 times
 * slower than V8. Needs the package `quickjs-emscripten`.
 */
export class QuickJsExecutor extends SandboxExecutor {
  readonly capabilities: ExecutorCapabilities;
  readonly #createWorker: (() => WebWorker) | undefined;
  readonly #open = new Set<QuickJsSandbox>();

  /** @throws SandboxOptionError for options that cannot be used. */
  constructor(options: QuickJsExecutorOptions = {}) {
    parseOptions(optionsSchema, options, "QuickJsExecutor");
    super(resolveLimits(options.limits, DEFAULT_LIMITS));
    this.#createWorker = options.createWorker;
    this.capabilities = { ...CAPABILITIES, languages: this.#createWorker === undefined ? ["javascript", "typescript"] : ["javascript"] };
  }

  protected override async open({ memoryMiB, signal }: OpenOptions): Promise<Sandbox> {
    const sandbox = new QuickJsSandbox(await this.#startThread(memoryMiB));
    try {
      await sandbox.ready;
    } catch (cause) {
      throw new SandboxUnavailableError({
        problem: "quickjs-emscripten could not be loaded. Install it: npm install quickjs-emscripten@0.32.",
        cause,
      });
    }
    sandbox.unref();
    for (const other of this.#open) if (other.isGone) this.#open.delete(other);
    this.#open.add(sandbox);
    if (!signal.aborted) return sandbox;
    sandbox.dispose();
    throw signal.reason;
  }

  /** What only Node has is loaded only there. */
  async #startThread(memoryMiB: number): Promise<QuickJsThread> {
    if (this.#createWorker !== undefined) return webThread(this.#createWorker(), { memoryMiB });
    const { startNodeThread } = await import("./quickjs/quickjs-node-thread.js");
    return startNodeThread({ memoryMiB });
  }

  protected override async close(): Promise<void> {
    for (const sandbox of this.#open) sandbox.dispose();
  }
}
