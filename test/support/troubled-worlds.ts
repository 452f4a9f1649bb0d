import fc, { type Arbitrary } from "fast-check";
import type { AgentModelEvent, HookName } from "triact";
import { type Deed, deedText, type TurnSpec, type WorldSpec } from "./world.ts";

const HOOKS: readonly HookName[] = ["beforeRun", "afterRun", "beforeModel", "afterModel", "beforeTool", "afterTool", "onEvent"];
const CALLBACKS = ["approvals", "prepareTurn", "completionGuard", "pluginSetup"] as const;

/** Where something hangs, or aborts the run: at the call of that number, or behind the model's event of that number. */
interface Trouble {
  readonly place: HookName | (typeof CALLBACKS)[number] | "tool" | "model";
  readonly at: number;
  readonly deed: Deed;
}

const trouble: Arbitrary<Trouble> = fc.record({
  place: fc.constantFrom<Trouble["place"][]>(...HOOKS, ...CALLBACKS, "tool", "tool", "tool", "model", "model"),
  at: fc.nat(4),
  deed: fc.constantFrom<Deed>({ do: "hang" }, { do: "hang" }, { do: "abort" }),
});

const toolNames = fc.array(fc.constantFrom("act", "timed", "gated"), { maxLength: 3 });

/** An agent of three turns that is sound but for one or two things in it that hang, or abort the run. */
export const troubledWorld: Arbitrary<WorldSpec> = fc
  .record({
    troubles: fc.array(trouble, { maxLength: 2 }),
    turns: fc.tuple(toolNames, toolNames),
    toolExecution: fc.constantFrom("sequential" as const, "parallel" as const),
    hooks: fc.subarray([...HOOKS]),
  })
  .map(({ troubles, turns, toolExecution, hooks }) => {
    const deedsAt = (place: Trouble["place"], usual: Deed): Deed[] => {
      const here = troubles.filter((each) => each.place === place);
      return [0, 1, 2, 3, 4].map((at) => here.find((each) => each.at === at)?.deed ?? usual).concat(usual);
    };
    const nothing: Deed = { do: "return", value: "nothing" };
    const toolDeeds = deedsAt("tool", { do: "return", value: "number" });
    const present = HOOKS.filter((name) => hooks.includes(name) || troubles.some(({ place }) => place === name));
    return {
      turns: cutOff(
        turns.map((names, turn) => sound(names.map((name, at) => call(name, at, toolDeeds[turn * (turns[0]?.length ?? 0) + at])))),
        troubles,
      ),
      toolExecution,
      toolPolicies: { gated: { autoApprove: false } },
      hooks: Object.fromEntries(present.map((name) => [name, deedsAt(name, nothing)])),
      approvals: deedsAt("approvals", { do: "return", value: "approved" }),
      prepareTurn: deedsAt("prepareTurn", nothing),
      completionGuard: deedsAt("completionGuard", nothing),
      pluginSetup: deedsAt("pluginSetup", nothing),
    };
  });

/** A call of a tool that does what it is told. */
export function call(toolName: string, index: number, deed: Deed = { do: "return", value: "number" }): AgentModelEvent {
  return { type: "tool-call-delta", index, toolCallId: `c${index}`, toolName, inputText: JSON.stringify({ does: deedText(deed) }) };
}

function sound(calls: readonly AgentModelEvent[]): AgentModelEvent[] {
  return [{ type: "reasoning-delta", text: "Hm." }, { type: "text-delta", text: "Well." }, ...calls, { type: "finish", reason: "stop" }];
}

function cutOff(turns: readonly AgentModelEvent[][], troubles: readonly Trouble[]): TurnSpec[] {
  const inModel = troubles.find(({ place }) => place === "model");
  return turns.map((events, turn) =>
    inModel !== undefined && inModel.at % 2 === turn
      ? { events: events.slice(0, Math.min(inModel.at, events.length - 1)), afterwards: inModel.deed }
      : { events },
  );
}
