import { AgentConfigError, type AgentOptions, createAgent, createTool } from "triact";
import { ScriptedModel, say } from "triact/testing";
import { describe, expect, test } from "vitest";
import { add, build, done } from "../base/kit.js";

const model = new ScriptedModel([]);

function problemOf(options: unknown): { field: string; message: string } {
  try {
    createAgent(options as AgentOptions);
  } catch (error) {
    if (error instanceof AgentConfigError) return { field: error.field, message: error.message };
    throw error;
  }
  throw new Error("the configuration was accepted");
}

describe("a bad configuration", () => {
  test.each<[string, unknown, string, readonly RegExp[]]>([
    ["is no object", null, "options", [/expected object/, /null/]],
    ["is text", "model", "options", [/expected object/, /"model"/]],
    ["has no model", {}, "model", [/missing/, /providerId and modelId/]],
    ["has a model that cannot stream", { model: {} }, "model", [/object with stream\(\)/, /received an object/]],
    ["has a model and a provider", { model, providerId: "openai" }, "providerId", [/not allowed together with model/]],
    ["has a model and a key", { model, apiKey: "k" }, "apiKey", [/not allowed together with model/]],
    ["has a provider alone", { providerId: "openai" }, "modelId", [/missing/]],
    ["has a model id alone", { modelId: "gpt" }, "providerId", [/missing/]],
    ["has an unknown provider", { providerId: "nobody", modelId: "x" }, "providerId", [/"nobody"/]],
    ["has an unknown key", { model, maxIteration: 3 }, "maxIteration", [/unknown option/, /maxIterations/]],
    ["has onEvent at the top", { model, onEvent: () => undefined }, "onEvent", [/unknown option/, /hooks/]],
    ["has a runtime that cannot run", { model, runtime: {} }, "runtime", [/object with name and run\(\)/]],
    ["has a prompt that is no text", { model, systemPrompt: 5 }, "systemPrompt", [/string/, /received 5/]],
    ["has a tool of its own making", { model, tools: [{ name: "x" }] }, "tools.0", [/createTool/]],
    ["has two tools of one name", { model, tools: [add, add] }, "tools.1", [/second tool named "add"/, /unique/]],
    [
      "has a policy with a typing error",
      { model, toolPolicies: { pay: { autoAprove: false } } },
      "toolPolicies.pay.autoAprove",
      [/unknown option/, /autoApprove/],
    ],
    ["has a policy that is no policy", { model, toolPolicies: { pay: true } }, "toolPolicies.pay", [/object/, /received true/]],
    ["has an approval that is no function", { model, requestToolApproval: true }, "requestToolApproval", [/function/, /received true/]],
    [
      "has a way of execution nobody knows",
      { model, toolExecution: "both" },
      "toolExecution",
      [/sequential/, /parallel/, /received "both"/],
    ],
    ["has an unknown hook", { model, hooks: { beforeTools: () => undefined } }, "hooks.beforeTools", [/unknown option/, /beforeTool\b/]],
    ["has a hook that is no function", { model, hooks: { beforeTool: 1 } }, "hooks.beforeTool", [/function/, /received 1/]],
    ["has a plugin without a name", { model, plugins: [{}] }, "plugins.0.name", [/string/, /undefined/]],
    [
      "has an unknown capability",
      { model, plugins: [{ name: "p", manifest: { capabilities: ["net"] } }] },
      "plugins.0.manifest.capabilities.0",
      [/tools/, /hooks/, /"net"/],
    ],
    ["has maxIterations 0", { model, maxIterations: 0 }, "maxIterations", [/integer from 1, or Infinity/, /received 0/]],
    ["has maxIterations 1.5", { model, maxIterations: 1.5 }, "maxIterations", [/integer from 1/, /received 1.5/]],
    ["has maxIterations NaN", { model, maxIterations: Number.NaN }, "maxIterations", [/integer from 1/, /received NaN/]],
    ["has an unknown limit", { model, limits: { maxToken: 5 } }, "limits.maxToken", [/unknown option/, /maxTokens/]],
    ["has maxTokens 0", { model, limits: { maxTokens: 0 } }, "limits.maxTokens", [/1/, /received 0/]],
    ["has maxCost without prices", { model, limits: { maxCost: 1 } }, "limits.maxCost", [/pricing/]],
    ["has maxCost 0", { model, limits: { maxCost: 0 } }, "limits.maxCost", [/>0/, /received 0/]],
    ["has timeoutMs -1", { model, limits: { timeoutMs: -1 } }, "limits.timeoutMs", [/>0/, /received -1/]],
    [
      "has timeoutMs no timer can count",
      { model, limits: { timeoutMs: 2 ** 31 } },
      "limits.timeoutMs",
      [/2147483647/, /received 2147483648/],
    ],
    [
      "wants a completion tool and has none",
      { model, completionPolicy: { requireCompletionTool: true } },
      "completionPolicy.requireCompletionTool",
      [/completesRun/],
    ],
    [
      "has a guard that is no function",
      { model, completionPolicy: { completionGuard: "x" } },
      "completionPolicy.completionGuard",
      [/function/, /received "x"/],
    ],
    [
      "has a tool choice nobody knows",
      { model, modelOptions: { toolChoice: "always" } },
      "modelOptions.toolChoice",
      [/auto/, /none/, /required/, /"always"/],
    ],
    [
      "has an effort nobody knows",
      { model, modelOptions: { reasoning: "max" } },
      "modelOptions.reasoning",
      [/minimal/, /high/, /maxTokens/, /"max"/],
    ],
    [
      "has an unknown model option",
      { model, modelOptions: { maxTokens: 5 } },
      "modelOptions.maxTokens",
      [/unknown option/, /maxOutputTokens/],
    ],
    ["has a temperature below 0", { model, modelOptions: { temperature: -1 } }, "modelOptions.temperature", [/0/, /received -1/]],
    ["has topP above 1", { model, modelOptions: { topP: 1.5 } }, "modelOptions.topP", [/1/, /received 1.5/]],
    ["has topP 0", { model, modelOptions: { topP: 0 } }, "modelOptions.topP", [/0/, /received 0/]],
    [
      "has provider options that are no JSON",
      { model, modelOptions: { providerOptions: { f: () => 1 } } },
      "modelOptions.providerOptions.f",
      [/a function/],
    ],
    ["has a negative price", { model, pricing: { inputPerMTok: -1, outputPerMTok: 1 } }, "pricing.inputPerMTok", [/0/, /received -1/]],
    ["has half the prices", { model, pricing: { inputPerMTok: 1 } }, "pricing.outputPerMTok", [/number/, /undefined/]],
    ["has an empty agent id", { model, agentId: "" }, "agentId", [/received ""/]],
    ["has half a logger", { model, logger: { error: () => undefined } }, "logger", [/error\(\) and warn\(\)/]],
    ["has an id maker that is no function", { model, generateId: "x" }, "generateId", [/function/]],
    ["has initial messages that are no list", { model, initialMessages: "hi" }, "initialMessages", [/array/, /"hi"/]],
    [
      "has an initial message with a role nobody knows",
      { model, initialMessages: [{ role: "system", content: "x" }] },
      "initialMessages",
      [/user/, /"system"/],
    ],
    [
      "has an initial message with a broken part",
      { model, initialMessages: [{ role: "user", content: [{ type: "image" }] }] },
      "initialMessages",
      [/data/],
    ],
  ])("that %s is refused at once, naming the field, what came and what is allowed", (_, options, field, texts) => {
    const problem = problemOf(options);
    expect(problem.field).toBe(field);
    expect(problem.message.startsWith(field)).toBe(true);
    for (const text of texts) expect(problem.message).toMatch(text);
  });

  test("calls nothing of the configuration", () => {
    const calls: string[] = [];
    const options = {
      model: { stream: () => void calls.push("stream") },
      plugins: [{ name: "p", setup: () => void calls.push("setup") }],
      now: () => calls.push("now"),
      generateId: () => `id${calls.push("generateId")}`,
      maxIterations: 0,
    };
    expect(() => createAgent(options as never)).toThrow(AgentConfigError);
    expect(calls).toEqual([]);
  });
});

