import { BaseAgentRuntime, type Decision, type Observation, type Reply } from "../base/base-agent-runtime.js";
import { AgentConfigError } from "../base/errors.js";
import type { PlanStepState } from "../base/events.js";
import { log } from "../base/hooks.js";
import { type AgentMessage, textOf } from "../base/message.js";
import type { AgentModelRequest } from "../base/model.js";
import { replyOutcome } from "../base/outcome.js";
import type { Run } from "../base/run.js";
import type { Note } from "../base/run-history.js";
import { type AgentTool, createTool, RUN, ToolSet } from "../base/tool.js";
import type { ToolCall } from "../base/tool-call.js";
import type { FinishedToolCall } from "../base/tool-executor.js";
import { citationsIn, withoutSourceList, withSourceList } from "./deep-research/citations.js";
import {
  type DeepResearchOptions,
  type ResolvedDeepResearchOptions,
  resolveDeepResearchOptions,
} from "./deep-research/deep-research-options.js";
import { deepResearchTexts } from "./deep-research/deep-research-texts.js";
import { evidenceMetadata, evidenceOf, type FindSources, record } from "./deep-research/evidence.js";
import { entriesOf, readySteps, runSteps, toFindings } from "./deep-research/parallel-steps.js";
import { doneIn, holdsPlan, PLAN_TOOL, planMetadata, planOf, toPlan, withDone } from "./deep-research/plan.js";
import { callPlanner, type Planner } from "./deep-research/planner.js";

/**
 * Plans first, then acts by native calls. The plan, how far it is, and the evidence stand in the history, so that a run can be taken up anywhere.
 */
export class DeepResearchRuntime extends BaseAgentRuntime {
  override readonly name = "deep-research";
  readonly ownTools: readonly string[];
  readonly #options: ResolvedDeepResearchOptions;

  /** @throws AgentConfigError naming the option that is wrong. */
  constructor(options: DeepResearchOptions = {}) {
    super();
    this.#options = resolveDeepResearchOptions(options);
    this.ownTools = this.#options.planner === undefined ? [] : [PLAN_TOOL];
  }

  protected override check(run: Run): void {
    const { planner, findSources } = this.#options;
    const { tools } = run.context;
    if (planner !== undefined && tools.get(PLAN_TOOL) !== undefined) {
      throw new AgentConfigError({
        field: "tools",
        problem: `a tool named ${PLAN_TOOL} is not allowed in DeepResearch, which has its own`,
      });
    }
    if (findSources === undefined || tools.list.some((tool) => tool !== run.settings.output?.tool)) return;
    const problem = "evidence comes from tools, and the agent has none. Give it tools, or leave evidence out";
    throw new AgentConfigError({ field: "DeepResearchRuntime.evidence", problem });
  }

