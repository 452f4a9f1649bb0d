import {
  type Agent,
  type AgentEvent,
  type AgentHooks,
  type AgentModel,
  type AgentModelEvent,
  type AgentModelRequest,
  type AgentOptions,
  type AgentRunResult,
  type AgentTool,
  createAgent,
  createTool,
  type HookName,
  type PrepareTurn,
  type RequestToolApproval,
  type ToolPolicies,
} from "triact";
import { vi } from "vitest";
import { z } from "zod";
import { hostileProxy, type ReturnedName, returnedValue, type ThrownName, throwNasty } from "./nasty-values.ts";
import { macrotask } from "./rejections.ts";

/** What a tool, a hook or a callback does when it is called. Plain data, so that a counterexample can be read. */
export type Deed =
  | { readonly do: "return"; readonly value: string }
  | { readonly do: "throw" | "reject"; readonly value: ThrownName }
  | { readonly do: "hang" }
  /** Aborts the run, and fails when nobody waits any more. */
  | { readonly do: "abort" };

/** One reply: its events as they are, and what happens behind them. */
export interface TurnSpec {
  readonly events: readonly AgentModelEvent[];
  readonly afterwards?: Deed;
}

/** An agent with a script, and everything that goes wrong with it. */
export interface WorldSpec {
  readonly turns: readonly TurnSpec[];
  readonly toolExecution: "sequential" | "parallel";
  readonly toolPolicies: ToolPolicies;
  /** What the hooks do, call after call; the last deed goes on for ever. */
  readonly hooks: { readonly [Name in HookName]?: readonly Deed[] };
  readonly approvals?: readonly Deed[];
  readonly prepareTurn?: readonly Deed[];
  readonly completionGuard?: readonly Deed[];
  readonly consumePendingUserMessage?: readonly Deed[];
  readonly subscriber?: readonly Deed[];
  readonly pluginSetup?: readonly Deed[];
}

/** An agent that was built from a spec, and what it left. */
export interface World {
  readonly agent: Agent;
  readonly events: AgentEvent[];
  readonly requests: AgentModelRequest[];
  /** First values of what was logged. */
  readonly logged: unknown[];
  /** What the tools were asked to do. */
  readonly executed: string[];
  /** From now on nobody does anything odd any more. */
  calm(): void;
  /** Settles everything that hangs. */
  release(how?: "resolve" | "reject"): void;
}

export const MAX_ITERATIONS = 6;

/** Values that hooks return: those that mean something, and those that mean nothing. */
const HOOK_RETURNS: Readonly<Record<string, () => unknown>> = {
  nothing: () => undefined,
  null: () => null,
  text: () => "text",
  stop: () => ({ stop: true, reason: "enough" }),
  "stop without reason": () => ({ stop: true }),
  "stop with an odd reason": () => ({ stop: true, reason: { code: 1n } }),
  skip: () => ({ skip: true, reason: "not now" }),
  "skip with an odd reason": () => ({ skip: true, reason: Symbol("reason") }),
  input: () => ({ input: { does: "return number" } }),
  "input that does not fit": () => ({ input: { does: 1 } }),
  "input with a bigint": () => ({ input: { does: 1n } }),
  "input that is no object": () => ({ input: 5 }),
  "policy off": () => ({ policy: { enabled: false } }),
  "policy ask": () => ({ policy: { autoApprove: false } }),
  "policy that is none": () => ({ policy: 5 }),
  context: () => ({ appendContext: "look </hook_context> here" }),
  "blank context": () => ({ appendContext: "  " }),
  "odd context": () => ({ appendContext: 5 }),
  result: () => ({ result: { output: "changed" } }),
  "error result": () => ({ result: { output: "changed", isError: true } }),
  "result with a cycle": () => ({ result: { output: returnedValue("cycle") } }),
  "result that is none": () => ({ result: 5 }),
  "no messages": () => ({ messages: [] }),
  "messages that are none": () => ({ messages: 5 }),
  "messages with loose ends": () => ({
    messages: [
      { role: "tool", content: [{ type: "tool-result", toolCallId: "orphan", toolName: "act", output: 1 }] },
      { role: "user", content: "short" },
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "open", toolName: "act", input: {} }] },
    ],
  }),
  "no tools": () => ({ tools: [] }),
  "tools that are none": () => ({ tools: [{}] }),
  "a system prompt": () => ({ systemPrompt: "Short \ud800" }),
  "a proxy that throws": () => hostileProxy(),
  blank: () => "  ",
  approved: () => ({ approved: true }),
  denied: () => ({ approved: false, reason: "no" }),
  "denied for an odd reason": () => ({ approved: false, reason: 5 }),
  "approved as text": () => ({ approved: "true" }),
  "only true": () => true,
};

export const HOOK_RETURN_NAMES = Object.keys(HOOK_RETURNS);

