import fc from "fast-check";
import { nanoid } from "nanoid";
import { type AgentOptions, type AgentSnapshot, createAgent, ReActRuntime, TriactError } from "triact";
import { callTools, ScriptedModel, say } from "triact/testing";
import { expect, test } from "vitest";
import { tool } from "../base/kit.ts";
import { cases } from "../support/cases.ts";
import { LineRuntime } from "../support/runtimes.ts";
import { assertValidSnapshot } from "../support/valid-history.ts";

const runtimes = { react: new ReActRuntime(), line: new LineRuntime() };

const options = (runtime: keyof typeof runtimes): AgentOptions => ({
  model: new ScriptedModel(() => say("ok")),
  runtime: runtimes[runtime],
  tools: [tool("read", () => "read"), tool("pay", () => "paid")],
  toolPolicies: { pay: { autoApprove: false } },
  requestToolApproval: () => ({ pending: true }),
  generateId: (prefix) => `${prefix}_${nanoid()}`,
});

/** A run that waits for two of its three calls. */
async function suspended(runtime: keyof typeof runtimes): Promise<AgentSnapshot> {
  const names = ["read", "pay", "pay"];
  const reply =
    runtime === "react" ? callTools(names.map((toolName) => ({ toolName, input: {} }))) : say(names.map((name) => `${name} {}`).join("\n"));
  const agent = createAgent({ ...options(runtime), model: new ScriptedModel([reply]) });
  await agent.run("?");
  return agent.snapshot();
}

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** The places in a value, each as the way to it. */
function placesIn(value: Json, way: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== "object" || value === null) return [way];
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [way, ...entries.flatMap(([name, inner]) => placesIn(inner as Json, [...way, name]))];
}

function damage(value: Json, [first, ...rest]: readonly (string | number)[], what: "delete" | "double" | { readonly put: Json }): Json {
  if (first === undefined || typeof value !== "object" || value === null) return typeof what === "object" ? what.put : value;
  if (Array.isArray(value)) {
    const copy = [...value];
    const item = copy[Number(first)] as Json;
    if (rest.length > 0 || typeof what === "object") copy[Number(first)] = damage(item, rest, what);
    else copy.splice(Number(first), 1, ...(what === "double" ? [item, item] : []));
    return copy;
  }
  const { [String(first)]: member = null, ...others } = value;
  if (rest.length === 0 && what === "delete") return others;
  return { ...others, [String(first)]: damage(member, rest, what) };
}

const put = fc.constantFrom<Json>(null, "", "x", -1, 1.5, true, [], {}, "call_1", "suspended", "running", [{}], {
  __proto__: null,
  toolCallId: "x",
});
const damages = fc.record({
  at: fc.nat(10_000),
  what: fc.oneof(fc.constantFrom("delete" as const, "double" as const), fc.record({ put })),
});

test("a damaged snapshot is refused in words, or taken up with a history that is valid", async () => {
  const whole = { react: await suspended("react"), line: await suspended("line") };
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("react" as const, "line" as const),
      fc.array(damages, { minLength: 1, maxLength: 3 }),
      async (runtime, all) => {
        let snapshot = JSON.parse(JSON.stringify(whole[runtime])) as Json;
        for (const { at, what } of all) {
          const places = placesIn(snapshot);
          snapshot = damage(snapshot, places[at % places.length] ?? [], what);
        }
        const agent = createAgent(options(runtime));
        const waiting = ((snapshot as { pendingToolCalls?: { toolCallId?: string }[] } | null)?.pendingToolCalls ?? []) as {
          toolCallId?: string;
        }[];
        const decisions = Array.isArray(waiting)
          ? Object.fromEntries(waiting.map((call) => [typeof call?.toolCallId === "string" ? call.toolCallId : "x", { approved: true }]))
          : {};
        try {
          await agent.resume(snapshot as never, decisions);
        } catch (error) {
          expect(error).toBeInstanceOf(TriactError);
          expect(agent.snapshot()).toMatchObject({ status: "idle", messages: [] });
          return;
        }
        assertValidSnapshot(agent.snapshot());
      },
    ),
    cases(10),
  );
});
