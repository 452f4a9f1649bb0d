import fc from "fast-check";
import { type AgentEvent, type AgentHooks, createAgent, createTool, type HookName, type JsonObject, type ToolCallPart } from "triact";
import { callTools, ScriptedModel, say } from "triact/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { cases } from "../support/cases.ts";
import { observe, visible } from "../support/observe.ts";
import { vandalise } from "../support/vandal.ts";

const HOOK_NAMES: readonly HookName[] = ["beforeRun", "afterRun", "beforeModel", "afterModel", "beforeTool", "afterTool", "onEvent"];
const toolExecution = fc.constantFrom("sequential" as const, "parallel" as const);

describe("law 6: hooks that edit what they are given (R53)", () => {
  test("change nothing, whichever they are, alone or together", async () => {
    const expected = visible(await observe());
    await fc.assert(
      fc.asyncProperty(fc.subarray([...HOOK_NAMES]), fc.boolean(), toolExecution, async (names, late, execution) => {
        const kept: unknown[] = [];
        const spoil = (...given: unknown[]) => {
          if (late) for (const each of kept) vandalise(each);
          kept.push(given);
          vandalise(given);
        };
        const hooks = Object.fromEntries(names.map((name) => [name, spoil])) as AgentHooks;
        const observed = await observe({
          hooks,
          toolExecution: execution,
          prepareTurn: spoil,
          toolPolicies: { "*": { autoApprove: false } },
          requestToolApproval: (request) => {
            spoil(request);
            return { approved: true };
          },
        });
        vandalise(kept);
        expect(visible(observed)).toEqual(expected);
      }),
      cases(1),
    );
  });

  test("a subscriber sees every event as it was, whatever another one did to it", async () => {
    const watch = async (before: (event: AgentEvent) => void) => {
      const seen: unknown[] = [];
      await observe({ subscribe: [before, (event) => seen.push(JSON.parse(JSON.stringify({ ...event, snapshot: event.snapshot })))] });
      return seen;
    };
    expect(await watch(vandalise)).toEqual(await watch(() => undefined));
  });

  test("a later hook sees what an earlier one returned, and not what either does to it afterwards", async () => {
    const returned = {
      beforeModel: {
        options: { topP: 0.5, providerOptions: { deep: { list: [2] } } },
        messages: [{ role: "user", content: [{ type: "text", text: "New." }] }],
      },
      beforeTool: { input: { n: 8, list: [{ b: [1] }] } },
      afterTool: { result: { output: { changed: [true] }, content: [{ type: "text", text: "seen" }] } },
    } as const;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("beforeModel" as const, "beforeTool" as const, "afterTool" as const),
        toolExecution,
        async (name, execution) => {
          const mine = new Map<string | undefined, unknown>();
          const seen: JsonObject[] = [];
          const first = ({ toolCall }: { toolCall?: ToolCallPart }) => {
            const value = structuredClone(returned[name]);
            mine.set(toolCall?.toolCallId, value);
            return value;
          };
          const second = (given: { toolCall?: ToolCallPart }) => {
            vandalise(mine.get(given.toolCall?.toolCallId));
            vandalise(given);
          };
          const third = (given: Record<string, { [key: string]: unknown }>) => {
            const { request, input, result } = given;
            const [message] = (request?.["messages"] ?? []) as { content: unknown }[];
            seen.push(
              structuredClone({ options: request?.["options"], content: message?.content, input, result }) as unknown as JsonObject,
            );
          };
          const { executed, requests } = await observe({
            hooks: { [name]: first },
            plugins: [
              { name: "second", hooks: { [name]: second } },
              { name: "third", hooks: { [name]: third } },
            ],
            toolExecution: execution,
          });
          expect(seen.length).toBeGreaterThan(2);
          for (const each of seen) {
            if (name === "beforeTool") expect(each["input"]).toEqual(returned.beforeTool.input);
            if (name === "afterTool") expect(each["result"]).toEqual(returned.afterTool.result);
            if (name !== "beforeModel") continue;
            expect(each["options"]).toEqual({ temperature: 1, ...returned.beforeModel.options });
            expect(each["content"]).toEqual(returned.beforeModel.messages[0].content);
          }
          if (name === "beforeTool") expect(executed).toEqual(Array.from({ length: 5 }, () => returned.beforeTool.input));
          if (name === "beforeModel") {
            for (const { options } of requests as { options: unknown }[])
              expect(options).toEqual({ temperature: 1, ...returned.beforeModel.options });
          }
        },
      ),
      cases(0.5),
    );
  });

  test("what a caller does to results, snapshots and its own configuration changes no later run", async () => {
    const build = () => {
      const model = new ScriptedModel([callTools([{ toolName: "act", input: {} }]), say("One."), say("Two.")]);
      const tool = createTool({ name: "act", description: "", inputSchema: z.object({}), execute: () => ({ a: [1] }) });
      const options = {
        model,
        tools: [tool],
        agentId: "agent",
        now: () => 1,
        initialMessages: [{ role: "user" as const, content: [{ type: "text" as const, text: "Hi." }] }],
        toolPolicies: { act: { enabled: true } },
        modelOptions: { providerOptions: { deep: { list: [1] } } },
        limits: { maxTokens: 1_000 },
      };
      let ids = 0;
      return { model, options, agent: createAgent({ ...options, generateId: (prefix) => `${prefix}_${ids++}` }) };
    };
    const run = async (spoil: (value: unknown) => void) => {
      const { model, options, agent } = build();
      const { tools, initialMessages, toolPolicies, modelOptions, limits } = options;
      spoil([tools, initialMessages, toolPolicies, modelOptions, limits]);
      const input = { role: "user" as const, content: [{ type: "text" as const, text: "Go." }] };
      const running = agent.run(input);
      spoil(input);
      const first = await running;
      spoil([first, agent.snapshot()]);
      const second = await agent.run("Go on.");
      return JSON.parse(JSON.stringify({ first, second, requests: model.requests })) as unknown;
    };
    expect(await run(vandalise)).toEqual(await run(() => undefined));
  });
});
