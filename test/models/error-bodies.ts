import type { ModelErrorClass } from "triact";

/** An answer of a provider that is an error, and what it has to come to. */
export interface ErrorBody {
  readonly who: string;
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly errorClass: ModelErrorClass;
  /** Whether it is tried again. */
  readonly retried: boolean;
  /** What the provider asks to wait, in milliseconds. */
  readonly waitMs?: number;
}

const openai = (message: string, code: string | null = null, type = "invalid_request_error") => ({
  error: { message, type, param: null, code },
});
const anthropic = (type: string, message: string) => ({ type: "error", error: { type, message }, request_id: "req_1" });
const google = (code: number, status: string, message: string, details: unknown[] = []) => [{ error: { code, message, status, details } }];
const plain = (message: string) => ({ error: message });

const overflow = (who: string, body: unknown, status = 400): ErrorBody => ({
  who,
  status,
  body,
  errorClass: "context_window_exceeded",
  retried: false,
});
const final = (who: string, status: number, body: unknown, errorClass: ModelErrorClass): ErrorBody => ({
  who,
  status,
  body,
  errorClass,
  retried: false,
});
const again = (who: string, status: number, body: unknown, errorClass: ModelErrorClass, waitMs?: number): ErrorBody => ({
  who,
  status,
  body,
  errorClass,
  retried: true,
  ...(waitMs === undefined ? undefined : { waitMs }),
});

