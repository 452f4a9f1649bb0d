import { Agent } from "../agent/agent.js";
import type { AgentOptions } from "../agent/agent-config.js";
import type { Logger } from "../base/hooks.js";
import type { AgentPlan } from "./agent-plan.js";
import type { CommandHost } from "./command.js";
import { loadTools } from "./load-tools.js";
import { readPolicies } from "./read-policies.js";
import { resolveModel } from "./resolve-model.js";
import { resolveRuntime } from "./resolve-runtime.js";
import { oneLine } from "./safe-text.js";
import type { Output } from "./terminal.js";

/** What a plan does not say. */
export interface BuildAgentOptions extends Pick<AgentOptions, "requestToolApproval" | "sessionStore" | "sessionId"> {
  /** How many replies of a script are left out, because the session has them already. @default 0 */
  readonly skipReplies?: number;
}

/**
 * Makes an agent from a plan. Nothing is run or written.
 * @throws UsageError, or AgentConfigError, for what cannot be used.
 */
export async function buildAgent(plan: AgentPlan, host: CommandHost, { skipReplies = 0, ...given }: BuildAgentOptions): Promise<Agent> {
  const runtime = resolveRuntime(plan.runtime);
  const model = await resolveModel(plan.model, { importModule: host.importModule, skipReplies, baseUrl: plan.baseUrl });
  const tools = await loadTools(plan.tools ?? [], host.importModule);
  const toolPolicies = await readPolicies(plan.policies ?? [], [...tools.map(({ name }) => name), ...(runtime.ownTools ?? [])]);
  return new Agent({
    ...given,
    model,
    runtime,
    tools,
    toolPolicies,
    logger: createLogger(host.terminal.stderr),
    limits: {
      ...(plan.maxTokens === undefined ? undefined : { maxTokens: plan.maxTokens }),
      ...(plan.timeoutMs === undefined ? undefined : { timeoutMs: plan.timeoutMs }),
    },
    ...(plan.system === undefined ? undefined : { systemPrompt: plan.system }),
    ...(plan.maxIterations === undefined ? undefined : { maxIterations: plan.maxIterations }),
  });
}

const MAX_LOG_CHARS = 1_000;

function createLogger(stderr: Output): Logger {
  const write = (...values: readonly unknown[]) =>
    stderr.write(`${stderr.paint("yellow", "triact:")} ${values.map((value) => oneLine(value, MAX_LOG_CHARS)).join(" ")}\n`);
  return { error: write, warn: write };
}
