import { ModelError } from "../../base/errors.js";
import type { AgentModel, AgentModelEvent, AgentModelRequest, ModelErrorClass } from "../../base/model.js";

/** Trouble that goes away by itself. */
const PASSING: ReadonlySet<ModelErrorClass> = new Set(["rate_limit", "overloaded", "network", "timeout"]);

/** What {@link retryingModel} takes. */
export interface RetryOptions {
  /** Waiting time before the first retry in milliseconds; it doubles from retry to retry. */
  readonly delayMs: number;
  /** Called for each retry. */
  readonly onRetry: () => void;
}

const MAX_RETRIES = 3;

/** A model that is asked again, three times at most, when its provider has trouble that passes, or when its stream breaks off. */
export function retryingModel(model: AgentModel, { delayMs, onRetry }: RetryOptions): AgentModel {
  return {
    ...identityOf(model),
    async *stream(request) {
      for (let attempt = 0; ; attempt++) {
        const trouble = yield* attemptOnce(model, request);
        if (trouble === undefined) return;
        if (attempt === MAX_RETRIES || request.signal.aborted) {
          yield trouble;
          return;
        }
        onRetry();
        await wait(delayMs * 2 ** attempt, request.signal);
        yield { type: "reset", reason: trouble.error ?? "The provider had trouble." };
      }
    },
  };
}

/** What a model is known by. */
export function identityOf({ modelId, providerId, capabilities }: AgentModel): Omit<AgentModel, "stream"> {
  return {
    ...(modelId === undefined ? undefined : { modelId }),
    ...(providerId === undefined ? undefined : { providerId }),
    ...(capabilities === undefined ? undefined : { capabilities }),
  };
}

type Finish = Extract<AgentModelEvent, { readonly type: "finish" }>;

/** Streams one attempt. Gives the end of it back when another attempt may go better. */
async function* attemptOnce(model: AgentModel, request: AgentModelRequest): AsyncGenerator<AgentModelEvent, Finish | undefined, undefined> {
  try {
    for await (const event of model.stream(request)) {
      if (event.type === "finish" && event.reason === "error" && PASSING.has(event.errorClass ?? "unknown")) return event;
      yield event;
      if (event.type === "finish") return undefined;
    }
  } catch (error) {
    if (!(error instanceof ModelError) || !PASSING.has(error.errorClass)) throw error;
    return { type: "finish", reason: "error", error: error.message, errorClass: error.errorClass };
  }
  if (request.signal.aborted) return undefined;
  return { type: "finish", reason: "error", error: "The stream broke off.", errorClass: "network" };
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  if (ms === 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}
