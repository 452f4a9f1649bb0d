import {
  Agent,
  type AgentBuilder,
  AgentConfigError,
  type AgentHooks,
  type AgentOptions,
  Agents,
  AgentBuilder as Builder,
  createAgent,
  createTool,
  MemorySessionStore,
  ReActRuntime,
} from "triact";
import { callTool, callTools, ScriptedModel, say } from "triact/testing";
import { describe, expect, test } from "vitest";
import { resultsIn, seams, text, tool } from "../base/kit.js";

const quiet = { error: () => undefined, warn: () => undefined };

/** A builder whose agents have ids that count up. */
function builder(turns: ConstructorParameters<typeof ScriptedModel>[0] = [say("ok")]) {
  const model = new ScriptedModel(turns);
  return {
    model,
    base: Agents.builder()
      .model(model)
      .with({ ...seams(), logger: quiet }),
  };
}

class Named extends ReActRuntime {
  override readonly name: never = "named" as never;
}

/** Every method, with what shows in the run that it had its effect. */
const METHODS: readonly (readonly [
  keyof AgentBuilder,
  (base: AgentBuilder) => AgentBuilder,
  (agent: Agent, model: ScriptedModel) => unknown,
  unknown,
])[] = [
  ["runtime", (base) => base.runtime(new Named()), (agent) => agent.snapshot().runtime, "named"],
  [
    "systemPrompt",
    (base) => base.systemPrompt("Be brief."),
    (_, model) => model.requests[0]?.systemPrompt,
    "Be brief.\n\nUse tools when necessary. Return concise final answers.",
  ],
  ["tools", (base) => base.tools(tool("t", () => 1)), (_, model) => model.requests[0]?.tools.map(({ name }) => name), ["t"]],
  [
    "initialMessages",
    (base) => base.initialMessages([{ role: "user", content: "before" }]),
    (_, model) => model.requests[0]?.messages[0]?.content,
    [text("before")],
  ],
  ["modelOptions", (base) => base.modelOptions({ temperature: 0.5 }), (_, model) => model.requests[0]?.options, { temperature: 0.5 }],
  [
    "prepareTurn",
    (base) => base.prepareTurn(() => ({ systemPrompt: "prepared" })),
    (_, model) => model.requests[0]?.systemPrompt,
    "prepared",
  ],
  ["hooks", (base) => base.hooks({ beforeModel: () => ({ options: { seed: 7 } }) }), (_, model) => model.requests[0]?.options, { seed: 7 }],
  [
    "plugins",
    (base) => base.plugins({ name: "p", setup: () => ({ tools: [tool("brought", () => 1)] }) }),
    (_, model) => model.requests[0]?.tools.map(({ name }) => name),
    ["brought"],
  ],
  ["session", (base) => base.session(new MemorySessionStore(), "trip"), (agent) => agent.snapshot().sessionId, "trip"],
  ["with", (base) => base.with({ conversationId: "c_1" }), (agent) => agent.snapshot().conversationId, "c_1"],
];

/** Every method but `build`, called with something. */
const CALLS: { readonly [Name in Exclude<keyof AgentBuilder, "build">]: (base: AgentBuilder) => unknown } = {
  model: (base) => base.model(new ScriptedModel([])),
  runtime: (base) => base.runtime(new ReActRuntime()),
  systemPrompt: (base) => base.systemPrompt("x"),
  tools: (base) => base.tools(),
  toolContext: (base) => base.toolContext(1),
  toolPolicies: (base) => base.toolPolicies({}),
  requestToolApproval: (base) => base.requestToolApproval(() => ({ approved: true })),
  hooks: (base) => base.hooks({}),
  plugins: (base) => base.plugins(),
  initialMessages: (base) => base.initialMessages([]),
  maxIterations: (base) => base.maxIterations(1),
  limits: (base) => base.limits({}),
  completionPolicy: (base) => base.completionPolicy({}),
  toolExecution: (base) => base.toolExecution("parallel"),
  prepareTurn: (base) => base.prepareTurn(() => undefined),
  modelOptions: (base) => base.modelOptions({}),
  pricing: (base) => base.pricing({ inputPerMTok: 1, outputPerMTok: 1 }),
  output: (base) => base.output({ type: "object" }),
  session: (base) => base.session(new MemorySessionStore(), "trip"),
  with: (base) => base.with({}),
};

