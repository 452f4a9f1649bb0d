import { type AgentEvent, AgentInputError, type AgentMessageInput, modelTexts } from "triact";
import { callTool, callTools, say } from "triact/testing";
import { describe, expect, test } from "vitest";
import { answering, asking, build, deferred, errorResult, outline, resultsIn, settle, text, tool, typesOf } from "./kit.js";

const user = (value: string) => ({ role: "user", content: [text(value)] });
const never = () => new Promise<never>(() => undefined);
const withPart = (part: object, role = "assistant") => [{ role, content: [part] }];
const call = (more: object) => withPart({ type: "tool-call", toolCallId: "a", toolName: "t", input: {}, ...more });
const result = (more: object) => [
  asking(["a", "t"]),
  ...withPart({ type: "tool-result", toolCallId: "a", toolName: "t", ...more }, "tool"),
];

describe("restore of odd messages", () => {
  // R55
  test.each<[string, unknown]>([
    ["nothing", undefined],
    ["a snapshot instead of its messages", { version: 1, messages: [] }],
    ["text", "hi"],
    ["a list of text", ["hi"]],
    ["a list with a hole", [undefined]],
    ["a role nobody knows", [{ role: "system", content: "x" }]],
    ["no content", [{ role: "user" }]],
    ["content that is one part", [{ role: "user", content: { type: "text", text: "x" } }]],
    ["a part that is text", [{ role: "user", content: ["x"] }]],
    ["a part of a type nobody knows", withPart({ type: "video", data: "x" })],
    ["a part of an inherited type", withPart({ type: "toString" })],
    ["text without text", withPart({ type: "text" })],
    ["text that is a number", withPart({ type: "text", text: 5 })],
    ["an image without data", withPart({ type: "image" }, "user")],
    ["a file without its type", withPart({ type: "file", data: "x" }, "user")],
    ["a call without an id", call({ toolCallId: undefined })],
    ["a call without a name", call({ toolName: undefined })],
    ["a call with arguments as text", call({ input: "{}" })],
    ["a call with a list as arguments", call({ input: [] })],
    ["a result without an id", result({ toolCallId: undefined })],
    ["a result with a bigint", result({ output: 1n })],
    ["a result with content that is no list", result({ output: 1, content: "picture" })],
    ["a result with content nobody knows", result({ output: 1, content: [{ type: "video", data: "x" }] })],
    ["a result with an image without data", result({ output: 1, content: [{ type: "image" }] })],
    ["metadata with a cycle", [{ role: "user", content: "x", metadata: loop() }]],
  ])("with %s is refused, and nothing is changed", async (_, odd) => {
    const { agent } = build([say("ok"), { hangs: true }]);
    await agent.run("before");
    const running = agent.run("under way");
    await settle();
    const before = agent.snapshot();
    const list = Array.isArray(odd) ? [{ role: "user", content: "good" }, ...odd] : odd;
    expect(() => agent.restore(list as AgentMessageInput[])).toThrow(AgentInputError);
    expect(agent.snapshot()).toBe(before); // not even a run under way is aborted
    agent.abort();
    await running;
  });

  // R55
  test("names the message and the part", () => {
    const { agent } = build([]);
    const messages = [{ role: "user", content: "x" }, ...withPart({ type: "text" })] as never;
    expect(() => agent.restore(messages)).toThrow("message 1, part 0: text of a text part must be text.");
  });

  // R55: a snapshot is plain JSON
  test.each([Number.NaN, Number.POSITIVE_INFINITY])("whose time is %d gives them a time that JSON can carry", (createdAt) => {
    const { agent } = build([]);
    agent.restore([{ role: "user", content: "x", createdAt }]);
    expect(agent.snapshot().messages[0]?.createdAt).toBe(1_000);
  });

  // R08, law 2: providers refuse an empty id
  test("with a call whose id is empty gives call and result an id of their own", async () => {
    const { agent, model } = build([say("ok")]);
    agent.restore([asking(["", "t"]), answering("", "t", "T")]);
    await agent.run("?");
    expect(outline(model.requests[0]?.messages).slice(0, 2)).toEqual([
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "call_1", toolName: "t", input: {} }] },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "call_1", toolName: "t", output: "T" }] },
    ]);
  });

  // R55
  test("with calls of a tool that is gone keeps them, and a new call of it is told so", async () => {
    const { agent, model } = build([callTool("gone"), say("ok")]);
    agent.restore([{ role: "user", content: "?" }, asking(["a", "gone"]), answering("a", "gone", "G")]);
    await agent.continue();
    expect(resultsIn(model.requests[1]?.messages)).toEqual([
      { type: "tool-result", toolCallId: "a", toolName: "gone", output: "G" },
      errorResult("call_1", "gone", modelTexts.unknownTool("gone", ["add", "done"])),
    ]);
  });

  test("of an empty list empties the history", async () => {
    const { agent } = build([say("ok")]);
    await agent.run("?");
    agent.restore([]);
    expect(agent.snapshot()).toMatchObject({ status: "idle", messages: [] });
    await expect(agent.run()).rejects.toThrow("There is nothing for the model to answer.");
  });
});

