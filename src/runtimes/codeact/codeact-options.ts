import { z } from "zod";
import { AgentConfigError } from "../../base/errors.js";
import type { CodeExecutor } from "../../sandbox/code-executor.js";
import { createLimitsSchema, type SandboxLimits } from "../../sandbox/sandbox-limits.js";
import type { CodeActFinish } from "./codeact-texts.js";
import { toLanguage } from "./language-name.js";

/** Options of {@link CodeActRuntime}. */
export interface CodeActOptions {
  /**
   * What ends a run. `value`: a returned value is the answer, without a further call of the model; `summary`: after the first code that ran well the
   * model must answer; `model`: as many pieces of code as the model likes, ended by its final message alone. @default "value"
   */
  readonly finish?: CodeActFinish;
  /** Short for `finish`: true for `summary`, false for `value`. Not together with it. */
  readonly reAct?: boolean;
  /** Where the code runs. @default an IsolatedVmExecutor with child processes */
  readonly executor?: CodeExecutor;
  /** Languages that the model may write, of those that the executor knows; the first is shown as the example. @default all of the executor's */
  readonly languages?: readonly string[];
  /** Whether variables stay for the next code of the run. @default "persistent" */
  readonly state?: "persistent" | "fresh";
  /** How the model is kept to the protocol: by the prompt, by a schema that its provider enforces, or by the schema where there is one. @default "auto" */
  readonly protocol?: "auto" | "prompt" | "schema";
  /** Corrections in a row before a reply that cannot be read is taken as text; an integer from 0. @default 2 */
  readonly corrections?: number;
  /**
   * Whether TypeScript is checked against the declarations of the functions before it runs, which needs the package `typescript`. For the executor that the
   * runtime makes itself; one that is given has an option of its own. @default false
   */
  readonly typecheck?: boolean;
  /** Limits of each piece of code. @default those of the executor */
  readonly limits?: SandboxLimits;
  /** Characters of what the model gets for its code, 100 or more. @default 20_000 */
  readonly maxObservationChars?: number;
  /** Characters of function declarations in the prompt, 500 or more. What does not fit has to be searched for. @default 16_000 */
  readonly maxGuideChars?: number;
}

/** Options with every default filled in, but for what depends on the executor. */
export type ResolvedCodeActOptions = Required<Omit<CodeActOptions, "reAct" | "executor" | "languages" | "state">> & {
  /** The one that was given. */
  readonly executor: CodeExecutor | undefined;
  /** Those that were given, by their full names. */
  readonly languages: readonly string[] | undefined;
  /** Whether variables stay for the next code of the run. */
  readonly persistent: boolean;
};

/** Languages of the executor that the runtime makes itself. */
const OWN_LANGUAGES = ["javascript", "typescript"];

function createSchema() {
  const executor = z.custom<CodeExecutor>(isExecutor, "expected a code executor, an object with capabilities and execute()");
  return z.strictObject({
    finish: z.enum(["value", "summary", "model"]).optional(),
    reAct: z.boolean().optional(),
    executor: executor.optional(),
    languages: z.array(z.string().min(1)).min(1).optional(),
    state: z.enum(["persistent", "fresh"]).optional(),
    protocol: z.enum(["auto", "prompt", "schema"]).optional(),
    corrections: z.int().nonnegative().optional(),
    typecheck: z.boolean().optional(),
    limits: createLimitsSchema().optional(),
    maxObservationChars: z.int().min(100).optional(),
    maxGuideChars: z.int().min(500).optional(),
  });
}

function isExecutor(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { execute, capabilities } = value as Partial<CodeExecutor>;
  return typeof execute === "function" && Array.isArray(capabilities?.languages);
}

/**
 * Checks options and fills in the defaults.
 * @throws AgentConfigError naming the field, what came and what is allowed.
 */
export function resolveCodeActOptions(options: CodeActOptions): ResolvedCodeActOptions {
  const parsed = createSchema().safeParse(options);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const unknown = issue?.code === "unrecognized_keys" ? issue.keys[0] : undefined;
    const field = ["CodeActRuntime", ...(issue?.path ?? []), ...(unknown === undefined ? [] : [unknown])].join(".");
    throw new AgentConfigError({ field, problem: issue?.message ?? "not usable", cause: parsed.error });
  }
  const { finish, reAct, state, limits } = options;
  if (finish !== undefined && reAct !== undefined) {
    throw new AgentConfigError({ field: "CodeActRuntime.reAct", problem: "not allowed together with finish, which says the same" });
  }
  if (options.executor !== undefined && options.typecheck !== undefined) {
    throw new AgentConfigError({
      field: "CodeActRuntime.typecheck",
      problem: "not allowed together with executor, which has this option itself",
    });
  }
  const languages = options.languages?.map(toLanguage);
  const known: readonly string[] = options.executor?.capabilities.languages ?? OWN_LANGUAGES;
  const unknown = languages?.find((language) => !known.includes(language));
  if (unknown !== undefined) {
    const problem = `the executor knows no ${JSON.stringify(unknown)}. It knows ${known.join(", ")}`;
    throw new AgentConfigError({ field: "CodeActRuntime.languages", problem });
  }
  return {
    finish: finish ?? (reAct === true ? "summary" : "value"),
    executor: options.executor,
    languages,
    persistent: state !== "fresh",
    protocol: options.protocol ?? "auto",
    corrections: options.corrections ?? 2,
    typecheck: options.typecheck ?? false,
    limits: { ...limits },
    maxObservationChars: options.maxObservationChars ?? 20_000,
    maxGuideChars: options.maxGuideChars ?? 16_000,
  };
}
