/** A router: each task goes to the strategy that fits it. A composition, which implements `AgentRuntime` by running others. */
import { type AgentContext, type AgentMessage, type AgentRequest, type AgentRunResult, type AgentRuntime, textOf } from "triact";

export interface RouterOptions<Name extends string> {
  readonly runtimes: Readonly<Record<Name, AgentRuntime>>;
  /** Chooses by the user's words. The same words have to give the same choice: a run that is taken up again is chosen for again. */
  readonly pick: (task: string) => Name;
}

export class RouterRuntime<Name extends string> implements AgentRuntime {
  readonly name = "router";
  readonly ownTools: readonly string[];
  readonly #options: RouterOptions<Name>;

  constructor(options: RouterOptions<Name>) {
    this.#options = options;
    this.ownTools = Object.values<AgentRuntime>(options.runtimes).flatMap(({ ownTools = [] }) => ownTools);
  }

  run(context: AgentContext, request: AgentRequest): Promise<AgentRunResult> {
    const { runtimes, pick } = this.#options;
    const task = [...context.state.view.messages, ...request.input].findLast(isOfUser);
    return runtimes[pick(task === undefined ? "" : textOf(task))].run(context, request);
  }
}

function isOfUser({ role, metadata }: AgentMessage): boolean {
  return role === "user" && metadata?.["displayRole"] !== "system";
}
