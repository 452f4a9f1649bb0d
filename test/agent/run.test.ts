import { AgentAbortError, AgentInputError, type AgentRunInput, createAgent } from "triact";
import { callTool, ScriptedModel, say } from "triact/testing";
import { describe, expect, test } from "vitest";
import { asking, build, outline, settle, text, tool } from "../base/kit.js";

const user = (value: string) => ({ role: "user", content: [text(value)] });
const assistant = (value: string) => ({ role: "assistant", content: [text(value)] });
const image = { type: "image", data: "aGk=", mediaType: "image/png" } as const;

describe("the input of a run", () => {
  test.each<[string, AgentRunInput, readonly unknown[]]>([
    ["text", "hi", [user("hi")]],
    ["text with space around it, which stays", " hi\n", [user(" hi\n")]],
    ["a message", { role: "user", content: "hi" }, [user("hi")]],
    ["a message of parts", { role: "user", content: [text("see"), image] }, [{ role: "user", content: [text("see"), image] }]],
    ["a message without text", { role: "user", content: [image] }, [{ role: "user", content: [image] }]],
    [
      "messages",
      [
        { role: "user", content: "one" },
        { role: "assistant", content: "two" },
        { role: "user", content: "three" },
      ],
      [user("one"), assistant("two"), user("three")],
    ],
    [
      "messages of which one is blank",
      [
        { role: "user", content: " " },
        { role: "user", content: "hi" },
      ],
      [user("hi")],
    ],
  ])("may be %s", async (_, input, messages) => {
    const { agent, model } = build([say("ok")]);
    expect((await agent.run(input)).status).toBe("completed");
    expect(outline(model.requests[0]?.messages)).toEqual(messages);
  });

  test("is copied, keeps id, time and metadata, and gets what is missing", async () => {
    const message = {
      role: "user" as const,
      content: [{ type: "text" as const, text: "hi" }],
      metadata: { channel: "mail" },
      id: "mine",
      createdAt: 7,
    };
    const { agent } = build([say("ok")]);
    const { messages } = await agent.run([message, { role: "user", content: "more" }]);
    message.metadata.channel = "changed";
    message.content.push({ type: "text", text: "changed" });
    expect(messages.slice(0, 2)).toEqual([
      { id: "mine", role: "user", content: [text("hi")], createdAt: 7, metadata: { channel: "mail" } },
      { id: "msg_1", role: "user", content: [text("more")], createdAt: 1_000 },
    ]);
  });

  // law 2
  test("with ids that are taken gets others, and open calls get a result", async () => {
    const { agent } = build([say("one"), say("two")]);
    await agent.run([{ id: "m", role: "user", content: "a" }, asking(["c", "add"])]);
    const { messages } = await agent.run([{ id: "m", role: "user", content: "b" }, asking(["c", "add"])]);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length);
    const ids = messages.flatMap(({ content }) => content.flatMap((part) => ("toolCallId" in part ? [[part.type, part.toolCallId]] : [])));
    expect(ids).toEqual([
      ["tool-call", "c"],
      ["tool-result", "c"],
      ["tool-call", "call_1"],
      ["tool-result", "call_1"],
    ]);
  });

  test.each<[string, unknown, string]>([
    ["empty text", "", "The input is empty text. Give the model something to answer."],
    ["blank text", " \n", "The input is empty text. Give the model something to answer."],
    ["an empty list", [], "The input has no message with content."],
    ["a blank message", { role: "user", content: " " }, "The input has no message with content."],
    ["a message without parts", { role: "user", content: [] }, "The input has no message with content."],
    [
      "a result that nobody asked for",
      { role: "tool", content: [{ type: "tool-result", toolCallId: "x", toolName: "t", output: 1 }] },
      "The input has no message with content.",
    ],
    ["null", null, "message 0: expected an object with role and content."],
    ["a number", 5, "message 0: expected an object with role and content."],
    ["a role nobody knows", { role: "system", content: "x" }, 'message 0: role must be "user", "assistant" or "tool", received "system".'],
    ["no content", { role: "user" }, "message 0: content must be text or a list of parts."],
    [
      "a part nobody knows",
      [
        { role: "user", content: "x" },
        { role: "user", content: [{ type: "video" }] },
      ],
      "message 1, part 0: type must be one of text, reasoning, image, file, media, tool-call, tool-result.",
    ],
  ])("that is %s is thrown before anything happens", async (_, input, message) => {
    const { agent, model, events } = build([say("ok")]);
    const before = agent.snapshot();
    const error = await agent.run(input as AgentRunInput).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AgentInputError);
    expect(error).toMatchObject({ code: "agent-input", message });
    expect([agent.snapshot(), agent.hasRun, events, model.requests]).toEqual([before, false, [], []]);
    expect((await agent.run("good")).status).toBe("completed");
  });
});

