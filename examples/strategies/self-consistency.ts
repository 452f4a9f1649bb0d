/** Self-consistency (Wang et al., 2022): the question is answered several times independently, and the answer given most often wins. */
import { type AgentRuntime, BaseAgentRuntime, type Finish, ReActRuntime, type Run } from "triact";

export class SelfConsistencyRuntime extends BaseAgentRuntime {
  override readonly name = "self-consistency";
  readonly #samples: number;
  readonly #runtime: AgentRuntime;
  readonly #keyOf: (answer: string) => string;

  /** @param keyOf - What two answers have to share to count as the same. Default: their last number, or else their words. */
  constructor({
    samples = 5,
    runtime = new ReActRuntime(),
    keyOf = lastNumber,
  }: { samples?: number; runtime?: AgentRuntime; keyOf?: (answer: string) => string } = {}) {
    super();
    this.#samples = samples;
    this.#runtime = runtime;
    this.#keyOf = keyOf;
  }

  protected override async prepare(run: Run): Promise<Finish | undefined> {
    const { messages } = run;
    const sample = () => run.subRun({ runtime: this.#runtime, input: messages, share: 1 / this.#samples });
    const results = await Promise.all(Array.from({ length: this.#samples }, sample));
    const answers = results.filter(({ status }) => status === "completed").map(({ outputText }) => outputText);
    const votes = Object.values(Object.groupBy(answers, this.#keyOf)).toSorted((a = [], b = []) => b.length - a.length);
    const winner = votes[0]?.[0];
    if (winner === undefined) return undefined; // no sample has an answer: the question is asked in the ordinary way
    await run.notice(`${votes[0]?.length} of ${results.length} samples agree.`, { kind: "vote" });
    return { kind: "finish", outputText: winner };
  }
}

function lastNumber(answer: string): string {
  return answer.match(/-?\d+(?:[.,]\d+)*/g)?.at(-1) ?? answer.toLowerCase().replace(/\W+/g, " ").trim();
}
