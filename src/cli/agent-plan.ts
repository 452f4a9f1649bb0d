import { resolve } from "node:path";
import { z } from "zod";
import type { CommandHost } from "./command.js";
import type { FlagValues } from "./parse-flags.js";

/** What an agent is built from, as the flags say it. Plain JSON with absolute paths, so that a session can remember it. */
export interface AgentPlan {
  /** `provider:model` or `scripted:FILE`. */
  readonly model?: string | undefined;
  /** Another address of the model's provider. */
  readonly baseUrl?: string | undefined;
  /** A name, or `name:{options}`. */
  readonly runtime?: string | undefined;
  /** Where the code of CodeAct runs. */
  readonly sandbox?: string | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly policies?: readonly string[] | undefined;
  readonly system?: string | undefined;
  readonly maxIterations?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly timeoutMs?: number | undefined;
}

/** A plan that was read from a file. Unknown keys are let through: a later version may have written them. */
export const agentPlanSchema = z.object({
  model: z.string().optional(),
  baseUrl: z.string().optional(),
  runtime: z.string().optional(),
  sandbox: z.string().optional(),
  tools: z.array(z.string()).optional(),
  policies: z.array(z.string()).optional(),
  system: z.string().optional(),
  maxIterations: z.number().optional(),
  maxTokens: z.number().optional(),
  timeoutMs: z.number().optional(),
});

/** How the name of a script file begins in `--model`. */
export const SCRIPTED = "scripted:";

const POLICY_RULE = /^(?:ask|allow|deny)(?::|$)/;
const MAX_TIMEOUT_SECONDS = 2_147_483; // what setTimeout can count

/**
 * The part of the flags that an agent is built from. What was not given is left out.
 * @throws UsageError for a number out of its range.
 */
export function readAgentPlan(values: FlagValues, { workingDirectory }: Pick<CommandHost, "workingDirectory">): AgentPlan {
  const absolute = (path: string) => resolve(workingDirectory, path);
  const tools = values.texts("tools").map(absolute);
  const policies = values.texts("policy").map((policy) => (POLICY_RULE.test(policy) ? policy : absolute(policy)));
  const timeout = values.number("timeout", { min: 0.001, max: MAX_TIMEOUT_SECONDS, isInteger: false });
  const plan = {
    model: absoluteModel(values.text("model"), workingDirectory),
    baseUrl: values.text("base-url"),
    runtime: values.text("runtime"),
    sandbox: values.text("sandbox"),
    tools: tools.length > 0 ? tools : undefined,
    policies: policies.length > 0 ? policies : undefined,
    system: values.text("system"),
    maxIterations: values.number("max-iterations", { min: 1, isInteger: true }),
    maxTokens: values.number("max-tokens", { min: 1, isInteger: true }),
    timeoutMs: timeout === undefined ? undefined : timeout * 1000,
  };
  return withoutUndefined(plan);
}

/** What holds where no flag says anything. */
export function defaultPlan({ environment, workingDirectory }: Pick<CommandHost, "environment" | "workingDirectory">): AgentPlan {
  return withoutUndefined({ model: absoluteModel(environment["TRIACT_MODEL"], workingDirectory) });
}

/** The name of a model with an absolute path where it is a script. */
export function absoluteModel(model: string | undefined, workingDirectory: string): string | undefined {
  return model?.startsWith(SCRIPTED) ? `${SCRIPTED}${resolve(workingDirectory, model.slice(SCRIPTED.length))}` : model;
}

/** One plan laid over another. A model brings its own address: the key of its provider must not go to the one of the model before. */
export function overlayPlan({ baseUrl, ...below }: AgentPlan, above: AgentPlan): AgentPlan {
  const address = above.model === undefined || above.model === below.model ? withoutUndefined({ baseUrl }) : {};
  return { ...below, ...address, ...withoutUndefined(above) };
}

function withoutUndefined(plan: AgentPlan): AgentPlan {
  return Object.fromEntries(Object.entries(plan).filter(([, value]) => value !== undefined));
}
