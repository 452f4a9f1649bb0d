import type { Run } from "../../base/run.js";
import type { CodeExecutor, ExecuteOptions, ExecutionResult, SandboxSession, SandboxTool } from "../../sandbox/code-executor.js";
import type { ExecutionJournal } from "../../sandbox/execution-journal.js";
import type { SandboxLimits } from "../../sandbox/sandbox-limits.js";

/** How code of one run is executed. */
export interface CodeSessionOptions {
  /** Where it runs. */
  readonly executor: CodeExecutor;
  /** Whether variables stay from one piece of code to the next. */
  readonly persistent: boolean;
  /** Limits of each piece of code. */
  readonly limits: SandboxLimits;
}

/** The sandbox of one run: its variables, and what has to be done again before they are there in another process. */
export class CodeSession {
  /** Whether code has run well, after which a run with a summary has to end. */
  hasSucceeded = false;
  readonly #run: Run;
  readonly #options: CodeSessionOptions;
  #sandbox: SandboxSession | undefined;
  #rebuilt: boolean;

  constructor(run: Run, options: CodeSessionOptions) {
    this.#run = run;
    this.#options = options;
    this.#rebuilt = !run.isResumed;
    this.hasSucceeded = run.calls.toReplay.some(({ result }) => result.isError !== true);
  }

  /** Whether variables stay from one piece of code to the next. */
  get isPersistent(): boolean {
    const { executor, persistent } = this.#options;
    return persistent && executor.capabilities.sessions;
  }

  /**
   * Makes the place for variables, if there is to be one.
   * @throws What the executor throws, for example because it was disposed of.
   */
  open(): void {
    if (this.isPersistent) this.#open();
  }

  /** Runs code in the session. */
  async execute(options: Pick<ExecuteOptions, "language" | "code" | "tools" | "declarations" | "replay">): Promise<ExecutionResult> {
    const { executor } = this.#options;
    if (!this.isPersistent) return executor.execute({ ...options, ...this.#common() });
    if (!this.#rebuilt) await this.#rebuild(Object.keys(options.tools ?? {}));
    return executor.execute({ ...options, ...this.#common(), session: this.#open() });
  }

  /** Whether what is executed has to be done again before the run can go on in another process. */
  get isBuiltOn(): boolean {
    return this.isPersistent && this.#options.executor.capabilities.replay;
  }

  /** Does again what made the variables: every call is answered from the journal, so nothing happens outside of the sandbox. */
  async #rebuild(names: readonly string[]): Promise<void> {
    this.#rebuilt = true;
    const tools = Object.fromEntries(names.map((name) => [name, notAgain]));
    for (const { input, replay } of this.#run.calls.toReplay) {
      const journal = replay as unknown as ExecutionJournal;
      const [language, code] = [String(input["language"]), String(input["code"])];
      await this.#options.executor.execute({ language, code, tools, replay: journal, ...this.#common(), session: this.#open() });
    }
  }

  #common(): Pick<ExecuteOptions, "limits" | "signal"> {
    return { limits: this.#options.limits, signal: this.#run.signal };
  }

  #open(): SandboxSession {
    if (this.#sandbox === undefined) {
      const sandbox = this.#options.executor.createSession();
      this.#sandbox = sandbox;
      this.#run.onEnd(() => sandbox.dispose());
    }
    return this.#sandbox;
  }
}

/** In code that is done again no call is made. */
const notAgain: SandboxTool = () => ({ kind: "error", message: "This call was not made the first time." });
