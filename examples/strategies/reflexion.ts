/** Reflexion (Shinn et al., 2023), within one run: a critic looks at each answer, and what it finds goes back to the model, a few times at most. */
import { type AgentModel, BaseAgentRuntime, type Decision, type Reply, type Run, textOf } from "triact";

const CRITIQUE = "A critic read your answer: ";

export class ReflexionRuntime extends BaseAgentRuntime {
  override readonly name = "reflexion";
  readonly #critic: AgentModel | undefined;
  readonly #retries: number;

  /** @param critic - Default: the agent's model. */
  constructor({ critic, retries = 2 }: { critic?: AgentModel; retries?: number } = {}) {
    super();
    this.#critic = critic;
    this.#retries = retries;
  }

  protected override async interpret(reply: Reply, run: Run): Promise<Decision> {
    const decision = await super.interpret(reply, run);
    if (decision.kind !== "finish") return decision;
    const asked = run.messages.findLastIndex(({ role, metadata }) => role === "user" && metadata?.["displayRole"] !== "system");
    const since = run.messages.slice(asked).map(textOf);
    if (since.filter((text) => text.startsWith(CRITIQUE)).length >= this.#retries) return decision; // the history counts: this object serves many runs
    const { text } = await run.ask({
      purpose: "critique",
      ...(this.#critic === undefined ? undefined : { model: this.#critic }),
      systemPrompt:
        "You check answers. Reply with OK alone if the answer is right and complete. Otherwise say in one sentence what is wrong with it.",
      messages: `What happened:\n${since.join("\n\n")}\n\nThe answer: ${decision.outputText}`,
    });
    return /^ok\W*$/i.test(text.trim())
      ? decision
      : { kind: "correct", text: `${CRITIQUE}${text.trim()} Think about what went wrong, and try again.` };
  }
}
