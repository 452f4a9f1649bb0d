import {
  type AgentContext,
  type AgentRequest,
  type AgentRunResult,
  type AgentRuntime,
  BaseAgentRuntime,
  CodeActRuntime,
  type Decision,
  DeepResearchRuntime,
  type Observation,
  Planner,
  ReActRuntime,
  type Reply,
  type Run,
} from "triact";
import { IsolatedVmExecutor } from "triact/sandbox";
import { type ContractCall, callTools, runtimeContract, say } from "triact/testing";
import { afterAll, describe, expect, test } from "vitest";

const native = { test, expect, call: callTools, answer: say };

describe("ReActRuntime", () => runtimeContract({ ...native, createRuntime: () => new ReActRuntime() }));

describe("CodeActRuntime", () => {
  const executor = new IsolatedVmExecutor();
  afterAll(() => executor.dispose());
  runtimeContract({
    test,
    expect,
    createRuntime: () => new CodeActRuntime({ executor, finish: "model" }),
    call: (calls) => {
      const lines = calls.map(({ toolName, input }) => `console.log(await ${toolName}(${JSON.stringify(input)}));`);
      return say(JSON.stringify({ type: "code", code: lines.join("\n") }));
    },
    answer: (text) => say(JSON.stringify({ type: "final", output: text })),
  });
});

describe("DeepResearchRuntime", () => {
  const plan = say(JSON.stringify({ steps: [{ goal: "Look" }, { goal: "Tell", needs: [1] }] }));
  runtimeContract({ ...native, createRuntime: () => new DeepResearchRuntime(), opening: [plan] });
});

describe("DeepResearchRuntime with a simple planner", () => {
  runtimeContract({ ...native, createRuntime: () => new DeepResearchRuntime({ planner: Planner.simple() }) });
});

describe("a runtime whose calls stand in text", () => {
  class LineRuntime extends BaseAgentRuntime {
    override readonly name = "line";
    protected override interpret({ text, toolCalls }: Reply, run: Run): Decision {
      if (toolCalls.length > 0) return { kind: "correct", text: "Write lines." };
      const lines = [...text.matchAll(/^CALL (\w+) (.*)$/gm)];
      if (lines.length === 0) return { kind: "finish", outputText: text };
      return { kind: "act", action: lines.map(([, name = "", json = ""]) => run.createToolCall(name, JSON.parse(json))) };
    }
  }
  const call = (calls: readonly ContractCall[]) =>
    say(calls.map((each) => `CALL ${each.toolName} ${JSON.stringify(each.input)}`).join("\n"));
  runtimeContract({ ...native, call, createRuntime: () => new LineRuntime() });
});

describe("the contract", () => {
  /** Names of the contract's tests that a runtime fails. */
  async function failuresOf(createRuntime: () => AgentRuntime, only?: string): Promise<string[]> {
    const failed: string[] = [];
    const tests: [string, () => Promise<void>][] = [];
    runtimeContract({ ...native, createRuntime, test: (name, body) => tests.push([name, body]) });
    for (const [name, body] of tests) {
      if (only !== undefined && name !== only) continue;
      try {
        await body();
      } catch {
        failed.push(name);
      }
    }
    return failed;
  }

  test("holds for a runtime of one line", async () => {
    class Plain extends BaseAgentRuntime {
      override readonly name = "plain";
    }
    expect(await failuresOf(() => new Plain())).toEqual([]);
  });

  class Bypassing extends BaseAgentRuntime {
    override readonly name = "bypassing";
    protected override async perform(action: Reply["toolCalls"], run: Run): Promise<Observation> {
      const texts: string[] = [];
      for (const { toolName, toolCallId, input } of action) {
        const context = {
          agentId: "",
          runId: run.id,
          iteration: 1,
          toolCallId,
          signal: run.signal,
          toolContext: undefined,
          emitUpdate: () => undefined,
        };
        texts.push(String(await run.tools.get(toolName)?.execute(input, context)));
      }
      return { texts };
    }
  }

  class Silent extends BaseAgentRuntime {
    override readonly name = "silent";
    protected override interpret(reply: Reply, run: Run): Decision {
      const action = reply.toolCalls.map(({ toolName, input }) => run.createToolCall(toolName, input));
      return action.length > 0 ? { kind: "act", action } : { kind: "finish", outputText: reply.text };
    }
    protected override async perform(action: Reply["toolCalls"], run: Run): Promise<Observation> {
      await super.perform(action, run);
      return { texts: [] };
    }
  }

  class Remembering extends BaseAgentRuntime {
    override readonly name = "remembering";
    #asked = 0;
    protected override async prepare(run: Run): Promise<void> {
      this.#asked += 1;
      await run.addNote(`Question ${this.#asked}.`);
    }
  }

  class Prefilling extends BaseAgentRuntime {
    override readonly name = "prefilling";
    protected override prepare(run: Run): Promise<void> {
      return run.addAnswer("Let me see.");
    }
  }

  class Deaf extends BaseAgentRuntime {
    override readonly name = "deaf";
    override async run(context: AgentContext, { signal: _, ...request }: AgentRequest): Promise<AgentRunResult> {
      return super.run(context, request);
    }
  }

  class Throwing extends BaseAgentRuntime {
    override readonly name = "throwing";
    override async run(context: AgentContext, request: AgentRequest): Promise<AgentRunResult> {
      const result = await super.run(context, request);
      if (result.error !== undefined) throw result.error;
      return result;
    }
  }

  test.each<[string, () => AgentRuntime, string]>([
    ["calls tools past the pipeline", () => new Bypassing(), "a tool that is disabled is not called"],
    ["keeps errors to itself", () => new Silent(), "a tool that throws is told to the model, and the run goes on"],
    ["keeps a run's state in a field", () => new Remembering(), "one object serves many runs at once, and two after each other"],
    ["ends its request with the assistant", () => new Prefilling(), "every request is one that providers accept"],
    ["does not hear an abort", () => new Deaf(), "a model that hangs does not hold up an abort, nor a time limit"],
    ["throws what went wrong", () => new Throwing(), "a model that gives a refusal ends in a result, with a valid history"],
  ])("finds a runtime that %s", { timeout: 60_000 }, async (_, createRuntime, name) => {
    expect(await failuresOf(createRuntime, name)).toEqual([name]);
  });
});
