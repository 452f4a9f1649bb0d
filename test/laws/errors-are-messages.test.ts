import fc from "fast-check";
import { type AgentRunResult, clientToolCalls, modelTexts, type ToolResultPart } from "triact";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { cases } from "../support/cases.ts";
import { THROWN_NAMES } from "../support/nasty-values.ts";
import { unhandledDuring } from "../support/rejections.ts";
import { assertValidHistory } from "../support/valid-history.ts";
import { buildWorld, drive, parseDeed, useWorldClock, type WorldSpec } from "../support/world.ts";
import { worldSpec } from "../support/world-arbitraries.ts";

beforeEach(useWorldClock);
afterEach(() => {
  vi.useRealTimers();
});

/** Runs a world twice, and fails when anything but results comes out of it. */
async function expectOnlyMessages(spec: WorldSpec): Promise<AgentRunResult[]> {
  vi.clearAllTimers(); // a case that failed may have left some, and must not fail the smaller ones
  const results: AgentRunResult[] = [];
  const unhandled = await unhandledDuring(async () => {
    const world = buildWorld(spec);
    for (const input of ["Go.", "Go on."]) {
      const result = await drive(world.agent, world.agent.run(input));
      expect(["completed", "aborted", "failed"]).toContain(result.status);
      expect(result.error === undefined).toBe(result.status !== "failed");
      expect(world.agent.snapshot().status).toBe(result.status);
      assertValidHistory(result.messages);
      results.push(result);
    }
    world.release();
  });
  expect(unhandled).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
  return results;
}

/** The result of each call that our side had to answer, beside the call. */
function answered(result: AgentRunResult) {
  const results = new Map<string, ToolResultPart>();
  for (const { role, content } of result.messages) {
    for (const part of content) if (role === "tool" && part.type === "tool-result") results.set(part.toolCallId, part);
  }
  return result.messages.flatMap(clientToolCalls).map((call) => ({ call, result: results.get(call.toolCallId) }));
}

const reply = (...calls: readonly (readonly [toolName: string, inputText: string])[]) => ({
  events: [
    ...calls.map(([toolName, inputText], index) => ({
      type: "tool-call-delta" as const,
      index,
      toolCallId: `c${index}`,
      toolName,
      inputText,
    })),
    { type: "finish" as const, reason: "tool-calls" as const },
  ],
});

const world = (spec: Partial<WorldSpec>): WorldSpec => ({ turns: [], toolExecution: "sequential", toolPolicies: {}, hooks: {}, ...spec });

describe("law 1: errors are messages", () => {
  test("whatever tools, hooks, approvals and the model do, a run resolves to a result and every call has its result", async () => {
    await fc.assert(
      fc.asyncProperty(worldSpec, async (spec) => {
        await expectOnlyMessages(spec);
      }),
      cases(4),
    );
  });

  test("a call that failed says so, in words, without a stack or a path", async () => {
    await fc.assert(
      fc.asyncProperty(
        worldSpec.map((spec) => ({ ...spec, hooks: {} })),
        async (spec) => {
          const results = await expectOnlyMessages(spec);
          for (const { call, result } of results.flatMap(answered)) {
            const { does } = call.input;
            const deed = typeof does === "string" ? parseDeed(does) : undefined;
            const mustFail = deed?.do !== "return" || !["act", "timed", "gated", "done"].includes(call.toolName);
            if (mustFail) expect(result?.isError, JSON.stringify({ call, result })).toBe(true);
            if (result?.isError !== true || typeof result.output === "string") continue;
            const { error } = result.output as { error: string };
            expect(typeof error).toBe("string");
            expect(error.trim()).not.toBe("");
            expect(error).not.toMatch(/\n\s+at |file:|node_modules/);
          }
        },
      ),
      cases(2),
    );
  });

  test.each(THROWN_NAMES)("a tool that throws or rejects with %s gets an error result", async (value) => {
    for (const verb of ["throw", "reject"]) {
      const spec = world({ turns: [reply(["act", JSON.stringify({ does: `${verb} ${value}` })])] });
      const [result] = await expectOnlyMessages(spec);
      const [answer] = result === undefined ? [] : answered(result);
      expect(answer?.result).toMatchObject({ isError: true, output: { error: expect.stringMatching(/\S/) } });
      expect(result?.status).toBe("completed");
    }
  });

  test.each(THROWN_NAMES)("a model that throws %s fails the run", async (value) => {
    const [result] = await expectOnlyMessages(
      world({ turns: [{ events: [{ type: "text-delta", text: "I" }], afterwards: { do: "throw", value } }] }),
    );
    expect(result).toMatchObject({ status: "failed", endedBy: "error" });
    expect(typeof result?.error?.message).toBe("string");
  });

  test("a tool that takes too long gets an error result that says that its outcome is unknown", async () => {
    const [result] = await expectOnlyMessages(world({ turns: [reply(["timed", '{"does":"hang"}'], ["act", '{"does":"return number"}'])] }));
    const [late, sibling] = result === undefined ? [] : answered(result);
    expect(late?.result).toMatchObject({ isError: true, output: { error: modelTexts.timedOut("timed", 5) } });
    expect(sibling?.result).toMatchObject({ output: 1 });
    expect(result?.status).toBe("completed");
  });
});
