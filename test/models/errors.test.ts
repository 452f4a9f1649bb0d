import { inspect } from "node:util";
import { type AgentEvent, createAgent, ModelError, openaiChat, type ProviderFailure } from "triact";
import { describe, expect, test } from "vitest";
import { errorBodies } from "./error-bodies.js";
import { FakeTiming, type Protocol, protocols, read, SECRET } from "./kit.js";
import { answer, closedPort, startServer } from "./server.js";

const names = Object.keys(protocols) as Protocol[];

describe.each(names)("%s", (protocol) => {
  test.each(errorBodies.map((each) => [`${each.who}, HTTP ${each.status}`, each] as const))(
    "%s",
    async (_name, { status, body, headers = {}, errorClass, retried, waitMs }) => {
      const server = await startServer(answer(status, body, headers));
      const timing = new FakeTiming();
      const { error } = await read(protocols[protocol].model(server.url, { timing, maxRetries: 1 }));
      expect(error?.errorClass).toBe(errorClass);
      expect(server.requests).toHaveLength(retried ? 2 : 1);
      if (retried) expect(timing.waits).toEqual([waitMs ?? 250]);
    },
  );

  test.each(["auth", "billing", "model_not_found", "region_blocked"])("%s says what to do", async (errorClass) => {
    const { status, body } = errorBodies.find((each) => each.errorClass === errorClass) ?? { status: 0, body: "" };
    const server = await startServer(answer(status, body));
    const { error } = await read(protocols[protocol].model(server.url));
    const advice = {
      auth: /Check the key in (?:OPENAI|ANTHROPIC)_API_KEY/,
      billing: /add some/,
      model_not_found: /check the model's name/,
      region_blocked: /another provider/,
    };
    expect(error?.message).toMatch(advice[errorClass as keyof typeof advice]);
  });

  test.each([
    [
      "in the text",
      { error: { message: `Incorrect API key provided: ${SECRET}. See https://x.test/?key=${SECRET}`, code: "invalid_api_key" } },
    ],
    ["as a code", { error: { message: "no", code: SECRET, type: SECRET } }],
    ["in a page", `<html><title>Denied: Bearer ${SECRET}</title></html>`],
    [
      "URL-encoded and in base64",
      { error: { message: `${encodeURIComponent(SECRET)} ${btoa(SECRET)} ${JSON.stringify(JSON.stringify(SECRET))}` } },
    ],
  ])("a key that the provider sends back %s is seen nowhere", async (_where, body) => {
    const server = await startServer(answer(401, body, { "x-request-id": SECRET, "www-authenticate": SECRET }));
    const logged: unknown[] = [];
    const log = (...values: unknown[]) => void logged.push(values);
    const logger = { error: log, warn: log, info: log, debug: log };
    const model = protocols[protocol].model(server.url, { headers: { "x-proxy-token": `tok-${SECRET}` } });
    const agent = createAgent({ model, logger });
    const events: AgentEvent[] = [];
    agent.subscribe((event) => events.push(event));
    const result = await agent.run("Hello");
    expect(result.status).toBe("failed");
    const everything = inspect([result, events, agent, agent.snapshot(), logged, result.error?.stack], {
      depth: 20,
      showHidden: true,
      maxStringLength: null,
    });
    expect(everything.toLowerCase()).not.toContain(SECRET.toLowerCase());
    expect(everything).not.toContain(btoa(SECRET).replace(/=+$/, ""));
  });

  test("a key that stands where an answer is cut is not seen, not even a part of it", async () => {
    const key = "Zq8RtY3uP0wLmN5vBc7XdFgHjK2sAe4i";
    for (let length = 160; length < 200; length += 3) {
      const server = await startServer(answer(200, { text: "x".repeat(length), key }));
      const { error } = await read(protocols[protocol].model(server.url, { apiKey: key, maxRetries: 0 }));
      expect(error?.message).not.toContain(key.slice(0, 4));
    }
  });

  test("a key in the base URL is not seen either", async () => {
    const model = protocols[protocol].model(`http://user:${SECRET}@127.0.0.1:1`, { maxRetries: 0 });
    const { error } = await read(model);
    expect(error).toBeInstanceOf(ModelError);
    expect(inspect([model, error], { depth: 20, showHidden: true })).not.toContain(SECRET);
  });

  test("a rule of the user's own goes before the table", async () => {
    const seen: ProviderFailure[] = [];
    const classifyError = (failure: ProviderFailure) => {
      seen.push(failure);
      return failure.text.includes("zu lang") ? "context_window_exceeded" : undefined;
    };
    const server = await startServer(answer(400, { error: { message: "Anfrage zu lang", code: "E17" } }));
    const { error } = await read(protocols[protocol].model(server.url, { classifyError }));
    expect(error?.errorClass).toBe("context_window_exceeded");
    expect(seen[0]).toMatchObject({ status: 400, codes: ["e17"], answered: true });
  });

  test("a server that is not there is a network failure", async () => {
    const timing = new FakeTiming();
    const { error } = await read(protocols[protocol].model(await closedPort(), { timing }));
    expect(error?.errorClass).toBe("network");
    expect(error?.message).toContain("ECONNREFUSED");
    expect(timing.waits).toEqual([250, 500, 1_000]);
  });
});

test("a prompt that OpenRouter's moderation refuses ends as content-filter", async () => {
  const server = await startServer(
    answer(403, { error: { code: 403, message: "openai/m requires moderation on OpenAI. Your input was flagged" } }),
  );
  const { finishReason } = await read(openaiChat("m", { apiKey: "k-12345", baseUrl: server.url }));
  expect(finishReason).toBe("content-filter");
});

test("a prompt that the provider's filter refuses ends as content-filter", async () => {
  const server = await startServer(answer(400, { error: { code: "content_filter", message: "The prompt was filtered.", status: 400 } }));
  const { finishReason, finishError } = await read(openaiChat("m", { apiKey: "k-12345", baseUrl: server.url }));
  expect([finishReason, finishError]).toEqual(["content-filter", expect.stringContaining("The prompt was filtered.")]);
});
