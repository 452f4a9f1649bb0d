import { AgentConfigError, messageOf, toError } from "../../base/errors.js";
import type { PlanStepState } from "../../base/events.js";
import { isObject, type JsonObject } from "../../base/json.js";
import type { AgentMessage, AgentMessageInput } from "../../base/message.js";
import type { AgentModel, ModelOptions, ResponseFormat, ToolDefinition } from "../../base/model.js";
import type { ModelAnswer, ModelQuestion } from "../../base/model-call.js";
import type { Pricing } from "../../base/usage.js";
import { findMessages } from "../codeact/find-messages.js";
import { asTextHistory } from "../codeact/text-history.js";
import { deepResearchTexts } from "./deep-research-texts.js";
import { type PlanStep, toPlan } from "./plan.js";

/** What a planner is given besides the goal. */
export interface PlanContext {
  /** The history, the goal included. */
  readonly messages: readonly AgentMessage[];
  readonly tools: readonly ToolDefinition[];
  /** What the agent was configured with. */
  readonly systemPrompt: string | undefined;
  /** The plan that is to be revised: its pending steps are replaced by the new ones. Absent for the first plan. */
  readonly previous?: readonly PlanStepState[];
  /** Fires when the run ends early. */
  readonly signal: AbortSignal;
  /** Asks a model, the agent's own unless told otherwise. It counts as any model call of the run. */
  ask(question: Omit<ModelQuestion, "purpose">): Promise<ModelAnswer>;
}

/** Divides a goal into steps. What it throws is reported by an event, and the goal itself is the plan then. */
export interface Planner {
  plan(goal: string, context: PlanContext): readonly (PlanStep | string)[] | Promise<readonly (PlanStep | string)[]>;
}

/** Options of {@link Planner.model}. */
export interface ModelPlannerOptions {
  /** Added to what the planner tells the model. */
  readonly instructions?: string;
  /** Most steps of a plan, from 1. @default 8 */
  readonly maxSteps?: number;
  /** Times that the model is told that its answer is no plan, from 0. @default 1 */
  readonly corrections?: number;
  /** @default the agent's, for the agent's model */
  readonly modelOptions?: ModelOptions;
  /** Prices of the planner's own model. */
  readonly pricing?: Pricing;
}

const PLAN_FORMAT: ResponseFormat = Object.freeze({
  name: "plan",
  schema: {
    type: "object",
    properties: {
      steps: {
        type: "array",
        items: {
          type: "object",
          properties: {
            goal: { type: "string", description: "What to find out or do." },
            evidence: { type: "string", description: "What should be known at its end." },
            needs: { type: "array", items: { type: "integer" }, description: "Numbers of the steps that have to be done before it." },
          },
          required: ["goal", "evidence", "needs"],
          additionalProperties: false,
        },
      },
    },
    required: ["steps"],
    additionalProperties: false,
  },
});

/** The planners that come with triact. */
export const Planner = {
  /** The goal is the plan. */
  simple(): Planner {
    return { plan: (goal) => [goal] };
  },
  /**
   * Asks a model for the steps. An answer that is no plan goes back to it, and when that does not help the planner throws.
   * @param model - Default: the agent's model.
   */
  model(model?: AgentModel, options: ModelPlannerOptions = {}): Planner {
    return new ModelPlanner(model, options);
  },
} as const;

class ModelPlanner implements Planner {
  readonly #model: AgentModel | undefined;
  readonly #options: ModelPlannerOptions;

  constructor(model: AgentModel | undefined, options: ModelPlannerOptions) {
    for (const [name, least] of [
      ["maxSteps", 1],
      ["corrections", 0],
    ] as const) {
      const value = options[name];
      if (value === undefined || (Number.isInteger(value) && value >= least)) continue;
      throw new AgentConfigError({
        field: `Planner.model.${name}`,
        problem: `expected an integer from ${least}, received ${String(value)}`,
      });
    }
    this.#model = model;
    this.#options = options;
  }

  async plan(goal: string, context: PlanContext): Promise<readonly PlanStep[]> {
    const { maxSteps = 8, corrections = 1, instructions = "", modelOptions, pricing } = this.#options;
    const { messages, tools, systemPrompt, previous } = context;
    const asked: AgentMessageInput[] = [
      ...asTextHistory(messages),
      { role: "user", content: deepResearchTexts.askForPlan({ goal, tools, previous, maxSteps }) },
    ];
    const question = {
      ...(this.#model === undefined ? undefined : { model: this.#model }),
      ...(modelOptions === undefined ? undefined : { options: modelOptions }),
      ...(pricing === undefined ? undefined : { pricing }),
      systemPrompt: [systemPrompt ?? "", deepResearchTexts.planner, instructions].filter((text) => text !== "").join("\n\n"),
      responseFormat: PLAN_FORMAT,
    };
    for (let attempt = 0; ; attempt += 1) {
      const { text, message, finishReason } = await context.ask({ ...question, messages: asked });
      const read = readPlan(text, finishReason, maxSteps);
      if (typeof read !== "string") return read;
      if (attempt >= corrections) throw new Error(read);
      if (text.trim() !== "") asked.push(message);
      asked.push({ role: "user", content: deepResearchTexts.noPlan(read) });
    }
  }
}

/** The steps, or what is wrong with the answer. */
function readPlan(text: string, finishReason: string, maxSteps: number): readonly PlanStep[] | string {
  if (finishReason === "refusal" || finishReason === "content-filter") return `the model gave no plan (${finishReason})`;
  const { messages } = findMessages(text, hasSteps);
  const found = messages.at(-1);
  if (found === undefined) return text.trim() === "" ? "the answer was empty" : "the answer holds no JSON object with steps";
  const steps = toPlan(found["steps"]);
  if (steps === undefined) return "the plan has no steps";
  return steps.slice(0, maxSteps).map(({ status: _, ...step }) => step);
}

function hasSteps(value: unknown): value is JsonObject {
  return isObject(value) && Array.isArray(value["steps"]);
}

/** What a planner gave, as a plan; or the error with which it failed. */
export async function callPlanner(planner: Planner, goal: string, context: PlanContext): Promise<readonly PlanStepState[] | Error> {
  try {
    const plan = toPlan(await planner.plan(goal, context));
    return plan ?? new Error("the planner gave no steps");
  } catch (error) {
    return new Error(messageOf(error), { cause: toError(error) });
  }
}
