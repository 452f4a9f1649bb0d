import type { AgentContext } from "../base/agent-context.js";
import type { AgentRunResult, AgentRuntime } from "../base/agent-runtime.js";
import { AgentConfigError, messageOf } from "../base/errors.js";
import { repairHistory, toMessages } from "../base/history.js";
import { isObject } from "../base/json.js";
import type { AgentMessage, AgentMessageInput } from "../base/message.js";
import type { InferOutput, Schema } from "../base/schema/schema.js";
import { type NestedRun, runWithin } from "../base/sub-run.js";
import { type AgentTool, createTool, RUN } from "../base/tool.js";

/** Runs within runs, unless `maxDepth` says otherwise. */
const MAX_DEPTH = 3;

/** What an agent is asked where the tool has no input schema of its own. */
const DEFAULT_INPUT_SCHEMA = {
  type: "object",
  properties: { task: { type: "string", description: "What to do, with everything that has to be known for it." } },
  required: ["task"],
  additionalProperties: false,
} as const;

/** `{ task: string }`, as JSON Schema. */
export type DefaultInputSchema = typeof DEFAULT_INPUT_SCHEMA;

/** What {@link Agent.asTool} takes. */
export interface AgentToolOptions<InputSchema extends Schema> {
  /** Name of the tool. */
  readonly name: string;
  /** What the agent is good for, for the model that may call it. */
  readonly description: string;
  /** Arguments of the call. @default { task: string } */
  readonly inputSchema?: InputSchema;
  /** What the agent is asked. @default the task, or the arguments as JSON text */
  readonly toInput?: (input: InferOutput<InputSchema>) => string | readonly AgentMessageInput[];
  /** How many runs deep the call may be, from 1. A call that is deeper is answered with an error. @default 3 */
  readonly maxDepth?: number;
  /** Longest time of one call in milliseconds. @default none */
  readonly timeoutMs?: number;
}

/** What there is of an agent. */
interface AgentParts {
  readonly context: AgentContext;
  readonly runtime: AgentRuntime;
  readonly initialMessages: readonly AgentMessage[];
}

/** Makes an agent's tool. */
export function createAgentTool<const InputSchema extends Schema>(
  { context, runtime, initialMessages }: AgentParts,
  options: AgentToolOptions<InputSchema>,
): AgentTool {
  const { name, description, inputSchema, toInput = asText, maxDepth = MAX_DEPTH, timeoutMs } = options;
  if (!Number.isInteger(maxDepth) || maxDepth < 1) {
    throw new AgentConfigError({ field: `tool ${name}.maxDepth`, problem: `expected an integer from 1, received ${String(maxDepth)}` });
  }
  return createTool({
    name,
    description,
    inputSchema: inputSchema ?? DEFAULT_INPUT_SCHEMA,
    ...(timeoutMs === undefined ? undefined : { timeoutMs }),
    execute: async (input, call) => {
      const parent = call[RUN];
      if (parent !== undefined && parent.depth + 1 > maxDepth) throw new Error(tooDeep(name, maxDepth));
      await context.setUp();
      const changes = parent === undefined ? {} : { parentAgentId: parent.settings.agentId };
      const nested: NestedRun = {
        context: context.fork(runtime, changes, { watched: true, messages: [...initialMessages] }),
        runtime,
        input: toInput(input as InferOutput<InputSchema>),
        signal: call.signal,
        toolCallId: call.toolCallId,
      };
      return outputOf(name, await (parent === undefined ? runAlone(nested) : runWithin(parent, nested)));
    },
  }) as AgentTool;
}

/** A call outside of any run. */
function runAlone({ context, runtime, input, signal }: NestedRun): Promise<AgentRunResult> {
  const { settings } = context;
  const messages = repairHistory(settings, toMessages(settings, input));
  return runtime.run(context, { input: messages, ...(signal === undefined ? undefined : { signal }) });
}

/** @throws Error with what the model should know, when the run did not end well. */
function outputOf(name: string, { status, endedBy, outputText, output, error, reason }: AgentRunResult): unknown {
  if (status === "completed") return output ?? outputText;
  const why = error === undefined ? (reason ?? endedBy) : messageOf(error);
  const last = outputText.trim() === "" ? "" : ` Its last words: ${outputText}`;
  throw new Error(`${name} did not finish (${endedBy}): ${why}${last}`);
}

function asText(input: unknown): string {
  if (isObject(input) && typeof input["task"] === "string" && Object.keys(input).length === 1) return input["task"];
  return JSON.stringify(input);
}

function tooDeep(name: string, maxDepth: number): string {
  return `${name} was not called: it may be called no more than ${maxDepth} runs deep. Do the work yourself.`;
}
