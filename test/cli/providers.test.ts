import type { ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";
import { providerPresets } from "triact";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { checkProvider, providersToCheck } from "../../src/cli/doctor/check-provider.ts";
import { fixture, protocols } from "../models/kit.ts";
import { type Answer, startServer, whole } from "../models/server.ts";
import { World } from "./kit.ts";

const SECRET = "sk-very-secret-1234567890";
const answer = () => whole(protocols["openai-chat"].blocks(fixture("openai-chat", "text")));
const never = new AbortController().signal;

beforeEach(() => {
  for (const { keyVariables } of providerPresets) for (const name of keyVariables) vi.stubEnv(name, "");
});
afterEach(() => vi.unstubAllEnvs());

describe("--model provider:model", () => {
  test("asks the provider, here at another address", async () => {
    vi.stubEnv("GROQ_API_KEY", SECRET);
    const server = await startServer(answer());
    const { exitCode, stdout, stderr } = await new World().triact(["run", "Hello", "--model", "groq:llama", "--base-url", server.url]);
    expect([exitCode, stdout.length > 0]).toEqual([0, true]);
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${SECRET}`);
    expect(stdout + stderr).not.toContain(SECRET);
  });

  test("without a key says which variable to set, and runs nothing", async () => {
    const { exitCode, stderr } = await new World().triact(["run", "Hello", "--model", "gemini:flash"]);
    expect([exitCode, stderr]).toEqual([
      2,
      "triact: --model: gemini needs a key. Set $GEMINI_API_KEY or $GOOGLE_API_KEY; keys are read from the environment alone.\n",
    ]);
  });
});

describe("--runtime", () => {
  const code = {
    "script.json": [{ text: JSON.stringify({ type: "code", language: "js", code: "return (await add({ a: 1, b: 2 })) * 10" }) }],
  };
  const args = ["run", "Go", "--model", "scripted:script.json", "--tools", "tools.ts", "--quiet"];

  test("codeact runs code, whose tools are functions", async () => {
    const { exitCode, stdout } = await new World({ files: code }).triact([...args, "--runtime", "codeact"]);
    expect([exitCode, stdout]).toEqual([0, "30\n"]);
  });

  test("takes options as JSON", async () => {
    const files = { "script.json": [...(code["script.json"] ?? []), { text: '{"type":"final","output":"It is 30."}' }] };
    const { exitCode, stdout } = await new World({ files }).triact([...args, "--runtime", 'codeact:{"finish":"model"}']);
    expect([exitCode, stdout]).toEqual([0, "It is 30.\n"]);
  });

  test.each<[string, string]>([
    ["magic", '--runtime: there is no runtime "magic". Allowed: react, codeact.'],
    ["codeact:soon", "--runtime: the options of codeact are a JSON object"],
    ["codeact:[1]", "--runtime: the options of codeact are a JSON object"],
    ['codeact:{"finish":"soon"}', "CodeActRuntime.finish"],
    ["react:{}", "--runtime: react has no options."],
  ])("%s is refused", async (runtime, problem) => {
    const { exitCode, stderr } = await new World({ files: code }).triact([...args, "--runtime", runtime]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(problem)]);
  });
});

describe("triact models", () => {
  test("lists every provider, and for which a key is set; never a key", async () => {
    vi.stubEnv("OPENAI_API_KEY", SECRET);
    const { exitCode, stdout, stderr } = await new World().triact(["models"]);
    expect(exitCode).toBe(0);
    for (const { id } of providerPresets) expect(stdout).toMatch(new RegExp(`^${id} `, "m"));
    expect(stdout).toMatch(/^openai +openai-responses +key set OPENAI_API_KEY +https:/m);
    expect(stdout).toMatch(/^anthropic +anthropic-messages +no key in ANTHROPIC_API_KEY +https:/m);
    expect(stdout).toMatch(/^ollama +openai-chat +no key +http:/m);
    expect(stdout + stderr).not.toContain("secret");
  });

  test("shows one, as JSON", async () => {
    const { stdout } = await new World().triact(["models", "ollama", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ id: "ollama", protocol: "openai-chat", keyVariables: [], hasKey: true });
  });

  test("knows when there is none", async () => {
    expect(await new World().triact(["models", "acme"])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('There is no provider "acme". Known: openai,'),
    });
  });
});

describe("triact doctor", () => {
  test("says what works here", async () => {
    const { exitCode, stdout } = await new World().triact(["doctor", "--no-calls"]);
    expect(stdout).toMatch(/^✓ Node: 2\d\./);
    expect(stdout).toContain("✓ sandbox (process): runs code\n✓ sandbox (in-process): runs code\n");
    expect(stdout).toMatch(/✓ package openai: \d/);
    expect(stdout).toContain("✓ session folder: ");
    expect(exitCode).toBe(0);
  });

  test("writes findings as JSON, and fails when one is wrong", async () => {
    const { exitCode, stdout } = await new World({ environment: { TRIACT_HOME: fileURLToPath(import.meta.url) } }).triact([
      "doctor",
      "--no-calls",
      "--json",
    ]);
    const findings = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { subject: string; state: string; advice?: string });
    expect(findings.find(({ subject }) => subject === "session folder")).toMatchObject({
      state: "wrong",
      advice: "Set TRIACT_HOME to a folder that you may write to.",
    });
    expect(exitCode).toBe(1);
  });

  test("asks those that have a key, or those that are named, with a small model or the one that is named", () => {
    expect(providersToCheck([], [])).toEqual([]);
    vi.stubEnv("MISTRAL_API_KEY", SECRET);
    expect(providersToCheck([], [])).toEqual([{ providerId: "mistral", modelId: expect.any(String) }]);
    expect(providersToCheck(["ollama"], ["groq:big"])).toEqual([
      { providerId: "ollama", modelId: undefined },
      { providerId: "groq", modelId: "big" },
    ]);
    expect(() => providersToCheck(["acme"], [])).toThrow(/no provider "acme"/);
  });

  test("finds a provider that answers, one that does not know the key, and one that does not know the model", async () => {
    vi.stubEnv("GROQ_API_KEY", SECRET);
    const ask = async (reply: Answer) => {
      const server = await startServer(reply);
      const [finding] = await checkProvider({ providerId: "groq", modelId: "llama", baseUrl: server.url }, never);
      expect(JSON.stringify(finding)).not.toContain(SECRET);
      return finding;
    };
    expect(await ask(answer())).toMatchObject({ state: "fine", text: "llama answers" });
    const json = (status: number, error: object) => (response: ServerResponse) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify({ error }));
    };
    expect(await ask(json(401, { message: "Invalid API Key", code: "invalid_api_key" }) as never)).toMatchObject({
      state: "wrong",
      text: expect.stringContaining("key"),
    });
    expect(await ask(json(404, { message: "The model `llama` does not exist", code: "model_not_found" }) as never)).toMatchObject({
      state: "fine",
      text: "the key is good; there is no model llama",
    });
  });

  test("says so when it does not know what to ask with", async () => {
    expect(await checkProvider({ providerId: "ollama", modelId: undefined }, never)).toMatchObject([
      { state: "absent", advice: "Name one: triact doctor --model ollama:MODEL" },
    ]);
  });
});
