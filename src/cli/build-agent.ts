import { Agent } from "../agent/agent.js";
import type { AgentOptions } from "../agent/agent-config.js";
import type { Logger } from "../base/hooks.js";
import type { AgentModel } from "../base/model.js";
import type { AgentTool } from "../base/tool.js";
import type { AgentPlan } from "./agent-plan.js";
import type { CommandHost } from "./command.js";
import { loadTools } from "./load-tools.js";
import { readPolicies } from "./read-policies.js";
import { resolveModel } from "./resolve-model.js";
import { resolveRuntime } from "./resolve-runtime.js";
import { oneLine } from "./safe-text.js";
import type { Output } from "./terminal.js";

/** What a plan does not say. */
export interface BuildAgentOptions extends Pick<AgentOptions, "requestToolApproval" | "sessionStore" | "sessionId" | "initialMessages"> {
  /** How many replies of a script are left out, because the session has them already. @default 0 */
  readonly skipReplies?: number;
  /** A model that was made before, instead of the plan's. */
  readonly model?: AgentModel | undefined;
}

/** An agent and what it is made of. Disposing of it ends what its runtime started. */
export interface BuiltAgent extends AsyncDisposable {
  readonly agent: Agent;
  readonly model: AgentModel;
  readonly tools: readonly AgentTool[];
}

/**
 * Makes an agent from a plan. Nothing is run or written.
 * @throws UsageError, or AgentConfigError, for what cannot be used.
 */
export async function buildAgent(plan: AgentPlan, host: CommandHost, options: BuildAgentOptions): Promise<BuiltAgent> {
  const { skipReplies = 0, model: known, ...given } = options;
  const { runtime, dispose } = await resolveRuntime(plan);
  const model = known ?? (await resolveModel(plan.model, { host, baseUrl: plan.baseUrl, skipReplies }));
  const tools = await loadTools(plan.tools ?? [], host.importModule);
  const toolPolicies = await readPolicies(plan.policies ?? [], [...tools.map(({ name }) => name), ...(runtime.ownTools ?? [])]);
  const agent = new Agent({
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
  return { agent, model, tools, [Symbol.asyncDispose]: dispose };
}

const MAX_LOG_CHARS = 1_000;

function createLogger(stderr: Output): Logger {
  const write = (...values: readonly unknown[]) =>
    stderr.write(`${stderr.paint("yellow", "triact:")} ${values.map((value) => oneLine(value, MAX_LOG_CHARS)).join(" ")}\n`);
  return { error: write, warn: write };
}
