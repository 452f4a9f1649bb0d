import type { StateView } from "./agent-state.js";
import type { IdPrefix } from "./history.js";
import type { AgentHooks, AgentPlugin, Logger } from "./hooks.js";
import type { AgentMessage, AgentMessageInput, MessageModelInfo } from "./message.js";
import type { AgentModel, ModelOptions } from "./model.js";
import type { RequestToolApproval, ToolPolicies } from "./policy.js";
import type { AgentSnapshot } from "./snapshot.js";
import type { AgentTool } from "./tool.js";
import type { TypedOutput } from "./typed-output.js";
import type { Pricing } from "./usage.js";

/** Limits of one run. Reaching one ends the run `failed`, with the history intact. */
export interface RunLimits {
  /** Input plus output tokens of the run, 1 or more. Checked before each model call. @default none */
  readonly maxTokens?: number;
  /** Cost of the run in the currency of `pricing`, above 0. Checked before each model call. @default none */
  readonly maxCost?: number;
  /** Wall clock of the run in milliseconds, above 0. @default none */
  readonly timeoutMs?: number;
}

/** When a run may end. */
export interface CompletionPolicy {
  /** True: text alone does not end the run; the model is reminded to call a completion tool. @default false */
  readonly requireCompletionTool?: boolean;
  /** Called when the run would end well. Text that it returns goes to the model instead, and the run goes on. */
  readonly completionGuard?: () => string | undefined;
}

/** What `prepareTurn` is given. */
export interface PrepareTurnContext {
  readonly iteration: number;
  readonly messages: readonly AgentMessage[];
  readonly systemPrompt: string | undefined;
  /** True when the provider refused the last request as too large: shorten this one, or the run fails. */
  readonly overflowRecovery: boolean;
  readonly snapshot: AgentSnapshot;
  readonly signal: AbortSignal;
}

/** What `prepareTurn` may change in one request. The history stays. */
export interface PrepareTurnResult {
  /** Repaired to a valid history before it is sent. */
  readonly messages?: readonly AgentMessageInput[];
  readonly systemPrompt?: string;
}

/** Changes one request before it is sent, for example to compact it. */
export type PrepareTurn = (
  context: PrepareTurnContext,
  // biome-ignore lint/suspicious/noConfusingVoidType: a function without a return statement changes nothing
) => PrepareTurnResult | undefined | void | Promise<PrepareTurnResult | undefined | void>;

/** An agent's configuration with every default filled in. */
export interface AgentSettings {
  readonly agentId: string;
  readonly agentRole: string | undefined;
  readonly parentAgentId: string | undefined;
  readonly conversationId: string | undefined;
  readonly sessionId: string | undefined;
  readonly model: AgentModel;
  readonly messageModelInfo: MessageModelInfo | undefined;
  readonly systemPrompt: string | undefined;
  readonly tools: readonly AgentTool[];
  readonly toolPolicies: ToolPolicies;
  readonly requestToolApproval: RequestToolApproval | undefined;
  readonly toolExecution: "sequential" | "parallel";
  readonly hooks: AgentHooks | undefined;
  readonly plugins: readonly AgentPlugin[];
  readonly maxIterations: number;
  readonly limits: RunLimits;
  readonly completionPolicy: CompletionPolicy;
  readonly prepareTurn: PrepareTurn | undefined;
  readonly consumePendingUserMessage: (() => string | undefined) | undefined;
  readonly modelOptions: ModelOptions;
  readonly pricing: Pricing | undefined;
  readonly toolContext: unknown;
  /** The form that the run's output has to have. */
  readonly output: TypedOutput | undefined;
  /** Writes the state into the agent's session. Called after each message and result, and before each tool is called. */
  readonly checkpoint: ((view: StateView) => Promise<void>) | undefined;
  readonly logger: Logger;
  readonly generateId: (prefix: IdPrefix) => string;
  readonly now: () => number;
}
