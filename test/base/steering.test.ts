import { callTool, say } from "triact/testing";
import { describe, expect, test } from "vitest";
import { after, build, outline, text, tool } from "./kit.js";

const user = (value: string) => ({ role: "user", content: [text(value)] });

describe("steer", () => {
  test("adds the user's words before the next turn, in order", async () => {
    const t = tool("t", () => {
      agent.steer("first");
      agent.steer("second");
    });
    const { agent, model } = build([callTool("t"), say("ok")], { tools: [t] });
    await agent.run("?");
    expect(after(model.requests[1], 3)).toEqual([user("first"), user("second")]);
    expect(model.requests[1]?.messages.at(-1)).not.toHaveProperty("metadata");
  });

  test("keeps a run going that would have ended naturally", async () => {
    const { agent, model } = build([say("done"), say("done again")]);
    let steered = false;
    agent.subscribe(({ type }) => {
      if (type !== "assistant-message" || steered) return;
      steered = true;
      agent.steer("and this?");
    });
    expect(await agent.run("?")).toMatchObject({ status: "completed", iterations: 2, outputText: "done again" });
    expect(outline(model.requests[1]?.messages)).toEqual([user("?"), { role: "assistant", content: [text("done")] }, user("and this?")]);
  });

  test("does not keep a run from ending by a completion tool; the words wait for the next run", async () => {
    const { agent, model } = build([callTool("done", { answer: "42" }), say("later")]);
    agent.subscribe(({ type }) => type === "tool-started" && agent.steer("wait"));
    expect(await agent.run("?")).toMatchObject({ endedBy: "completion-tool" });
    expect((await agent.continue()).outputText).toBe("later");
    expect(outline(model.requests[1]?.messages).at(-1)).toEqual(user("wait"));
  });

  test("without a run waits for the next one, also for one without input", async () => {
    const { agent, model } = build([say("ok")]);
    agent.steer("hello");
    await agent.continue();
    expect(outline(model.requests[0]?.messages)).toEqual([user("hello")]);
  });

  test.each(["", "  ", 5])("refuses %j", (value) => {
    const { agent } = build([]);
    expect(() => agent.steer(value as string)).toThrow("steer: expected text that is not empty.");
  });
});

describe("consumePendingUserMessage", () => {
  test("feeds the same queue, before each turn and before a natural end", async () => {
    const waiting = [undefined, "one", "two", undefined];
    const { agent, model } = build([say("a"), say("b")], { consumePendingUserMessage: () => waiting.shift() });
    expect((await agent.run("?")).iterations).toBe(2);
    expect(after(model.requests[1], 2)).toEqual([user("one"), user("two")]);
  });

  // R28
  test.each(["", "  ", "\n"])("that gives %j adds no message without content", async (value) => {
    const waiting: (string | undefined)[] = [value];
    const { agent, model } = build([say("ok")], { consumePendingUserMessage: () => waiting.shift() });
    expect((await agent.run("?")).status).toBe("completed");
    expect(outline(model.requests[0]?.messages)).toEqual([user("?")]);
  });

  // law 1
  test.each(["?", undefined])("that throws fails the run and is named (input %j)", async (input) => {
    const { agent } = build([], {
      consumePendingUserMessage: () => {
        throw new Error("queue down");
      },
    });
    const result = await agent.run(input);
    expect(result).toMatchObject({ status: "failed", endedBy: "error" });
    expect(result.error?.message).toBe("consumePendingUserMessage threw: queue down");
  });
});
