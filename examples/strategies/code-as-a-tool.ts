/** Code as a tool: native calls, and besides them a tool `code` that runs JavaScript in a sandbox in which the other tools are functions. */
import { type AgentModelRequest, type AgentTool, BaseAgentRuntime, createTool, type Observation, type Reply, type Run } from "triact";
import { type CodeExecutor, IsolatedVmExecutor, type SandboxTool } from "triact/sandbox";
import { z } from "zod";

export class CodeToolRuntime extends BaseAgentRuntime {
  override readonly name = "code-as-a-tool";
  readonly ownTools = ["code"];
  readonly #executor: CodeExecutor;

  constructor(executor: CodeExecutor = new IsolatedVmExecutor()) {
    super();
    this.#executor = executor;
  }

  protected override instructions(): string {
    return "Call one tool natively. For several calls, loops or sums write code: one call of the tool code instead of many.";
  }

  protected override async buildRequest(run: Run): Promise<AgentModelRequest> {
    const request = await super.buildRequest(run);
    return { ...request, tools: [...request.tools, this.#codeTool(run, "")] };
  }

  protected override perform(action: Reply["toolCalls"], run: Run): Promise<Observation> {
    const withCode = action.map((call) => (call.toolName === "code" ? { ...call, tool: this.#codeTool(run, call.toolCallId) } : call));
    return super.perform(withCode, run);
  }

  #codeTool(run: Run, parentToolCallId: string): AgentTool {
    const functions = run.tools.list.map(({ name, inputSchema }) => `await ${name}(${JSON.stringify(inputSchema)})`);
    return createTool({
      name: "code",
      description: `Runs JavaScript and gives what it returns. Functions take one object, whose schema is given:\n${functions.join("\n")}`,
      inputSchema: z.object({ code: z.string() }),
      execute: async ({ code }, { signal }) => {
        const names = run.tools.names;
        const tools = Object.fromEntries(names.map((name) => [name, guestTool(run, name, parentToolCallId)]));
        const execution = await this.#executor.execute({ language: "javascript", code, tools, signal });
        if (execution.status === "failed") throw new Error(`${execution.error.name}: ${execution.error.message}`);
        const result = execution.status === "completed" ? execution.result : undefined;
        return execution.logs.length === 0 ? result : { result, logs: execution.logs.map(({ text }) => text) };
      },
    }) as AgentTool;
  }
}

/** A tool in the sandbox. Each call passes policies, hooks, limits and events like a native one. */
function guestTool(run: Run, name: string, parentToolCallId: string): SandboxTool {
  return async (input) => {
    const outcome = await run.toolExecutor.execute(run.createToolCall(name, input, { parentToolCallId }));
    if (outcome.kind === "waiting") return { kind: "error", name: "DeniedError", message: "An approval cannot be waited for in code." };
    const { output, isError } = outcome.result;
    return isError === true ? { kind: "error", name: "ToolError", message: JSON.stringify(output) } : { kind: "value", value: output };
  };
}
