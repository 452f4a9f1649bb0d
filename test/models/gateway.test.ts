import { inspect } from "node:util";
import {
  type AgentModel,
  anthropic,
  createGateway,
  deepseek,
  gemini,
  groq,
  hasKey,
  llamacpp,
  lmstudio,
  ModelError,
  mistral,
  modelFor,
  ollama,
  openai,
  openaiChat,
  openrouter,
  providerPresets,
  splitModelName,
  together,
  vllm,
  xai,
} from "triact";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { FakeTiming, fixture, protocols, read } from "./kit.js";
import { answer, startServer, whole } from "./server.js";

const chat = () => whole(protocols["openai-chat"].blocks(fixture("openai-chat", "text")));

beforeEach(() => {
  for (const { keyVariables } of providerPresets) for (const name of keyVariables) vi.stubEnv(name, "");
});
afterEach(() => vi.unstubAllEnvs());

describe("a missing key", () => {
  test.each(
    providerPresets.filter(({ keyVariables }) => keyVariables.length > 0).map(({ id, keyVariables }) => [id, keyVariables] as const),
  )("of %s is named before anything is sent", async (providerId, keyVariables) => {
    const server = await startServer(chat());
    const { error } = await read(modelFor({ providerId, modelId: "m", baseUrl: server.url }));
    expect(error).toBeInstanceOf(ModelError);
    expect(error?.errorClass).toBe("auth");
    for (const name of keyVariables) expect(error?.message).toContain(name);
    expect(server.requests).toEqual([]);
  });

  test("may be there the next time, and may come from a function", async () => {
    const server = await startServer(chat());
    const model = modelFor({ providerId: "groq", modelId: "m", baseUrl: server.url });
    expect((await read(model)).error?.errorClass).toBe("auth");
    vi.stubEnv("GROQ_API_KEY", "gsk-first-key");
    expect((await read(model)).finishReason).toBe("stop");
    vi.stubEnv("GROQ_API_KEY", "gsk-second-key");
    await read(model);
    const keys = ["rotating-1", "rotating-2"];
    const rotating = modelFor({ providerId: "groq", modelId: "m", baseUrl: server.url, apiKey: async () => keys.shift() ?? "" });
    await read(rotating);
    await read(rotating);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(
      ["gsk-first-key", "gsk-second-key", "rotating-1", "rotating-2"].map((key) => `Bearer ${key}`),
    );
  });
});

test("a local server gets no key, and nothing that the environment holds for OpenAI", async () => {
  vi.stubEnv("OPENAI_API_KEY", "sk-for-openai-alone");
  vi.stubEnv("OPENAI_ORG_ID", "org-1");
  vi.stubEnv("OPENAI_PROJECT_ID", "proj-1");
  vi.stubEnv("OPENAI_CUSTOM_HEADERS", "x-secret: between-us");
  const server = await startServer(chat());
  expect((await read(ollama("llama", { baseUrl: server.url }))).finishReason).toBe("stop");
  const { headers } = server.requests[0] ?? {};
  for (const name of ["authorization", "openai-organization", "openai-project", "x-secret"]) expect(headers).not.toHaveProperty(name);
});

test.each([
  ["OLLAMA_API_KEY", ollama],
  ["LM_API_TOKEN", lmstudio],
  ["VLLM_API_KEY", vllm],
  ["LLAMA_API_KEY", llamacpp],
] as const)("a local server that was started with a key gets the one in %s", async (variable, make) => {
  const server = await startServer(chat(), answer(401, { error: "Unauthorized" }));
  vi.stubEnv(variable, "local-key-1");
  expect((await read(make("m", { baseUrl: server.url }))).finishReason).toBe("stop");
  expect(server.requests[0]?.headers.authorization).toBe("Bearer local-key-1");
  const { error } = await read(make("m", { baseUrl: server.url }));
  expect(error?.errorClass).toBe("auth");
  expect(error?.message).toContain(`Check the key in ${variable}`);
  expect(hasKey({ keyVariables: [] })).toBe(true);
});

test.each(["localhost:11434", "127.0.0.1:11434", "http://user:a-long-secret@[", "nonsense"])(
  "an address in the environment that is no URL is refused, and not shown: %s",
  async (address) => {
    vi.stubEnv("OLLAMA_BASE_URL", address);
    const { error } = await read(ollama("m"));
    expect(error).toMatchObject({
      errorClass: "invalid_request",
      message: "OLLAMA_BASE_URL is no http or https URL; expected one such as http://127.0.0.1:11434/v1. Nothing was sent.",
    });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain("a-long-secret");
  },
);

