/**
 * Takes one measurement in this process and prints it: `node benchmarks/models/measure.ts URL PROTOCOL KIND SIZE SUBJECT`. The subject is `sdk`, the
 * official client read by an empty loop, or `triact`.
 */
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { type AgentModel, type AgentModelRequest, anthropic, openai, openaiChat } from "triact";
import { cpuTime } from "../clock.ts";
import { lowerQuartile } from "../statistics.ts";
import type { ProtocolName } from "./streams.ts";

const [url = "", name = "", kind = "", size = "", subject = ""] = process.argv.slice(2);
const protocol = name as ProtocolName;
const baseURL = `${url}/${protocol}/${kind}/${size}`;
const client = { baseURL, apiKey: "benchmark-key", maxRetries: 0 };
const options = { apiKey: client.apiKey, baseUrl: baseURL };
const prompt = "Hello";

const readers: Record<string, Record<ProtocolName, () => Promise<number>>> = {
  sdk: {
    "anthropic-messages": async () => {
      const messages = [{ role: "user" as const, content: prompt }];
      return drain(await new Anthropic(client).messages.create({ model: "m", max_tokens: 100, messages, stream: true }));
    },
    "openai-responses": async () => drain(await new OpenAI(client).responses.create({ model: "m", input: prompt, stream: true })),
    "openai-chat": async () => {
      const messages = [{ role: "user" as const, content: prompt }];
      return drain(await new OpenAI(client).chat.completions.create({ model: "m", messages, stream: true }));
    },
  },
  triact: {
    "anthropic-messages": () => ask(anthropic("m", options)),
    "openai-responses": () => ask(openai("m", options)),
    "openai-chat": () => ask(openaiChat("m", options)),
  },
};

async function drain(stream: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _ of stream) count += 1;
  return count;
}

function ask(model: AgentModel): Promise<number> {
  const content = [{ type: "text" as const, text: prompt }];
  const request: AgentModelRequest = {
    messages: [{ id: "msg_1", role: "user", createdAt: 0, content }],
    tools: [],
    options: {},
    signal: new AbortController().signal,
  };
  return drain(model.stream(request));
}

const read = readers[subject]?.[protocol];
if (read === undefined) throw new RangeError(`There is no subject ${subject} for ${protocol}.`);

async function repeatFor(milliseconds: number, work: () => Promise<number>): Promise<number[]> {
  const times: number[] = [];
  for (const until = performance.now() + milliseconds; performance.now() < until; ) {
    const from = cpuTime();
    await work();
    times.push(cpuTime() - from);
  }
  return times;
}

await repeatFor(1_500, read);
console.log(lowerQuartile(await repeatFor(1_500, read)));
