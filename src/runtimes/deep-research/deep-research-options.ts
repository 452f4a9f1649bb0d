import { z } from "zod";
import type { AgentRuntime } from "../../base/agent-runtime.js";
import { AgentConfigError } from "../../base/errors.js";
import { type FindSources, findSources } from "./evidence.js";
import { Planner } from "./planner.js";

/** Options of {@link DeepResearchRuntime}. */
export interface DeepResearchOptions {
  /** Makes the plan before the first turn. False: there is no plan. @default Planner.model(), which asks the agent's model */
  readonly planner?: Planner | false;
  /**
   * Revises the plan when a step is done and others are left, and when every tool call of a turn failed. True: twice at most. @default false
   */
  readonly replan?: boolean | { /** Most revisions of one run, from 1. @default 2 */ readonly max?: number };
  /**
   * Keeps a ledger of what the tools returned, by source. The answer has to cite it, and a run that found no evidence fails with `no-evidence`.
   * @default false
   */
  readonly evidence?:
    | boolean
    | { /** Finds the sources in a tool result. @default by the usual names of addresses and ids */ readonly findSources?: FindSources };
  /** Does the steps of the plan in sub-runs, those at once that do not need each other. @default false */
  readonly parallel?:
    | boolean
    | {
        /** Most steps at once, from 1. @default 4 */
        readonly atOnce?: number;
        /** Does a step. @default DeepResearch without a plan, with the same evidence option */
        readonly runtime?: AgentRuntime;
      };
  /** Times in a row that a report is sent back, because of its citations or for want of evidence; from 0. @default 2 */
  readonly corrections?: number;
}

/** Options with every default filled in. */
export interface ResolvedDeepResearchOptions {
  /** Undefined: there is no plan. */
  readonly planner: Planner | undefined;
  /** 0: the plan is not revised. */
  readonly maxRevisions: number;
  /** Undefined: no evidence is kept. */
  readonly findSources: FindSources | undefined;
  /** Undefined: the run does the steps itself. */
  readonly parallel: { readonly atOnce: number; readonly runtime: AgentRuntime | undefined } | undefined;
  /** Times in a row that a report is sent back. */
  readonly corrections: number;
}

function createSchema() {
  const has = (method: string) => (value: unknown) =>
    typeof value === "object" && value !== null && typeof (value as Record<string, unknown>)[method] === "function";
  return z.strictObject({
    planner: z.union([z.literal(false), z.custom(has("plan"))], "expected a planner, an object with plan(), or false").optional(),
    replan: z.union([z.boolean(), z.strictObject({ max: z.int().positive().optional() })]).optional(),
    evidence: z
      .union([
        z.boolean(),
        z.strictObject({ findSources: z.custom((value) => typeof value === "function", "expected a function").optional() }),
      ])
      .optional(),
    parallel: z
      .union([
        z.boolean(),
        z.strictObject({ atOnce: z.int().positive().optional(), runtime: z.custom(has("run"), "expected a runtime").optional() }),
      ])
      .optional(),
    corrections: z.int().nonnegative().optional(),
  });
}

/**
 * Checks options and fills in the defaults.
 * @throws AgentConfigError naming the field, what came and what is allowed.
 */
export function resolveDeepResearchOptions(options: DeepResearchOptions): ResolvedDeepResearchOptions {
  const parsed = createSchema().safeParse(options);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const unknown = issue?.code === "unrecognized_keys" ? issue.keys[0] : undefined;
    const field = ["DeepResearchRuntime", ...(issue?.path ?? []), ...(unknown === undefined ? [] : [unknown])].join(".");
    throw new AgentConfigError({ field, problem: issue?.message ?? "not usable", cause: parsed.error });
  }
  const { planner = Planner.model(), replan = false, evidence = false, parallel = false, corrections = 2 } = options;
  for (const [name, value] of Object.entries({ replan, parallel })) {
    if (planner !== false || value === false) continue;
    throw new AgentConfigError({ field: `DeepResearchRuntime.${name}`, problem: "needs a plan. Leave planner: false out" });
  }
  const { max = 2 } = replan === true || replan === false ? {} : replan;
  const find = evidence === true || evidence === false ? undefined : evidence.findSources;
  const { atOnce = 4, runtime } = parallel === true || parallel === false ? {} : parallel;
  return {
    planner: planner === false ? undefined : planner,
    maxRevisions: replan === false ? 0 : max,
    findSources: evidence === false ? undefined : (find ?? findSources),
    parallel: parallel === false ? undefined : { atOnce, runtime },
    corrections,
  };
}