  protected override instructions(run: Run): string {
    const { findSources, parallel } = this.#options;
    const way = this.#planOf(run) === undefined ? "free" : parallel === undefined ? "plan" : "findings";
    return deepResearchTexts.instructions({ way, tool: this.#offersPlanTool(run), evidence: findSources !== undefined });
  }

  protected override async prepare(run: Run): Promise<void> {
    const { planner, parallel } = this.#options;
    if (planner === undefined) return;
    const goal = goalOf(run.messages);
    if (!isPlanned(run.messages)) await this.#plan(run, planner, goal);
    if (parallel !== undefined) await this.#doSteps(run, parallel, goal);
  }

  protected override buildRequest(run: Run): AgentModelRequest | Promise<AgentModelRequest> {
    if (this.#offersPlanTool(run) && run.tools.get(PLAN_TOOL) === undefined) run.useTools(new ToolSet([...run.tools.list, getPlanTool()]));
    return super.buildRequest(run);
  }

  protected override async interpret(reply: Reply, run: Run): Promise<Decision> {
    const decision = await super.interpret(reply, run);
    if (decision.kind === "act") return { kind: "act", action: decision.action.map((call) => asOwn(call)) };
    if (decision.kind !== "finish" || this.#options.findSources === undefined) return decision;
    return this.#checkReport(decision.outputText, run);
  }

  protected override async perform(action: readonly ToolCall[], run: Run): Promise<Observation> {
    const observation = await super.perform(action, run);
    const { calls = [], outcome } = observation;
    if (outcome?.status === "suspended") return observation;
    const texts: Note[] = [...observation.texts, ...this.#record(run, calls)];
    if (outcome?.status === "completed")
      return this.#isWithoutEvidence(run, texts) ? this.#sendBack(run, texts, outcome.outputText) : { texts, outcome };
    if (outcome !== undefined) return { texts, outcome };
    await run.closeCalls(); // the planner has to see what was found
    return { texts: [...texts, ...(await this.#reconsider(run, calls))] };
  }

  /** Steps that sub-runs do are ticked off by themselves. */
  #offersPlanTool(run: Run): boolean {
    return this.#options.parallel === undefined && hasSteps(this.#planOf(run));
  }

  #planOf(run: Run): readonly PlanStepState[] | undefined {
    return this.#options.planner === undefined ? undefined : planOf(run.messages);
  }

  async #plan(run: Run, planner: Planner, goal: string): Promise<void> {
    let plan = await this.#askPlanner(run, planner, { goal });
    if (plan instanceof Error) {
      await run.notice(deepResearchTexts.planFailed(plan.message), { kind: "plan-failed" });
      plan = toPlan([goal]) ?? toPlan(["Do the task."]) ?? [];
    }
    await run.addNote({ text: deepResearchTexts.plan(plan, false), metadata: planMetadata(plan) });
    await reportPlan(run, plan);
  }

  /** A plan, or the error with which the planner failed. */
  async #askPlanner(run: Run, planner: Planner, { goal, previous }: { goal: string; previous?: readonly PlanStepState[] }) {
    const planning = callPlanner(planner, goal, {
      messages: run.messages,
      tools: run.tools.list.filter(({ name }) => name !== PLAN_TOOL),
      systemPrompt: run.settings.systemPrompt,
      ...(previous === undefined ? undefined : { previous }),
      signal: run.signal,
      ask: (question) => run.ask({ purpose: "plan", ...question }),
    });
    const planned = await run.wait(planning);
    run.throwIfEnded(); // whatever the planner made of it
    return planned;
  }

  /** Does the plan's steps in sub-runs, those at once that do not need each other. */
  async #doSteps(run: Run, { atOnce, runtime }: NonNullable<ResolvedDeepResearchOptions["parallel"]>, goal: string): Promise<void> {
    const { corrections } = this.#options;
    const findSources = this.#findSources(run);
    const evidence = findSources === undefined ? false : { findSources };
    const researcher = runtime ?? new DeepResearchRuntime({ planner: false, evidence, corrections });
    for (;;) {
      const plan = planOf(run.messages) ?? [];
      const numbers = readySteps(plan);
      if (numbers.length === 0) return;
      let shown = plan;
      const onEnd = (number: number, status: PlanStepState["status"]) => {
        shown = shown.map((step, index) => (index + 1 === number ? Object.freeze({ ...step, status }) : step));
        void reportPlan(run, shown);
      };
      const results = await runSteps(run, { goal, plan, numbers, runtime: researcher, atOnce, onEnd });
      for (const [index, result] of results.entries()) {
        const number = numbers[index] ?? 0;
        const step = plan[number - 1] as PlanStepState;
        await run.addNote(toFindings(number, step, { result, ledger: evidenceOf(run.messages), findSources }));
      }
      for (const note of await this.#revise(run, goal)) await run.addNote(note);
    }
  }

  /** A revised plan, where the turn gives reason for one. */
  async #reconsider(run: Run, calls: readonly FinishedToolCall[]): Promise<readonly Note[]> {
    const others = calls.filter(({ call }) => call.toolName !== PLAN_TOOL);
    const failed = others.length > 0 && others.every(({ result }) => result.isError === true);
    const advanced = calls.some(({ call, result }) => call.toolName === PLAN_TOOL && result.isError !== true);
    return failed || advanced ? this.#revise(run, goalOf(run.messages)) : [];
  }

  /** Asks for a new plan of what is left. */
  async #revise(run: Run, goal: string): Promise<readonly Note[]> {
    const { planner, maxRevisions } = this.#options;
    const previous = this.#planOf(run);
    const isDone = previous?.every(({ status }) => status !== "pending") ?? true;
    if (planner === undefined || previous === undefined || isDone || revisionsIn(run.messages) >= maxRevisions) return [];
    const planned = await this.#askPlanner(run, planner, { goal, previous });
    if (planned instanceof Error) {
      await run.notice(deepResearchTexts.revisionFailed(planned.message), { kind: "plan-failed" });
      return [];
    }
    const plan = withRest(previous, planned);
    await reportPlan(run, plan);
    return [{ text: deepResearchTexts.plan(plan, true), metadata: { ...planMetadata(plan), revision: revisionsIn(run.messages) + 1 } }];
  }

  /** The function that finds sources. What it throws is logged, and the result is no evidence then. */
  #findSources(run: Run): FindSources | undefined {
    const { findSources } = this.#options;
    if (findSources === undefined) return undefined;
    return (result) => {
      try {
        return findSources(result);
      } catch (error) {
        log(run.settings.logger, "error", `findSources threw on a result of ${result.toolName}; it is no evidence.`, error);
        return [];
      }
    };
  }

  /** New sources in what the calls returned. */
  #record(run: Run, calls: readonly FinishedToolCall[]): readonly Note[] {
    const findSources = this.#findSources(run);
    if (findSources === undefined) return [];
    const found = calls.flatMap(({ call, input, result }) => {
      const { toolName, toolCallId } = call;
      const isEvidence = result.isError !== true && toolName !== PLAN_TOOL && toolName !== run.settings.output?.tool.name;
      return isEvidence ? entriesOf({ toolName, toolCallId, input, output: result.output }, findSources) : [];
    });
    const { added } = record(evidenceOf(run.messages), found);
    return added.length === 0 ? [] : [{ text: deepResearchTexts.sources(added), metadata: evidenceMetadata(added) }];
  }