describe("a run without input", () => {
  test.each<[string, Parameters<typeof build>[1] & object]>([
    ["an empty history", {}],
    [
      "a history that ends with the model's words",
      {
        initialMessages: [
          { role: "user", content: "?" },
          { role: "assistant", content: "!" },
        ],
      },
    ],
  ])("on %s has nothing to answer", async (_, options) => {
    const { agent, events } = build([], options);
    await expect(agent.run()).rejects.toThrow("There is nothing for the model to answer. Give an input, or steer() first.");
    await expect(agent.continue()).rejects.toBeInstanceOf(AgentInputError);
    expect([agent.hasRun, agent.snapshot().status, events]).toEqual([false, "idle", []]);
  });

  test("answers the user's words at the end of the history", async () => {
    const { agent, model } = build([say("ok")], { initialMessages: [{ role: "user", content: "?" }] });
    expect((await agent.run()).outputText).toBe("ok");
    expect(outline(model.requests[0]?.messages)).toEqual([user("?")]);
  });

  test("goes on after a failure and after a completion tool's result", async () => {
    const { agent } = build([{ throws: new Error("socket") }, callTool("done", { answer: "42" }), say("thanks")]);
    expect((await agent.run("?")).status).toBe("failed");
    expect((await agent.continue()).endedBy).toBe("completion-tool");
    expect((await agent.continue()).outputText).toBe("thanks");
    await expect(agent.continue()).rejects.toThrow("There is nothing for the model to answer.");
  });

  test("answers what was steered while the agent was idle, behind the input if there is one", async () => {
    const { agent, model } = build([say("one"), say("two")]);
    agent.steer("first");
    agent.steer("second");
    await agent.run();
    agent.steer("third");
    await agent.run("input");
    expect(outline(model.requests[1]?.messages)).toEqual([user("first"), user("second"), assistant("one"), user("input"), user("third")]);
  });

  test("answers what consumePendingUserMessage has", async () => {
    const waiting = ["pending"];
    const { agent, model } = build([say("ok")], { consumePendingUserMessage: () => waiting.shift() });
    await agent.continue();
    expect(outline(model.requests[0]?.messages)).toEqual([user("pending")]);
  });
});

describe("run, continue and hasRun", () => {
  test("are one conversation, whichever is called", async () => {
    const { agent, model } = build([say("one"), say("two"), say("three")]);
    expect(agent.hasRun).toBe(false);
    const first = await agent.continue("a");
    expect(agent.hasRun).toBe(true);
    await agent.run("b");
    const third = await agent.continue("c");
    expect(outline(model.requests[2]?.messages)).toEqual([user("a"), assistant("one"), user("b"), assistant("two"), user("c")]);
    expect([first.messages.length, third.messages.length]).toEqual([2, 6]);
    expect([first.runId, third.runId]).toEqual(["run_1", "run_3"]);
  });

  test("hasRun is true while the first run is under way", async () => {
    const { agent } = build([{ hangs: true }]);
    const running = agent.run("?");
    expect(agent.hasRun).toBe(true);
    agent.abort();
    await running;
  });

  // a run that its configuration kept from beginning was not made
  test("hasRun stays false when the first run could not begin", async () => {
    const { agent } = build([], { plugins: [{ name: "p", setup: () => ({ tools: [{ name: "made by hand" }] as never }) }] });
    await expect(agent.run("?")).rejects.toThrow("expected tools made by createTool");
    expect([agent.hasRun, agent.snapshot().runId]).toEqual([false, undefined]);
  });

  test("the result is frozen and never changes later", async () => {
    const { agent } = build([callTool("done", { answer: "42" }), say("later")]);
    const result = await agent.run("?");
    const copy = JSON.stringify(result);
    await agent.run("more");
    agent.restore([]);
    expect(JSON.stringify(result)).toBe(copy);
    expect([result, result.messages, result.usage, result.output].map(Object.isFrozen)).toEqual([true, true, true, true]);
  });

  test("the role of the agent stands in the result", async () => {
    const { agent } = build([say("ok")], { agentRole: "clerk" });
    expect(await agent.run("?")).toMatchObject({ agentId: "agent_1", agentRole: "clerk" });
  });
});

