import { ModelError } from "../../base/errors.js";
import type { AgentModel, AgentModelEvent, ModelErrorClass } from "../../base/model.js";

/** Trouble that goes away by itself. */
const PASSING: ReadonlySet<ModelErrorClass> = new Set(["rate_limit", "overloaded", "network", "timeout"]);

/** The end of a stream that had none. */
export const BROKEN_OFF: AgentModelEvent = { type: "finish", reason: "error", error: "The stream broke off.", errorClass: "network" };

/** Whether an event tells of trouble that passes. */
export function isPassing(event: AgentModelEvent): boolean {
  return event.type === "finish" && event.reason === "error" && PASSING.has(event.errorClass ?? "unknown");
}

/**
 * What was thrown as the end of a stream.
 * @throws the same again when it will not pass.
 */
export function passingTrouble(error: unknown): AgentModelEvent {
  if (!(error instanceof ModelError) || !PASSING.has(error.errorClass)) throw error;
  return { type: "finish", reason: "error", error: error.message, errorClass: error.errorClass };
}

/** What a model is known by. */
export function identityOf({ modelId, providerId, capabilities }: AgentModel): Omit<AgentModel, "stream"> {
  return {
    ...(modelId === undefined ? undefined : { modelId }),
    ...(providerId === undefined ? undefined : { providerId }),
    ...(capabilities === undefined ? undefined : { capabilities }),
  };
}

/** Waits, unless the run ends before. */
export function waitToRetry(ms: number, signal: AbortSignal): Promise<void> {
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
