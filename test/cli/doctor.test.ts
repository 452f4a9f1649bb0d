import { createGateway, providerPresets } from "triact";
import { expect, test } from "vitest";
import { fixture, protocols } from "../models/kit.ts";
import { type Answer, answer, closedPort, startServer, whole } from "../models/server.ts";
import { World } from "./kit.ts";

const KEY = "acme-never-to-be-seen-1234";
const chat = () => whole(protocols["openai-chat"].blocks(fixture("openai-chat", "text")));

/** A world in which no local server runs, and one provider `acme` gives these answers. */
async function worldWith(...answers: readonly Answer[]) {
  const [server, closed] = [await startServer(...answers), await closedPort()];
  const acme = { protocol: "openai-chat", baseUrl: server.url, keyVariables: ["ACME_KEY"] } as const;
  const local = providerPresets.flatMap(({ baseUrlVariable }) => (baseUrlVariable === undefined ? [] : [[baseUrlVariable, closed]]));
  const environment = { ...(Object.fromEntries(local) as Record<string, string>), ACME_KEY: KEY };
  return { server, environment, world: new World({ gateway: createGateway({ providers: { acme } }), environment }) };
}

test("without calls it looks at this machine alone", async () => {
  const { world, server } = await worldWith(chat());
  const { exitCode, stdout, stderr } = await world.triact(["doctor", "--no-calls"]);
  expect([exitCode, stderr]).toEqual([0, "Nothing has to be mended.\n"]);
  expect(stdout.split("\n").map((line) => line.slice(0, line.indexOf(":")))).toEqual([
    "✓ node",
    "✓ isolated-vm, in a child process",
    "✓ isolated-vm, in process",
    "✓ @anthropic-ai/sdk",
    "✓ openai",
    "✓ quickjs-emscripten",
    "✓ typescript",
    "✓ sessions",
    "",
  ]);
  expect(server.requests).toEqual([]);
});

test("a provider with a key is asked for a few tokens", async () => {
  const { world, server } = await worldWith(chat());
  const { exitCode, stdout } = await world.triact(["doctor", "--model", "acme:small"]);
  expect(stdout).toMatch(/^✓ acme: small answers \(/m);
  expect(exitCode).toBe(0);
  expect(server.requests).toMatchObject([
    { body: { model: "small", max_completion_tokens: 16 }, headers: { authorization: `Bearer ${KEY}` } },
  ]);
});

test("a model that is not known means that the key works", async () => {
  const { world } = await worldWith(answer(404, { error: { message: "no such model", code: "model_not_found" } }));
  const { exitCode, stdout } = await world.triact(["doctor", "--model", "acme:old"]);
  expect(stdout).toContain("✓ acme: the key works; old is not served to it, so name another one with --model acme:MODEL\n");
  expect(exitCode).toBe(0);
});

test("a wrong key is told with what to mend, and never shown", async () => {
  const { world } = await worldWith(answer(401, { error: { message: `Incorrect API key provided: ${KEY}`, code: "invalid_api_key" } }));
  const { exitCode, stdout, stderr } = await world.triact(["doctor", "--model", "acme:m"]);
  expect(stdout).toMatch(/^✗ acme: acme \(HTTP 401\): .* Check the key in ACME_KEY/m);
  expect([exitCode, stderr]).toEqual([1, "Mend what is marked with ✗.\n"]);
  expect(stdout).not.toContain(KEY);
});

test("a provider that never answers is given up", async () => {
  const { world } = await worldWith(() => undefined);
  const { exitCode, stdout } = await world.triact(["doctor", "--model", "acme:m", "--timeout", "0.1"]);
  expect(stdout).toContain("✗ acme: no answer within 100 ms: ");
  expect(exitCode).toBe(1);
});

test("a missing key of a named provider is a problem, one of another is none", async () => {
  const { world } = await worldWith(chat());
  const { exitCode, stdout } = await world.triact(["doctor", "--provider", "xai"]);
  expect(stdout).toContain("✗ xai: there is no key: set XAI_API_KEY in the environment\n");
  expect([exitCode, stdout.includes("acme")]).toEqual([1, false]);
});

test("a local server that runs is asked for its first model", async () => {
  const { world, environment } = await worldWith(chat());
  const server = await startServer(answer(200, { data: [{ id: "qwen3:8b" }] }), chat());
  const { exitCode, stdout } = await world.triact(["doctor"], { environment: { ...environment, OLLAMA_BASE_URL: `${server.url}/v1` } });
  expect(stdout).toMatch(/^✓ ollama: qwen3:8b answers/m);
  expect(stdout).toContain("· acme: no model is known to ask: name one with --model acme:MODEL\n");
  expect(stdout).not.toContain("vllm");
  expect([exitCode, server.requests.map(({ path }) => path)]).toEqual([0, ["/v1/models", "/v1/chat/completions"]]);
});

test("a local server that wants a key is told so, and gets the one that is set", async () => {
  const { world, environment } = await worldWith(chat());
  const server = await startServer(answer(401, { error: "Unauthorized" }), answer(200, { data: [{ id: "m" }] }), chat());
  const local = { ...environment, VLLM_BASE_URL: `${server.url}/v1` };
  const { exitCode, stdout } = await world.triact(["doctor", "--provider", "vllm"], { environment: local });
  expect(stdout).toMatch(/^✗ vllm: the server at http:\S+ wants a key: set VLLM_API_KEY in the environment/m);
  expect(exitCode).toBe(1);
  const unnamed = await world.triact(["doctor"], {
    environment: { ...local, VLLM_BASE_URL: `${(await startServer(answer(403, {}))).url}/v1` },
  });
  expect([unnamed.exitCode, unnamed.stdout]).toEqual([0, expect.stringMatching(/^· vllm: the server at \S+ wants a key/m)]);
  const again = await world.triact(["doctor", "--provider", "vllm"], { environment: { ...local, VLLM_API_KEY: KEY } });
  expect(again.stdout).toMatch(/^✓ vllm: m answers/m);
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, `Bearer ${KEY}`, `Bearer ${KEY}`]);
});

