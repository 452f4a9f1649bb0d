import type { AgentUsage } from "../base/usage.js";

/** What a conversation has used, over all of its agents. */
export class ChatTotals {
  #runs = 0;
  #inputTokens = 0;
  #outputTokens = 0;
  #cost: number | undefined;

  /** Adds a run. Of one that was gone on with, `before` is what it had used until then. */
  add({ inputTokens, outputTokens, totalCost }: AgentUsage, before?: AgentUsage): void {
    this.#runs += before === undefined || this.#runs === 0 ? 1 : 0;
    this.#inputTokens += inputTokens - (before?.inputTokens ?? 0);
    this.#outputTokens += outputTokens - (before?.outputTokens ?? 0);
    if (totalCost !== undefined) this.#cost = (this.#cost ?? 0) + totalCost - (before?.totalCost ?? 0);
  }

  /** All of it on one line. */
  describe(): string {
    const cost = this.#cost === undefined ? "" : `, cost ${Number(this.#cost.toPrecision(3))}`;
    return `${this.#runs} ${this.#runs === 1 ? "run" : "runs"}, ${this.#inputTokens} tokens in, ${this.#outputTokens} out${cost}`;
  }
}
