import type { ModelErrorClass } from "../base/model.js";
import { type FailureKind, KIND_OF_CODE, KIND_OF_TEXT, kindOfStatus, OVERFLOW_TEXTS, THROTTLING_TEXTS } from "./error-table.js";
import type { ProviderFailure } from "./provider-failure.js";

/** A rule of the user's own, asked before the table. `undefined` leaves the answer to the table. */
export type ClassifyError = (failure: ProviderFailure) => ModelErrorClass | undefined;

/** Which names a class of error can be mended with. */
export interface ErrorNames {
  readonly providerId: string;
  readonly modelId: string;
  readonly keyVariables: readonly string[];
}

const RETRIED: ReadonlySet<FailureKind> = new Set<FailureKind>(["rate_limit", "overloaded", "network", "timeout"]);

/**
 * What kind of failure it is: by the user's rule, then by code and type, then by words, then by status. Words of throttling, and the status 429, win
 * over words of overflow: waiting is cheap, a history once shortened is gone.
 */
export function classify(failure: ProviderFailure, custom?: ClassifyError): FailureKind {
  const own = custom?.(failure);
  if (own !== undefined) return own;
  const { status, codes, text } = failure;
  const kinds = codes.flatMap((code) => KIND_OF_CODE.get(code) ?? []);
  if (status === 429) return kinds.find((kind) => kind === "billing") ?? (isOutOfCredit(text) ? "billing" : "rate_limit");
  const code = kinds.includes("context_window_exceeded") ? "context_window_exceeded" : kinds[0];
  const byCode = code === "overloaded" && isOfRequest(status) ? undefined : code; // "api_error" is some servers' type for everything
  if (byCode !== undefined && !isVague(byCode, text)) return byCode;
  if (THROTTLING_TEXTS.some((pattern) => pattern.test(text))) return "rate_limit";
  if (OVERFLOW_TEXTS.some((pattern) => pattern.test(text))) return "context_window_exceeded";
  const byText = KIND_OF_TEXT.find(([pattern]) => pattern.test(text))?.[1];
  return byText ?? byCode ?? kindOfStatus(status, text);
}

/** Whether a status says that the request itself is refused: it will be every time. */
function isOfRequest(status: number | undefined): boolean {
  return status !== undefined && [400, 401, 402, 403, 404, 405, 413, 415, 422].includes(status);
}

/** A server's own fault, a closed door and a lost connection may turn out to be something better known. */
function isVague(kind: FailureKind, text: string): boolean {
  return text !== "" && (kind === "overloaded" || kind === "auth" || kind === "network");
}

/** Google says "exceeded your current quota" of every limit, so that the words alone do not make it a matter of money. */
function isOutOfCredit(text: string): boolean {
  return (
    /credit balance|insufficient (?:credits?|balance|funds)|check your plan and billing details(?!.*retryDelay)/i.test(text) &&
    !/quota exceeded for metric|retryDelay/i.test(text)
  );
}

/** Whether asking again may help. A server that knows says so in `x-should-retry`. */
export function isRetried(kind: FailureKind, failure: ProviderFailure): boolean {
  const told = failure.header("x-should-retry");
  if (told === "false") return false;
  return RETRIED.has(kind);
}

/** What the user can do about it; empty when there is nothing to add. */
export function adviceFor(kind: FailureKind, { providerId, modelId, keyVariables }: ErrorNames): string {
  const [variable] = keyVariables;
  switch (kind) {
    case "auth":
      return variable === undefined
        ? `${providerId} refuses the request: check the apiKey and what it may do.`
        : `Check the key in ${variable} (or the apiKey option): it is wrong, expired, or may not use ${modelId}.`;
    case "billing":
      return `There is no credit left with ${providerId}: add some, raise the limit there, or take another provider.`;
    case "model_not_found":
      return `${providerId} does not serve ${modelId} to this key: check the model's name, and that the model is enabled or installed.`;
    case "region_blocked":
      return `${providerId} does not serve the region that the request came from: take another provider, or one that offers the model where you are.`;
    case "rate_limit":
      return "Wait, send less, or ask the provider for a higher limit.";
    case "overloaded":
      return `${providerId} has trouble of its own: try again later or take another model.`;
    case "network":
      return "Check the base URL, the connection and any proxy between.";
    case "timeout":
      return "Raise idleTimeoutMs if the model needs longer; past five minutes Node's fetch ends the wait by itself, see docs/providers.md.";
    default:
      return "";
  }
}