test("a local server that was named has to run", async () => {
  const { world } = await worldWith(chat());
  const { exitCode, stdout } = await world.triact(["doctor", "--provider", "vllm"]);
  expect(stdout).toMatch(/^✗ vllm: no model is served at http:\/\/127\.0\.0\.1:\d+: start the server/m);
  expect(exitCode).toBe(1);
});

test("a folder that cannot be written to is a problem", async () => {
  const { world } = await worldWith(chat());
  const { exitCode, stdout } = await world.triact(["doctor", "--no-calls", "--session-dir", "/proc/sessions"]);
  expect([exitCode, stdout]).toEqual([1, expect.stringContaining("✗ sessions: /proc cannot be written to: ")]);
});

test("--json writes one object a line", async () => {
  const { world } = await worldWith(chat());
  const { stdout, stderr } = await world.triact(["doctor", "--json", "--model", "acme:m"]);
  const results = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(results.at(-1)).toEqual({ check: "acme", status: "ok", text: expect.stringContaining("m answers") });
  expect(stderr).toBe("");
});

test("models are listed with their variables, and never with a part of a key", async () => {
  const { world, environment } = await worldWith(chat());
  const { exitCode, stdout } = await world.triact(["models"], {
    environment: { ...environment, VLLM_BASE_URL: "http://user:secret@box/v1?token=secret" },
  });
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^acme {9}openai-chat {9}http:\/\/127\.0\.0\.1:\d+ +ACME_KEY set$/m);
  expect(stdout).toMatch(/^groq .* GROQ_API_KEY not set$/m);
  expect(stdout).toMatch(/^vllm .* http:\/\/box\/v1 +no key needed, VLLM_API_KEY not set$/m);
  expect(stdout).not.toMatch(/secret|never/);
});

test("one provider is listed, as JSON too", async () => {
  const { world } = await worldWith(chat());
  const { stdout } = await world.triact(["models", "gemini", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({
    id: "gemini",
    keys: [{ variable: "GEMINI_API_KEY", isSet: false }, { variable: "GOOGLE_API_KEY" }],
  });
  expect(await world.triact(["models", "gemni"])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('there is no provider "gemni". Known: '),
  });
});
