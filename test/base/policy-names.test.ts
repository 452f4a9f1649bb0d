import { type AgentOptions, createAgent, createTool } from "triact";
import { callTool, ScriptedModel, say } from "triact/testing";
import { describe, expect, test } from "vitest";
import { build, resultsIn, seams, tool } from "./kit.js";

const ODD = ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf"];

/** Policies as `JSON.parse` would give them: `__proto__` as a key of its own. */
function policies(name: string, policy: object): NonNullable<AgentOptions["toolPolicies"]> {
  return JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(policy)}}`);
}

function recorder() {
  const warnings: unknown[][] = [];
  return { warnings, logger: { warn: (...values: unknown[]) => void warnings.push(values), error: () => undefined } };
}

describe("policies with the names of inherited properties", () => {
  // R16
  test.each(ODD)("%s: a tool of this name without a policy is free", async (name) => {
    const { agent, model } = build([callTool(name), say("ok")], { tools: [tool(name, () => "ran")] });
    await agent.run("?");
    expect(resultsIn(model.requests[1]?.messages).map(({ output }) => output)).toEqual(["ran"]);
  });

  // R16
  test.each(ODD)("%s: its policy holds for it, and for no other tool", async (name) => {
    const { agent, model } = build([callTool(name), callTool("other"), say("ok")], {
      tools: [tool(name, () => "ran"), tool("other", () => "ran")],
      toolPolicies: policies(name, { enabled: false, reason: "odd" }),
    });
    await agent.run("?");
    expect(resultsIn(model.requests[2]?.messages).map(({ output }) => output)).toEqual([
      { error: `The policy does not allow tool ${name}: odd. Nothing was executed.` },
      "ran",
    ]);
  });

  // R16: a policy that is silently not checked leaves the tool open
  test.each(ODD)("%s: a typing error in its policy is refused", (name) => {
    const options = { model: new ScriptedModel([]), tools: [tool(name, () => 1)], toolPolicies: policies(name, { enable: false }) };
    expect(() => createAgent(options)).toThrow(`toolPolicies.${name}.enable: unknown option.`);
  });

  test("that are inherited themselves do not count", async () => {
    const inherited = Object.create({ pay: { enabled: false }, "*": { enabled: false } }) as NonNullable<AgentOptions["toolPolicies"]>;
    const { agent, model } = build([callTool("pay"), say("ok")], { tools: [tool("pay", () => "ran")], toolPolicies: inherited });
    await agent.run("?");
    expect(resultsIn(model.requests[1]?.messages).map(({ output }) => output)).toEqual(["ran"]);
  });
});

describe("a policy for a tool that is not there", () => {
  test("is warned of once, when the agent is made, and never again", async () => {
    const { warnings, logger } = recorder();
    const { agent } = build([say("one"), say("two")], { logger, toolPolicies: { ad: { enabled: false }, "*": {}, add: {} } });
    expect(warnings).toEqual([["toolPolicies.ad: there is no tool of this name. Tools: add, done."]]);
    await agent.run("?");
    agent.restore([]);
    await agent.run("?");
    expect(warnings).toHaveLength(1);
  });

  test("says so when there are no tools at all", () => {
    const { warnings, logger } = recorder();
    build([], { logger, tools: [], toolPolicies: { pay: {} } });
    expect(warnings).toEqual([["toolPolicies.pay: there is no tool of this name. Tools: none."]]);
  });

  test("waits for the plugins, which may bring the tool", async () => {
    const { warnings, logger } = recorder();
    const search = createTool({ name: "search", description: "", inputSchema: { type: "object" }, execute: () => 1 });
    const agent = createAgent({
      ...seams(),
      model: new ScriptedModel([say("one"), say("two")]),
      logger,
      toolPolicies: { search: { autoApprove: false }, serach: { enabled: false } },
      plugins: [{ name: "web", setup: () => ({ tools: [search] }) }],
    });
    expect(warnings).toEqual([]);
    await agent.run("?");
    await agent.run("?");
    expect(warnings).toEqual([["toolPolicies.serach: there is no tool of this name. Tools: search."]]);
  });

  test.each(ODD)("is warned of also when it is named %s", (name) => {
    const { warnings, logger } = recorder();
    build([], { logger, toolPolicies: policies(name, { enabled: false }) });
    expect(warnings).toEqual([[`toolPolicies.${name}: there is no tool of this name. Tools: add, done.`]]);
  });

  // law 6: what reports cannot wreck what it reports on
  test("and a logger that throws keep nobody from making and running an agent", async () => {
    const fail = () => {
      throw new Error("log down");
    };
    const options = { logger: { warn: fail, error: fail }, toolPolicies: { nobody: {} } };
    const early = build([say("ok")], options);
    expect((await early.agent.run("?")).status).toBe("completed");
    const late = build([say("ok")], { ...options, plugins: [{ name: "p" }] });
    expect((await late.agent.run("?")).status).toBe("completed");
  });
});
