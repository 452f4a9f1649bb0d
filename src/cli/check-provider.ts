import { isInstance, ModelError, messageOf } from "../base/errors.js";
import { toMessages } from "../base/history.js";
import { isObject } from "../base/json.js";
import type { AgentModel, ModelErrorClass } from "../base/model.js";
import type { Gateway, ProviderListing } from "../models/gateway.js";
import { duration } from "./describe-end.js";
import { type CheckResult, note, ok, problem } from "./doctor-check.js";
import { doctorModels } from "./doctor-models.js";
import { installedVersion } from "./installed-package.js";
import { accessTo, baseUrlOf, keyVariableOf, type ProviderHost, packageOf, publicUrl } from "./provider-access.js";

/** What the check of a provider is made with. */
export interface CheckProviderOptions {
  /** Where keys and addresses come from. */
  readonly host: ProviderHost;
  /** Makes the model. */
  readonly gateway: Gateway;
  /** The model to ask. @default that of the table; of a local server the first one that it lists */
  readonly modelId: string | undefined;
  /** Whether the provider was named: a local server that does not run is a problem then. */
  readonly isNamed: boolean;
  /** How long one call may take. */
  readonly timeoutMs: number;
  /** Ends the check. */
  readonly signal: AbortSignal;
}

const LOCAL_TIMEOUT_MS = 1_500;
const MAX_OUTPUT_TOKENS = 16; // OpenAI's Responses take no fewer

/** Asks a provider's model for a word, through the adapter that a run would use. */
export async function checkProvider(provider: ProviderListing, options: CheckProviderOptions): Promise<CheckResult | undefined> {
  const { host, isNamed } = options;
  const { id, keyVariables } = provider;
  if (keyVariables.length > 0 && keyVariableOf(provider, host) === undefined) {
    return problem(id, `there is no key: set ${keyVariables.join(" or ")} in the environment`);
  }
  const known = options.modelId ?? doctorModels[id];
  const firstModel = known === undefined ? await firstModelOf(provider, options) : undefined;
  const modelId = known ?? (firstModel === "refused" ? undefined : firstModel?.modelId);
  if (modelId === undefined) {
    if (keyVariables.length > 0) return note(id, `no model is known to ask: name one with --model ${id}:MODEL`);
    const url = publicUrl(baseUrlOf(provider, host));
    if (firstModel === "refused") {
      const text = `the server at ${url} wants a key: ${adviceForKey(provider)}`;
      return isNamed ? problem(id, text) : note(id, text); // it may be something else that has this port
    }
    return isNamed ? problem(id, `no model is served at ${url}: start the server and load a model, or set its address`) : undefined;
  }
  const name = packageOf(provider);
  if (installedVersion(name) === undefined) return problem(id, `the package ${name} is missing: npm install ${name}`);
  return ask(provider, { ...options, modelId });
}

async function ask(
  provider: ProviderListing,
  { host, gateway, modelId, timeoutMs, signal }: CheckProviderOptions & { modelId: string },
): Promise<CheckResult> {
  const { id, keyVariables } = provider;
  const deadline = AbortSignal.timeout(timeoutMs);
  const startedAt = performance.now();
  try {
    const model = gateway.modelFor({ providerId: id, modelId, ...accessTo(provider, host) }, { maxRetries: 0, idleTimeoutMs: timeoutMs });
    const failure = await failureOf(model, AbortSignal.any([signal, deadline]));
    signal.throwIfAborted();
    if (deadline.aborted) return problem(id, `no answer within ${duration(timeoutMs)}: try again, or look at the connection and any proxy`);
    if (failure === undefined) return ok(id, `${modelId} answers (${duration(performance.now() - startedAt)})`);
    if (failure.errorClass === "model_not_found" && keyVariables.length > 0) {
      return ok(id, `the key works; ${modelId} is not served to it, so name another one with --model ${id}:MODEL`);
    }
    return problem(id, failure.message);
  } catch (error) {
    signal.throwIfAborted();
    return problem(id, messageOf(error));
  }
}

interface Failure {
  readonly message: string;
  readonly errorClass: ModelErrorClass | undefined;
}

/** What goes wrong when the model is asked for a word; `undefined` when nothing does. */
async function failureOf(model: AgentModel, signal: AbortSignal): Promise<Failure | undefined> {
  const messages = toMessages({ generateId: (prefix) => prefix, now: Date.now }, "Say ok.");
  try {
    for await (const event of model.stream({ messages, tools: [], options: { maxOutputTokens: MAX_OUTPUT_TOKENS }, signal })) {
      if (event.type === "finish" && event.reason === "error") return { message: event.error ?? "unknown", errorClass: event.errorClass };
    }
    return undefined;
  } catch (error) {
    return { message: messageOf(error), errorClass: isInstance(error, ModelError) ? error.errorClass : undefined };
  }
}

function adviceForKey({ optionalKeyVariables = [] }: ProviderListing): string {
  if (optionalKeyVariables.length === 0) return "none of its variables is known, so pass apiKey";
  return `set ${optionalKeyVariables.join(" or ")} in the environment to the one that it was started with`;
}

/** The first model that a local server lists; `undefined` when nothing answers there, or something else does; `refused` when it wants another key. */
async function firstModelOf(
  provider: ProviderListing,
  { host, signal }: CheckProviderOptions,
): Promise<{ readonly modelId: string } | "refused" | undefined> {
  if (provider.keyVariables.length > 0) return undefined;
  try {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(LOCAL_TIMEOUT_MS)]);
    const { apiKey } = accessTo(provider, host);
    const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
    const response = await fetch(`${baseUrlOf(provider, host).replace(/\/$/, "")}/models`, { signal: deadline, headers });
    if (response.status === 401 || response.status === 403) return "refused";
    const body: unknown = await response.json();
    const models = isObject(body) && Array.isArray(body["data"]) ? (body["data"] as readonly unknown[]) : [];
    return models.flatMap((model) => (isObject(model) && typeof model["id"] === "string" ? [{ modelId: model["id"] }] : []))[0];
  } catch {
    signal.throwIfAborted();
    return undefined; // nothing that speaks this protocol runs there
  }
}