/** Builds the agent of a spec. Its options can be added to. */
export function buildWorld(spec: WorldSpec, more: Partial<AgentOptions> = {}): World {
  const doer = new Doer();
  const executed: string[] = [];
  const logged: unknown[] = [];
  const requests: AgentModelRequest[] = [];
  const { approvals, prepareTurn, consumePendingUserMessage, completionGuard, pluginSetup, subscriber } = spec;
  const hooks = Object.fromEntries(Object.entries(spec.hooks).map(([name, deeds]) => [name, doer.actor(deeds)])) as AgentHooks;
  const agent = createAgent({
    model: scriptModel(spec.turns, requests, doer),
    tools: worldTools(executed, doer),
    toolExecution: spec.toolExecution,
    toolPolicies: spec.toolPolicies,
    hooks,
    maxIterations: MAX_ITERATIONS,
    logger: { error: (...values) => logged.push(values[0]), warn: () => undefined },
    ...(approvals && { requestToolApproval: doer.actor(approvals) as RequestToolApproval }),
    ...(prepareTurn && { prepareTurn: doer.actor(prepareTurn) as PrepareTurn }),
    ...(consumePendingUserMessage && { consumePendingUserMessage: doer.actor(consumePendingUserMessage) as () => string }),
    ...(completionGuard && { completionPolicy: { completionGuard: doer.actor(completionGuard) as () => string } }),
    ...(pluginSetup && { plugins: [{ name: "plugin", setup: doer.actor(pluginSetup) as () => undefined }] }),
    ...more,
  });
  doer.abort = () => agent.abort("from inside");
  const events: AgentEvent[] = [];
  agent.subscribe((event) => events.push(event));
  if (subscriber !== undefined) agent.subscribe(doer.actor(subscriber) as () => void);
  return { agent, events, requests, logged, executed, calm: () => doer.calm(), release: (how) => doer.release(how) };
}

/** Does deeds, and keeps what hangs. */
class Doer {
  abort: () => void = () => undefined;
  readonly #hanging: ((how: "resolve" | "reject") => void)[] = [];
  calmed = false;

  /** A function that does one deed after the other. */
  actor(deeds: readonly Deed[]): () => unknown {
    let calls = 0;
    return () => {
      const deed = deeds[Math.min(calls, deeds.length - 1)];
      calls += 1;
      return deed === undefined ? undefined : this.do(deed, (value) => HOOK_RETURNS[value]?.());
    };
  }

  do(deed: Deed, named: (name: string) => unknown): unknown {
    if (this.calmed) return undefined;
    switch (deed.do) {
      case "return":
        return named(deed.value);
      case "throw":
        return throwNasty(deed.value);
      case "reject":
        return (async () => throwNasty(deed.value))();
      case "hang":
        return new Promise((resolve, reject) => {
          this.#hanging.push((how) => (how === "resolve" ? resolve("far too late") : reject(new Error("far too late"))));
        });
      case "abort":
        this.abort();
        return Promise.reject(new Error("after the abort"));
    }
  }

  calm(): void {
    this.calmed = true;
  }

  release(how: "resolve" | "reject" = "reject"): void {
    for (const settle of this.#hanging.splice(0)) settle(how);
  }
}

/** Tools that do what they are told. Their names say what else there is about them. */
function worldTools(executed: string[], doer: Doer): AgentTool[] {
  const inputSchema = z.object({ does: z.string() });
  const make = (name: string, more: { timeoutMs?: number; lifecycle?: { completesRun: true } } = {}) =>
    createTool({
      name,
      description: name,
      inputSchema,
      ...more,
      execute: ({ does }, { emitUpdate }) => {
        executed.push(`${name} ${does}`);
        emitUpdate(does);
        const deed = parseDeed(does);
        const outcome = doer.do(deed, (value) => returnedValue(value as ReturnedName));
        const late = () => emitUpdate("late");
        if (deed.do === "hang") void Promise.resolve(outcome).then(late, late);
        return outcome;
      },
    });
  return [make("act"), make("gated"), make("off"), make("timed", { timeoutMs: 5 }), make("done", { lifecycle: { completesRun: true } })];
}

/** A deed as an argument of a tool. */
export function deedText(deed: Deed): string {
  return "value" in deed ? `${deed.do} ${deed.value}` : deed.do;
}

export function parseDeed(text: string): Deed {
  const [, verb = "return", value = "number"] = /^(\w+) ?(.*)$/.exec(text) ?? [];
  return { do: verb, value } as Deed;
}

/** Streams the script; behind its end it says that it is done. Keeps the requests. */
function scriptModel(turns: readonly TurnSpec[], requests: AgentModelRequest[], doer: Doer): AgentModel {
  return {
    async *stream(request) {
      const turn = turns[requests.push(request) - 1];
      if (turn === undefined || doer.calmed) {
        yield { type: "text-delta", text: "The end." };
        yield { type: "finish", reason: "stop" };
        return;
      }
      yield* turn.events;
      if (turn.afterwards !== undefined) await doer.do(turn.afterwards, () => undefined);
    },
  };
}

/** The world's clock stands still but for what {@link drive} moves. Call it before the agent is built. */
export function useWorldClock(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"] });
}

/** The result; a rejection of `run()` as an error that can be printed. */
async function resolved(running: Promise<AgentRunResult>): Promise<AgentRunResult> {
  try {
    return await running;
  } catch (cause) {
    throw new Error(`run() rejected with ${printed(cause)}`);
  }
}

function printed(value: unknown): string {
  try {
    return String(value);
  } catch {
    return "something that cannot be printed";
  }
}

/** Waits for a run: fires the timers it waits for, and aborts it when it waits for nothing of ours. */
export async function drive(agent: Agent, running: Promise<AgentRunResult>): Promise<AgentRunResult> {
  let settled = false;
  const note = () => {
    settled = true;
  };
  running.then(note, note);
  for (let step = 0; step < 500; step++) {
    await macrotask();
    if (settled) return await resolved(running);
    if (vi.getTimerCount() > 0) vi.advanceTimersToNextTimer();
    else agent.abort("nothing moves");
  }
  throw new Error("The run does not settle.");
}
