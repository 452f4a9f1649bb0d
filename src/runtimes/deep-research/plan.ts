import type { PlanStepState } from "../../base/events.js";
import { isObject, type JsonObject, toJsonValue } from "../../base/json.js";
import { type AgentMessage, clientToolCalls, type ToolCallPart } from "../../base/message.js";

/** One step of a plan. */
export interface PlanStep {
  readonly goal: string;
  /** What should be known at its end. */
  readonly evidence?: string;
  /** Numbers, from 1, of the earlier steps that it builds on. @default none */
  readonly needs?: readonly number[];
}

/** Name of the tool by which the model says which steps are done. */
export const PLAN_TOOL = "update_plan";

/** The plan that the history holds now; undefined when it holds none. */
export function planOf(messages: readonly AgentMessage[]): readonly PlanStepState[] | undefined {
  const at = messages.findLastIndex((message) => stepsIn(message) !== undefined);
  const steps = at === -1 ? undefined : stepsIn(messages[at]);
  if (steps === undefined) return undefined;
  const status = new Map<number, PlanStepState["status"]>();
  let calls: readonly ToolCallPart[] = [];
  for (const message of messages.slice(at + 1)) {
    if (message.role === "assistant") calls = clientToolCalls(message);
    else for (const [number, state] of changesIn(message, calls)) status.set(number, state);
  }
  return Object.freeze(steps.map((step, index) => Object.freeze({ ...step, status: status.get(index + 1) ?? step.status })));
}

/** Whether a message holds a plan. */
export function holdsPlan(message: AgentMessage): boolean {
  return stepsIn(message) !== undefined;
}

function stepsIn(message: AgentMessage | undefined): readonly PlanStepState[] | undefined {
  const plan = message?.metadata?.["plan"];
  return Array.isArray(plan) ? (plan as unknown as readonly PlanStepState[]) : undefined;
}

/**
 * What a message says of how far steps are.
 * @param calls - Those of the last reply before it.
 */
function changesIn(message: AgentMessage, calls: readonly ToolCallPart[]): [number, PlanStepState["status"]][] {
  const step = message.metadata?.["planStep"];
  if (isObject(step)) return [[step["number"] as number, step["status"] as PlanStepState["status"]]];
  const [result] = message.content;
  if (result?.type !== "tool-result" || result.toolName !== PLAN_TOOL || result.isError === true) return [];
  const call = calls.find(({ toolCallId }) => toolCallId === result.toolCallId);
  return doneIn(call?.input).map((number) => [number, "done"]);
}

/** The numbers of the steps that a call of the plan tool says are done. */
export function doneIn(input: unknown): number[] {
  const done = isObject(input) ? input["done"] : undefined;
  return Array.isArray(done) ? done.filter((number) => Number.isInteger(number)) : [];
}

/** The plan with some steps done. */
export function withDone(plan: readonly PlanStepState[], done: readonly number[]): readonly PlanStepState[] {
  return Object.freeze(plan.map((step, index) => (done.includes(index + 1) ? Object.freeze({ ...step, status: "done" as const }) : step)));
}

/**
 * Makes a planner's steps into a plan: text is a goal, blank steps are left out, and a step can only need earlier ones.
 * @returns undefined when no step is left.
 */
export function toPlan(steps: unknown): readonly PlanStepState[] | undefined {
  if (!Array.isArray(steps)) return undefined;
  const kept = steps.map(toStep);
  const numbers = new Map<number, number>();
  for (const [index, step] of kept.entries()) if (step !== undefined) numbers.set(index + 1, numbers.size + 1);
  const plan = kept.flatMap((step, index) => {
    if (step === undefined) return [];
    const number = numbers.get(index + 1) ?? 0;
    const needs = (step.needs ?? []).flatMap((needed) => numbers.get(needed) ?? []).filter((needed) => needed < number);
    const { needs: _, ...rest } = step;
    return [Object.freeze({ ...rest, ...(needs.length === 0 ? undefined : { needs: Object.freeze(needs) }), status: "pending" as const })];
  });
  return plan.length === 0 ? undefined : Object.freeze(plan);
}

function toStep(given: unknown): PlanStep | undefined {
  if (typeof given === "string") return given.trim() === "" ? undefined : { goal: oneLine(given) };
  if (!isObject(given)) return undefined;
  const { goal, evidence, needs } = given;
  if (typeof goal !== "string" || goal.trim() === "") return undefined;
  const numbers = Array.isArray(needs) ? needs.filter((number): number is number => Number.isInteger(number)) : [];
  return {
    goal: oneLine(goal),
    ...(typeof evidence === "string" && evidence.trim() !== "" ? { evidence: oneLine(evidence) } : undefined),
    ...(numbers.length === 0 ? undefined : { needs: numbers }),
  };
}

/** A step has a line of its own. */
function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, " ").toWellFormed();
}

/** What the history keeps of a plan, besides its text. */
export function planMetadata(plan: readonly PlanStepState[]): JsonObject {
  return Object.freeze({ plan: toJsonValue(plan) });
}