describe("a bad tool", () => {
  const good = { name: "t", description: "", inputSchema: { type: "object" }, execute: () => 1 };
  const problem = (options: object) => {
    try {
      createTool({ ...good, ...options } as never);
    } catch (error) {
      if (error instanceof AgentConfigError) return error.message;
      throw error;
    }
    throw new Error("the tool was accepted");
  };

  // R16
  test.each(["", "a.b", "a b", "9lives", "ü", "x".repeat(65), "-a"])("named %j is refused with the rule", (name) => {
    expect(problem({ name })).toBe(`tool ${name}.name: a letter or _, then letters, digits, _ or -, 64 characters at most`);
  });

  // R16
  test.each(["_", "a", "a-b_c9", "x".repeat(64), "constructor", "__proto__"])("but named %j is accepted", (name) => {
    expect(createTool({ ...good, name } as never).name).toBe(name);
  });

  test.each<[string, object, readonly RegExp[]]>([
    ["without a function", { execute: 1 }, [/tool t\.execute/, /function/, /1/]],
    ["with timeoutMs 0", { timeoutMs: 0 }, [/tool t\.timeoutMs/, />0/, /received 0/]],
    ["with an unknown option", { timeout: 5 }, [/tool t/, /timeout/]],
    ["with an unknown lifecycle", { lifecycle: { completeRun: true } }, [/tool t\.lifecycle/, /completeRun/]],
    ["without a schema", { inputSchema: undefined }, [/tool t\.inputSchema/]],
    ["with null as schema", { inputSchema: null }, [/tool t\.inputSchema/]],
    ["with a description that is no text", { description: 1 }, [/tool t\.description/, /string/]],
  ])("%s is refused, naming tool and field, what came and what is allowed", (_, options, texts) => {
    for (const text of texts) expect(problem(options)).toMatch(text);
  });
});

