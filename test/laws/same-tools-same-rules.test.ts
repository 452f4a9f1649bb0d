import fc from "fast-check";
import {
  type AgentEventOf,
  type AgentHooks,
  type AgentMessage,
  CodeActRuntime,
  createAgent,
  createTool,
  ReActRuntime,
  type ToolPolicies,
  type ToolPolicy,
  textOf,
} from "triact";
import { IsolatedVmExecutor } from "triact/sandbox";
import { ScriptedModel, type ScriptedReply, say } from "triact/testing";
import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { cases } from "../support/cases.ts";
import { LineRuntime } from "../support/runtimes.ts";

const NAMES = ["pay", "look", "constructor", "__proto__", "toString"] as const;
type Name = (typeof NAMES)[number];

/** A policy of a careless caller: a field may be absent, undefined or given. */
const field = fc.constantFrom({}, { value: undefined }, { value: true }, { value: false }, { value: false });
const policy = fc.record({ enabled: field, autoApprove: field }).map(
  ({ enabled, autoApprove }) =>
    ({
      ...("value" in enabled ? { enabled: enabled.value } : undefined),
      ...("value" in autoApprove ? { autoApprove: autoApprove.value } : undefined),
    }) as ToolPolicy,
);
const maybePolicy = fc.option(policy, { nil: undefined });

/** What the callback answers to a call. `none`: there is no callback. */
const ANSWERS = {
  approve: () => ({ approved: true }),
  deny: () => ({ approved: false, reason: "too dear" }),
  text: () => "yes" as never,
  "approved as text": () => ({ approved: "true" }) as never,
  nothing: () => undefined as never,
  throw: () => {
    throw new Error("nobody is there");
  },
} as const;

const spec = fc.record({
  calls: fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 5 }),
  wildcard: maybePolicy,
  own: fc.dictionary(fc.constantFrom(...NAMES), policy, { noNullPrototype: true }).map((own) => Object.entries(own)),
  protoPolicy: maybePolicy,
  hookPolicies: fc.array(fc.array(maybePolicy, { minLength: 5, maxLength: 5 }), { maxLength: 3 }),
  answer: fc.constantFrom("none" as const, ...(Object.keys(ANSWERS) as (keyof typeof ANSWERS)[])),
  toolExecution: fc.constantFrom("sequential" as const, "parallel" as const),
});
type Spec = typeof spec extends fc.Arbitrary<infer T> ? T : never;

function ownPolicies({ own, protoPolicy }: Spec): [string, ToolPolicy][] {
  return [
    ...own.filter(([name]) => name !== "__proto__"),
    ...(protoPolicy === undefined ? [] : [["__proto__", protoPolicy] as [string, ToolPolicy]]),
  ];
}

/** What must become of each call, said again in the simplest way: the last one that says anything about a field decides. */
function expectedEnds(given: Spec): ("executed" | "disabled" | "denied")[] {
  return given.calls.map((name, index) => {
    const own = ownPolicies(given).find(([owner]) => owner === name)?.[1];
    const said = [given.wildcard, own, ...given.hookPolicies.map((hook) => hook[index])];
    const enabled = said.reduce((before, each) => each?.enabled ?? before, true);
    const autoApprove = said.reduce((before, each) => each?.autoApprove ?? before, true);
    if (!enabled) return "disabled";
    return autoApprove || given.answer === "approve" ? "executed" : "denied";
  });
}

const script = {
  react: ({ calls }: Spec): ScriptedReply => ({
    toolCalls: calls.map((toolName, n) => ({ toolName, input: { n } })),
  }),
  line: ({ calls }: Spec): ScriptedReply => say(calls.map((toolName, n) => `${toolName} ${JSON.stringify({ n })}`).join("\n")),
  code: ({ calls, toolExecution }: Spec): ScriptedReply => {
    const call = (name: Name, n: number) => `() => ${FUNCTIONS[name]}({ n: ${n} }).then(() => "executed", (error) => error.message)`;
    const list = `const calls = [${calls.map(call).join(", ")}];\nconst said = [];\n`;
    const inOrder = "for (const call of calls) said.push(await call());";
    const atOnce = "said.push(...await Promise.all(calls.map((call) => call())));";
    return say(JSON.stringify({ type: "code", code: `${list}${toolExecution === "parallel" ? atOnce : inOrder}\nsaid` }));
  },
};
const executor = new IsolatedVmExecutor({ isolation: "in-process" });
afterAll(() => executor.dispose());
const runtimes = { react: new ReActRuntime(), line: new LineRuntime(), code: new CodeActRuntime({ executor }) };
/** What the tools are called in code, where some names are taken. */
const FUNCTIONS: Readonly<Record<Name, string>> = {
  pay: "pay",
  look: "look",
  constructor: "constructor_",
  ["__proto__"]: "_proto__", // computed: without brackets it would be the prototype
  toString: "toString_",
};

