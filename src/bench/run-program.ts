import { AgentConfigError, TriactError } from "../base/errors.js";
import { toJsonValue } from "../base/json.js";
import { type AgentTool, ToolResult } from "../base/tool.js";
import { guestFunctions } from "../runtimes/codeact/tool-guide.js";

/** A call of a tool by a reference program, with what came of it. */
export interface ProgramCall {
  readonly toolName: string;
  readonly input: unknown;
  readonly output?: unknown;
  readonly error?: string;
}

/** What {@link runProgram} gives. */
export interface ProgramResult {
  /** What the program returned. */
  readonly answer: string;
  /** Its calls, in the order in which they were made. */
  readonly calls: readonly ProgramCall[];
}

/** A tool refused an input, or failed, and the program did not expect it. */
export class ProgramToolError extends TriactError {
  override readonly name = "ProgramToolError";
  readonly code = "program-tool";
  readonly toolName: string;
  constructor({ toolName, problem, cause }: { toolName: string; problem: string; cause?: unknown }) {
    super(`${toolName}: ${problem}`, { cause });
    this.toolName = toolName;
  }
}

/**
 * Runs a task's reference program directly against the tools of a trial: without model, agent or sandbox. For tests of suites.
 *
 * The program is the suite's own code and runs in this process with all its rights; code of a model never belongs here.
 * @throws AgentConfigError when the program is no JavaScript, or returns something else than text.
 * @throws ProgramToolError when a call fails and the program does not catch it.
 */
export async function runProgram(program: string, tools: readonly AgentTool[]): Promise<ProgramResult> {
  const calls: ProgramCall[] = [];
  const functions = tools.map((tool) => async (input: unknown = {}) => {
    const index = calls.push({ toolName: tool.name, input }) - 1;
    const note = (more: object) => Object.assign(calls[index] as ProgramCall, more);
    try {
      const output = await callDirectly(tool, input);
      note({ output });
      return structuredClone(output);
    } catch (error) {
      note({ error: error instanceof Error ? error.message : String(error) });
      throw error;
    }
  });
  const answer: unknown = await compile(program, tools)(...functions);
  if (typeof answer !== "string") {
    throw new AgentConfigError({ field: "program", problem: `a text was expected as its answer, not ${JSON.stringify(answer)}` });
  }
  return { answer, calls };
}

type AsyncFunctionConstructor = new (...parts: string[]) => (...values: unknown[]) => Promise<unknown>;

function compile(program: string, tools: readonly AgentTool[]): (...values: unknown[]) => Promise<unknown> {
  const AsyncFunction = (async () => undefined).constructor as AsyncFunctionConstructor;
  try {
    return new AsyncFunction(...guestFunctions(tools).map(({ name }) => name), `"use strict";\n${program}`);
  } catch (cause) {
    throw new AgentConfigError({ field: "program", problem: `it cannot be compiled: ${(cause as Error).message}`, cause });
  }
}

/** What the loop would give a model, for a call that needs none of the loop. */
async function callDirectly(tool: AgentTool, input: unknown): Promise<unknown> {
  const checked = await tool.checkInput(input);
  if (!checked.ok) throw new ProgramToolError({ toolName: tool.name, problem: checked.problems.join("; ") });
  let output: unknown;
  try {
    output = await tool.execute(checked.value, {
      agentId: "program",
      runId: "program",
      iteration: 1,
      toolCallId: "program",
      signal: new AbortController().signal,
      toolContext: undefined,
      emitUpdate: () => undefined,
    });
  } catch (cause) {
    throw new ProgramToolError({ toolName: tool.name, problem: cause instanceof Error ? cause.message : String(cause), cause });
  }
  if (!(output instanceof ToolResult)) return toJsonValue(output);
  if (output.isError) throw new ProgramToolError({ toolName: tool.name, problem: JSON.stringify(output.output) });
  return toJsonValue(output.output);
}
