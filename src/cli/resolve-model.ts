import { AgentConfigError, isInstance } from "../base/errors.js";
import type { AgentModel } from "../base/model.js";
import { splitModelName } from "../models/gateway.js";
import { SCRIPTED } from "./agent-plan.js";
import type { CommandHost } from "./command.js";
import { installedVersion } from "./installed-package.js";
import { loadScript } from "./load-script.js";
import { accessTo, findProvider, gatewayOf, keyVariableOf, packageOf } from "./provider-access.js";
import { UsageError } from "./usage-error.js";

/** What a model is resolved with. */
export interface ResolveModelOptions {
  /** Where modules of the user, keys and addresses come from. */
  readonly host: Pick<CommandHost, "importModule" | "environment" | "gateway">;
  /** Another address of the provider. */
  readonly baseUrl?: string | undefined;
  /** How many replies of a script are left out. @default 0 */
  readonly skipReplies?: number;
}

const NO_MODEL = `a model is missing, and $TRIACT_MODEL is not set. Set one of the two:
  export TRIACT_MODEL=provider:model        or  triact run --model provider:model "…"
  without a key, replies come from a file:  triact run --model scripted:FILE "…"`;

/**
 * The one place that knows what `--model` means. What the first request would fail for is told here already: a missing key, a missing package.
 * @param spec - `provider:model`, or `scripted:FILE` with an absolute path.
 * @throws UsageError for a model that is missing or not available.
 */
export async function resolveModel(spec: string | undefined, options: ResolveModelOptions): Promise<AgentModel> {
  if (spec === undefined || spec === "") throw new UsageError({ problem: NO_MODEL });
  if (spec.startsWith(SCRIPTED)) {
    if (options.baseUrl !== undefined) throw new UsageError({ problem: "--base-url: not allowed with a script, which has no address." });
    return loadScript(spec.slice(SCRIPTED.length), options);
  }
  const { providerId, modelId } = split(spec);
  const { host, baseUrl } = options;
  const gateway = gatewayOf(host);
  const provider = findProvider(providerId, gateway, "--model: ");
  const { keyVariables } = provider;
  if (keyVariables.length > 0 && keyVariableOf(provider, host) === undefined) {
    const problem = `--model: there is no key for ${providerId}. Set ${keyVariables.join(" or ")} in the environment; keys are read from nowhere else.`;
    throw new UsageError({ problem });
  }
  const name = packageOf(provider);
  if (installedVersion(name) === undefined) {
    throw new UsageError({ problem: `--model: ${providerId} needs the package ${name}. Install it beside triact: npm install ${name}` });
  }
  try {
    return gateway.modelFor({ providerId, modelId, ...accessTo(provider, host), ...(baseUrl === undefined ? undefined : { baseUrl }) });
  } catch (cause) {
    if (!isInstance(cause, AgentConfigError)) throw cause;
    const flag = baseUrl === undefined ? "--model" : "--base-url";
    throw new UsageError({ problem: `${flag}: ${cause.message}.`, cause });
  }
}

function split(spec: string): ReturnType<typeof splitModelName> {
  try {
    return splitModelName(spec);
  } catch (cause) {
    throw new UsageError({ problem: `--model: expected provider:model or scripted:FILE, received ${JSON.stringify(spec)}.`, cause });
  }
}
