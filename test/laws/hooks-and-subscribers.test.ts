import fc, { type Arbitrary } from "fast-check";
import { type AgentHooks, type AgentOptions, HookError } from "triact";
import { describe, expect, test } from "vitest";
import { cases, oneIn } from "../support/cases.ts";
import { THROWN_NAMES, type ThrownName, throwNasty } from "../support/nasty-values.ts";
import { observe, visible } from "../support/observe.ts";
import { unhandledDuring } from "../support/rejections.ts";
import { vandalise } from "../support/vandal.ts";

/** What a subscriber or hook does besides watching. */
type Mischief = { readonly do: "nothing" | "vandalise" } | { readonly do: "throw" | "reject"; readonly value: ThrownName };

const failing: Arbitrary<Mischief> = fc.record({
  do: fc.constantFrom("throw" as const, "reject" as const),
  value: fc.constantFrom(...THROWN_NAMES),
});
const mischief: Arbitrary<Mischief> = fc.oneof(fc.record({ do: fc.constantFrom("nothing" as const, "vandalise" as const) }), failing);
const mischiefs = fc.array(mischief, { minLength: 1, maxLength: 6 });

const isFailing = (each: Mischief | undefined) => each?.do === "throw" || each?.do === "reject";

function make(each: Mischief | undefined, given: unknown): unknown {
  if (each?.do === "vandalise") vandalise(given);
  if (each?.do === "throw") throwNasty(each.value);
  if (each?.do === "reject") return (async () => throwNasty(each.value))();
  return undefined;
}

/** Goes through a list of mischiefs, call after call, round and round, and counts those that fail. */
function mischievous(list: readonly Mischief[]) {
  let calls = 0;
  const made = { failures: 0 };
  const act = (given: unknown) => {
    const each = list[calls % list.length];
    calls += 1;
    if (isFailing(each)) made.failures += 1;
    return make(each, given);
  };
  return { act, made };
}

const toolExecution = fc.constantFrom("sequential" as const, "parallel" as const);

describe("law 6: subscribers and onEvent", () => {
  test("what they throw is logged and skipped, what they edit stays as it is, and the run goes on as without them", async () => {
    const expected = visible(await observe());
    await fc.assert(
      fc.asyncProperty(fc.array(mischiefs, { maxLength: 3 }), fc.option(mischiefs, { nil: undefined }), async (subscribers, onEvent) => {
        const actors = [...subscribers, ...(onEvent === undefined ? [] : [onEvent])].map(mischievous);
        const hook = onEvent === undefined ? undefined : actors.at(-1)?.act;
        const unhandled = await unhandledDuring(async () => {
          const observed = await observe({
            subscribe: actors.slice(0, subscribers.length).map(({ act }) => act),
            ...(hook === undefined ? undefined : { hooks: { onEvent: hook as () => void } }),
          });
          expect(visible(observed)).toEqual(expected);
          await Promise.resolve();
          expect(observed.logged.length).toBe(actors.reduce((sum, { made }) => sum + made.failures, 0));
        });
        expect(unhandled).toEqual([]);
      }),
      cases(1),
    );
  });

  test("a logger that throws changes nothing", async () => {
    const expected = visible(await observe());
    const fail = () => {
      throw new Error("logger");
    };
    const observed = await observe({ subscribe: [fail], hooks: { onEvent: fail }, logger: { error: fail, warn: fail } });
    expect(visible(observed)).toEqual(expected);
  });
});

describe("law 6: hooks that throw", () => {
  test("a throwing tool hook is the error of that call alone, and is named in it", async () => {
    const plan = fc.record({
      hook: fc.constantFrom("beforeTool" as const, "afterTool" as const),
      byPlugin: fc.boolean(),
      failures: fc.array(oneIn(2, failing), { minLength: 5, maxLength: 5 }),
      toolExecution,
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ hook, byPlugin, failures, toolExecution: execution }) => {
        let calls = 0;
        const hooks: AgentHooks = { [hook]: () => make(failures[calls++], undefined) };
        const from = byPlugin ? { plugins: [{ name: "p", hooks }] } : { hooks };
        const unhandled = await unhandledDuring(async () => {
          const { result, executed } = await observe({ ...from, toolExecution: execution });
          expect(result.status).toBe("completed");
          const results = result.messages.flatMap(({ content }) => content.filter((part) => part.type === "tool-result"));
          expect(results.length).toBe(5);
          const label = byPlugin ? `The hook ${hook} of plugin "p" failed` : `The hook ${hook} failed`;
          for (const [index, { output, isError }] of results.entries()) {
            if (failures[index] === undefined)
              expect([isError, output]).toEqual([undefined, expect.objectContaining({ list: [1, { deep: true }] })]);
            else expect([isError, output]).toEqual([true, { error: expect.stringContaining(label) }]);
          }
          const ran = hook === "afterTool" ? 5 : failures.filter((each) => each === undefined).length;
          expect(executed.length).toBe(ran);
        });
        expect(unhandled).toEqual([]);
      }),
      cases(1),
    );
  });

  test("any other throwing hook or callback fails the run with an error that names it and keeps what was thrown", async () => {
    const others = [
      "beforeRun",
      "afterRun",
      "beforeModel",
      "afterModel",
      "prepareTurn",
      "completionGuard",
      "setup",
      "consumePendingUserMessage",
    ] as const;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...others), failing, async (name, how) => {
        const thrown = how.do === "reject" && name === "consumePendingUserMessage" ? ({ ...how, do: "throw" } as Mischief) : how;
        const fail = () => make(thrown, undefined) as undefined;
        const options: Record<typeof name, () => Partial<AgentOptions>> = {
          beforeRun: () => ({ hooks: { beforeRun: fail } }),
          afterRun: () => ({ hooks: { afterRun: fail } }),
          beforeModel: () => ({ hooks: { beforeModel: fail } }),
          afterModel: () => ({ hooks: { afterModel: fail } }),
          prepareTurn: () => ({ prepareTurn: fail }),
          completionGuard: () => ({ completionPolicy: { completionGuard: fail } }),
          setup: () => ({ plugins: [{ name: "p", setup: fail }] }),
          consumePendingUserMessage: () => ({ consumePendingUserMessage: fail }),
        };
        const unhandled = await unhandledDuring(async () => {
          const { result } = await observe(options[name]());
          expect([result.status, result.endedBy]).toEqual(["failed", "error"]);
          expect(result.error).toBeInstanceOf(HookError);
          expect((result.error as HookError).hook).toBe(name === "setup" ? 'plugin "p": setup' : name);
          expect(typeof result.error?.message).toBe("string");
          expect(Object.hasOwn(result.error ?? {}, "cause")).toBe(true);
        });
        expect(unhandled).toEqual([]);
      }),
      cases(1.5),
    );
  });
});
