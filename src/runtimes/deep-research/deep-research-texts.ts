import type { PlanStepState } from "../../base/events.js";
import type { ToolDefinition } from "../../base/model.js";
import { sourceLine } from "./citations.js";
import type { EvidenceEntry } from "./evidence.js";
import { PLAN_TOOL } from "./plan.js";

const BOX = { pending: "[ ]", done: "[x]", failed: "[!]" } as const;

/** How to work: without a plan, by a plan, and after others have done its steps. */
const WAYS = {
  free: "Call tools for the evidence that the task needs.",
  plan: "Work by the plan: take its steps in turn, call tools for the evidence that each step needs, and leave out what turns out to be needless.",
  findings: "The steps of the plan have been done, and what was found stands above. Call tools only for what is missing.",
} as const;

/** What DeepResearch tells the model. */
export const deepResearchTexts = {
  /** The strategy. */
  instructions: ({ way, tool, evidence }: { way: keyof typeof WAYS; tool: boolean; evidence: boolean }): string =>
    [
      WAYS[way],
      ...(tool ? [`When steps are done, say so with ${PLAN_TOOL}, together with the next calls where you can.`] : []),
      evidence
        ? "What tools return is listed as numbered sources. End with a structured final summary that rests on them: put the number of its source behind each statement, as in [1] or [2, 3]. Cite only numbers that were listed. A list of the sources is added for you. If the tools give no evidence, say so."
        : "End with a structured final summary.",
    ].join("\n"),

  /** A plan as it stands in the history. */
  plan: (plan: readonly PlanStepState[], revised: boolean): string =>
    `${revised ? "The plan was revised.\n\n" : ""}Plan:\n${plan.map((step, index) => planLine(step, index, revised)).join("\n")}`,

  /** To a planner. */
  planner:
    'You plan the work of somebody who has tools. Divide the task into few steps, each of which can be done by itself: fewer is better, and a simple task is one step. Do not answer the task and do not ask questions. Reply with one JSON object and nothing else: {"steps": [{"goal": "what to find out or do", "evidence": "what should be known at its end", "needs": [numbers of the steps that have to be done before it]}]}',

  /** What a planner is asked. */
  askForPlan: ({
    goal,
    tools,
    previous,
    maxSteps,
  }: {
    goal: string;
    tools: readonly ToolDefinition[];
    previous: readonly PlanStepState[] | undefined;
    maxSteps: number;
  }): string =>
    [
      tools.length === 0 ? "" : `Tools:\n${tools.map(({ name, description }) => `- ${name}: ${firstLine(description)}`).join("\n")}`,
      `Task: ${goal}`,
      previous === undefined
        ? `Plan this task in at most ${maxSteps} steps.`
        : `The plan so far:\n${previous.map((step, index) => planLine(step, index, true)).join("\n")}\n\nGiven what was found, plan what is left in at most ${maxSteps} steps: only steps that are still to be done, numbered from 1. Keep those that still fit as they are.`,
    ]
      .filter((text) => text !== "")
      .join("\n\n"),

  /** To a planner whose answer is no plan. */
  noPlan: (problem: string): string =>
    `That is no plan: ${problem}. Reply with the JSON object alone: {"steps": [{"goal": "…", "evidence": "…", "needs": []}]}`,

  /** For people: the planner failed. */
  planFailed: (problem: string): string => `There is no plan: ${withoutPeriod(problem)}. The task itself is the plan.`,

  /** For people: the planner failed to revise. */
  revisionFailed: (problem: string): string => `The plan was not revised: ${withoutPeriod(problem)}.`,

  /** What the plan tool is for. */
  planTool: "Says which steps of the plan are done.",

  /** Answer of the plan tool. */
  progress: (plan: readonly PlanStepState[]): string => {
    const next = plan.findIndex(({ status }) => status === "pending");
    return next === -1
      ? "All steps are done. Write the final summary."
      : `Noted. Next: ${planLine(plan[next] as PlanStepState, next, false)}`;
  },

  /** Answer of the plan tool to numbers that are none. */
  noSuchStep: (numbers: readonly number[], count: number): string =>
    `The plan has the steps 1 to ${count}; there is no step ${numbers.join(", ")}.`,

  /** New sources. */
  sources: (entries: readonly EvidenceEntry[]): string => `Sources, to be cited by number:\n${entries.map(sourceLine).join("\n")}`,

  /** The report cites what is not there. */
  dangling: (numbers: readonly number[], ledger: readonly EvidenceEntry[]): string =>
    `${numbers.map((number) => `[${number}]`).join(", ")} ${numbers.length === 1 ? "points" : "point"} to no source. The sources are:\n${ledger.map(sourceLine).join("\n")}\nWrite the report again, citing only these.`,

  /** The report cites nothing. */
  uncited: (ledger: readonly EvidenceEntry[]): string =>
    `The report cites no source. Write it again with the number of its source behind each statement. The sources are:\n${ledger.map(sourceLine).join("\n")}`,

  /** There is nothing that the report could rest on. */
  noEvidence: "There is no evidence yet: no tool has returned anything. Call tools to find some, or try other words or other tools.",

  /** Why a run failed. */
  failedWithoutEvidence: (text: string): string =>
    `The run found no evidence: no tool returned anything that the answer could rest on.${text.trim() === "" ? "" : ` The model's last words: ${text}`}`,

  /** Asked of a sub-run. */
  step: (goal: string, { goal: step, evidence }: PlanStepState, findings: readonly string[]): string =>
    [
      `This is one step of a larger task. The whole task, for orientation only: ${goal}`,
      ...findings,
      `Your step: ${step}`,
      ...(evidence === undefined ? [] : [`What should be known at its end: ${evidence}`]),
      "Do this step alone, and report what you found in a few sentences.",
    ].join("\n\n"),

  /** What a step came to. */
  findings: (number: number, { goal }: PlanStepState, text: string): string => `Findings of step ${number} (${goal}):\n${text}`,

  /** A step that failed. */
  stepFailed: (number: number, { goal }: PlanStepState, why: string): string => `Step ${number} (${goal}) could not be done: ${why}`,
} as const;

function planLine({ goal, evidence, needs = [], status }: PlanStepState, index: number, boxed: boolean): string {
  const wanted = evidence === undefined ? "" : ` (evidence: ${evidence})`;
  const after = needs.length === 0 ? "" : ` (after ${needs.join(", ")})`;
  return `${index + 1}. ${boxed ? `${BOX[status]} ` : ""}${goal}${wanted}${after}`;
}

/** What is thrown may be a sentence. */
function withoutPeriod(text: string): string {
  return text.replace(/\.$/, "");
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}
