import { AgentConfigError } from "../base/errors.js";
import { textOf } from "../base/message.js";
import type { AgentModel, AgentModelEvent, AgentModelRequest } from "../base/model.js";
import { modelTexts } from "../base/model-texts.js";
import { type Fault, isModelFault, strikes } from "./faults/fault-kinds.js";
import { spoil } from "./faults/model-faults.js";
import { codeProtocol } from "./reference/code-protocol.js";
import { nativeProtocol } from "./reference/native-protocol.js";
import { planProtocol } from "./reference/plan-protocol.js";
import type { Granularity, Intent, PolicyProtocol, SolvedTask } from "./reference/policy-protocol.js";
import { type PolicyReply, replyEvents, replyOf } from "./reference/policy-reply.js";
import type { Task } from "./suite.js";
import type { TokenCounter } from "./token-counter.js";

/** What the policy does with what it knows. `wrong` answers something else, and `idle` that there is nothing to do; neither calls anything. */
export type PolicyConduct = "solve" | "wrong" | "idle";

/** What {@link ReferencePolicy} takes. */
export interface ReferencePolicyOptions {
  /** Those without a program are not known to it. */
  readonly tasks: readonly Pick<Task, "id" | "question" | "program">[];
  /** Counts what it reports as usage. */
  readonly counter: TokenCounter;
  /** @default "whole" */
  readonly granularity?: Granularity;
  /** Chooses where replies are cut into deltas, and where faults are. @default 1 */
  readonly seed?: number;
  /** A fault of the model. Those of tools and providers are made elsewhere. */
  readonly fault?: Fault;
  /** Called for each reply that the fault has changed. */
  readonly onFault?: () => void;
  /** Further ways to be asked; they are looked at before its own. @default none */
  readonly protocols?: readonly PolicyProtocol[];
  /** @default "solve" */
  readonly conduct?: PolicyConduct;
}

const ANSWERS: Readonly<Record<Exclude<PolicyConduct, "solve">, string>> = { wrong: "certainly not this", idle: "Nothing to do." };

/**
 * A model that calls nothing and knows each task's solution. It speaks whichever protocol it is asked for: native calls, CodeAct's messages, plans of steps.
 *
 * It is a pure function of the request: the question tells the task, and of the task's state it knows only the results in the request. What a run with it
 * shows is what a strategy makes of a right solution, not how often a language model finds one.
 */
export class ReferencePolicy implements AgentModel {
  readonly modelId = "reference-policy";
  readonly providerId = "triact";
  readonly #tasks: ReadonlyMap<string, SolvedTask>;
  readonly #protocols: readonly PolicyProtocol[];
  readonly #options: ReferencePolicyOptions & { readonly granularity: Granularity; readonly seed: number; readonly conduct: PolicyConduct };

  /** @throws AgentConfigError when two tasks ask the same and are solved in different ways. */
  constructor(options: ReferencePolicyOptions) {
    this.#options = { granularity: "whole", seed: 1, conduct: "solve", ...options };
    this.#tasks = byQuestion(options.tasks);
    this.#protocols = [...(options.protocols ?? []), planProtocol, codeProtocol, nativeProtocol];
  }

  async *stream(request: AgentModelRequest): AsyncGenerator<AgentModelEvent, void, undefined> {
    const { counter, seed } = this.#options;
    const reply = await this.#reply(request);
    yield* replyEvents(reply, { request, counter, seed });
  }

  async #reply(request: AgentModelRequest): Promise<PolicyReply> {
    const task = findTask(request, this.#tasks);
    const intent = await this.#intend(request, task);
    const { fault, seed, onFault } = this.#options;
    if (fault === undefined || !isModelFault(fault.kind)) return replyOf(intent);
    if (fault.kind.startsWith("plan-") !== (intent.kind === "plan")) return replyOf(intent);
    const moment = { seed, place: task?.id ?? "", index: repliesBefore(request) };
    const spoiled =
      fault.kind === "same-call"
        ? await this.#firstReplyAgain(request, task)
        : strikes(fault, moment)
          ? spoil(fault.kind, intent)
          : undefined;
    if (spoiled === undefined) return replyOf(intent);
    onFault?.();
    return spoiled;
  }

  /** Undefined where nothing came before it. */
  async #firstReplyAgain(request: AgentModelRequest, task: SolvedTask | undefined): Promise<PolicyReply | undefined> {
    if (task === undefined || repliesBefore(request) === 0) return undefined;
    return replyOf(await this.#intend({ ...request, messages: request.messages.slice(0, 1) }, task));
  }

  async #intend(request: AgentModelRequest, task: SolvedTask | undefined): Promise<Intent> {
    const { granularity, conduct } = this.#options;
    const protocol = this.#protocols.find((each) => each.speaks(request)) ?? nativeProtocol;
    if (task === undefined) return final(protocol, "I do not know this task.");
    if (conduct !== "solve") return protocol === planProtocol ? { kind: "plan", steps: [] } : final(protocol, ANSWERS[conduct]);
    return protocol.intend({ request, task, granularity });
  }
}

/** What stands in the history for a reply that said nothing. */
const NUDGES: readonly string[] = [modelTexts.emptyReply, modelTexts.cutOffReply];

/** How often the model has replied, as far as the request shows. Notes of a strategy, such as a plan, do not count. */
function repliesBefore({ messages }: AgentModelRequest): number {
  return messages.filter((message) => message.role === "assistant" || (message.role === "user" && NUDGES.includes(textOf(message)))).length;
}

function final(protocol: PolicyProtocol, text: string): Intent {
  return protocol === codeProtocol ? { kind: "final", output: text } : { kind: "text", text };
}

function byQuestion(tasks: ReferencePolicyOptions["tasks"]): Map<string, SolvedTask> {
  const known = new Map<string, SolvedTask>();
  for (const { id, question, program } of tasks) {
    if (program === undefined) continue;
    const other = known.get(question);
    if (other !== undefined && other.program !== program) {
      throw new AgentConfigError({ field: "tasks", problem: `${other.id} and ${id} ask the same, and are solved in different ways` });
    }
    known.set(question, other ?? { id, question, program });
  }
  return known;
}

/** The task whose question a message of the user is, or holds; a strategy may put it into a text of its own. */
function findTask({ messages, systemPrompt = "" }: AgentModelRequest, tasks: ReadonlyMap<string, SolvedTask>): SolvedTask | undefined {
  const texts = messages.filter(({ role }) => role === "user").map(textOf);
  for (const text of texts) {
    const task = tasks.get(text);
    if (task !== undefined) return task;
  }
  const all = [...texts, systemPrompt].join("\n");
  return [...tasks.values()].filter(({ question }) => all.includes(question)).sort((a, b) => b.question.length - a.question.length)[0];
}