describe("a builder", () => {
  test.each(Object.entries(CALLS))("%s returns a new builder each time", (_, call) => {
    const { base } = builder();
    const [one, two] = [call(base), call(base)];
    expect([one instanceof Builder, one === base, one === two]).toEqual([true, false, false]);
  });

  test("has no method that is not tested here", () => {
    const methods = Object.getOwnPropertyNames(Builder.prototype).filter((name) => name !== "constructor");
    expect(methods.sort()).toEqual([...Object.keys(CALLS), "build"].sort());
  });

  test.each(METHODS)("%s sets its option in a new builder and leaves the old one as it was", async (_, set, look, expected) => {
    const [changed, plain] = [builder(), builder()];
    const next = set(changed.base);
    expect(next).not.toBe(changed.base);
    const agent = next.build();
    await agent.run("?");
    expect(look(agent, changed.model)).toEqual(expected);
    set(plain.base); // and thrown away
    const untouched = plain.base.build();
    await untouched.run("?");
    expect(look(untouched, plain.model)).not.toEqual(expected);
  });

  test("sets limits, prices, iterations, completion policy and approval for the run", async () => {
    const turns = () => [callTool("t", {}, { usage: { inputTokens: 1_000_000 } }), say("no")];
    const base = () => builder(turns()).base.tools(tool("t", () => 1));
    expect((await base().maxIterations(1).build().run("?")).endedBy).toBe("max-iterations");
    expect((await base().limits({ maxTokens: 10 }).build().run("?")).endedBy).toBe("token-limit");
    const priced = base().pricing({ inputPerMTok: 3, outputPerMTok: 0 });
    expect((await priced.build().run("?")).usage.totalCost).toBe(3);
    const guarded = base()
      .completionPolicy({ completionGuard: () => "go on" })
      .maxIterations(2);
    expect((await guarded.build().run("?")).endedBy).toBe("max-iterations");
    const denied = await base()
      .toolPolicies({ t: { autoApprove: false } })
      .requestToolApproval(() => ({ approved: false, reason: "no" }))
      .build()
      .run("?");
    expect(resultsIn(denied.messages)[0]?.output).toEqual({ error: "Approval for tool t was denied: no. Nothing was executed." });
  });

  test("sets how tools are executed", async () => {
    const started: string[] = [];
    const both = Promise.withResolvers<void>();
    const meet = (name: string) =>
      tool(name, () => {
        if (started.push(name) === 2) both.resolve();
        return both.promise;
      });
    const calls = callTools([
      { toolName: "a", input: {} },
      { toolName: "b", input: {} },
    ]);
    const { base } = builder([calls, say("ok")]);
    await base.tools(meet("a"), meet("b")).toolExecution("parallel").build().run("?");
    expect(started).toEqual(["a", "b"]);
  });

  test("gathers tools in the order in which they came", async () => {
    const { base, model } = builder();
    const [a, b, c] = ["a", "b", "c"].map((name) => tool(name, () => 1));
    await base
      .tools(a as never, b as never)
      .tools()
      .tools(c as never)
      .build()
      .run("?");
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(["a", "b", "c"]);
  });

  test("branches: what one branch adds the other does not have", async () => {
    const { base, model } = builder([say("left"), say("right")]);
    const common = base.tools(tool("common", () => 1));
    const [left, right] = [common.tools(tool("left", () => 1)), common.tools(tool("right", () => 1))];
    await left.build().run("?");
    await right.build().run("?");
    expect(model.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
      ["common", "left"],
      ["common", "right"],
    ]);
  });

  test("merges policies tool by tool; a later one of the same tool replaces the earlier", async () => {
    const turn = callTools(["a", "b", "c"].map((toolName) => ({ toolName, input: {} })));
    const { base } = builder([turn, say("ok")]);
    const agent = base
      .tools(...["a", "b", "c"].map((name) => tool(name, () => name)))
      .toolPolicies({ a: { enabled: false, reason: "first" }, b: { enabled: false, reason: "first" } })
      .toolPolicies({ b: { reason: "second" }, c: { enabled: false } })
      .build();
    const { messages } = await agent.run("?");
    expect(resultsIn(messages).map(({ output }) => output)).toEqual([
      { error: "The policy does not allow tool a: first. Nothing was executed." },
      "b",
      { error: "The policy does not allow tool c. Nothing was executed." },
    ]);
  });

  test("gathers plugins, whose hooks run in the order in which they came, and replaces hooks", async () => {
    const seen: string[] = [];
    const noting = (name: string): AgentHooks => ({ beforeRun: () => void seen.push(name) });
    const { base } = builder();
    const one = { name: "one", hooks: noting("one") };
    const two = { name: "two", hooks: noting("two") };
    await base.hooks(noting("old")).plugins(one).hooks(noting("new")).plugins(two).build().run("?");
    expect(seen).toEqual(["new", "one", "two"]);
  });

  test("with() sets any option by name over those that are there, and leaves the others", async () => {
    const { base, model } = builder();
    const agent = base.systemPrompt("one").maxIterations(3).with({ systemPrompt: "two", agentRole: "clerk", sessionId: "s" }).build();
    await agent.run("?");
    expect(model.requests[0]?.systemPrompt).toBe("two\n\nUse tools when necessary. Return concise final answers.");
    expect(agent.snapshot().agentRole).toBe("clerk");
  });

  test("hands the tool context to every tool", async () => {
    const who = createTool({
      name: "who",
      description: "",
      inputSchema: { type: "object" },
      execute: (_, { toolContext }: { toolContext: { user: string } }) => toolContext.user,
    });
    const { base } = builder([callTool("who"), say("ok")]);
    const { messages } = await base.tools(who).toolContext({ user: "ada" }).build().run("?");
    expect(resultsIn(messages)[0]?.output).toBe("ada");
  });

  test("builds a new agent each time, with a history of its own", async () => {
    const { base } = builder([say("one"), say("two")]);
    const [first, second] = [base.with({ agentId: "a" }).build(), base.with({ agentId: "a" }).build()];
    expect(first).toBeInstanceOf(Agent);
    expect(first).not.toBe(second);
    await first.run("?");
    expect([first.snapshot().messages.length, second.snapshot().messages.length]).toEqual([2, 0]);
  });

  test("does not see what is done to its options object afterwards", async () => {
    const model = new ScriptedModel([say("ok")]);
    const options: { -readonly [Name in keyof AgentOptions]: AgentOptions[Name] } = { model, systemPrompt: "one" };
    const base = new Builder(options);
    options.systemPrompt = "two";
    await base.build().run("?");
    expect(model.requests[0]?.systemPrompt).toBe("one\n\nUse tools when necessary. Return concise final answers.");
  });

  test.each<[string, () => unknown, string]>([
    ["no model", () => Agents.builder().build(), "model: missing."],
    [
      "a tool twice",
      () =>
        builder()
          .base.tools(tool("t", () => 1))
          .tools(tool("t", () => 2))
          .build(),
      'tools.1: a second tool named "t".',
    ],
    [
      "an unknown option",
      () =>
        builder()
          .base.with({ onEvent: () => undefined } as never)
          .build(),
      "onEvent: unknown option.",
    ],
    ["a bad value", () => builder().base.maxIterations(0).build(), "maxIterations: expected an integer from 1"],
  ])("with %s throws when it builds, and not before", (_, build, message) => {
    expect(build).toThrow(AgentConfigError);
    expect(build).toThrow(message);
  });

  test("collects without checking: a bad value may be put right before it builds", () => {
    expect(() => builder().base.maxIterations(-1).maxIterations(5).build()).not.toThrow();
  });
});

describe("ways to make the same agent", () => {
  test.each<[string, (model: ScriptedModel) => Agent]>([
    ["Agents.builder()", (model) => Agents.builder().model(model).with(seams()).build()],
    ["Agents.react()", (model) => Agents.react().model(model).with(seams()).build()],
    ["createAgent()", (model) => createAgent({ model, ...seams() })],
    ["new Agent()", (model) => new Agent({ model, ...seams() })],
  ])("%s gives a ReAct agent with the same request and the same result", async (_, make) => {
    const model = new ScriptedModel([say("ok")]);
    const { usage, messages, ...result } = await make(model).run("?");
    expect(result).toEqual({
      agentId: "agent_1",
      runId: "run_1",
      runtime: "react",
      status: "completed",
      endedBy: "natural",
      iterations: 1,
      outputText: "ok",
    });
    expect([messages.length, usage.inputTokens]).toEqual([2, 0]);
    expect(model.requests[0]?.systemPrompt).toBe("Use tools when necessary. Return concise final answers.");
  });
});
