import {
  type AgentModelEvent,
  type AgentModelRequest,
  type AgentRuntime,
  CodeActRuntime,
  createAgent,
  createTool,
  ReActRuntime,
} from "triact";
import {
  type ModelFaultKind,
  modelFaultKinds,
  parseFault,
  planFromProgram,
  ReferencePolicy,
  type ReferencePolicyOptions,
  TokenCounter,
} from "triact/bench";
import { IsolatedVmExecutor } from "triact/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";

const executor = new IsolatedVmExecutor({ isolation: "in-process" });
afterAll(() => executor.dispose());
let counter: TokenCounter;
beforeAll(async () => {
  counter = await TokenCounter.load();
});

const question = "What do tea and honey cost together?";
const program = `const tea = await price({ item: "tea" });
const honey = await price({ item: "honey" });
return String(tea + honey);`;
const task = { id: "prices", question, program };

function priceTool(failures: number[] = []) {
  let calls = 0;
  return createTool({
    name: "price",
    description: "The price of an item.",
    inputSchema: z.object({ item: z.string() }),
    outputSchema: z.number(),
    execute: ({ item }) => {
      calls += 1;
      if (failures.includes(calls)) throw new Error("the till is closed");
      return item.length;
    },
  });
}

interface Settings extends Partial<ReferencePolicyOptions> {
  readonly runtime?: AgentRuntime;
  readonly failures?: number[];
}

async function run({ runtime = new ReActRuntime(), failures = [], ...options }: Settings = {}) {
  const model = new ReferencePolicy({ tasks: [task], counter, ...options });
  const agent = createAgent({ model, tools: [priceTool(failures)], runtime, maxIterations: 8 });
  const { outputText, iterations, endedBy, usage } = await agent.run(question);
  return { outputText, iterations, endedBy, usage };
}

const codeAct = () => new CodeActRuntime({ executor, limits: { cpuMs: 150, timeoutMs: 2_000 } });

function ask(more: Partial<AgentModelRequest> = {}): AgentModelRequest {
  const message = { id: "msg_1", role: "user" as const, createdAt: 0, content: [{ type: "text" as const, text: question }] };
  return { messages: [message], tools: [priceTool()], options: {}, signal: new AbortController().signal, ...more };
}

async function eventsOf(policy: ReferencePolicy, request: AgentModelRequest): Promise<AgentModelEvent[]> {
  const events: AgentModelEvent[] = [];
  for await (const event of policy.stream(request)) events.push(event);
  return events;
}

const textOfEvents = (events: readonly AgentModelEvent[]) =>
  events.map((event) => (event.type === "text-delta" ? event.text : "")).join("");

test("the same request gives the same events, and another seed cuts the same text elsewhere", async () => {
  const request = ask({ tools: [], systemPrompt: '{"type":"code","language":"javascript","code":"…"}' });
  const [one, two] = [1, 2].map((seed) => new ReferencePolicy({ tasks: [task], counter, seed })) as [ReferencePolicy, ReferencePolicy];
  const first = await eventsOf(one, request);
  expect(await eventsOf(one, request)).toEqual(first);
  const other = await eventsOf(two, request);
  expect(other.length).toBeGreaterThan(3);
  expect(other).not.toEqual(first);
  expect(textOfEvents(other)).toBe(textOfEvents(first));
});

test("usage is what the counter counts: the request, and the reply as it stands in the history", async () => {
  const policy = new ReferencePolicy({ tasks: [task], counter });
  const request = ask();
  const usage = (await eventsOf(policy, request)).find(({ type }) => type === "usage");
  expect(usage).toEqual({ type: "usage", inputTokens: counter.request(request), outputTokens: counter.text('price {"item":"tea"}') });
});

test("a call that fails once is made again, and one that keeps failing three times, and then the policy says that it could not", async () => {
  expect(await run({ failures: [1] })).toMatchObject({ outputText: "8", iterations: 4 });
  expect(await run({ failures: [1, 2, 3] })).toMatchObject({ outputText: "I could not finish this: the till is closed", iterations: 4 });
});

test("tasks that ask the same and are solved in different ways are refused", () => {
  const other = { ...task, id: "other", program: "return '9'" };
  expect(() => new ReferencePolicy({ tasks: [task, other], counter })).toThrow("prices and other ask the same");
});

