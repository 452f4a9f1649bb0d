import type { ModelErrorClass } from "../base/model.js";

/** What a failed call comes to: a class of error, or a stop by the provider's content filter. */
export type FailureKind = ModelErrorClass | "content-filter";

/** Codes, types and names of exceptions, in lower case. What is too general to decide by (`invalid_request_error`) is not among them. */
export const KIND_OF_CODE: ReadonlyMap<string, FailureKind> = new Map(
  Object.entries({
    context_window_exceeded: [
      "context_length_exceeded",
      "exceed_context_size_error",
      "request_too_large",
      "context_window_exceeded",
      "model_context_window_exceeded",
      "string_above_max_length",
      "contextwindowexceedederror",
      "1261",
    ],
    billing: [
      "insufficient_quota",
      "billing_error",
      "billing_hard_limit_reached",
      "billing_not_active",
      "insufficient_balance",
      "insufficient_credits",
      "payment_required",
      "exceeded_current_quota_error",
      "access_terminated",
      "1113",
    ],
    rate_limit: [
      "rate_limit_error",
      "rate_limit_exceeded",
      "rate_limit_reached_error",
      "too_many_requests",
      "throttlingexception",
      "throttling_error",
      "toomanyrequestsexception",
      "tokens_limit_reached",
      "resource_exhausted",
      "1302",
      "1305",
    ],
    overloaded: [
      "overloaded_error",
      "server_overloaded",
      "engine_overloaded",
      "engine_overloaded_error",
      "slow_down",
      "capacity_exceeded",
      "model_overloaded",
      "service_unavailable",
      "unavailable",
      "insufficient_system_resource",
      "serviceunavailableexception",
      "modelnotreadyexception",
      "server_error",
      "internal_error",
      "internal_server_error",
      "api_error",
    ],
    auth: [
      "authentication_error",
      "invalid_api_key",
      "invalid_authentication",
      "invalid_authentication_error",
      "unauthenticated",
      "unauthorized",
      "incorrect_api_key_error",
      "account_deactivated",
      "permission_error",
      "permission_denied",
      "insufficient_permissions",
    ],
    model_not_found: [
      "model_not_found",
      "model_not_available",
      "model_not_supported",
      "invalid_model",
      "unknown_model",
      "deploymentnotfound",
      "model_terms_required",
      "not_found_error",
    ],
    region_blocked: ["unsupported_country_region_territory", "region_not_supported", "unsupported_region"],
    "content-filter": ["content_filter", "content_policy_violation", "responsibleaipolicyviolation"],
    invalid_request: ["no-stream"],
    timeout: [
      "timeout_error",
      "request_timeout",
      "gateway_timeout",
      "deadline_exceeded",
      "etimedout",
      "und_err_connect_timeout",
      "und_err_headers_timeout",
      "und_err_body_timeout",
      "idle-timeout",
    ],
    network: [
      "econnreset",
      "econnrefused",
      "econnaborted",
      "epipe",
      "enotfound",
      "eai_again",
      "ehostunreach",
      "enetunreach",
      "enetdown",
      "und_err_socket",
      "und_err_headers_overflow",
      "und_err_response",
      "und_err_destroyed",
      "err_stream_premature_close",
      "z_buf_error",
      "z_data_error",
      "hpe_header_overflow",
      "malformed-json",
      "cut-stream",
    ],
  } satisfies Partial<Record<FailureKind, readonly string[]>>).flatMap(([kind, codes]) =>
    codes.map((code) => [code, kind as FailureKind] as const),
  ),
);

/** Words of throttling. They win over words of overflow, since both speak of too many tokens. */
export const THROTTLING_TEXTS: readonly RegExp[] = [
  /(?:tokens|requests|queries)[ -]*(?:per|\/)[ -]*(?:minute|min|second|sec|hour|day)/i,
  /\b(?:TPM|RPM|TPD|RPD)\b/,
  /rate[ -]?limit/i,
  /too many requests|throttl|slow down/i,
  /too many tokens,? please (?:wait|try)/i,
  /quota exceeded for (?:quota )?metric/i,
];

