import { createGateway } from "triact";
import { expect, test } from "vitest";
import { fixture, protocols } from "../models/kit.ts";
import { startServer, whole } from "../models/server.ts";
import { World } from "./kit.ts";

const chat = () => whole(protocols["openai-chat"].blocks(fixture("openai-chat", "text")));
const KEY = "gsk-never-to-be-seen-1234";

test("provider:model runs with the key of the environment and the address of --base-url", async () => {
  const server = await startServer(chat());
  const world = new World({ environment: { GROQ_API_KEY: KEY } });
  const { exitCode, stderr } = await world.triact(["run", "Hello", "-m", "groq:llama:big", "--base-url", server.url]);
  expect(exitCode, stderr).toBe(0);
  expect(server.requests[0]).toMatchObject({ body: { model: "llama:big" }, headers: { authorization: `Bearer ${KEY}` } });
  expect(stderr).not.toContain(KEY);
});

test("a local server has its address from its variable, and gets no key", async () => {
  const server = await startServer(chat());
  const world = new World({ environment: { OLLAMA_BASE_URL: server.url, OPENAI_API_KEY: KEY } });
  expect((await world.triact(["run", "Hello", "-m", "ollama:qwen3:8b"])).exitCode).toBe(0);
  expect(server.requests[0]?.headers).not.toHaveProperty("authorization");
});

test("a gateway of the host is asked", async () => {
  const server = await startServer(chat());
  const gateway = createGateway({ providers: { acme: { protocol: "openai-chat", baseUrl: server.url, keyVariables: ["ACME_KEY"] } } });
  const world = new World({ gateway, environment: { ACME_KEY: KEY } });
  expect((await world.triact(["run", "Hello", "-m", "acme:x"])).exitCode).toBe(0);
});

test.for([
  [["-m", "groq:llama"], "--model: there is no key for groq. Set GROQ_API_KEY in the environment; keys are read from nowhere else."],
  [["-m", "gemini:x"], "Set GEMINI_API_KEY or GOOGLE_API_KEY in the environment"],
  [["-m", "opnai:x"], '--model: there is no provider "opnai". Known: openai, openai-chat, anthropic, '],
  [["-m", "openai:"], '--model: expected provider:model or scripted:FILE, received "openai:".'],
  [["-m", "ollama:x", "--base-url", "user:secret"], "--base-url: ollama.baseUrl: "],
  [["-m", "scripted:a.json", "--base-url", "http://a"], "--base-url: not allowed with a script"],
  [["-m", "ollama:x", "--api-key", "k"], "--api-key: there is no such flag."],
] as const)("%j is refused before anything runs", async ([args, problem]) => {
  const { exitCode, stdout, stderr } = await new World().triact(["run", "Hello", ...args]);
  expect([exitCode, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(problem);
  expect(stderr).not.toContain("secret");
});

test("a session remembers the address, but not for another model", async () => {
  const [first, second] = [await startServer(chat()), await startServer(chat())];
  const world = new World({ environment: { GROQ_API_KEY: KEY, OLLAMA_BASE_URL: second.url } });
  await world.triact(["run", "Hello", "-m", "groq:a", "--base-url", first.url, "--session", "s"]);
  await world.triact(["run", "Hello", "-m", "ollama:b", "--session", "s"]);
  expect([first.requests.length, second.requests.length]).toEqual([1, 1]);
});
