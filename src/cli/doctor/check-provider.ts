import { isInstance, ModelError, messageOf } from "../../base/errors.js";
import type { AgentModelEvent } from "../../base/model.js";
import { createGateway, hasKey, providerPresets, splitModelName } from "../../models/gateway.js";
import { UsageError } from "../usage-error.js";
import type { Finding } from "./finding.js";

/** Small models to ask with. Names age; when one is gone, the answer still tells that the key is good. */
const SMALL_MODELS: Readonly<Record<string, string>> = {
  anthropic: "claude-haiku-4-5",
  openai: "gpt-5-nano",
  "openai-chat": "gpt-5-nano",
  gemini: "gemini-2.5-flash-lite",
  deepseek: "deepseek-chat",
  mistral: "mistral-small-latest",
  groq: "llama-3.1-8b-instant",
  xai: "grok-3-mini",
  openrouter: "openai/gpt-5-nano",
  together: "meta-llama/Llama-3.2-3B-Instruct-Turbo",
};

const DEADLINE_MS = 15_000;

/** A provider, and the model to ask it with. */
export interface ProviderToCheck {
  readonly providerId: string;
  readonly modelId: string | undefined;
  /** Another address, for servers of one's own. @default the provider's */
  readonly baseUrl?: string;
}

/**
 * The providers that are asked: those that are named, or else all that have a key of their own.
 * @throws UsageError for one that is not known.
 */
export function providersToCheck(names: readonly string[], models: readonly string[]): readonly ProviderToCheck[] {
  const chosen = new Map(models.map(splitModelName).map(({ providerId, modelId }) => [providerId, modelId]));
  const known = providerPresets.map(({ id }) => id);
  const unknown = [...names, ...chosen.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new UsageError({ problem: `There is no provider ${JSON.stringify(unknown)}. Known: ${known.join(", ")}.` });
  const withKey = providerPresets.filter((provider) => provider.keyVariables.length > 0 && hasKey(provider)).map(({ id }) => id);
  const wanted = names.length > 0 || chosen.size > 0 ? [...new Set([...names, ...chosen.keys()])] : withKey;
  return wanted.map((providerId) => ({ providerId, modelId: chosen.get(providerId) ?? SMALL_MODELS[providerId] }));
}

/** Asks a provider for one token. */
export async function checkProvider({ providerId, modelId, baseUrl }: ProviderToCheck, signal: AbortSignal): Promise<readonly Finding[]> {
  const subject = `provider ${providerId}`;
  if (modelId === undefined) {
    return [
      {
        subject,
        state: "absent",
        text: "not asked, because no model is known",
        advice: `Name one: triact doctor --model ${providerId}:MODEL`,
      },
    ];
  }
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  try {
    await askForOneToken(
      { providerId, modelId, ...(baseUrl === undefined ? undefined : { baseUrl }) },
      AbortSignal.any([signal, deadline]),
    );
    return [{ subject, state: "fine", text: `${modelId} answers` }];
  } catch (error) {
    if (deadline.aborted) return [{ subject, state: "wrong", text: `${modelId} gave no answer within ${DEADLINE_MS / 1000} s` }];
    return [findingOf(subject, modelId, error)];
  }
}

async function askForOneToken(reference: { providerId: string; modelId: string; baseUrl?: string }, signal: AbortSignal): Promise<void> {
  const model = createGateway({ options: { maxRetries: 0 } }).modelFor(reference);
  const message = { id: "msg_doctor", role: "user", content: [{ type: "text", text: "Say yes." }], createdAt: Date.now() } as const;
  for await (const event of model.stream({ messages: [message], tools: [], options: { maxOutputTokens: 16 }, signal })) {
    const failure = failureOf(event);
    if (failure !== undefined) throw failure;
    if (event.type === "finish") return;
  }
  throw new ModelError({ message: "The answer did not come to its end." });
}

function failureOf(event: AgentModelEvent): ModelError | undefined {
  if (event.type !== "finish" || event.reason !== "error") return undefined;
  return new ModelError({
    message: event.error ?? "The call failed.",
    ...(event.errorClass === undefined ? undefined : { errorClass: event.errorClass }),
  });
}

/** The errors of the adapters say what to do by themselves. */
function findingOf(subject: string, modelId: string, error: unknown): Finding {
  if (isInstance(error, ModelError) && error.errorClass === "model_not_found") {
    return {
      subject,
      state: "fine",
      text: `the key is good; there is no model ${modelId}`,
      advice: "Name one with --model PROVIDER:MODEL.",
    };
  }
  return { subject, state: "wrong", text: messageOf(error) };
}
