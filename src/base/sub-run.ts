import type { AgentContext } from "./agent-context.js";
import type { AgentRunResult, AgentRuntime } from "./agent-runtime.js";
import type { AgentEvent } from "./events.js";
import { repairHistory, toMessages } from "./history.js";
import type { AgentMessageInput } from "./message.js";
import type { Outcome } from "./outcome.js";
import type { Run } from "./run.js";
import type { AgentSettings, RunLimits } from "./settings.js";
import type { CallUsage } from "./usage.js";

/** A run, as a run within it sees it. */
export interface ParentRun {
  readonly runId: string;
  /** Runs that it is within; 0 for a run that somebody started. */
  readonly depth: number;
  /** The tool call of it that the run within is. */
  readonly toolCallId?: string;
  /** Whether anybody gets its events. */
  readonly listening: boolean;
  /** Reports an event of the run within as a `nested-event`. */
  report(event: AgentEvent): Promise<void> | undefined;
  /** Adds what a model call of the run within used. */
  addUsage(call: CallUsage): void;
  /** The limit of tokens or cost that it has reached, if any. */
  checkUsage(): Outcome | undefined;
}

/** What a sub-run may be given otherwise than its parent has it. */
export type SubRunSettings = Partial<
  Pick<
    AgentSettings,
    "agentRole" | "model" | "systemPrompt" | "tools" | "maxIterations" | "limits" | "modelOptions" | "output" | "prepareTurn" | "pricing"
  >
>;

/** What {@link startSubRun} takes. */
export interface SubRunOptions {
  /** The strategy of the sub-run. */
  readonly runtime: AgentRuntime;
  /** Begins the conversation, which is not the parent's. To go on from the parent's history give `run.messages`. */
  readonly input: string | readonly AgentMessageInput[];
  /** Settings that are not the parent's. The parent's output schema and completion policy never hold for a sub-run. */
  readonly settings?: SubRunSettings;
  /** The part of what is left of the parent's token and cost limits that the sub-run may use, above 0 and up to 1. @default 1 */
  readonly share?: number;
  /** Ends the sub-run alone. */
  readonly signal?: AbortSignal;
}

/**
 * Runs a runtime on a conversation of its own, as a part of a run: with the same model, tools, policies and hooks unless told otherwise, inside the same
 * limits. Its events reach the parent's listeners as `nested-event`, its usage counts as the parent's, and it ends when the parent ends.
 *
 * It cannot be suspended: an approval that wants to wait is a denial in it.
 * @returns How it ended, whatever happened in it.
 */
export async function startSubRun(run: Run, options: SubRunOptions): Promise<AgentRunResult> {
  const { runtime, input, settings: changes, share = 1, signal } = options;
  run.throwIfEnded();
  const { settings } = run;
  const limits = narrow(changes?.limits ?? {}, remaining(run, share));
  const context = run.context.fork(
    runtime,
    {
      agentId: settings.generateId("agent"),
      parentAgentId: settings.agentId,
      completionPolicy: {},
      output: undefined,
      ...changes,
      limits,
    },
    { watched: false },
  );
  const result = await run.waitGently(runWithin(run, { context, runtime, input, ...(signal === undefined ? undefined : { signal }) }));
  run.throwIfEnded();
  return result as AgentRunResult; // undefined only for a run that has ended
}

/** A run within a run: an agent's conversation, and what is asked of it. */
export interface NestedRun {
  readonly context: AgentContext;
  readonly runtime: AgentRuntime;
  readonly input: string | readonly AgentMessageInput[];
  readonly signal?: AbortSignal;
  /** The tool call that it is. */
  readonly toolCallId?: string;
}

/** Runs a conversation as a part of a run. */
export function runWithin(run: Run, { context, runtime, input, signal, toolCallId }: NestedRun): Promise<AgentRunResult> {
  const { settings } = context;
  return runtime.run(context, {
    input: repairHistory(settings, toMessages(settings, input)),
    signal: signal === undefined ? run.signal : AbortSignal.any([run.signal, signal]),
    parent: asParent(run, settings, toolCallId),
  });
}

/**
 * A run, as a run within it sees it.
 * @param within - Settings of the run within.
 * @param toolCallId - The call that the run within is.
 */
function asParent(run: Run, { agentId, agentRole }: AgentSettings, toolCallId: string | undefined): ParentRun {
  const about = {
    agentId,
    ...(agentRole === undefined ? undefined : { agentRole }),
    ...(toolCallId === undefined ? undefined : { parentToolCallId: toolCallId }),
  };
  return {
    runId: run.id,
    depth: run.depth,
    ...(toolCallId === undefined ? undefined : { toolCallId }),
    get listening() {
      return run.listening;
    },
    report: (event) => run.emit("nested-event", { ...about, event }),
    addUsage: (call) => {
      run.addCallUsage(call);
      void run.emit("usage-updated", { usage: run.usage });
    },
    checkUsage: () => run.checkUsage(),
  };
}

/** A part of what is left of a run's limits. */
function remaining({ settings, usage }: Run, share: number): RunLimits {
  const { maxTokens, maxCost } = settings.limits;
  const { inputTokens, outputTokens, totalCost = 0 } = usage;
  return {
    ...(maxTokens === undefined ? undefined : { maxTokens: Math.max(0, Math.floor((maxTokens - inputTokens - outputTokens) * share)) }),
    ...(maxCost === undefined ? undefined : { maxCost: Math.max(0, (maxCost - totalCost) * share) }),
  };
}

/** The tighter of two sets of limits. */
function narrow(own: RunLimits, inherited: RunLimits): RunLimits {
  const limits: { -readonly [Name in keyof RunLimits]: RunLimits[Name] } = { ...own };
  for (const name of ["maxTokens", "maxCost"] as const) {
    const most = inherited[name];
    if (most !== undefined) limits[name] = Math.min(most, own[name] ?? most);
  }
  return limits;
}
