import { z } from "zod";
import { AgentConfigError } from "./errors.js";
import type { JsonSchema } from "./json.js";
import type { ToolResultContentPart } from "./message.js";
import type { ToolDefinition } from "./model.js";
import type { Run } from "./run.js";
import { compileSchema, type InferOutput, type Schema, type SchemaCheck } from "./schema/schema.js";

/** Where a tool call's context keeps its run, for tools that are runs themselves. */
export const RUN = Symbol("run");

/** What a tool gets besides its input. */
export interface ToolCallContext<ToolContextValue = unknown> {
  readonly agentId: string;
  readonly runId: string;
  readonly iteration: number;
  readonly toolCallId: string;
  /** The call of the code that made this call, in a runtime whose model writes code. */
  readonly parentToolCallId?: string;
  /** Fires when the run is aborted or a limit is reached, and when the tool's `timeoutMs` is over. Its `reason` says which. */
  readonly signal: AbortSignal;
  /** What the agent was configured with as `toolContext`. */
  readonly toolContext: ToolContextValue;
  /** Reports progress as a `tool-updated` event. Ignored once the call is over. */
  emitUpdate(update: unknown): void;
  /** The run of the call. Absent outside of runs. */
  readonly [RUN]?: Run;
}

/** A tool's place in the life of a run. */
export interface ToolLifecycle {
  /** A successful call ends the run, and its output is the run's output. @default false */
  readonly completesRun?: boolean;
}

/** A tool as the loop uses it. Made by {@link createTool}. */
export interface AgentTool<ToolContextValue = unknown> extends ToolDefinition {
  readonly outputSchema?: JsonSchema;
  readonly lifecycle: ToolLifecycle;
  readonly timeoutMs?: number;
  /** Checks arguments and fills in defaults. What comes out is what `execute` gets. */
  readonly checkInput: (input: unknown) => SchemaCheck | Promise<SchemaCheck>;
  readonly execute: (input: unknown, context: ToolCallContext<ToolContextValue>) => unknown;
}

/** What {@link createTool} takes. */
export interface ToolOptions<InputSchema extends Schema, ToolContextValue> {
  /** A letter or `_`, then letters, digits, `_` or `-`; 64 characters at most. */
  readonly name: string;
  /** What the tool does and when to use it, for the model. */
  readonly description: string;
  /** Arguments: an object schema, in any Standard Schema library that gives JSON Schema (zod 4 does), or as plain JSON Schema. */
  readonly inputSchema: InputSchema;
  /** Shape of the output, told to models that write code. It is not checked. */
  readonly outputSchema?: Schema;
  /** The tool's place in the life of a run. @default {} */
  readonly lifecycle?: ToolLifecycle;
  /** Longest time of one call in milliseconds, above 0. Waiting for an approval is not counted. @default none */
  readonly timeoutMs?: number;
  /**
   * Does the work. Return any JSON value, or {@link toolResult} for images, files, or an error that is no exception. What it throws goes to the
   * model as the call's error.
   */
  readonly execute: (input: InferOutput<InputSchema>, context: ToolCallContext<ToolContextValue>) => unknown;
}

/** Made for the first tool and not on import, which should be quick. */
function createOptionsSchema() {
  return z.strictObject({
    name: z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/, "a letter or _, then letters, digits, _ or -, 64 characters at most"),
    description: z.string(),
    inputSchema: z.custom((value) => typeof value === "object" || typeof value === "function", "a Standard Schema or a JSON Schema object"),
    outputSchema: z.custom((value) => typeof value === "object" || typeof value === "function").optional(),
    lifecycle: z.strictObject({ completesRun: z.boolean().optional() }).optional(),
    timeoutMs: z.number().positive().max(2_147_483_647).optional(),
    execute: z.custom((value) => typeof value === "function", "a function"),
  });
}

let optionsSchema: ReturnType<typeof createOptionsSchema> | undefined;

const made = new WeakSet<object>();

