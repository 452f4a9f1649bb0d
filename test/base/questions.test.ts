import { type AgentModel, BaseAgentRuntime, type Finish, ModelError, type ModelQuestion, type Run } from "triact";
import { ScriptedModel, say } from "triact/testing";
import { describe, expect, test } from "vitest";
import { build, outline, typesOf } from "./kit.js";

/** Asks before the first turn, and keeps what came. */
class Asking extends BaseAgentRuntime {
  override readonly name = "asking";
  readonly answers: string[] = [];
  readonly failures: unknown[] = [];
  readonly #question: Partial<ModelQuestion>;
  constructor(question: Partial<ModelQuestion> = {}) {
    super();
    this.#question = question;
  }
  protected override async prepare(run: Run): Promise<void> {
    try {
      const { text } = await run.ask({ purpose: "plan", messages: "What first?", ...this.#question });
      this.answers.push(text);
    } catch (error) {
      this.failures.push(error); // as a careless author would
    }
  }
}

describe("a question to the model outside of the turns", () => {
  test("is answered, counts as usage, and leaves history and turns alone", async () => {
    const runtime = new Asking();
    const { agent, model, events } = build(
      [say("Look.", { usage: { inputTokens: 7, outputTokens: 3 } }), say("Done.", { usage: { inputTokens: 10, outputTokens: 1 } })],
      { runtime, systemPrompt: "You are kind.", modelOptions: { temperature: 0.5, toolChoice: "required" } },
    );
    const result = await agent.run("Go");
    expect(runtime.answers).toEqual(["Look."]);
    expect(model.requests.map(({ purpose }) => purpose)).toEqual(["plan", undefined]);
    expect(result.usage).toMatchObject({ inputTokens: 17, outputTokens: 4 });
    expect(result.iterations).toBe(1);
    expect(outline(result.messages)).toEqual([
      { role: "user", content: [{ type: "text", text: "Go" }] },
      { role: "assistant", content: [{ type: "text", text: "Done." }] },
    ]);
    expect(model.requests[0]).toMatchObject({ tools: [], options: { temperature: 0.5 } });
    expect(model.requests[0]?.options.toolChoice).toBeUndefined();
    expect(model.requests[0]?.systemPrompt).toBeUndefined();
    expect(typesOf(events).filter((type) => type.startsWith("assistant"))).toEqual(["assistant-text-delta", "assistant-message"]);
    expect(typesOf(events).slice(0, 4)).toEqual(["run-started", "message-added", "usage-updated", "turn-started"]);
  });

  test("goes past the hooks, which see what it is for", async () => {
    const seen: unknown[] = [];
    const { agent, model } = build([say("Look."), say("Done.")], {
      runtime: new Asking(),
      hooks: {
        beforeModel: ({ purpose, request, tools }) => {
          seen.push(["before", purpose, tools.length]);
          return purpose === undefined ? undefined : { messages: [...request.messages, { role: "user", content: "Briefly." }] };
        },
        afterModel: ({ purpose, assistantMessage }) => void seen.push(["after", purpose, assistantMessage.content.length]),
      },
    });
    await agent.run("Go");
    expect(seen).toEqual([
      ["before", "plan", 0],
      ["after", "plan", 1],
      ["before", undefined, 2],
      ["after", undefined, 1],
    ]);
    expect(outline(model.requests[0]?.messages).at(-1)).toEqual({ role: "user", content: [{ type: "text", text: "Briefly." }] });
  });

  test.each(["beforeModel", "afterModel"] as const)("a %s hook that stops ends the run, whoever catches what is thrown", async (hook) => {
    const runtime = new Asking();
    const { agent, model } = build([say("Look.")], { runtime, hooks: { [hook]: () => ({ stop: true, reason: "enough" }) } });
    const result = await agent.run("Go");
    expect(result).toMatchObject({ status: "aborted", endedBy: "hook-stop", reason: "enough" });
    expect(runtime.failures).toHaveLength(1);
    expect(model.requests).toHaveLength(hook === "beforeModel" ? 0 : 1);
  });

  test("is not asked beyond a limit", async () => {
    class Twice extends Asking {
      protected override async prepare(run: Run): Promise<void> {
        await super.prepare(run);
        await super.prepare(run);
      }
    }
    const { agent, model } = build([say("Look.", { usage: { inputTokens: 60, outputTokens: 60 } })], {
      runtime: new Twice(),
      limits: { maxTokens: 100 },
    });
    expect(await agent.run("Go")).toMatchObject({ status: "failed", endedBy: "token-limit" });
    expect(model.requests).toHaveLength(1);
  });

  test("ends with the run when that is aborted", async () => {
    const { agent } = build([{ hangs: true }], { runtime: new Asking() });
    const running = agent.run("Go");
    setImmediate(() => agent.abort("enough"));
    expect(await running).toMatchObject({ status: "aborted", endedBy: "abort" });
  });

  test("throws what went wrong, and the run can go on", async () => {
    const runtime = new Asking();
    const { agent } = build([{ throws: new ModelError({ message: "busy", errorClass: "overloaded" }) }, say("Done.")], { runtime });
    expect(await agent.run("Go")).toMatchObject({ status: "completed", outputText: "Done." });
    expect(runtime.failures).toEqual([expect.objectContaining({ errorClass: "overloaded" })]);
  });

  test("goes to another model with its own options and prices", async () => {
    const other: AgentModel = new ScriptedModel([say("Look.", { usage: { inputTokens: 1_000_000 } })]);
    const runtime = new Asking({ model: other, pricing: { inputPerMTok: 2, outputPerMTok: 2 }, options: { seed: 1 } });
    const { agent, model } = build([say("Done.", { usage: { inputTokens: 1_000_000 } })], {
      runtime,
      modelOptions: { temperature: 1 },
      pricing: { inputPerMTok: 5, outputPerMTok: 5 },
    });
    const result = await agent.run("Go");
    expect((other as ScriptedModel).requests[0]?.options).toEqual({ seed: 1 });
    expect(model.requests).toHaveLength(1);
    expect(result.usage.totalCost).toBe(7);
  });

  test("costs nothing known at another model whose prices are not given", async () => {
    const other = new ScriptedModel([say("Look.", { usage: { inputTokens: 1_000_000 } })]);
    const { agent } = build([say("Done.", { usage: { inputTokens: 1_000_000 } })], {
      runtime: new Asking({ model: other }),
      pricing: { inputPerMTok: 5, outputPerMTok: 5 },
    });
    expect((await agent.run("Go")).usage).toMatchObject({ inputTokens: 2_000_000, totalCost: 5 });
  });
});

describe("an answer that needs no turn", () => {
  class Known extends BaseAgentRuntime {
    override readonly name = "known";
    protected override prepare(): Finish {
      return { kind: "finish", outputText: "42" };
    }
  }

  test("ends the run, and stands in the history", async () => {
    const { agent, model } = build([], { runtime: new Known() });
    const result = await agent.run("Go");
    expect(result).toMatchObject({ status: "completed", endedBy: "natural", outputText: "42", iterations: 0 });
    expect(outline(result.messages).at(-1)).toEqual({ role: "assistant", content: [{ type: "text", text: "42" }] });
    expect(model.requests).toEqual([]);
  });

  test("has to satisfy the completion policy and the output schema as any answer", async () => {
    let objections = 0;
    const { agent, model } = build([say("43")], {
      runtime: new Known(),
      completionPolicy: { completionGuard: () => (objections++ === 0 ? "Are you sure?" : undefined) },
    });
    expect(await agent.run("Go")).toMatchObject({ outputText: "43", iterations: 1 });
    expect(outline(model.requests[0]?.messages).at(-1)).toEqual({ role: "user", content: [{ type: "text", text: "Are you sure?" }] });
  });
});