describe("defaults", () => {
  test("are those of SPEC: ReAct, no tools, 100 iterations, ids with their prefixes", async () => {
    const endless = new ScriptedModel(Array.from({ length: 101 }, () => ({ toolCalls: [{ toolName: "nope", input: {} }] })));
    const agent = createAgent({ model: endless });
    const result = await agent.run("?");
    expect(result).toMatchObject({ runtime: "react", status: "failed", endedBy: "max-iterations", iterations: 100 });
    expect(result.agentId).toMatch(/^agent_[\w-]{21}$/);
    expect(result.runId).toMatch(/^run_[\w-]{21}$/);
    expect(result.messages[0]?.id).toMatch(/^msg_[\w-]{21}$/);
    expect(endless.requests[0]).toMatchObject({
      tools: [],
      options: {},
      systemPrompt: "Use tools when necessary. Return concise final answers.",
    });
  });

  test("maxIterations may be Infinity", () => {
    expect(() => createAgent({ model, maxIterations: Number.POSITIVE_INFINITY })).not.toThrow();
  });

  test("the model's own ids stand on its messages, unless messageModelInfo says otherwise", async () => {
    const own = build([say("ok")]);
    expect((await own.agent.run("?")).messages[1]?.modelInfo).toEqual({ id: "scripted", provider: "scripted" });
    const other = build([say("ok")], { messageModelInfo: { id: "m", provider: "p", family: "f" } });
    expect((await other.agent.run("?")).messages[1]?.modelInfo).toEqual({ id: "m", provider: "p", family: "f" });
    const bare = build([], {
      model: {
        async *stream() {
          yield { type: "text-delta", text: "hi" };
          yield { type: "finish", reason: "stop" };
        },
      },
    });
    expect((await bare.agent.run("?")).messages[1]).not.toHaveProperty("modelInfo");
  });
});

describe("what a caller passes in", () => {
  test("is copied: later changes of the caller have no effect", async () => {
    const tools = [done];
    const policies: Record<string, { enabled?: boolean }> = { done: { enabled: false } };
    const modelOptions = { providerOptions: { a: 1 } };
    const initialMessages = [{ role: "user" as const, content: [{ type: "text" as const, text: "old" }] }];
    const { agent, model: asked } = build([say("ok")], {
      tools: tools as never,
      toolPolicies: policies,
      modelOptions,
      initialMessages,
      plugins: [{ name: "p" }],
    });
    tools.push(done);
    policies["done"] = { enabled: true };
    modelOptions.providerOptions.a = 2;
    initialMessages[0] = { role: "user", content: [{ type: "text", text: "new" }] };
    await agent.run("?");
    expect(asked.requests[0]?.tools.map(({ name }) => name)).toEqual(["done"]);
    expect(asked.requests[0]?.options).toEqual({ providerOptions: { a: 1 } });
    expect(asked.requests[0]?.messages[0]?.content).toEqual([{ type: "text", text: "old" }]);
  });
});
