import type { AgentRunResult, AgentRuntime } from "../../base/agent-runtime.js";
import { messageOf } from "../../base/errors.js";
import type { PlanStepState } from "../../base/events.js";
import { isObject, type JsonObject } from "../../base/json.js";
import { type AgentMessage, type AgentMessageInput, clientToolCalls, textOf } from "../../base/message.js";
import type { Run } from "../../base/run.js";
import type { Note } from "../../base/run-history.js";
import { citationsIn, renumber, withoutSourceList } from "./citations.js";
import { deepResearchTexts } from "./deep-research-texts.js";
import {
  type EvidenceEntry,
  type EvidenceResult,
  type EvidenceSource,
  evidenceMetadata,
  evidenceOf,
  type FindSources,
  type NewEvidence,
  plainSource,
  record,
} from "./evidence.js";

/** The numbers, from 1, of the pending steps whose needs are met. A step whose need failed is tried all the same. */
export function readySteps(plan: readonly PlanStepState[]): number[] {
  return plan.flatMap(({ status, needs = [] }, index) =>
    status === "pending" && needs.every((number) => plan[number - 1]?.status !== "pending") ? [index + 1] : [],
  );
}

/** What {@link runSteps} takes. */
export interface StepsOptions {
  /** The whole task. */
  readonly goal: string;
  /** All steps. */
  readonly plan: readonly PlanStepState[];
  /** Numbers of the steps to do. */
  readonly numbers: readonly number[];
  /** Does a step. */
  readonly runtime: AgentRuntime;
  /** Most steps at the same time. */
  readonly atOnce: number;
  /** Called when a step has ended. */
  readonly onEnd: (number: number, status: PlanStepState["status"]) => void;
}

/** Does steps in sub-runs, several at once. The results stand in the order of the steps. */
export async function runSteps(run: Run, { goal, plan, numbers, runtime, atOnce, onEnd }: StepsOptions): Promise<AgentRunResult[]> {
  const left = plan.filter(({ status }) => status === "pending").length;
  const share = 1 / (left + 1); // and one for the report
  const { maxIterations } = run.settings;
  const settings = { agentRole: "researcher", maxIterations: Math.max(1, Math.floor((maxIterations - run.iteration) * share)) };
  const results: AgentRunResult[] = [];
  const queue = numbers.entries();
  const work = async () => {
    for (const [index, number] of queue) {
      const step = plan[number - 1] as PlanStepState;
      const input = questionOf(goal, step, run.messages);
      const result = await run.subRun({ runtime, input, settings, share });
      results[index] = result;
      onEnd(number, statusOf(result));
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, numbers.length) }, work));
  return results;
}

/** What a sub-run is asked. With findings come the sources that they cite, so that no number means one thing in them and another in what is found next. */
function questionOf(goal: string, step: PlanStepState, messages: readonly AgentMessage[]): readonly AgentMessageInput[] {
  const findings = findingsFor(messages, step);
  const cited = new Set(citationsIn(findings.join("\n")));
  const ledger = evidenceOf(messages).filter(({ number }) => cited.has(number));
  const content = deepResearchTexts.step(goal, step, findings);
  return [{ role: "user", content, ...(ledger.length === 0 ? undefined : { metadata: evidenceMetadata(ledger) }) }];
}

/** How a step stands after its sub-run. */
export function statusOf({ status }: AgentRunResult): "done" | "failed" {
  return status === "completed" ? "done" : "failed";
}

/** Findings that a step builds on, of those that the history holds. */
function findingsFor(messages: readonly AgentMessage[], { needs = [] }: PlanStepState): string[] {
  return messages.flatMap((message) => {
    const step = message.metadata?.["planStep"];
    return isObject(step) && needs.includes(step["number"] as number) ? [textOf(message)] : [];
  });
}

/** A step's findings for the history, its sources under the numbers of the whole run. */
export function toFindings(
  number: number,
  step: PlanStepState,
  { result, ledger, findSources }: { result: AgentRunResult; ledger: readonly EvidenceEntry[]; findSources: FindSources | undefined },
): Note {
  const status = statusOf(result);
  const own = findSources === undefined ? [] : sourcesOf(result.messages, findSources);
  const { added, numbers } = record(ledger, own);
  const numberOf = new Map(own.map(({ number: local }, index) => [local, numbers[index]]));
  const report = withoutSourceList(result.outputText);
  const text = findSources === undefined ? report : renumber(report, (local) => numberOf.get(local));
  const { error, reason, endedBy } = result;
  const why = error === undefined ? (reason ?? endedBy) : messageOf(error);
  const lines = [
    status === "done" ? deepResearchTexts.findings(number, step, text) : deepResearchTexts.stepFailed(number, step, why),
    ...(added.length === 0 ? [] : [deepResearchTexts.sources(added)]),
  ];
  const metadata: JsonObject = { planStep: { number, status }, ...(added.length === 0 ? undefined : evidenceMetadata(added)) };
  return { text: lines.join("\n\n"), metadata };
}

/** A sub-run's ledger, with what it was given; where its runtime kept nothing, the sources of its native calls come behind that. */
function sourcesOf(messages: readonly AgentMessage[], findSources: FindSources): readonly EvidenceEntry[] {
  const ledger = evidenceOf(messages);
  if (ledger.length > evidenceOf(messages.slice(0, 1)).length) return ledger;
  const found = toolResultsIn(messages).flatMap((result) => entriesOf(result, findSources));
  return [...ledger, ...record(ledger, found).added];
}

/** The sources in a result, as entries. What the function gives wrongly is no source. */
export function entriesOf(result: EvidenceResult, findSources: FindSources): NewEvidence[] {
  const { toolName, toolCallId } = result;
  const found: unknown = findSources(result);
  return (Array.isArray(found) ? found : []).flatMap((source: unknown) => {
    const plain = isObject(source) ? plainSource(source as unknown as EvidenceSource) : undefined;
    return plain === undefined ? [] : [{ ...plain, toolName, toolCallId }];
  });
}

function toolResultsIn(messages: readonly AgentMessage[]): EvidenceResult[] {
  const inputs = new Map(messages.flatMap(clientToolCalls).map(({ toolCallId, input }) => [toolCallId, input]));
  return messages.flatMap(({ content }) =>
    content.flatMap((part) => {
      if (part.type !== "tool-result" || part.isError === true) return [];
      const { toolName, toolCallId, output } = part;
      return [{ toolName, toolCallId, output, input: inputs.get(toolCallId) ?? {} }];
    }),
  );
}
