import { z } from "zod";
import type { ChildPool, ChildPoolOptions } from "./child/child-pool.js";
import type { CodeLanguage, ExecuteOptions, ExecutorCapabilities } from "./code-executor.js";
import type { InProcessIsolates } from "./isolate/in-process-isolates.js";
import type { Sandbox } from "./sandbox.js";
import { type OpenOptions, SandboxExecutor } from "./sandbox-executor.js";
import { createLimitsSchema, DEFAULT_LIMITS, parseOptions, resolveLimits, type SandboxLimits } from "./sandbox-limits.js";

/** Options of an executor on isolated-vm. */
export interface IsolatedVmExecutorOptions {
  /**
   * `"process"`: isolates in child processes, so that nothing the code does can end this one. `"in-process"`: isolates in this process; faster by a little,
   * but code that makes V8 give up ends the process. @default "process"
   */
  readonly isolation?: "process" | "in-process";
  /** Limits of every execution for which nothing else is said. */
  readonly limits?: SandboxLimits;
  /**
   * Checks the types of TypeScript code against `declarations` before anything runs; some 100 ms each time. Needs the package `typescript`.
   * @default false
   */
  readonly typecheck?: boolean;
  /** Child processes: how many, for how long. Only with `isolation: "process"`. */
  readonly pool?: ChildPoolOptions;
}

const poolSchema = z.strictObject({
  maxChildren: z.int().min(1).max(1_024).optional(),
  sandboxesPerChild: z.int().min(1).max(1_024).optional(),
  spareChildren: z.int().min(0).max(1_024).optional(),
  sandboxesBeforeReplacement: z.int().min(1).optional(),
  sessionIdleMs: z.int().min(0).optional(),
});

const DEFAULT_POOL: Required<ChildPoolOptions> = {
  maxChildren: 8,
  sandboxesPerChild: 1,
  spareChildren: 1,
  sandboxesBeforeReplacement: 200,
  sessionIdleMs: 60_000,
};

const ISOLATION_NOTES = {
  process:
    "Isolates of V8 in child processes without environment, files or modules: what ends an isolate, or the engine, ends a child. The operating system still lets a guest that breaks out of V8 use the network.",
  "in-process": "Isolates of V8 in this process: code that makes the engine give up, mostly for want of memory, ends this process too.",
};

const optionsSchema = z.strictObject({
  isolation: z.enum(["process", "in-process"]).optional(),
  limits: createLimitsSchema().optional(),
  typecheck: z.boolean().optional(),
  pool: poolSchema.optional(),
});

/** Runs JavaScript and TypeScript in isolates of V8. Needs the package `isolated-vm`. */
export class IsolatedVmExecutor extends SandboxExecutor {
  readonly capabilities: ExecutorCapabilities;
  readonly #typecheck: boolean;
  readonly #loadIsolates: () => Promise<InProcessIsolates | ChildPool>;
  #isolates: Promise<InProcessIsolates | ChildPool> | undefined;

  /** @throws SandboxOptionError for options that cannot be used. */
  constructor(options: IsolatedVmExecutorOptions = {}) {
    parseOptions(optionsSchema, options, "IsolatedVmExecutor");
    super(resolveLimits(options.limits, DEFAULT_LIMITS));
    const { isolation = "process" } = options;
    this.capabilities = {
      languages: ["javascript", "typescript"],
      isolation: isolation === "process" ? "process" : "isolate",
      isolationNotes: ISOLATION_NOTES[isolation],
      sessions: true,
      replay: true,
      globals: ["console", "setTimeout", "clearTimeout", "performance"],
    };
    this.#typecheck = options.typecheck ?? false;
    this.#loadIsolates = isolation === "process" ? () => loadPool(options.pool) : loadInProcess;
  }

  protected override check({ code, declarations = "", session, signal }: ExecuteOptions, language: CodeLanguage) {
    if (!this.#typecheck || language !== "typescript") return undefined;
    return import("./type-checker.js").then(({ checkTypes }) =>
      checkTypes({ code, declarations, inSession: session !== undefined, signal }),
    );
  }

  protected override async open(options: OpenOptions): Promise<Sandbox> {
    this.#isolates ??= this.#loadIsolates();
    return (await this.#isolates).open(options);
  }

  protected override async close(): Promise<void> {
    await (await this.#isolates)?.close();
  }
}

/** What only Node has is loaded when it is first needed, so that a browser can load this module for the sake of its neighbours. */
async function loadPool(options: ChildPoolOptions | undefined): Promise<ChildPool> {
  const { ChildPool } = await import("./child/child-pool.js");
  return new ChildPool({ ...DEFAULT_POOL, ...options });
}

async function loadInProcess(): Promise<InProcessIsolates> {
  const { InProcessIsolates } = await import("./isolate/in-process-isolates.js");
  return new InProcessIsolates();
}