  #isWithoutEvidence(run: Run, notes: readonly Note[]): boolean {
    if (this.#options.findSources === undefined) return false;
    return (
      evidenceOf(run.messages).length === 0 && notes.every((note) => typeof note === "string" || note.metadata["evidence"] === undefined)
    );
  }

  /** A completion tool ended the run, and there is nothing that its answer rests on. */
  #sendBack(run: Run, texts: readonly Note[], outputText: string): Observation {
    const reminders = run.messages.filter(({ metadata }) => metadata?.["noEvidence"] === true).length;
    if (reminders >= this.#options.corrections) {
      return { texts, outcome: replyOutcome("no-evidence", deepResearchTexts.failedWithoutEvidence(outputText)) };
    }
    return { texts: [...texts, { text: deepResearchTexts.noEvidence, metadata: { noEvidence: true } }] };
  }

  /** Whether the report may be the answer, with the list of its sources. */
  #checkReport(outputText: string, run: Run): Decision {
    const ledger = evidenceOf(run.messages);
    const mayCorrect = run.corrections < this.#options.corrections;
    if (ledger.length === 0) {
      return mayCorrect
        ? { kind: "correct", text: deepResearchTexts.noEvidence }
        : { kind: "fail", problem: "no-evidence", text: deepResearchTexts.failedWithoutEvidence(outputText) };
    }
    if (run.settings.output !== undefined) return { kind: "finish", outputText }; // JSON has no place for citations
    const report = withoutSourceList(outputText);
    const cited = citationsIn(report);
    const dangling = cited.filter((number) => ledger.every((entry) => entry.number !== number));
    const problem =
      dangling.length > 0
        ? deepResearchTexts.dangling(dangling, ledger)
        : cited.length === 0
          ? deepResearchTexts.uncited(ledger)
          : undefined;
    if (problem !== undefined && mayCorrect) return { kind: "correct", text: problem };
    const text = withSourceList(report, ledger);
    return { kind: "finish", outputText: text, ...(problem === undefined ? undefined : { endedBy: "protocol" }) };
  }
}

/** How the model says what is done. */
function createPlanTool(): AgentTool {
  return createTool({
    name: PLAN_TOOL,
    description: deepResearchTexts.planTool,
    inputSchema: {
      type: "object",
      properties: { done: { type: "array", items: { type: "integer" }, description: "Numbers of the steps that are done." } },
      required: ["done"],
      additionalProperties: false,
    },
    execute: async (input, context) => {
      const run = context[RUN];
      const plan = run === undefined ? undefined : planOf(run.messages);
      if (run === undefined || plan === undefined) throw new Error("there is no plan.");
      const done = doneIn(input);
      const unknown = done.filter((number) => number < 1 || number > plan.length);
      if (unknown.length > 0) throw new Error(deepResearchTexts.noSuchStep(unknown, plan.length));
      const after = withDone(plan, done);
      await reportPlan(run, after);
      return deepResearchTexts.progress(after);
    },
  }) as AgentTool;
}

let planTool: AgentTool | undefined;

/** Made when it is first needed: an import should be quick. */
function getPlanTool(): AgentTool {
  planTool ??= createPlanTool();
  return planTool;
}

/** A call of the plan tool is the runtime's own, which no default policy gates. */
function asOwn(call: ToolCall): ToolCall {
  return call.toolName === PLAN_TOOL ? { ...call, tool: getPlanTool() } : call;
}

async function reportPlan(run: Run, steps: readonly PlanStepState[]): Promise<void> {
  await run.emit("plan-updated", { plan: Object.freeze(steps.map(({ goal }) => goal)), steps });
}

/** Whether there is more than one step to speak of. */
function hasSteps(plan: readonly PlanStepState[] | undefined): boolean {
  return plan !== undefined && plan.length > 1;
}

/** What the user asked last. */
function goalOf(messages: readonly AgentMessage[]): string {
  const message = messages.findLast((asked) => isOfUser(asked));
  return message === undefined ? "" : textOf(message);
}

function isOfUser({ role, metadata }: AgentMessage): boolean {
  return role === "user" && metadata?.["displayRole"] !== "system";
}

/** Whether the plan of the last question is in the history already: its run was taken up again. */
function isPlanned(messages: readonly AgentMessage[]): boolean {
  return messages.findLastIndex(holdsPlan) > messages.findLastIndex(isOfUser);
}

/** Revisions since the plan was made. */
function revisionsIn(messages: readonly AgentMessage[]): number {
  const revision = messages.findLast(holdsPlan)?.metadata?.["revision"];
  return typeof revision === "number" ? revision : 0;
}

/** What is done of a plan, and then the new steps, which count from 1 among themselves. */
function withRest(previous: readonly PlanStepState[], planned: readonly PlanStepState[]): readonly PlanStepState[] {
  const kept = previous.filter(({ status }) => status !== "pending");
  const rest = planned.map(({ needs, ...step }) => ({
    ...step,
    ...(needs === undefined ? undefined : { needs: needs.map((n) => n + kept.length) }),
  }));
  return Object.freeze([...kept, ...rest.map((step) => Object.freeze(step))]);
}
