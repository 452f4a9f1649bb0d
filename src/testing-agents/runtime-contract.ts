import { type Agent, createAgent } from "../agent/agent.js";
import type { AgentOptions } from "../agent/agent-config.js";
import type { AgentRunResult, AgentRuntime } from "../base/agent-runtime.js";
import { HookError } from "../base/errors.js";
import type { AgentEvent } from "../base/events.js";
import type { AgentMessage } from "../base/message.js";
import type { AgentSnapshot } from "../base/snapshot.js";
import { type AgentTool, createTool } from "../base/tool.js";
import { historyProblems } from "./history-problems.js";
import { ScriptedModel, type ScriptedReply, type ScriptedTurn } from "./scripted-model.js";

/** A call in the words of the runtime's model. */
export interface ContractCall {
  readonly toolName: string;
  readonly input: object;
}

/** What the contract needs: a test runner, a runtime, and how a model talks to it. */
export interface RuntimeContractKit {
  /** Registers a test. */
  readonly test: (name: string, body: () => Promise<void>) => void;
  /** Checks a value. */
  readonly expect: (value: unknown, label?: string) => { toEqual(expected: unknown): void; toMatchObject(expected: object): void };
  /** Makes a runtime. */
  readonly createRuntime: () => AgentRuntime;
  /** Replies that come before everything else in a run: the planner's, for example. @default [] */
  readonly opening?: readonly ScriptedTurn[];
  /** A reply that makes these calls, at once where the runtime can. */
  readonly call: (calls: readonly ContractCall[]) => ScriptedReply;
  /** Replies that end the run with this text. */
  readonly answer: (text: string) => ScriptedReply;
  /** Replies in a row after which a run must have ended, whatever the model says. @default 20 */
  readonly maxIterations?: number;
}

/** What was called, by the tools of one agent. */
interface World {
  readonly agent: Agent;
  readonly model: ScriptedModel;
  readonly events: AgentEvent[];
  readonly calls: string[];
}

/** Longest time that an aborted run may take to end, in milliseconds: the grace that hooks get, and then some. */
const PROMPT_MS = 10_000;

/** The same for a run that has work to do. */
const PATIENT_MS = 15_000;
const STATUSES = ["completed", "aborted", "failed", "suspended"];

/**
 * The laws that every runtime has to keep, for runtimes of your own: errors are messages, the history stays valid, any chunking gives the same messages,
 * a run settles, hooks and subscribers cannot wreck it, policies hold, and one object serves many runs.
 *
 * ```
 * describe("my runtime", () => runtimeContract({ test, expect, createRuntime: () => new MyRuntime(), call: callTools, answer: say }));
 * ```
 */
export function runtimeContract(kit: RuntimeContractKit): void {
  const contract = new Contract(kit);
  contract.answers();
  contract.errorsAreMessages();
  contract.modelsMisbehave();
  contract.historyIsValid();
  contract.chunking();
  contract.settles();
  contract.hooksAndSubscribers();
  contract.policies();
  contract.servesManyRuns();
}

class Contract {
  readonly #kit: RuntimeContractKit;
  constructor(kit: RuntimeContractKit) {
    this.#kit = kit;
  }