test("a question in a longer text is found, and an unknown one is not answered", async () => {
  const policy = new ReferencePolicy({ tasks: [task], counter });
  const said = (text: string) => {
    const [message] = ask().messages;
    return eventsOf(
      policy,
      ask({ messages: [{ ...message, content: [{ type: "text", text }] } as AgentModelRequest["messages"][number]] }),
    );
  };
  expect((await said(`The task: ${question} Be quick.`)).at(-1)).toEqual({ type: "finish", reason: "tool-calls" });
  expect(textOfEvents(await said("What is the weather?"))).toBe("I do not know this task.");
});

describe("plans", () => {
  const steps = [{ goal: 'Call price with {"item":"tea"}.', evidence: "the result of price", needs: [] }];

  test("are a dry run of the program", async () => {
    expect(await planFromProgram(task)).toEqual(steps);
    const two = await planFromProgram({ program: "const { id } = await find({ name: 'tea' }); return (await open({ id })).text" });
    expect(two).toEqual([
      { goal: 'Call find with {"name":"tea"}.', evidence: "the result of find", needs: [] },
      { goal: "Call open with what is known by then.", evidence: "the result of open", needs: [1] },
    ]);
  });

  test.for([
    ["in words", { systemPrompt: 'Answer with JSON: {"steps":[{"goal":"…","evidence":"…","needs":[1]}]}' }],
    ["by a schema", { responseFormat: { name: "plan", schema: { type: "object", properties: { steps: { type: "array" } } } } }],
  ] as const)("are given when they are asked for %s", async ([, how]) => {
    const policy = new ReferencePolicy({ tasks: [task], counter });
    expect(JSON.parse(textOfEvents(await eventsOf(policy, ask({ tools: [], ...how }))))).toEqual({ steps });
  });

  test("may be prose, empty, or name an unknown tool", async () => {
    const planned = async (kind: ModelFaultKind) => {
      const policy = new ReferencePolicy({ tasks: [task], counter, fault: parseFault(kind) });
      return textOfEvents(await eventsOf(policy, ask({ tools: [], systemPrompt: '{"steps": […]}' })));
    };
    expect(await planned("plan-prose")).toBe("First I would look around, then decide.");
    expect(await planned("plan-empty")).toBe('{"steps":[]}');
    expect(await planned("plan-unknown-tool")).toContain("consult_oracle");
  });
});

describe("faults", () => {
  /** How each fault ends: turns with native calls, turns with code, where without one it is 3 and 1. */
  const ends: Readonly<Record<ModelFaultKind, readonly [string, string]>> = {
    "invalid-json": ["8 in 4", "8 in 1"],
    "unknown-tool": ["8 in 4", "8 in 1"],
    "missing-argument": ["8 in 4", "8 in 1"],
    "wrong-type": ["8 in 4", "8 in 1"],
    prose: ["natural", "8 in 2"],
    fence: ["8 in 3", "8 in 1"],
    "two-objects": ["8 in 3", "8 in 2"],
    "syntax-error": ["8 in 3", "8 in 2"],
    "undefined-name": ["8 in 3", "8 in 2"],
    "late-exception": ["8 in 3", "8 in 2"],
    "endless-loop": ["8 in 3", "8 in 2"],
    "output-flood": ["8 in 3", "8 in 1"],
    "memory-bomb": ["8 in 3", "8 in 2"],
    "cut-off": ["8 in 4", "8 in 2"],
    empty: ["8 in 4", "8 in 2"],
    refusal: ["refusal", "refusal"],
    "same-call": ["max-iterations", "8 in 1"],
    "plan-prose": ["8 in 3", "8 in 1"],
    "plan-empty": ["8 in 3", "8 in 1"],
    "plan-unknown-tool": ["8 in 3", "8 in 1"],
  };

  test.for(modelFaultKinds)("%s shows, and is repaired when the next request shows it", async (kind) => {
    const fault = parseFault(kind);
    const seen = [await run({ fault }), await run({ fault, runtime: codeAct() })];
    expect(seen.map(({ outputText, endedBy, iterations }) => (outputText === "8" ? `8 in ${iterations}` : endedBy))).toEqual(ends[kind]);
  });

  test("a rate hits a seeded share of the actions", async () => {
    const always = await run({ fault: parseFault("unknown-tool:1") });
    expect(always.endedBy).toBe("max-iterations");
    const rare = () => run({ fault: parseFault("unknown-tool:0.3"), seed: 4 });
    expect(await rare()).toEqual(await rare());
  });

  test("a kind or rate that there is not is refused", () => {
    expect(() => parseFault("earthquake")).toThrow('there is no fault "earthquake"');
    expect(() => parseFault("prose:2")).toThrow("a rate above 0 and up to 1");
  });
});
