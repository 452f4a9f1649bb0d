import { z } from "zod";
import type { ChildPool } from "./child/child-pool.js";
import type { ExecutorCapabilities } from "./code-executor.js";
import { WatchedSandbox } from "./pyodide/watched-sandbox.js";
import type { Sandbox } from "./sandbox.js";
import { type OpenOptions, SandboxExecutor } from "./sandbox-executor.js";
import { createLimitsSchema, DEFAULT_LIMITS, parseOptions, resolveLimits, type SandboxLimits } from "./sandbox-limits.js";

/** Options of an executor for Python. */
export interface PyodideExecutorOptions {
  /** Limits of every execution for which nothing else is said. Memory is what Python may use beyond what it starts with. */
  readonly limits?: SandboxLimits;
  /** Child processes: how many, and for how long. Each holds one interpreter, and serves one sandbox. */
  readonly pool?: PythonPoolOptions;
}

/** How many interpreters there are. */
export interface PythonPoolOptions {
  /** Child processes at most; who needs one more waits. @default 4 */
  readonly maxChildren?: number;
  /** Children kept ready once there has been use. @default 1 */
  readonly spareChildren?: number;
  /** Milliseconds without work after which a session may lose its place, with its variables, to code that waits. @default 60_000 */
  readonly sessionIdleMs?: number;
}

const optionsSchema = z.strictObject({
  limits: createLimitsSchema().optional(),
  pool: z
    .strictObject({
      maxChildren: z.int().min(1).max(1_024).optional(),
      spareChildren: z.int().min(0).max(1_024).optional(),
      sessionIdleMs: z.int().min(0).optional(),
    })
    .optional(),
});

const DEFAULT_POOL: Required<PythonPoolOptions> = { maxChildren: 4, spareChildren: 1, sessionIdleMs: 60_000 };

/**
 * Runs Python on Pyodide, an interpreter in WebAssembly, in child processes. Pyodide isolates nothing by itself; the process does. Needs the package `pyodide`, of which
 * nothing is loaded from a network.
 */
export class PyodideExecutor extends SandboxExecutor {
  readonly capabilities: ExecutorCapabilities = {
    languages: ["python"],
    isolation: "process",
    isolationNotes:
      "Python in WebAssembly in child processes without environment, files or modules. Pyodide was not made to hold back hostile code: one that gets out of it is in a process that may read Python's files only, and that the operating system lets use the network.",
    sessions: true,
    replay: true,
    globals: ["asyncio"],
  };

  readonly #pool: Required<PythonPoolOptions>;
  readonly #closed = new AbortController();
  #children: ChildPool | undefined;

  /** @throws SandboxOptionError for options that cannot be used. */
  constructor(options: PyodideExecutorOptions = {}) {
    parseOptions(optionsSchema, options, "PyodideExecutor");
    super(resolveLimits(options.limits, DEFAULT_LIMITS));
    this.#pool = { ...DEFAULT_POOL, ...options.pool };
  }

  protected override async open(options: OpenOptions): Promise<Sandbox> {
    const [{ pyodideCommandLine }, { ChildPool }] = await Promise.all([
      import("./pyodide/pyodide-command.js"),
      import("./child/child-pool.js"),
    ]);
    const command = await orAborted(pyodideCommandLine(), AbortSignal.any([options.signal, this.#closed.signal]));
    this.#children ??= new ChildPool({ ...this.#pool, command, sandboxesPerChild: 1, sandboxesBeforeReplacement: 1 });
    return new WatchedSandbox(await this.#children.open(options));
  }

  protected override async close(): Promise<void> {
    this.#closed.abort();
    await this.#children?.close();
  }
}

/** What a promise gives, unless a signal comes first. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener("abort", onAbort));
}