describe("restore during a run", () => {
  // R55
  test("ends it aborted with its own history, and the agent is free at once", async () => {
    const { agent, model } = build([callTool("hang"), say("new")], { tools: [tool("hang", never)] });
    const old = agent.run("old");
    await settle();
    agent.restore([{ role: "user", content: "restored" }]);
    expect(agent.snapshot()).toMatchObject({ status: "idle", iteration: 0, pendingToolCalls: [] });
    const next = await agent.continue();
    expect(outline(next.messages)).toEqual([user("restored"), { role: "assistant", content: [text("new")] }]);
    const ended = await old;
    expect(ended).toMatchObject({
      status: "aborted",
      endedBy: "abort",
      reason: "The run was aborted: Agent state restored",
      iterations: 1,
    });
    expect(outline(ended.messages).map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(agent.snapshot().messages).toBe(next.messages);
    model.assertDone();
  });

  // R20, R55
  test("with that run's own snapshot keeps the finished result and closes the open call", async () => {
    const { agent } = build(
      [
        callTools([
          { toolName: "add", input: { a: 1, b: 1 } },
          { toolName: "hang", input: {} },
        ]),
      ],
      { tools: [tool("hang", never), tool("add", () => 2)] },
    );
    const old = agent.run("?");
    await settle();
    agent.restore(agent.snapshot().messages);
    expect(resultsIn(agent.snapshot().messages)).toEqual([
      { type: "tool-result", toolCallId: "call_1", toolName: "add", output: 2 },
      errorResult("call_2", "hang", modelTexts.interrupted("hang")),
    ]);
    await old;
    expect(resultsIn(agent.snapshot().messages)).toHaveLength(2);
  });

  // R55
  test("drops what the old run still gets: its tool's late result enters no history", async () => {
    const late = deferred<string>();
    const { agent } = build([callTool("slow")], { tools: [tool("slow", () => late.promise)] });
    const old = agent.run("?");
    await settle();
    agent.restore([]);
    late.resolve("late");
    expect(resultsIn((await old).messages)).toEqual([errorResult("call_1", "slow", modelTexts.aborted("slow", 0))]);
    expect(agent.snapshot().messages).toEqual([]);
  });

  // R55: words of the user belong to the conversation they were said in
  test("leaves words that are steered afterwards to the restored conversation", async () => {
    const hook = deferred();
    const { agent, model } = build([say("new")], {
      hooks: { onEvent: ({ type, runId }) => (type === "turn-started" && runId === "run_1" ? hook.promise : undefined) },
    });
    const old = agent.run("old");
    await settle();
    agent.restore([{ role: "user", content: "restored" }]);
    agent.steer("new words");
    hook.resolve();
    expect(outline((await old).messages)).toEqual([user("old")]);
    await agent.continue();
    expect(outline(model.requests[0]?.messages)).toEqual([user("restored"), user("new words")]);
  });

  // SPEC 2: a stream is the iterable of its run's events
  test("lets the stream of that run tell of its end, and of no other run", async () => {
    const { agent } = build([{ hangs: true }, say("new")]);
    const stream = agent.stream("old");
    const read: AgentEvent[] = [];
    const reading = (async () => {
      for await (const event of stream) read.push(event);
    })();
    await settle();
    agent.restore([]);
    await agent.run("new");
    await reading;
    expect(typesOf(read)).toEqual(["run-started", "message-added", "turn-started", "run-finished"]);
    expect(new Set(read.map(({ runId }) => runId))).toEqual(new Set(["run_1"]));
  });

  // R54, R55
  test("from inside that run's own tool works too", async () => {
    const { agent } = build([callTool("reset"), say("inner")], {
      tools: [
        tool("reset", () => {
          agent.restore([]);
          return agent.run("inner");
        }),
      ],
    });
    expect((await agent.run("outer")).status).toBe("aborted");
    await settle();
    expect(outline(agent.snapshot().messages)).toEqual([user("inner"), { role: "assistant", content: [text("inner")] }]);
  });
});

function loop(): object {
  const self: Record<string, unknown> = {};
  self["self"] = self;
  return self;
}