/** Runs the calls in a runtime. */
async function run(given: Spec, runtime: keyof typeof runtimes) {
  const executed: number[] = [];
  const tools = NAMES.map((name) =>
    createTool({ name, description: name, inputSchema: z.object({ n: z.number() }), execute: ({ n }) => executed.push(n) }),
  );
  const hookOf = (policies: readonly (ToolPolicy | undefined)[]): AgentHooks => ({
    beforeTool: ({ input }) => {
      const override = policies[Number(input["n"])];
      return override === undefined ? undefined : { policy: override };
    },
  });
  const [first, ...others] = given.hookPolicies.map(hookOf);
  const policies = [...(given.wildcard === undefined ? [] : [["*", given.wildcard] as const]), ...ownPolicies(given)];
  const model = new ScriptedModel([script[runtime](given), say(runtime === "code" ? '{"type":"final","output":"Done."}' : "Done.")]);
  const agent = createAgent({
    model,
    runtime: runtimes[runtime],
    tools,
    toolPolicies: Object.fromEntries(policies) as ToolPolicies,
    toolExecution: given.toolExecution,
    ...(first === undefined ? undefined : { hooks: first }),
    plugins: others.map((hooks, index) => ({ name: `p${index}`, hooks })),
    ...(given.answer === "none" ? undefined : { requestToolApproval: ANSWERS[given.answer] }),
  });
  const finished: AgentEventOf<"tool-finished">[] = [];
  agent.subscribe((event) => {
    if (event.type === "tool-finished") finished.push(event);
  });
  const result = await agent.run("Go.");
  expect(result.status).toBe("completed");
  const messages = model.requests[1]?.messages ?? [];
  const told =
    runtime === "code" ? saidByCode(messages.at(-1)) : messages.slice(-given.calls.length).map(({ content }) => JSON.stringify(content));
  return { executed, told, ends: given.calls.map((_, index) => endOf(finished, index)) };
}

function saidByCode(message: AgentMessage | undefined): string[] {
  const text = message === undefined ? "" : textOf(message);
  expect(text).toMatch(/^CODE_RESULT: /);
  return (JSON.parse(text.slice("CODE_RESULT: ".length)) as { result: string[] }).result;
}

function endOf(finished: readonly AgentEventOf<"tool-finished">[], index: number) {
  const ids = [...new Set(finished.map(({ toolCallId }) => toolCallId))];
  return finished.filter(({ toolCallId }) => toolCallId === ids[index]).map(({ errorType = "executed" }) => errorType);
}

describe("law 8: same tools, same rules", () => {
  test.each(["react", "line", "code"] as const)(
    "in the %s runtime a call is executed only if its policy and the approval let it, and the model is told",
    async (runtime) => {
      await fc.assert(
        fc.asyncProperty(spec, async (given) => {
          const { executed, told } = await run(given, runtime);
          const ends = expectedEnds(given);
          const allowed = ends.flatMap((end, index) => (end === "executed" ? [index] : []));
          expect(executed.toSorted()).toEqual(allowed);
          expect(told.length).toBe(ends.length);
          for (const [index, end] of ends.entries()) {
            expect(told[index]?.includes("Nothing was executed."), told[index]).toBe(end !== "executed");
            if (end === "executed") continue;
            expect(told[index]).toContain(given.calls[index] as Name);
            expect(told[index]).toContain(end === "disabled" ? "policy does not allow" : "Approval");
            if (runtime !== "code") expect(told[index]).toContain(runtime === "react" ? '"isError":true' : "TOOL_ERROR");
          }
        }),
        cases(2),
      );
    },
  );

  test("all runtimes end each call in the same way", async () => {
    await fc.assert(
      fc.asyncProperty(
        spec.map((given) => ({ ...given, toolExecution: "sequential" as const })),
        async (given) => {
          const react = await run(given, "react");
          const line = await run(given, "line");
          const code = await run(given, "code");
          expect([line.ends, code.ends]).toEqual([react.ends, react.ends]);
          expect(react.ends).toEqual(expectedEnds(given).map((end) => [end]));
        },
      ),
      cases(1),
    );
  });

  test("a hook that says nothing about a field does not lift the ban of the hook before it", async () => {
    const silent = { enabled: undefined } as unknown as ToolPolicy; // from a caller without exact optional types
    const given: Spec = {
      calls: ["pay"],
      wildcard: undefined,
      own: [],
      protoPolicy: undefined,
      hookPolicies: [[{ enabled: false }], [silent]],
      answer: "none",
      toolExecution: "sequential",
    };
    expect(await run(given, "react")).toMatchObject({ executed: [], ends: [["disabled"]] });
  });
});
