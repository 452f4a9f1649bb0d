import type { AgentRuntime } from "../base/agent-runtime.js";
import type { AgentHooks, AgentPlugin } from "../base/hooks.js";
import type { AgentMessageInput } from "../base/message.js";
import type { AgentModel, ModelOptions } from "../base/model.js";
import type { RequestToolApproval, ToolPolicies } from "../base/policy.js";
import type { InferOutput, Schema } from "../base/schema/schema.js";
import type { CompletionPolicy, PrepareTurn, RunLimits } from "../base/settings.js";
import type { AgentTool } from "../base/tool.js";
import type { Pricing } from "../base/usage.js";
import { Agent } from "./agent.js";
import type { AgentOptions } from "./agent-config.js";
import type { SessionStore } from "./sessions/session-store.js";

/**
 * Collects an agent's options. Immutable: every call returns a new builder, so one builder can be the base of many agents.
 *
 * `Needed` is what the tools want as `toolContext`, `Given` what was given; `build()` compiles only when the one covers the other.
 */
export class AgentBuilder<Needed = unknown, Given = unknown, Output = unknown> {
  readonly #options: AgentOptions;

  constructor(options: AgentOptions = {}) {
    this.#options = Object.freeze({ ...options });
  }

  /** The language model. */
  model(model: AgentModel): AgentBuilder<Needed, Given, Output> {
    return this.with({ model });
  }

  /** The strategy. Default: ReAct. */
  runtime(runtime: AgentRuntime): AgentBuilder<Needed, Given, Output> {
    return this.with({ runtime });
  }

  systemPrompt(systemPrompt: string): AgentBuilder<Needed, Given, Output> {
    return this.with({ systemPrompt });
  }

  /** Adds tools to those that are there. */
  tools<Context = unknown>(...tools: readonly AgentTool<Context>[]): AgentBuilder<Needed & Context, Given, Output> {
    const all = [...(this.#options.tools ?? []), ...(tools as readonly AgentTool[])];
    return new AgentBuilder({ ...this.#options, tools: all });
  }

  /** What every tool gets as `context.toolContext`. */
  toolContext<Context>(toolContext: Context): AgentBuilder<Needed, Context, Output> {
    return new AgentBuilder({ ...this.#options, toolContext });
  }

  /** Lays policies over those that are there, tool by tool. */
  toolPolicies(toolPolicies: ToolPolicies): AgentBuilder<Needed, Given, Output> {
    return this.with({ toolPolicies: { ...this.#options.toolPolicies, ...toolPolicies } });
  }

  /** Who is asked when a policy says `autoApprove: false`. */
  requestToolApproval(requestToolApproval: RequestToolApproval): AgentBuilder<Needed, Given, Output> {
    return this.with({ requestToolApproval });
  }

  /** Replaces the hooks. Several sets of hooks are what plugins are for. */
  hooks(hooks: AgentHooks): AgentBuilder<Needed, Given, Output> {
    return this.with({ hooks });
  }

  /** Adds plugins to those that are there. */
  plugins(...plugins: readonly AgentPlugin[]): AgentBuilder<Needed, Given, Output> {
    return this.with({ plugins: [...(this.#options.plugins ?? []), ...plugins] });
  }

  initialMessages(initialMessages: readonly AgentMessageInput[]): AgentBuilder<Needed, Given, Output> {
    return this.with({ initialMessages });
  }

  /** Most model calls of one run. Default 100. */
  maxIterations(maxIterations: number): AgentBuilder<Needed, Given, Output> {
    return this.with({ maxIterations });
  }

  limits(limits: RunLimits): AgentBuilder<Needed, Given, Output> {
    return this.with({ limits });
  }

  completionPolicy(completionPolicy: CompletionPolicy): AgentBuilder<Needed, Given, Output> {
    return this.with({ completionPolicy });
  }

  toolExecution(toolExecution: "sequential" | "parallel"): AgentBuilder<Needed, Given, Output> {
    return this.with({ toolExecution });
  }

  prepareTurn(prepareTurn: PrepareTurn): AgentBuilder<Needed, Given, Output> {
    return this.with({ prepareTurn });
  }

  modelOptions(modelOptions: ModelOptions): AgentBuilder<Needed, Given, Output> {
    return this.with({ modelOptions });
  }

  pricing(pricing: Pricing): AgentBuilder<Needed, Given, Output> {
    return this.with({ pricing });
  }

  /** The form of the answer. `result.output` has its type; an answer of another form goes back to the model. */
  output<const OutputSchema extends Schema>(output: OutputSchema): AgentBuilder<Needed, Given, InferOutput<OutputSchema>> {
    return new AgentBuilder({ ...this.#options, output });
  }

  /** Keeps the agent in a session of a store. */
  session(sessionStore: SessionStore, sessionId: string): AgentBuilder<Needed, Given, Output> {
    return this.with({ sessionStore, sessionId });
  }

  /** Any options by name, over those that are there. For options without a method of their own. */
  with(options: Omit<AgentOptions, "tools" | "toolContext" | "output">): AgentBuilder<Needed, Given, Output> {
    return new AgentBuilder({ ...this.#options, ...options });
  }

  /**
   * Makes the agent.
   * @throws AgentConfigError when an option is unknown or has a value that is not allowed.
   */
  build(this: Given extends Needed ? AgentBuilder<Needed, Given, Output> : MissingToolContext<Needed>): Agent<unknown, Output> {
    const builder = this as AgentBuilder<Needed, Given, Output>;
    return new Agent<unknown, Output>(builder.#options as AgentOptions<unknown, Output>);
  }
}

/** What a builder is when its tools want a `toolContext` that was not given: not buildable. */
export interface MissingToolContext<Needed> {
  /** Call `.toolContext(value)` with a value of this type first. */
  readonly toolContextNeeded: Needed;
}