  answers(): void {
    const { test, expect, call, answer } = this.#kit;
    test("answers, after calls whose results reach the model", async () => {
      const { agent, model, events, calls } = this.#world([
        call([{ toolName: "echo", input: { text: "otter" } }]),
        answer("It was an otter."),
      ]);
      const result = await agent.run("Which animal?");
      expect(result).toMatchObject({ status: "completed" });
      expect(calls).toEqual(["echo otter"]);
      expect(historyProblems(result.messages)).toEqual([]);
      const isTold =
        model.requests.some(({ messages }) => heard(messages).includes("heard otter")) || result.outputText.includes("heard otter");
      expect(isTold, "the result of the tool is told").toEqual(true);
      expect(endsOf(events)).toEqual([1, 1]);
      expect(result.usage.inputTokens > 0, "usage is counted").toEqual(true);
    });
    test("answers at once when nothing has to be done", async () => {
      const result = await this.#world([answer("Yes.")]).agent.run("Are you there?");
      expect(result.status).toEqual("completed");
      expect(result.outputText.includes("Yes."), result.outputText).toEqual(true);
    });
  }

  errorsAreMessages(): void {
    const { test, expect, call, answer } = this.#kit;
    const cases: Record<string, [ContractCall, string, AgentOptions?]> = {
      "a tool that throws": [{ toolName: "broken", input: {} }, "the pipe burst"],
      "a tool that does not exist": [{ toolName: "nothing_like_it", input: {} }, "nothing_like_it"],
      "a tool that is denied": [
        { toolName: "echo", input: { text: "x" } },
        "not today",
        { toolPolicies: { echo: { enabled: false, reason: "not today" } } },
      ],
      "a tool that nobody approves": [
        { toolName: "echo", input: { text: "x" } },
        "too loud",
        {
          toolPolicies: { echo: { autoApprove: false } },
          requestToolApproval: () => ({ approved: false, reason: "too loud" }),
        },
      ],
      "arguments that do not fit": [{ toolName: "echo", input: { text: 5 } }, "string"],
      "a tool that takes too long": [{ toolName: "slow", input: {} }, "20 ms"],
    };
    for (const [name, [wanted, words, options]] of Object.entries(cases)) {
      test(`${name} is told to the model, and the run goes on`, async () => {
        const { agent, model } = this.#world([call([wanted]), answer("I see."), answer("I see."), answer("I see.")], options);
        const result = await soon(agent.run("Go."), PATIENT_MS);
        const isTold = model.requests.some(({ messages }) => heard(messages).includes(words));
        expect(isTold, `the model is told of ${JSON.stringify(words)}`).toEqual(true);
        expect(result.status).toEqual("completed");
        expect(historyProblems(result.messages)).toEqual([]);
      });
    }
  }

  modelsMisbehave(): void {
    const { test, expect, call } = this.#kit;
    const replies: Record<string, ScriptedReply> = {
      nothing: { events: [{ type: "finish", reason: "stop" }] },
      "a refusal": { text: "No.", finishReason: "refusal" },
      "an error": { throws: new Error("503") },
      "half a reply": { ...call([{ toolName: "echo", input: { text: "x" } }]), finishReason: "max-tokens" },
      garbage: { text: '{"type": "final", "output": [[[ \ud83d' },
      "a call of no name": { toolCalls: [{ toolName: "", input: {} }] },
      "arguments that are no JSON": { toolCalls: [{ toolName: "echo", input: '{"text": ' }] },
      "the same call for ever": call([{ toolName: "echo", input: { text: "again" } }]),
    };
    for (const [name, reply] of Object.entries(replies)) {
      test(`a model that gives ${name} ends in a result, with a valid history`, async () => {
        const { agent, model } = this.#world(() => reply);
        const result = await soon(agent.run("Go."), PATIENT_MS);
        expect(STATUSES.includes(result.status)).toEqual(true);
        expect(historyProblems(result.messages)).toEqual([]);
        for (const { messages } of model.requests) expect(requestProblems(messages)).toEqual([]);
      });
    }
  }

  historyIsValid(): void {
    const { test, expect, call, answer } = this.#kit;
    const script = () => [
      call([
        { toolName: "echo", input: { text: "a" } },
        { toolName: "broken", input: {} },
      ]),
      call([{ toolName: "echo", input: { text: "b" } }]),
      answer("Done."),
    ];
    test("every request is one that providers accept", async () => {
      const { agent, model } = this.#world(script());
      await agent.run("Go.");
      for (const { messages } of model.requests) expect(requestProblems(messages)).toEqual([]);
    });
    test("a run that ends at any event leaves a history that can be restored, and goes on from its snapshot", async () => {
      const { agent, events } = this.#world(script());
      await agent.run("Go.");
      const snapshots = new Set(events.map(({ snapshot }) => JSON.stringify(snapshot)));
      for (const text of snapshots) {
        const snapshot = JSON.parse(text) as AgentSnapshot;
        const restored = this.#world(() => answer("Done."), { generateId: idsInOrder("b") });
        restored.agent.restore(snapshot.messages);
        expect(historyProblems(restored.agent.snapshot().messages), "restored").toEqual([]);
        if (snapshot.status !== "running" && snapshot.status !== "suspended") continue;
        const resumed = this.#world(() => answer("Done."), { generateId: idsInOrder("b") });
        const result = await resumed.agent.resume(snapshot);
        expect(STATUSES.includes(result.status)).toEqual(true);
        expect(historyProblems(result.messages), "resumed").toEqual([]);
      }
    });
  }

  chunking(): void {
    const { test, expect, call, answer } = this.#kit;
    test("however the model's replies are cut, the messages are the same", async () => {
      const script = [call([{ toolName: "echo", input: { text: "é😀" } }]), answer("Done 😀.")];
      const whole = outline((await this.#world(script).agent.run("Go.")).messages);
      for (let seed = 1; seed <= 12; seed += 1) {
        expect(outline((await this.#world(script, {}, seed).agent.run("Go.")).messages), `seed ${seed}`).toEqual(whole);
      }
    });
  }

  settles(): void {
    const { test, expect, call, answer } = this.#kit;
    test("a run that is aborted at any event ends soon, with a valid history", async () => {
      const script = [call([{ toolName: "echo", input: { text: "a" } }]), answer("Done.")];
      const { agent, events } = this.#world(script);
      await agent.run("Go.");
      for (let at = 0; at < events.length; at += 1) {
        const world = this.#world(script);
        let count = 0;
        world.agent.subscribe(() => {
          if (count++ === at) world.agent.abort("enough");
        });
        const result = await soon(world.agent.run("Go."));
        expect(["aborted", "completed"].includes(result.status), `aborted at event ${at}: ${result.status}`).toEqual(true);
        expect(historyProblems(result.messages), `aborted at event ${at}`).toEqual([]);
      }
    });
    const hanging: Record<string, ScriptedTurn[]> = {
      "a model that hangs": [{ hangs: true }],
      "a tool that hangs": [call([{ toolName: "hanging", input: {} }])],
    };
    for (const [name, script] of Object.entries(hanging)) {
      test(`${name} does not hold up an abort, nor a time limit`, async () => {
        const world = this.#world(script);
        const running = world.agent.run("Go.");
        setTimeout(() => world.agent.abort("enough"), 20);
        expect(await soon(running)).toMatchObject({ status: "aborted", endedBy: "abort" });
        const limited = this.#world(script, { limits: { timeoutMs: 50 } });
        expect(await soon(limited.agent.run("Go."))).toMatchObject({ status: "failed", endedBy: "time-limit" });
      });
    }
    test("a run that has no turn left ends", async () => {
      const world = this.#world(() => call([{ toolName: "echo", input: { text: "again" } }]), { maxIterations: 3 });
      const result = await world.agent.run("Go.");
      expect(result.iterations <= 3, `${result.iterations} iterations`).toEqual(true);
    });
  }

  hooksAndSubscribers(): void {
    const { test, expect, call, answer } = this.#kit;
    const boom = () => {
      throw new Error("boom");
    };
    const script = () => [call([{ toolName: "echo", input: { text: "a" } }]), answer("Done.")];
    test("subscribers and onEvent hooks that throw are skipped", async () => {
      const { agent } = this.#world(script(), { hooks: { onEvent: boom }, logger: { error: () => undefined, warn: () => undefined } });
      agent.subscribe(boom);
      expect((await agent.run("Go.")).status).toEqual("completed");
    });
    for (const hook of ["beforeRun", "beforeModel", "afterModel"] as const) {
      test(`a ${hook} hook that throws fails the run by its name`, async () => {
        const result = await this.#world(script(), { hooks: { [hook]: boom } }).agent.run("Go.");
        expect(result).toMatchObject({ status: "failed", endedBy: "error" });
        expect(result.error instanceof HookError && result.error.hook, "the hook that the error names").toEqual(hook);
        expect(historyProblems(result.messages)).toEqual([]);
      });
      test(`a ${hook} hook that stops ends the run`, async () => {
        const result = await this.#world(script(), { hooks: { [hook]: () => ({ stop: true, reason: "enough" }) } }).agent.run("Go.");
        expect(result).toMatchObject({ status: "aborted", endedBy: "hook-stop", reason: "enough" });
        expect(historyProblems(result.messages)).toEqual([]);
      });
    }
    test("a tool hook sees each call, and one that throws is that call's error", async () => {
      const { agent, calls, events } = this.#world(script(), {
        hooks: { beforeTool: ({ tool }) => (tool.name === "echo" ? boom() : undefined) },
      });
      const result = await agent.run("Go.");
      expect(calls).toEqual([]);
      expect(
        flat(events).some((event) => event.type === "tool-finished" && event.errorType === "hook-error"),
        "hook-error",
      ).toEqual(true);
      expect(historyProblems(result.messages)).toEqual([]);
    });
  }

  policies(): void {
    const { test, expect, call, answer } = this.#kit;
    const denials: Record<string, AgentOptions> = {
      "that is disabled": { toolPolicies: { echo: { enabled: false } } },
      "that is disabled by default": { toolPolicies: { "*": { enabled: false } } },
      "that needs an approval which nobody gives": { toolPolicies: { "*": { autoApprove: false } } },
    };
    for (const [name, options] of Object.entries(denials)) {
      test(`a tool ${name} is not called`, async () => {
        const { agent, calls } = this.#world(
          [call([{ toolName: "echo", input: { text: "a" } }]), answer("Done."), answer("Done.")],
          options,
        );
        await agent.run("Go.");
        expect(calls).toEqual([]);
      });
    }
  }

  servesManyRuns(): void {
    const { test, expect, call, answer } = this.#kit;
    test("one object serves many runs at once, and two after each other", async () => {
      const runtime = this.#kit.createRuntime();
      const script = (n: number) => [call([{ toolName: "echo", input: { text: `n${n}` } }]), answer(`Done ${n}.`)];
      const alone = await Promise.all([1, 2].map((n) => this.#world(script(n)).agent.run("Go.")));
      const together = await Promise.all([1, 2].map((n) => this.#world(script(n), { runtime }).agent.run("Go.")));
      for (const [index, { messages }] of together.entries()) expect(outline(messages)).toEqual(outline(alone[index]?.messages ?? []));
      const { agent } = this.#world([...script(1), ...this.#opening(), ...script(2)], { runtime });
      await agent.run("Go.");
      const second = await agent.run("And again.");
      expect(second.status).toEqual("completed");
      expect(historyProblems(second.messages)).toEqual([]);
    });
  }

  #opening(): readonly ScriptedTurn[] {
    return this.#kit.opening ?? [];
  }

  /** An agent with the contract's tools, and a model that follows a script or says the same for ever. */
  #world(turns: readonly ScriptedTurn[] | (() => ScriptedReply), options: AgentOptions = {}, seed?: number): World {
    const script = typeof turns === "function" ? this.#forEver(turns) : [...this.#opening(), ...turns].map(counted);
    const model = new ScriptedModel(script, seed === undefined ? {} : { seed });
    const calls: string[] = [];
    const agent = createAgent({
      model,
      tools: contractToolsFor(calls),
      runtime: this.#kit.createRuntime(),
      maxIterations: this.#kit.maxIterations ?? 20,
      generateId: idsInOrder(),
      ...options,
    });
    const events: AgentEvent[] = [];
    agent.subscribe((event) => events.push(event));
    return { agent, model, events, calls };
  }

  #forEver(reply: () => ScriptedReply) {
    const opening = this.#opening();
    let asked = 0;
    return async (request: Parameters<Extract<ScriptedTurn, (...values: never[]) => unknown>>[0]) => {
      const turn = opening[asked++] ?? reply();
      return typeof turn === "function" ? turn(request) : turn;
    };
  }
}

/** Ids that are the same in each run, and unlike those of another process. */
function idsInOrder(process = "a"): (prefix: string) => string {
  const counts = new Map<string, number>();
  return (prefix) => {
    counts.set(prefix, (counts.get(prefix) ?? 0) + 1);
    return `${prefix}_${process}${counts.get(prefix)}`;
  };
}

/** A reply that costs something. */
function counted(turn: ScriptedTurn): ScriptedTurn {
  return typeof turn === "function" ? turn : { usage: { inputTokens: 1, outputTokens: 1 }, ...turn };
}

function contractToolsFor(calls: string[]): AgentTool[] {
  const text = { type: "object", properties: { text: { type: "string" } }, required: ["text"], additionalProperties: false } as const;
  const none = { type: "object", properties: {}, additionalProperties: false } as const;
  return [
    createTool({
      name: "echo",
      description: "Says what it heard.",
      inputSchema: text,
      execute: (input) => {
        const heard = (input as { text: string }).text;
        calls.push(`echo ${heard}`);
        return `heard ${heard}`;
      },
    }),
    createTool({
      name: "broken",
      description: "Never works.",
      inputSchema: none,
      execute: () => {
        throw new Error("the pipe burst");
      },
    }),
    createTool({
      name: "slow",
      description: "Takes its time.",
      inputSchema: none,
      timeoutMs: 20,
      execute: () => new Promise(() => undefined),
    }),
    createTool({ name: "hanging", description: "Never ends.", inputSchema: none, execute: () => new Promise(() => undefined) }),
  ] as AgentTool[];
}

/** What is wrong with the messages of a request. */
function requestProblems(messages: readonly AgentMessage[]): string[] {
  const last = messages.at(-1)?.role;
  return [...historyProblems(messages), ...(last === "assistant" ? ["the last message is the assistant's"] : [])];
}

/** What the model did not say itself. */
function heard(messages: readonly AgentMessage[]): string {
  return JSON.stringify(messages.filter(({ role }) => role !== "assistant").map(({ content }) => content));
}

/** Events with those of runs within. */
function flat(events: readonly AgentEvent[]): AgentEvent[] {
  return events.flatMap((event) => (event.type === "nested-event" ? flat([event.event]) : [event]));
}

/** How often the run began and ended, by its events. */
function endsOf(events: readonly AgentEvent[]): [number, number] {
  const count = (...types: string[]) => events.filter(({ type }) => types.includes(type)).length;
  return [count("run-started"), count("run-finished", "run-failed")];
}

/** Messages without what differs from run to run: the ids of calls, also in texts that tell of them. */
function outline(messages: readonly AgentMessage[]): unknown {
  return JSON.parse(
    JSON.stringify(
      messages.map(({ role, content }) => ({ role, content })),
      (key, value) => (key === "toolCallId" ? "" : typeof value === "string" ? value.replaceAll(/\bcall_[\w-]{21}/g, "call") : value),
    ),
  );
}

/** The result, unless it takes too long. */
async function soon(running: Promise<AgentRunResult>, ms = PROMPT_MS): Promise<AgentRunResult> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`The run did not end within ${ms} ms.`)), ms);
  });
  try {
    return await Promise.race([running, late]);
  } finally {
    clearTimeout(timer);
  }
}
