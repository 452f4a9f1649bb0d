import { AgentConfigError, type AgentPlugin, HookError } from "triact";
import { callTool, say } from "triact/testing";
import { describe, expect, test } from "vitest";
import { add, build, deferred, resultsIn, tool } from "../base/kit.js";

describe("setup of a plugin", () => {
  test("is called once, before the first run, with agent and logger, and brings tools and hooks", async () => {
    const logger = { error: () => undefined, warn: () => undefined };
    const contexts: unknown[] = [];
    const seen: string[] = [];
    const plugin: AgentPlugin = {
      name: "p",
      setup: (context) => {
        contexts.push(context);
        return { tools: [tool("extra", () => "extra!")], hooks: { beforeRun: () => void seen.push("beforeRun") } };
      },
    };
    const { agent, model } = build([callTool("extra"), say("1"), say("2")], { plugins: [plugin], agentRole: "tester", logger });
    expect(contexts).toEqual([]);
    await agent.run("a");
    await agent.run("b");
    expect(contexts).toEqual([{ agentId: "agent_1", agentRole: "tester", logger }]);
    expect(seen).toEqual(["beforeRun", "beforeRun"]);
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(["add", "done", "extra"]);
    expect(resultsIn(model.requests[1]?.messages).map(({ output }) => output)).toEqual(["extra!"]);
  });

  test("happens in the order of the plugins, one after the other", async () => {
    const log: string[] = [];
    const slow = (name: string): AgentPlugin => ({
      name,
      setup: async () => {
        log.push(`${name} starts`);
        await Promise.resolve();
        log.push(`${name} ends`);
      },
    });
    const { agent } = build([say("ok")], { plugins: [slow("a"), slow("b")] });
    await agent.run("?");
    expect(log).toEqual(["a starts", "a ends", "b starts", "b ends"]);
  });

  test("that throws fails the run, names the plugin, and is tried again by the next run", async () => {
    let count = 0;
    const { agent, model } = build([say("ok")], {
      plugins: [
        {
          name: "db",
          setup: () => {
            count += 1;
            if (count === 1) throw new Error("no connection");
          },
        },
      ],
    });
    const failed = await agent.run("?");
    expect(failed).toMatchObject({ status: "failed", endedBy: "error", iterations: 0 });
    expect(failed.error).toBeInstanceOf(HookError);
    expect(failed.error?.message).toBe('plugin "db": setup threw: no connection');
    expect((await agent.run("?")).status).toBe("completed");
    model.assertDone();
  });

  test("that succeeded is not called again because another one's failed", async () => {
    const calls: string[] = [];
    const { agent } = build([say("ok")], {
      plugins: [
        { name: "good", setup: () => void calls.push("good") },
        {
          name: "bad",
          setup: () => {
            calls.push("bad");
            if (calls.length === 2) throw new Error("once");
          },
        },
      ],
    });
    await agent.run("?");
    await agent.run("?");
    expect(calls).toEqual(["good", "bad", "bad"]);
  });

  // R50
  test("that is under way when the run is aborted is not started a second time by the next run", async () => {
    let count = 0;
    const ready = deferred();
    const { agent } = build([say("ok")], {
      plugins: [
        {
          name: "slow",
          setup: async () => {
            count += 1;
            await ready.promise;
            return { tools: [tool("extra", () => 1)] };
          },
        },
      ],
    });
    const first = agent.run("?");
    agent.abort();
    expect((await first).status).toBe("aborted");
    const second = agent.run("?");
    ready.resolve();
    expect((await second).status).toBe("completed");
    expect(count).toBe(1);
  });

  test("does not hold an aborted run", async () => {
    const { agent } = build([], { plugins: [{ name: "stuck", setup: () => new Promise(() => undefined) }] });
    const running = agent.run("?");
    agent.abort();
    expect((await running).status).toBe("aborted");
  });
});

describe("a plugin that brings what it may not", () => {
  test.each<[string, AgentPlugin, string]>([
    [
      "tools without the capability",
      { name: "p", manifest: { capabilities: ["hooks"] }, setup: () => ({ tools: [tool("x", () => 1)] }) },
      'plugins.p: brings tools, which its manifest does not declare. Add "tools" to manifest.capabilities',
    ],
    [
      "hooks without the capability",
      { name: "p", manifest: { capabilities: ["tools"] }, hooks: { beforeRun: () => undefined } },
      'plugins.p: brings hooks, which its manifest does not declare. Add "hooks" to manifest.capabilities',
    ],
    [
      "hooks of setup without the capability",
      { name: "p", manifest: { capabilities: [] }, setup: () => ({ hooks: {} }) },
      'plugins.p: brings hooks, which its manifest does not declare. Add "hooks" to manifest.capabilities',
    ],
    [
      "a tool whose name is taken",
      { name: "p", setup: () => ({ tools: [add as never] }) },
      "plugins.p.tools: a tool named add is there already",
    ],
    [
      "a tool not made by createTool",
      { name: "p", setup: () => ({ tools: [{ name: "x" } as never] }) },
      "plugins.p.tools: expected tools made by createTool",
    ],
  ])("(%s) makes run() throw before anything runs, and the agent stays usable", async (_, plugin, message) => {
    const { agent, model, events } = build([], { plugins: [plugin] });
    const running = agent.run("?");
    await expect(running).rejects.toBeInstanceOf(AgentConfigError);
    await expect(running).rejects.toThrow(message);
    expect([events, model.requests, agent.snapshot().status]).toEqual([[], [], "idle"]);
    await expect(agent.run("?")).rejects.toThrow(message); // not AgentBusyError
  });

  test("whose setup returns hooks with an unknown name is refused like hooks of the configuration", async () => {
    const { agent } = build([say("ok")], { plugins: [{ name: "p", setup: () => ({ hooks: { beforeTools: () => undefined } as never }) }] });
    await expect(agent.run("?")).rejects.toThrow(/plugins\.p\.hooks\.beforeTools/);
  });

  test("without a manifest may bring both", async () => {
    const { agent } = build([say("ok")], { plugins: [{ name: "p", setup: () => ({ tools: [tool("x", () => 1)], hooks: {} }) }] });
    expect((await agent.run("?")).status).toBe("completed");
  });
});