/**
 * Makes a tool.
 * @throws AgentConfigError naming the tool and the field, for a bad name, an unknown option, or a schema that cannot be turned into JSON Schema.
 */
export function createTool<const InputSchema extends Schema, ToolContextValue = unknown>(
  options: ToolOptions<InputSchema, ToolContextValue>,
): AgentTool<ToolContextValue> {
  optionsSchema ??= createOptionsSchema();
  const parsed = optionsSchema.safeParse(options);
  const label = `tool ${typeof options?.name === "string" ? options.name : "(without a name)"}`;
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new AgentConfigError({ field: [label, ...(issue?.path ?? [])].join("."), problem: problemOf(issue, options) });
  }
  const { name, description, lifecycle = {}, timeoutMs, execute } = options;
  const input = compileSchema(options.inputSchema, { label: `${label}.inputSchema`, object: true });
  return registerTool<ToolContextValue>({
    name,
    description: description.toWellFormed(),
    inputSchema: input.wire,
    ...(options.outputSchema === undefined
      ? undefined
      : { outputSchema: compileSchema(options.outputSchema, { label: `${label}.outputSchema`, io: "output" }).wire }),
    lifecycle: Object.freeze({ ...lifecycle }),
    ...(timeoutMs === undefined ? undefined : { timeoutMs }),
    checkInput: input.check,
    execute: execute as AgentTool<ToolContextValue>["execute"],
  });
}

/** Makes a tool of parts that were checked already. */
export function registerTool<ToolContextValue>(tool: AgentTool<ToolContextValue>): AgentTool<ToolContextValue> {
  const registered = Object.freeze({ ...tool });
  made.add(registered);
  return registered;
}

function problemOf(issue: z.core.$ZodIssue | undefined, options: unknown): string {
  if (issue === undefined) return "is not usable";
  const came = issue.path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], options);
  if (issue.code === "unrecognized_keys" && issue.path.length === 0) {
    return `unknown option ${JSON.stringify(issue.keys[0])}. Allowed: name, description, inputSchema, outputSchema, lifecycle, timeoutMs, execute`;
  }
  if (issue.code === "unrecognized_keys" || issue.path[0] === "name") return issue.message;
  return `${issue.message}, received ${typeof came === "string" ? JSON.stringify(came) : String(came)}`;
}

/** Whether a value was made by {@link createTool}. */
export function isAgentTool(value: unknown): value is AgentTool {
  return typeof value === "object" && value !== null && made.has(value);
}

/** A tool's answer with more than plain JSON. Made by {@link toolResult}. */
export class ToolResult {
  readonly output: unknown;
  readonly content: readonly ToolResultContentPart[];
  readonly isError: boolean;
  constructor({ output, content = [], isError = false }: ToolResultOptions) {
    this.output = output;
    this.content = content;
    this.isError = isError;
  }
}

/** What {@link toolResult} takes. */
export interface ToolResultOptions {
  /** Any JSON value. */
  readonly output: unknown;
  /** Images, files, media and texts for the model to see besides the output. */
  readonly content?: readonly ToolResultContentPart[];
  /** True when the call failed. @default false */
  readonly isError?: boolean;
}

/** A tool's answer with images or files, or marked as an error. */
export function toolResult(options: ToolResultOptions): ToolResult {
  return new ToolResult(options);
}

/** The tools of one turn, by name. */
export class ToolSet {
  readonly list: readonly AgentTool[];
  readonly #byName: ReadonlyMap<string, AgentTool>;
  constructor(tools: readonly AgentTool[]) {
    this.list = Object.freeze([...tools]);
    this.#byName = new Map(tools.map((tool) => [tool.name, tool]));
  }
  /** Names in order of registration. */
  get names(): string[] {
    return this.list.map((tool) => tool.name);
  }
  get(name: string): AgentTool | undefined {
    return this.#byName.get(name);
  }
  /** Names of the tools that can end a run. */
  get completing(): string[] {
    return this.list.filter((tool) => tool.lifecycle.completesRun === true).map((tool) => tool.name);
  }
}