describe("the agent's id", () => {
  test("is the one that was given, or a new one that stays", async () => {
    const model = new ScriptedModel([say("one"), say("two")]);
    const [given, made, other] = [createAgent({ model, agentId: "clerk" }), createAgent({ model }), createAgent({ model })];
    expect(given.agentId).toBe("clerk");
    expect(made.agentId).toMatch(/^agent_[\w-]{21}$/);
    expect(made.agentId).not.toBe(other.agentId);
    expect([(await made.run("?")).agentId, (await made.run("?")).agentId, made.snapshot().agentId]).toEqual([
      made.agentId,
      made.agentId,
      made.agentId,
    ]);
  });
});

describe("the signal option", () => {
  test.each<[string, unknown, string]>([
    ["text", "shutting down", "The run was aborted: shutting down"],
    ["an error", new Error("deadline"), "The run was aborted: deadline"],
    ["an object", { code: 7 }, 'The run was aborted: {"code":7}'],
    ["nothing", undefined, "The run was aborted: This operation was aborted"],
    ["an AgentAbortError", new AgentAbortError({ reason: "mine" }), "The run was aborted: mine"],
  ])("that fires with %s ends the run, with the reason in result and snapshot", async (_, reason, expected) => {
    const controller = new AbortController();
    const { agent } = build([{ hangs: true }]);
    const running = agent.run("?", { signal: controller.signal });
    await settle();
    controller.abort(reason);
    const result = await running;
    expect(result).toMatchObject({ status: "aborted", endedBy: "abort", reason: expected, iterations: 1 });
    expect(result).not.toHaveProperty("error");
    expect(agent.snapshot()).toMatchObject({ status: "aborted", lastError: expected });
  });

  test("that has fired already ends the run before anything is asked or called, and holds for that run alone", async () => {
    const { agent, model, events } = build([say("second")]);
    const result = await agent.run("first", { signal: AbortSignal.abort("early") });
    expect(result).toMatchObject({
      status: "aborted",
      endedBy: "abort",
      reason: "The run was aborted: early",
      iterations: 0,
      messages: [],
    });
    expect([model.requests.length, events.map(({ type }) => type)]).toEqual([0, ["run-finished"]]);
    expect(await agent.run("second")).toMatchObject({ status: "completed", outputText: "second" });
  });

  test("that fires after the run does nothing to it, nor to the next one", async () => {
    const controller = new AbortController();
    const { agent } = build([say("one"), say("two")]);
    const result = await agent.run("?", { signal: controller.signal });
    controller.abort();
    expect([result.status, agent.snapshot().status]).toEqual(["completed", "completed"]);
    expect((await agent.run("?")).status).toBe("completed");
  });

  test("of continue() and of stream() work like that of run()", async () => {
    const { agent } = build([say("no"), say("no")]);
    expect((await agent.continue("?", { signal: AbortSignal.abort("a") })).reason).toBe("The run was aborted: a");
    expect((await agent.stream("?", { signal: AbortSignal.abort("b") }).result).reason).toBe("The run was aborted: b");
  });
});

describe("the reason in a result", () => {
  test("is there for aborted runs only", async () => {
    const stopped = build([], { hooks: { beforeRun: () => ({ stop: true, reason: "closed" }) } });
    expect(await stopped.agent.run("?")).toMatchObject({ status: "aborted", endedBy: "hook-stop", reason: "closed" });
    const failed = build([{ throws: new Error("socket") }]);
    expect(await failed.agent.run("?")).not.toHaveProperty("reason");
    const completed = build([say("ok")]);
    expect(await completed.agent.run("?")).not.toHaveProperty("reason");
  });

  test("is the first one given, also when the tool then throws", async () => {
    const { agent } = build([callTool("t")], {
      tools: [
        tool("t", () => {
          agent.abort("first");
          agent.abort("second");
          throw new Error("third");
        }),
      ],
    });
    expect((await agent.run("?")).reason).toBe("The run was aborted: first");
  });
});
