import type { AgentModel } from "../base/model.js";
import { hasKey, modelFor, providerPresets } from "../models/gateway.js";
import { SCRIPTED } from "./agent-plan.js";
import type { CommandHost } from "./command.js";
import { loadScript } from "./load-script.js";
import { UsageError } from "./usage-error.js";

/** What a model is resolved with. */
export interface ResolveModelOptions {
  /** Loads a module of the user. */
  readonly importModule: CommandHost["importModule"];
  /** Another address of the provider. @default its own */
  readonly baseUrl?: string | undefined;
  /** How many replies of a script are left out. @default 0 */
  readonly skipReplies?: number;
}

const NO_MODEL = `a model is missing, and $TRIACT_MODEL is not set. Set one of the two:
  export TRIACT_MODEL=provider:model        or  triact run --model provider:model "…"
  without a key, replies come from a file:  triact run --model scripted:FILE "…"`;

/**
 * The one place that knows what `--model` means.
 * @param spec - `provider:model`, or `scripted:FILE` with an absolute path.
 * @throws UsageError for a model that is missing or not available.
 */
export async function resolveModel(spec: string | undefined, options: ResolveModelOptions): Promise<AgentModel> {
  if (spec === undefined || spec === "") throw new UsageError({ problem: NO_MODEL });
  if (spec.startsWith(SCRIPTED)) return loadScript(spec.slice(SCRIPTED.length), options);
  const [, providerId, modelId] = spec.match(/^([^:]+):(.+)$/s) ?? [];
  if (providerId === undefined || modelId === undefined) {
    throw new UsageError({ problem: `--model: expected provider:model or scripted:FILE, received ${JSON.stringify(spec)}.` });
  }
  const provider = providerPresets.find(({ id }) => id === providerId);
  if (provider === undefined) {
    const known = providerPresets.map(({ id }) => id).join(", ");
    throw new UsageError({ problem: `--model: there is no provider ${JSON.stringify(providerId)}. Known: ${known}, scripted.` });
  }
  if (!hasKey(provider)) {
    const variables = provider.keyVariables.map((name) => `$${name}`).join(" or ");
    throw new UsageError({ problem: `--model: ${providerId} needs a key. Set ${variables}; keys are read from the environment alone.` });
  }
  return modelFor({ providerId, modelId, baseUrl: options.baseUrl });
}
