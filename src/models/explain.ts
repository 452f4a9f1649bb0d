import { messageOf } from "../base/errors.js";
import { adviceFor, classify, isRetried } from "./error-class.js";
import type { Endpoint, Explanation } from "./protocol.js";
import { type ProviderFailure, readFailure } from "./provider-failure.js";
import type { Redact } from "./redactor.js";
import { retryAfterMs } from "./retry-delay.js";

/** An error of a provider as it may be shown: its text holds no key, and nothing of the request is attached. */
class ProviderError extends Error {
  override readonly name = "ProviderError";
  readonly status: number | undefined;
  readonly codes: readonly string[];
  readonly requestId: string | undefined;
  constructor(message: string, { status, codes, header }: ProviderFailure) {
    super(message);
    this.status = status;
    this.codes = codes;
    this.requestId = header("x-request-id") ?? header("request-id");
  }
}

/** Explains whatever a call to a provider threw. */
export function explainFailure(thrown: unknown, endpoint: Endpoint, redact: Redact): Explanation {
  const { providerId, classifyError, timing } = endpoint;
  const failure = readFailure(thrown, redact);
  const kind = classify(failure, classifyError);
  const { status, text } = failure;
  const said = text === "" ? (failure.answered ? "an empty answer" : redact(messageOf(thrown))) : text;
  const advice = adviceFor(kind, endpoint);
  const where = status === undefined ? providerId : `${providerId} (HTTP ${status})`;
  const message = `${where}: ${said}${advice === "" ? "" : `${/[.!?]$/.test(said) ? "" : "."} ${advice}`}`;
  return {
    finish:
      kind === "content-filter"
        ? { type: "finish", reason: "content-filter", error: message }
        : { type: "finish", reason: "error", error: message, errorClass: kind },
    retried: kind !== "content-filter" && isRetried(kind, failure),
    retryAfterMs: retryAfterMs(failure, timing.now),
    cause: new ProviderError(said, failure),
  };
}