test("a server that speaks Anthropic's protocol gets nothing that the environment holds for Anthropic", async () => {
  vi.stubEnv("ANTHROPIC_CUSTOM_HEADERS", "x-secret: between-us");
  vi.stubEnv("ANTHROPIC_AUTH_TOKEN", "token-for-anthropic");
  const server = await startServer(whole(protocols["anthropic-messages"].blocks(fixture("anthropic-messages", "text"))));
  const gateway = createGateway({ providers: { local: { protocol: "anthropic-messages", baseUrl: server.url } } });
  expect((await read(gateway.model("local:m"))).finishReason).toBe("stop");
  expect(JSON.stringify(server.requests[0]?.headers)).not.toMatch(/between-us|token-for-anthropic/);
  expect(server.requests[0]?.headers).not.toHaveProperty("authorization");
});

test("a provider of your own needs a protocol, a base URL and a key variable", async () => {
  const server = await startServer(chat());
  vi.stubEnv("ACME_KEY", "acme-secret-1");
  const gateway = createGateway({
    providers: {
      acme: {
        protocol: "openai-chat",
        baseUrl: server.url,
        keyVariables: ["ACME_KEY"],
        quirks: { maxTokensField: "max_tokens" },
        headers: { "x-team": "a" },
      },
    },
    options: { maxRetries: 0, timing: new FakeTiming() },
  });
  const model = gateway.model("acme:big:latest");
  expect([model.providerId, model.modelId]).toEqual(["acme", "big:latest"]);
  expect((await read(model)).finishReason).toBe("stop");
  expect(server.requests[0]).toMatchObject({
    body: { model: "big:latest" },
    headers: { authorization: "Bearer acme-secret-1", "x-team": "a" },
  });
  expect(gateway.providers.at(-1)).toEqual({ id: "acme", protocol: "openai-chat", baseUrl: server.url, keyVariables: ["ACME_KEY"] });
});

test("an unknown provider is refused with the names of those that are known", () => {
  expect(() => modelFor({ providerId: "opnai", modelId: "m" })).toThrow(
    /^providerId: there is no provider "opnai"\. Known: openai, openai-chat, anthropic, gemini, /,
  );
  expect(() => modelFor({ providerId: "__proto__", modelId: "m" })).toThrow(/there is no provider/);
});

test("options are checked, and never shown", () => {
  expect(() => openai("m", { apikey: "sk-secret-value" } as never)).toThrow(/^openai\.apikey: unknown option\. Allowed: apiKey, baseUrl/);
  expect(() => openai("m", { apiKey: 5 as never })).toThrow(/^openai\.apiKey: /);
  expect(() => openai("m", { maxRetries: -1 })).toThrow(/^openai\.maxRetries: /);
  expect(() => openai("m", { baseUrl: "api.example.com sk-secret" })).toThrow(/^openai\.baseUrl: (?!.*sk-secret)/);
  expect(() => openai(" ")).toThrow(/^modelId: /);
  expect(inspect(openai("m", { apiKey: "sk-secret-value" }), { showHidden: true, depth: 9 })).not.toContain("sk-secret-value");
});

test("names of models may hold colons", () => {
  expect(splitModelName("ollama:qwen3:8b")).toEqual({ providerId: "ollama", modelId: "qwen3:8b" });
  for (const name of ["", "gpt", ":gpt", "openai:", " : "]) expect(() => splitModelName(name)).toThrow(/expected provider:model/);
});

test("every preset has a function or a name, and the listing tells which keys are set", () => {
  for (const make of [
    anthropic,
    openai,
    openaiChat,
    gemini,
    deepseek,
    mistral,
    groq,
    xai,
    openrouter,
    together,
    ollama,
    lmstudio,
    vllm,
    llamacpp,
  ]) {
    const model: AgentModel = make("m");
    expect(providerPresets.some(({ id }) => id === model.providerId)).toBe(true);
    expect(model.modelId).toBe("m");
  }
  const listing = providerPresets.find(({ id }) => id === "xai");
  expect(listing && hasKey(listing)).toBe(false);
  vi.stubEnv("XAI_API_KEY", "k");
  expect(listing && hasKey(listing)).toBe(true);
  expect(hasKey({ keyVariables: [] })).toBe(true);
});

test("without a process there is no environment, and no crash", async () => {
  vi.stubGlobal("process", undefined);
  try {
    expect(hasKey({ keyVariables: ["XAI_API_KEY"] })).toBe(false);
  } finally {
    vi.unstubAllGlobals();
  }
});
