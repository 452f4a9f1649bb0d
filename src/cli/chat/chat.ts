import type { Agent } from "../../agent/agent.js";
import type { AgentOptions } from "../../agent/agent-config.js";
import { MemorySessionStore } from "../../agent/sessions/memory-session-store.js";
import type { AgentRunResult } from "../../base/agent-runtime.js";
import type { RequestToolApproval } from "../../base/policy.js";
import type { AgentPlan } from "../agent-plan.js";
import { buildAgent } from "../build-agent.js";
import type { CommandHost } from "../command.js";
import { HumanRenderer } from "../human-renderer.js";
import { showRun } from "../show-run.js";

/** What a conversation is held with. */
export interface ChatOptions {
  /** Where it is held. */
  readonly host: CommandHost;
  /** What the agent is built from. */
  readonly plan: AgentPlan;
  /** How many replies of a script the session has already. */
  readonly skipReplies: number;
  /** Asks the person. */
  readonly requestToolApproval: RequestToolApproval;
  /** Where the conversation is kept. @default in memory, for as long as the command runs */
  readonly session?: Pick<AgentOptions, "sessionStore" | "sessionId"> | undefined;
  /** Called with the plan when it has changed. */
  readonly onPlan: (plan: AgentPlan) => Promise<void>;
}

/**
 * A conversation whose agent may be built anew in the middle of it, with another runtime, model or tools. The history is kept in a session, from which
 * each agent goes on.
 */
export class Chat {
  readonly #options: ChatOptions;
  readonly #session: Pick<AgentOptions, "sessionStore" | "sessionId">;
  #plan: AgentPlan;
  /** How many replies this model has given; a script goes on behind them when the agent is built anew. */
  #skipReplies: number;
  #agent: Agent | undefined;

  constructor(options: ChatOptions) {
    this.#options = options;
    this.#plan = options.plan;
    this.#skipReplies = options.skipReplies;
    this.#session = options.session ?? { sessionStore: new MemorySessionStore(), sessionId: "chat" };
  }

  get plan(): AgentPlan {
    return this.#plan;
  }

  /**
   * The agent that answers next.
   * @throws UsageError, or AgentConfigError, when the plan cannot be used.
   */
  async agent(): Promise<Agent> {
    this.#agent ??= await this.#build(this.#plan);
    return this.#agent;
  }

  /**
   * Goes on with another plan. When it cannot be used, the old one stays.
   * @throws UsageError, or AgentConfigError, saying why.
   */
  async change(changes: AgentPlan): Promise<void> {
    const plan = { ...this.#plan, ...changes };
    if (changes.model !== undefined) this.#skipReplies = 0;
    const agent = await this.#build(plan);
    await agent.loadSession();
    this.#agent = agent;
    this.#plan = plan;
    await this.#options.onPlan(plan);
  }

  /** Forgets what was said. */
  async clear(): Promise<void> {
    (await this.agent()).restore([]);
  }

  /** Lets the agent answer, and shows it. Ctrl-C ends the answer, not the conversation. */
  async say(text: string): Promise<AgentRunResult> {
    const { host } = this.#options;
    const agent = await this.agent();
    const renderer = new HumanRenderer(host.terminal);
    const start = (signal: AbortSignal) => agent.run(text, { signal });
    const result = await host.interruption.during((signal) =>
      showRun(agent, { renderer, interruption: host.interruption, start: () => start(signal) }),
    );
    this.#skipReplies += result.iterations;
    renderer.onEnd(result, undefined);
    return result;
  }

  #build(plan: AgentPlan): Promise<Agent> {
    const { host, requestToolApproval } = this.#options;
    return buildAgent(plan, host, { ...this.#session, requestToolApproval, skipReplies: this.#skipReplies });
  }
}
