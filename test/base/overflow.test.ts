import { ModelError, modelTexts } from "triact";
import { callTool, type ScriptedReply, say } from "triact/testing";
import { describe, expect, test } from "vitest";
import { build, outline, text, typesOf } from "./kit.js";

const overflow: ScriptedReply = { finishReason: "error", error: "prompt is too long: 9 > 8", errorClass: "context_window_exceeded" };
const thrown: ScriptedReply = { throws: new ModelError({ message: "prompt is too long: 9 > 8", errorClass: "context_window_exceeded" }) };
const long = "x".repeat(200);

describe("a request that the provider finds too large", () => {
  test.each([
    ["reported", overflow],
    ["thrown", thrown],
  ])("(%s) is shortened by prepareTurn and sent again in the same turn", async (_, refusal) => {
    const asked: boolean[] = [];
    const { agent, model, events } = build([refusal, say("ok")], {
      initialMessages: [
        { role: "user", content: long },
        { role: "assistant", content: long },
      ],
      prepareTurn: ({ overflowRecovery, messages }) => {
        asked.push(overflowRecovery);
        return overflowRecovery ? { messages: messages.slice(-1) } : undefined;
      },
    });
    const result = await agent.run("new");
    expect(result).toMatchObject({ status: "completed", outputText: "ok", iterations: 1 });
    expect(asked).toEqual([false, true]);
    expect(outline(model.requests[1]?.messages)).toEqual([{ role: "user", content: [text("new")] }]);
    expect(result.messages).toHaveLength(4);
    expect(events.filter(({ type }) => type === "status-notice")).toMatchObject([
      {
        message: "The context window is exceeded. Compacting and asking again.",
        metadata: { kind: "overflow-recovery", attempt: 1 },
      },
    ]);
  });

  test("after a part of the reply was shown is announced by a reset before it is asked for again", async () => {
    const refusal: ScriptedReply = { ...overflow, text: "par" };
    const { agent, events } = build([refusal, say("whole")], {
      prepareTurn: ({ overflowRecovery }) => (overflowRecovery ? { systemPrompt: "" } : { systemPrompt: long }),
    });
    const result = await agent.run("?");
    expect(typesOf(events)).toEqual([
      "run-started",
      "message-added",
      "turn-started",
      "assistant-text-delta",
      "assistant-reset",
      "status-notice",
      "assistant-text-delta",
      "message-added",
      "assistant-message",
      "turn-finished",
      "run-finished",
    ]);
    expect(outline(result.messages).at(-1)).toEqual({ role: "assistant", content: [text("whole")] });
  });
});

