import { LLMock } from "@copilotkit/aimock";
import { Agents, createTool, textOf } from "triact";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { FakeTiming, type Protocol, protocols, read } from "./kit.js";

const names = Object.keys(protocols) as Protocol[];

/** A mock provider that nobody here wrote. It checks requests by itself and answers in the dialect of the path. */
async function startMock(): Promise<LLMock> {
  const mock = new LLMock({ port: 0, logLevel: "silent" });
  await mock.start();
  onTestFinished(() => mock.stop());
  return mock;
}

describe.each(names)("%s against aimock", (protocol) => {
  const model = (mock: LLMock) => protocols[protocol].model(mock.url, { timing: new FakeTiming() });

  test("text in many small pieces", async () => {
    const mock = await startMock();
    const content = "Grüße, Welt 🌍! ".repeat(20).trim();
    mock.onMessage(/Hello/, { content }, { chunkSize: 3 });
    const reply = await read(model(mock));
    expect(textOf(reply)).toBe(content);
    expect(reply.finishReason).toBe("stop");
  });

  test("parallel calls, executed in order, and the answer after their results", async () => {
    const mock = await startMock();
    const toolCalls = [1, 2, 3].map((city) => ({ id: `call_${city}`, name: "weather", arguments: { city: `City ${city}` } }));
    mock.on({ userMessage: /weather/, hasToolResult: false }, { toolCalls }, { chunkSize: 4 });
    mock.on({ userMessage: /weather/, hasToolResult: true }, { content: "All sunny." });
    const asked: string[] = [];
    const weather = createTool({
      name: "weather",
      description: "The weather.",
      inputSchema: z.object({ city: z.string() }),
      execute: ({ city }) => {
        asked.push(city);
        return "sunny";
      },
    });
    const result = await Agents.builder().model(model(mock)).tools(weather).build().run("How is the weather?");
    expect(result).toMatchObject({ status: "completed", outputText: "All sunny.", iterations: 2 });
    expect(asked).toEqual(["City 1", "City 2", "City 3"]);
  });

  test("reasoning", async () => {
    const mock = await startMock();
    mock.onMessage(/Hello/, { content: "42", reasoning: "Six times seven." }, { chunkSize: 5 });
    const { content } = await read(model(mock));
    expect(content).toMatchObject([
      { type: "reasoning", text: "Six times seven." },
      { type: "text", text: "42" },
    ]);
  });

  test("a rate limit first", async () => {
    const mock = await startMock();
    mock.onMessage(/Hello/, { content: "Hi" });
    mock.nextRequestError(429, { message: "Slow down.", type: "rate_limit_error" });
    const { content, finishReason } = await read(model(mock));
    expect([textOf({ content }), finishReason]).toEqual(["Hi", "stop"]);
    expect(mock.getRequests().map(({ response }) => response.status)).toEqual([429, 200]);
  });

  test("a stream that breaks off is never a whole message", async () => {
    const mock = await startMock();
    mock.onMessage(/Hello/, { content: "A rather long answer that is cut." }, { chunkSize: 4, truncateAfterChunks: 4 });
    const { error } = await read(protocols[protocol].model(mock.url, { maxRetries: 0, timing: new FakeTiming() }));
    expect(error?.errorClass).toBe("network");
  });
});