/** How servers say that a request does not fit into the model's window. The server whose words they are stands behind. */
export const OVERFLOW_TEXTS: readonly RegExp[] = [
  /prompt is too long/i, // Anthropic, Fireworks
  /input length and `?max_tokens`? exceed context limit/i, // Anthropic
  /maximum (?:context|prompt|model|input) length/i, // OpenAI, DeepSeek, vLLM, OpenRouter, xAI, Mistral, SGLang
  /exceeds? the (?:model'?s )?(?:maximum )?context (?:window|length|size)/i, // OpenAI Responses, Ollama
  /input token count.*exceeds the maximum/i, // Gemini
  /exceeds? the available context size/i, // llama.cpp
  /(?:greater|longer|larger|more) than the (?:model'?s )?(?:available )?context (?:length|window|size)/i, // LM Studio, Together, SGLang
  /context the overflows|loaded with context length of only/i, // LM Studio
  /exceeded (?:the )?max(?:imum)? context length/i, // Ollama
  /reduce the length of the (?:messages|prompt)/i, // Groq, Cerebras
  /too large for model with [\d,.]+ maximum context/i, // Mistral
  /inputs?`? (?:tokens \+ `?max_new_tokens`? must be <=|must have less than)/i, // Text Generation Inference, Together
  /input is too long for (?:the )?requested model/i, // Bedrock
  /too many tokens: .*(?:prompt|exceed)/i, // Cohere
  /exceeded model token limit/i, // Moonshot
  /prompt exceeds max(?:imum)? length/i, // Z.ai
  /context window exceeds limit/i, // MiniMax
  /prompt token count of [\d,.]+ exceeds the limit/i, // GitHub
  /context[_ ](?:length|window)[_ ]exceeded/i, // gateways
];

/** Everything else that is known by its words alone. The first that fits counts. */
export const KIND_OF_TEXT: readonly (readonly [RegExp, FailureKind])[] = [
  [
    /credit balance is too low|insufficient (?:credits?|balance|funds|quota)|exceeded your current quota|(?:requires|need) more credits|billing|payment required|out of credits|purchase (?:more )?credits|(?:reached|exceeded) your .{0,40}(?:usage|spend(?:ing)?) limits?/i,
    "billing",
  ],
  [/requires moderation on |input was flagged/i, "content-filter"], // OpenRouter
  [
    /country, region,? or territory|(?:not (?:supported|available)|unsupported|blocked|restricted) (?:in|for) your (?:country|region|location)|user location is not supported/i,
    "region_blocked",
  ],
  [
    /(?:incorrect|invalid|missing|no|expired|revoked) (?:or (?:missing|invalid) )?(?:x-)?api[ -]?key|api[ _-]?key (?:is )?(?:not valid|invalid|missing|expired)|invalid (?:authentication|bearer|token)|no auth credentials|unauthorized/i,
    "auth",
  ],
  [
    /model\b.{0,200}?(?:not found|does not exist|doesn't exist|not exist|is not (?:available|supported|a valid)|decommissioned|try pulling it)|(?:unknown|invalid|unsupported|no such) model|not a valid model/i,
    "model_not_found",
  ],
  [/overloaded|over capacity|at capacity|temporarily unavailable|try again later|no healthy upstream|loading model/i, "overloaded"],
  [/terminated|fetch failed|socket hang up|other side closed|premature close|connection error|network error|aborted/i, "network"],
  [/timed? ?out/i, "timeout"],
];

/** What a status says when nothing else does. */
export function kindOfStatus(status: number | undefined, text: string): FailureKind {
  switch (status) {
    case undefined:
      return "unknown";
    case 401:
    case 403:
      return "auth";
    case 402:
      return "billing";
    case 404:
      return /model/i.test(text) ? "model_not_found" : "invalid_request";
    case 408:
    case 504:
    case 524:
      return "timeout";
    case 429:
      return "rate_limit";
    case 451:
      return "region_blocked";
    default:
      return status >= 500 || status === 409 || status === 498
        ? status === 502 || (status > 519 && status !== 529)
          ? "network"
          : "overloaded"
        : "invalid_request";
  }
}