/** Errors of providers, long texts in our own words. */
export const errorBodies: readonly ErrorBody[] = [
  // R34: overflow
  overflow("Anthropic, tokens", anthropic("invalid_request_error", "prompt is too long: 215,345 tokens > 200,000 maximum")),
  overflow(
    "Anthropic, output budget",
    anthropic("invalid_request_error", "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"),
  ),
  overflow("Anthropic, bytes", anthropic("request_too_large", "Request exceeds the maximum size"), 413),
  overflow("OpenAI, code", openai("This model's maximum context length is 128000 tokens.", "context_length_exceeded")),
  overflow("OpenAI, Responses", openai("Your input exceeds the context window of this model. Please adjust your input and try again.")),
  overflow("Azure", { error: { code: "string_above_max_length", message: "The string is too long." } }),
  overflow(
    "Gemini",
    google(400, "INVALID_ARGUMENT", "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."),
  ),
  overflow("vLLM, input plus output", {
    object: "error",
    message:
      "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4000 in the messages, 1000 in the completion).",
    type: "BadRequestError",
    code: 400,
  }),
  overflow("vLLM, newer", {
    error: {
      message: "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
      type: "BadRequestError",
      code: 400,
    },
  }),
  overflow("Ollama", plain("the input length exceeds the context length")),
  overflow("Ollama, cloud", openai("prompt too long; exceeded max context length by 5000 tokens"), 500),
  overflow("llama.cpp, type", {
    error: { code: 400, message: "too large", type: "exceed_context_size_error", n_prompt_tokens: 5000, n_ctx: 4096 },
  }),
  overflow(
    "llama.cpp, text",
    { error: { code: 500, message: "the request exceeds the available context size, try increasing it", type: "server_error" } },
    500,
  ),
  overflow(
    "LM Studio",
    plain(
      "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens",
    ),
  ),
  overflow(
    "LM Studio, newer",
    plain("The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 5000 >= n_ctx: 4096)"),
  ),
  overflow("Groq", openai("Please reduce the length of the messages or completion.", "context_length_exceeded")),
  overflow("Mistral", {
    object: "error",
    message: "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    type: "invalid_request_error",
    code: "3051",
  }),
  overflow("xAI", {
    code: "Client specified an invalid argument",
    error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
  }),
  overflow("Together", openai("The input (33000 tokens) is longer than the model's context length (32768 tokens).")),
  overflow(
    "Text Generation Inference",
    { error: "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 and 200", error_type: "validation" },
    422,
  ),
  overflow("Bedrock", { message: "Input is too long for requested model." }),
  overflow("Cohere", { message: "too many tokens: total number of tokens in the prompt cannot exceed 4081" }),
  overflow("Moonshot", openai("Your request exceeded model token limit: 8192")),
  overflow("Z.ai", { error: { code: "1261", message: "Prompt exceeds max length" } }),
  overflow("MiniMax", openai("invalid params, context window exceeds limit")),
  overflow("OpenRouter, wrapped", {
    error: {
      message: "Provider returned error",
      code: 400,
      metadata: { raw: JSON.stringify(openai("This endpoint's maximum context length is 32,768 tokens.")) },
    },
  }),
  overflow(
    "a gateway, wrapped in text",
    { detail: `upstream said: ${JSON.stringify(anthropic("invalid_request_error", "prompt is too long: 9 tokens > 8 maximum"))}` },
    502,
  ),
  overflow("LiteLLM", openai("litellm.ContextWindowExceededError: the prompt does not fit", "context_window_exceeded")),

  // R35: what must not be taken for it
  again(
    "OpenAI, tokens per minute",
    429,
    openai(
      "Rate limit reached for gpt-test on tokens per min (TPM): Limit 30000, Used 28000, Requested 5000. Please try again in 6.2s.",
      "rate_limit_exceeded",
      "tokens",
    ),
    "rate_limit",
    6_200,
  ),
  again("OpenAI, maximum context words with 429", 429, openai("Too many tokens for the maximum context length right now."), "rate_limit"),
  again(
    "Groq, 413",
    413,
    openai(
      "Request too large for model on tokens per minute (TPM): Limit 6000, Requested 7000, please reduce your message size.",
      "rate_limit_exceeded",
      "tokens",
    ),
    "rate_limit",
  ),
  again(
    "Bedrock, throttling",
    400,
    { __type: "ThrottlingException", message: "Too many tokens, please wait before trying again." },
    "rate_limit",
  ),
  again(
    "Anthropic",
    429,
    anthropic("rate_limit_error", "This request would exceed your organization's rate limit of 80,000 input tokens per minute."),
    "rate_limit",
  ),
  again(
    "a gateway, with words of overflow",
    400,
    plain("More than 40000 tokens per minute: reduce the length of the messages."),
    "rate_limit",
  ),
  again(
    "Gemini, quota with a delay",
    429,
    google(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details.", [
      { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34s" },
    ]),
    "rate_limit",
    34_000,
  ),
  final("a proxy, 400 without a body", 400, "", "invalid_request"),
  final("a proxy, 413 without a body", 413, "", "invalid_request"),

  // trouble at the provider's
  again("Anthropic", 529, anthropic("overloaded_error", "Overloaded"), "overloaded"),
  again("Anthropic", 500, anthropic("api_error", "Internal server error"), "overloaded"),
  again("OpenAI", 503, openai("The engine is currently overloaded, please try again later", null, "server_error"), "overloaded"),
  again("DeepSeek", 503, openai("Service is too busy.", null, "service_unavailable"), "overloaded"),
  again(
    "Mistral, capacity",
    429,
    { object: "error", message: "Service tier capacity exceeded for this model.", type: "service_tier_capacity_exceeded", code: "3505" },
    "rate_limit",
  ),
  again("Gemini", 503, google(503, "UNAVAILABLE", "The model is overloaded. Please try again later."), "overloaded"),
  again("llama.cpp, loading", 503, { error: { code: 503, message: "Loading model", type: "unavailable_error" } }, "overloaded"),
  again("Cloudflare, a page", 502, "<!DOCTYPE html><html><head><title>502 Bad gateway</title></head><body></body></html>", "network"),
  again("Cloudflare, timeout", 524, "<html><head><title>A timeout occurred</title></head></html>", "timeout"),
  again("OpenRouter, upstream", 502, { error: { code: 502, message: "Upstream gave an invalid response" } }, "network"),

  // wrong key, unknown model, no credit, blocked region
  final(
    "OpenAI, key",
    401,
    openai("Incorrect API key provided: sk-proj-****abcd. You can find yours in the settings.", "invalid_api_key"),
    "auth",
  ),
  final("Anthropic, key", 401, anthropic("authentication_error", "invalid x-api-key"), "auth"),
  final(
    "Gemini, key with 400",
    400,
    google(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", [{ reason: "API_KEY_INVALID" }]),
    "auth",
  ),
  final("xAI, key with 400", 400, { code: "Client specified an invalid argument", error: "Incorrect API key provided: xa***yz." }, "auth"),
  final(
    "DeepSeek, key",
    401,
    openai("Authentication Fails, Your api key: ****abcd is invalid", "invalid_request_error", "authentication_error"),
    "auth",
  ),
  final("OpenRouter, key", 401, { error: { message: "No auth credentials found", code: 401 } }, "auth"),
  final(
    "OpenAI, model",
    404,
    openai("The model `gpt-9` does not exist or you do not have access to it.", "model_not_found"),
    "model_not_found",
  ),
  final("Anthropic, model", 404, anthropic("not_found_error", "model: claude-9"), "model_not_found"),
  final("Ollama, request", 400, openai("this model does not support tools", null, "api_error"), "invalid_request"),
  final(
    "xAI, credit",
    403,
    {
      code: "The caller does not have permission",
      error: "Your team doesn't have any credits yet. You can purchase credits on https://console.x.ai.",
    },
    "billing",
  ),
  final(
    "Anthropic, limit of one's own",
    400,
    anthropic(
      "invalid_request_error",
      "You have reached your specified API usage limits. You will regain access on 2027-01-01 at 00:00 UTC.",
    ),
    "billing",
  ),
  final("Ollama, model", 404, openai("model 'llama9' not found, try pulling it first", null, "api_error"), "model_not_found"),
  final("OpenRouter, model", 400, { error: { message: "foo/bar is not a valid model ID", code: 400 } }, "model_not_found"),
  final("Groq, model", 404, openai("The model `x` does not exist or you do not have access to it.", "model_not_found"), "model_not_found"),
  final(
    "Mistral, model",
    400,
    { object: "error", message: "Invalid model: mistral-9", type: "invalid_model", code: "1500" },
    "model_not_found",
  ),
  final(
    "OpenAI, credit",
    429,
    openai("You exceeded your current quota, please check your plan and billing details.", "insufficient_quota", "insufficient_quota"),
    "billing",
  ),
  final(
    "Anthropic, credit",
    400,
    anthropic("invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
    "billing",
  ),
  final("DeepSeek, credit", 402, openai("Insufficient Balance", "invalid_request_error", "unknown_error"), "billing"),
  final(
    "OpenRouter, credit",
    402,
    { error: { code: 402, message: "This request requires more credits, or fewer max_tokens." } },
    "billing",
  ),
  final(
    "OpenAI, region",
    403,
    openai("Country, region, or territory not supported", "unsupported_country_region_territory", "request_forbidden"),
    "region_blocked",
  ),
  final("Gemini, region", 400, google(400, "FAILED_PRECONDITION", "User location is not supported for the API use."), "region_blocked"),
  final(
    "OpenAI, wrong field",
    400,
    openai("Unsupported parameter: 'max_tokens' is not supported with this model.", "unsupported_parameter"),
    "invalid_request",
  ),
  final("Anthropic, wrong field", 400, anthropic("invalid_request_error", "tools.0.name: String should match pattern"), "invalid_request"),
];