describe("a recovery that cannot help", () => {
  const failure = (result: { error?: Error; status: string; endedBy: string; errorClass?: string }) => [
    result.status,
    result.endedBy,
    result.errorClass,
    result.error?.message,
  ];

  // R37
  test("because nothing can compact ends the run with the provider's words", async () => {
    const { agent, model } = build([overflow]);
    expect(failure(await agent.run("?"))).toEqual([
      "failed",
      "error",
      "context_window_exceeded",
      modelTexts.overflowNoCompaction("prompt is too long: 9 > 8"),
    ]);
    expect(agent.snapshot().lastErrorClass).toBe("context_window_exceeded");
    model.assertDone();
  });

  // R37
  test.each([
    ["changes nothing", () => undefined],
    ["gives the same messages", ({ messages }: { messages: readonly never[] }) => ({ messages })],
    ["makes it larger", () => ({ systemPrompt: long })],
  ])("because prepareTurn %s and there is one message does not ask again", async (_, prepareTurn) => {
    const { agent, model } = build([overflow], { prepareTurn: prepareTurn as never });
    expect(failure(await agent.run(long))).toEqual([
      "failed",
      "error",
      "context_window_exceeded",
      modelTexts.overflowNothingToCompact("prompt is too long: 9 > 8"),
    ]);
    model.assertDone();
  });

  // R37
  test("because the request did not shrink does not ask again", async () => {
    const { agent, model } = build([overflow], {
      initialMessages: [
        { role: "user", content: "a" },
        { role: "assistant", content: "b" },
      ],
      prepareTurn: ({ messages }) => ({ messages }),
    });
    expect(failure(await agent.run("?"))[3]).toBe(modelTexts.overflowStillTooLarge("prompt is too long: 9 > 8"));
    model.assertDone();
  });

  // R37
  test("because the shorter request is refused too asks once, not again", async () => {
    const { agent, model } = build([overflow, { ...overflow, error: "still 8.5 > 8" }], {
      initialMessages: [{ role: "user", content: long }],
      prepareTurn: ({ messages, overflowRecovery }) => (overflowRecovery ? { messages: messages.slice(-1) } : undefined),
    });
    expect(failure(await agent.run("?"))[3]).toBe(modelTexts.overflowStillTooLarge("still 8.5 > 8"));
    model.assertDone();
  });

  // R37
  test("is tried three times a run and not a fourth time", async () => {
    const call = callTool("add", { a: 1, b: 1 });
    const { agent, model, events } = build([overflow, call, overflow, call, overflow, call, overflow], {
      prepareTurn: ({ overflowRecovery }) => ({ systemPrompt: overflowRecovery ? "" : long }),
    });
    expect(failure(await agent.run("?"))[3]).toBe(modelTexts.overflowStillTooLarge("prompt is too long: 9 > 8"));
    const attempts = events.flatMap((event) => (event.type === "status-notice" ? [event.metadata?.["attempt"]] : []));
    expect(attempts).toEqual([1, 2, 3]);
    model.assertDone();
  });

  test("in a later run has its three attempts again", async () => {
    const { agent } = build([overflow, say("1"), overflow, say("2"), overflow, say("3"), overflow, say("4")], {
      prepareTurn: ({ overflowRecovery }) => ({ systemPrompt: overflowRecovery ? "" : long }),
    });
    const texts: string[] = [];
    for (const input of ["a", "b", "c", "d"]) texts.push((await agent.run(input)).outputText);
    expect(texts).toEqual(["1", "2", "3", "4"]);
  });

  test("because prepareTurn throws fails the run and names it", async () => {
    const { agent } = build([overflow], {
      prepareTurn: ({ overflowRecovery }) => {
        if (overflowRecovery) throw new Error("compactor down");
      },
    });
    expect(failure(await agent.run("?"))).toEqual(["failed", "error", undefined, "prepareTurn threw: compactor down"]);
  });

  // R50
  test("ends at once when the run is aborted in it", async () => {
    const { agent, model } = build([overflow], {
      prepareTurn: ({ overflowRecovery }) => {
        if (!overflowRecovery) return undefined;
        agent.abort("stop it");
        return new Promise(() => undefined);
      },
    });
    expect(await agent.run("?")).toMatchObject({ status: "aborted", endedBy: "abort" });
    model.assertDone();
  });

  test("counts what the refused request used", async () => {
    const { agent } = build([{ ...overflow, usage: { inputTokens: 5 } }, say("ok", { usage: { inputTokens: 3, outputTokens: 1 } })], {
      prepareTurn: ({ overflowRecovery }) => ({ systemPrompt: overflowRecovery ? "" : long }),
    });
    expect((await agent.run("?")).usage).toMatchObject({ inputTokens: 8, outputTokens: 1 });
  });

  test("does not take an error of another class for an overflow", async () => {
    const { agent, model } = build([{ finishReason: "error", error: "too many tokens per minute", errorClass: "rate_limit" }], {
      prepareTurn: () => ({ systemPrompt: "" }),
    });
    expect(failure(await agent.run("?"))).toEqual(["failed", "error", "rate_limit", "too many tokens per minute"]);
    model.assertDone();
  });
});

describe("prepareTurn", () => {
  test("is given iteration, messages, system prompt and snapshot, and changes one request but never the history", async () => {
    const seen: unknown[] = [];
    const { agent, model } = build([callTool("add", { a: 1, b: 1 }), say("ok")], {
      systemPrompt: "Be brief.",
      prepareTurn: ({ iteration, messages, systemPrompt, snapshot, overflowRecovery }) => {
        seen.push([iteration, messages.length, systemPrompt, snapshot.messages.length, overflowRecovery]);
        return iteration === 1 ? { messages: [{ role: "user", content: "replaced" }], systemPrompt: "Other." } : undefined;
      },
    });
    const result = await agent.run("original");
    const prompt = "Be brief.\n\nUse tools when necessary. Return concise final answers.";
    expect(seen).toEqual([
      [1, 1, prompt, 1, false],
      [2, 3, prompt, 3, false],
    ]);
    expect(model.requests.map((request) => [request.systemPrompt, request.messages[0]?.content])).toEqual([
      ["Other.", [text("replaced")]],
      [prompt, [text("original")]],
    ]);
    expect(result.messages[0]?.content).toEqual([text("original")]);
  });

  test("that returns something unusable fails the run and is named", async () => {
    const { agent } = build([], { prepareTurn: () => ({ messages: [{ role: "robot", content: "x" }] }) as never });
    const result = await agent.run("?");
    expect(result).toMatchObject({ status: "failed", endedBy: "error", error: { name: "HookError", hook: "prepareTurn" } });
  });
});
