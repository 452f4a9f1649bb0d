import type { AgentContext } from "./agent-context.js";
import type { AgentEventListener } from "./events.js";
import type { AgentMessage } from "./message.js";
import type { ModelErrorClass } from "./model.js";
import type { EndedBy, PendingToolCall, RunStatus } from "./snapshot.js";
import type { ParentRun } from "./sub-run.js";
import type { AgentUsage } from "./usage.js";

/**
 * A strategy: how a run goes forward, what the model must emit, and when it ends.
 *
 * A runtime holds no state of a run, so one object can serve many agents at once. Extend `BaseAgentRuntime` to change what the model emits;
 * implement this interface to compose other runtimes.
 */
export interface AgentRuntime {
  /** Stands in results and snapshots. */
  readonly name: string;
  /** Names of tools that are the runtime's own, so that policies may name them. @default none */
  readonly ownTools?: readonly string[];
  /**
   * Runs once, on the agent's history.
   * @returns The result, whatever happened in the run.
   * @throws AgentBusyError when the context is running already. Nothing else is thrown but for a caller's mistake.
   */
  run(context: AgentContext, request: AgentRequest): Promise<AgentRunResult>;
}

/** What one run is asked. */
export interface AgentRequest {
  /** Messages to add before the first turn; ready to be added, see `toMessages`. */
  readonly input: readonly AgentMessage[];
  /** True: goes on with the run that the context's state holds, instead of beginning one. @default false */
  readonly resume?: boolean;
  /** Aborts the run. Its reason becomes the cause of the `AgentAbortError`. */
  readonly signal?: AbortSignal;
  /** Set for a run within another run. */
  readonly parent?: ParentRun;
  /** Gets the events of this run alone, besides the agent's subscribers. */
  readonly listener?: AgentEventListener;
}

/** What a run came to. Frozen; its lists are never changed by later runs. */
export interface AgentRunResult<Output = unknown> {
  readonly agentId: string;
  readonly agentRole?: string;
  readonly runId: string;
  /** Name of the runtime. */
  readonly runtime: string;
  readonly status: RunStatus;
  readonly endedBy: EndedBy;
  /** Turns in which the model was asked. */
  readonly iterations: number;
  /** The final text, or the completion tool's output as text. For a failed or aborted run the last assistant text. */
  readonly outputText: string;
  /** The output as it is: what a schema made of it, where one was configured; else the completion tool's output. */
  readonly output?: Output;
  /** The whole history after the run. */
  readonly messages: readonly AgentMessage[];
  readonly usage: AgentUsage;
  /** Calls that wait for an approval, when `suspended`. */
  readonly pending?: readonly PendingToolCall[];
  /** Why the run was ended, in words. Set when `status` is `aborted`. */
  readonly reason?: string;
  /** Why the run failed. Set when `status` is `failed`. */
  readonly error?: Error;
  /** Kind of a model error. */
  readonly errorClass?: ModelErrorClass;
}
