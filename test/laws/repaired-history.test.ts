import fc from "fast-check";
import { type AgentMessage, createAgent, repairHistory, type ToolResultPart, toMessages } from "triact";
import { ScriptedModel, say } from "triact/testing";
import { describe, expect, test } from "vitest";
import { cases } from "../support/cases.ts";
import { looseMessages, validMessages } from "../support/message-arbitraries.ts";
import { assertValidHistory } from "../support/valid-history.ts";

/** Ids that count up, and a clock that stands still. */
function source() {
  let count = 0;
  return {
    generateId: (prefix: string) => {
      count += 1;
      return `${prefix}_new${count}`;
    },
    now: () => 1_000,
  };
}

function clientResults(messages: readonly AgentMessage[]): ToolResultPart[] {
  return messages.flatMap(({ role, content }) => (role === "tool" ? content.filter((part) => part.type === "tool-result") : []));
}

/** The output of the first result of each client call, found the slow way: after the call, before its id is used again. */
function firstOutputs(messages: readonly AgentMessage[]): unknown[] {
  const outputs: unknown[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role !== "assistant") continue;
    const ids = message.content.flatMap((part) => (part.type === "tool-call" && part.providerExecuted !== true ? [part.toolCallId] : []));
    for (const id of new Set(ids)) {
      const rest = messages.slice(index + 1);
      const reused = rest.findIndex(
        ({ role, content }) =>
          role === "assistant" &&
          content.some((part) => part.type === "tool-call" && part.toolCallId === id && part.providerExecuted !== true),
      );
      const mine = clientResults(reused === -1 ? rest : rest.slice(0, reused)).find(({ toolCallId }) => toolCallId === id);
      outputs.push(mine?.output);
    }
  }
  return outputs;
}

describe("law 2: any list of messages can be repaired", () => {
  test("what comes out is valid, and keeps the first result of every call", () => {
    fc.assert(
      fc.property(looseMessages, (messages) => {
        const ids = source();
        const given = toMessages(ids, messages);
        const repaired = repairHistory(ids, given);
        assertValidHistory(repaired);
        const outputs = clientResults(repaired).map(({ output, isError }) => (isError === true ? undefined : output));
        expect(outputs).toEqual(firstOutputs(given));
      }),
      cases(20),
    );
  });

  test("repairing twice is repairing once, and leaves the messages themselves alone", () => {
    fc.assert(
      fc.property(looseMessages, (messages) => {
        const ids = source();
        const once = repairHistory(ids, toMessages(ids, messages));
        const twice = repairHistory(ids, once);
        expect(twice.length).toBe(once.length);
        for (const [index, message] of twice.entries()) expect(message).toBe(once[index]);
      }),
      cases(20),
    );
  });

  test("a valid history is kept message for message", () => {
    fc.assert(
      fc.property(validMessages, (messages) => {
        const ids = source();
        const given = toMessages(ids, messages);
        assertValidHistory(given);
        const repaired = repairHistory(ids, given);
        expect(repaired.length).toBe(given.length);
        for (const [index, message] of repaired.entries()) expect(message).toBe(given[index]);
      }),
      cases(10),
    );
  });

  test("ids that the history has already are replaced in the call and in its result", () => {
    fc.assert(
      fc.property(looseMessages, (messages) => {
        const ids = source();
        const taken = { calls: new Set(["a", "b"]), messages: new Set(["m1"]) };
        const repaired = repairHistory(ids, toMessages(ids, messages), { taken });
        assertValidHistory(repaired);
        const clientIds = clientResults(repaired).map(({ toolCallId }) => toolCallId);
        expect(clientIds.filter((id) => id === "a" || id === "b")).toEqual([]);
        expect(repaired.filter(({ id }) => id === "m1")).toEqual([]);
      }),
      cases(10),
    );
  });
});

describe("law 2: messages of a caller", () => {
  test("initial messages, restored messages and inputs of runs leave a valid history and a valid request", async () => {
    await fc.assert(
      fc.asyncProperty(looseMessages, looseMessages, fc.constantFrom("initial", "restore"), async (before, input, way) => {
        const model = new ScriptedModel([say("One."), say("Two.")]);
        const agent = createAgent({ model, ...(way === "initial" ? { initialMessages: before } : undefined) });
        if (way === "restore") agent.restore(before);
        assertValidHistory(agent.snapshot().messages, "before");
        await agent.run([...input, { role: "user", content: "Go." }]);
        const result = await agent.run([...input, { role: "user", content: "Again." }]);
        assertValidHistory(result.messages, "result");
        for (const request of model.requests) assertValidHistory(request.messages, "request");
        expect(model.requests.length).toBe(2);
      }),
      cases(5),
    );
  });
});

describe("law 2: counterexamples that were met", () => {
  const asking = { role: "assistant", content: [{ type: "tool-call", toolCallId: "a", toolName: "act", input: {} }] } as const;
  const answering = { role: "tool", content: [{ type: "tool-result", toolCallId: "a", toolName: "act", output: 1 }] } as const;

  test("a run whose input holds a call and its result keeps that result and adds no second one", async () => {
    const agent = createAgent({ model: new ScriptedModel([say("ok")]) });
    const { messages } = await agent.run([asking, answering, { role: "user", content: "Go on." }]);
    assertValidHistory(messages);
    expect(clientResults(messages).map(({ output }) => output)).toEqual([1]);
  });

  test("one tool message with the results of two assistant messages becomes two messages with two ids", () => {
    const other = { ...asking, content: [{ ...asking.content[0], toolCallId: "b" }] };
    const both = { role: "tool", id: "t", content: [...answering.content, { ...answering.content[0], toolCallId: "b" }] } as const;
    const ids = source();
    const repaired = repairHistory(ids, toMessages(ids, [asking, other, both]));
    assertValidHistory(repaired);
  });

  test("a message id that is given twice is given once", async () => {
    const agent = createAgent({ model: new ScriptedModel([say("one"), say("two")]) });
    await agent.run({ role: "user", id: "m", content: "Go." });
    const { messages } = await agent.run({ role: "user", id: "m", content: "Go." });
    assertValidHistory(messages);
  });
});
