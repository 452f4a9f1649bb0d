import { nanoid } from "nanoid";
import { z } from "zod";
import type { AgentRuntime } from "../base/agent-runtime.js";
import { AgentConfigError } from "../base/errors.js";
import type { IdPrefix } from "../base/history.js";
import type { AgentHooks, AgentPlugin, Logger } from "../base/hooks.js";
import { toJsonValue } from "../base/json.js";
import type { AgentMessageInput, MessageModelInfo } from "../base/message.js";
import type { AgentModel, ModelOptions } from "../base/model.js";
import type { RequestToolApproval, ToolPolicies } from "../base/policy.js";
import type { Schema } from "../base/schema/schema.js";
import type { AgentSettings, CompletionPolicy, PrepareTurn, RunLimits } from "../base/settings.js";
import { type AgentTool, isAgentTool } from "../base/tool.js";
import { createTypedOutput } from "../base/typed-output.js";
import type { Pricing } from "../base/usage.js";
import { modelFor } from "../models/gateway.js";
import { ReActRuntime } from "../runtimes/react-runtime.js";
import { AgentSession } from "./sessions/agent-session.js";
import type { SessionStore } from "./sessions/session-store.js";

/** Configuration of an agent. Every field is optional but the model. */
export interface AgentOptions<ToolContextValue = unknown, Output = unknown> {
  /** A model object. Not together with `providerId`. */
  readonly model?: AgentModel;
  /** Name of a provider, together with `modelId`. Not together with `model`. */
  readonly providerId?: string;
  /** The provider's name of the model. */
  readonly modelId?: string;
  /** The provider's key. @default the provider's environment variable */
  readonly apiKey?: string;
  /** Where the provider's API is. @default the provider's own address */
  readonly baseUrl?: string;
  /** Sent with every request to the provider. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The strategy. @default new ReActRuntime() */
  readonly runtime?: AgentRuntime;
  /** What the model is told before everything else. The runtime's own instructions follow it. */
  readonly systemPrompt?: string;
  /** Tools made by `createTool`, each name once. @default [] */
  readonly tools?: readonly AgentTool<ToolContextValue>[];
  /** A history to begin with. It is copied, and repaired where calls have no result. @default [] */
  readonly initialMessages?: readonly AgentMessageInput[];
  /** Standing permissions by tool name; `"*"` is the default for all. @default {} */
  readonly toolPolicies?: ToolPolicies;
  /** Asked for each call whose policy says `autoApprove: false`. @default every such call is denied */
  readonly requestToolApproval?: RequestToolApproval;
  /** Whether the calls of one reply run one after the other or at once. @default "sequential" */
  readonly toolExecution?: "sequential" | "parallel";
  /** Functions that watch and change runs at fixed points. */
  readonly hooks?: AgentHooks;
  /** Bundles of tools and hooks, set up before the first run. @default [] */
  readonly plugins?: readonly AgentPlugin[];
  /** Most model calls of one run: an integer from 1, or Infinity. @default 100 */
  readonly maxIterations?: number;
  /** Tokens, cost and time that one run may use. @default none */
  readonly limits?: RunLimits;
  /** When a run may end. @default text without tool calls ends it */
  readonly completionPolicy?: CompletionPolicy;
  /** Changes one request before it is sent, and shortens it when the provider found it too large. */
  readonly prepareTurn?: PrepareTurn;
  /** Asked before each turn and before a natural end for one more message of the user. */
  readonly consumePendingUserMessage?: () => string | undefined;
  /** Settings that go with every model call. @default the provider's own */
  readonly modelOptions?: ModelOptions;
  /** Your prices, for `totalCost` and `limits.maxCost`. */
  readonly pricing?: Pricing;
  /** Handed to every tool as `context.toolContext`. */
  readonly toolContext?: ToolContextValue;
  /**
   * The form of the answer, as a Standard Schema (zod, for example) or JSON Schema. `result.output` of a completed run fits it; an answer that does not
   * goes back to the model, three times at most. @default the answer is text
   */
  readonly output?: Schema<unknown, Output>;
  /** @default a new id */
  readonly agentId?: string;
  /** What this agent is for, in results and snapshots. */
  readonly agentRole?: string;
  /** The agent that made this one. */
  readonly parentAgentId?: string;
  /** The conversation this agent belongs to, in snapshots. */
  readonly conversationId?: string;
  /** The session this agent belongs to, in snapshots and in the session store. */
  readonly sessionId?: string;
  /**
   * Keeps the agent in the session `sessionId`: it is written after each message and tool result and before each tool is called, and read before the
   * first run. @default none
   */
  readonly sessionStore?: SessionStore;
  /** Stands on the messages the model writes. @default the model's own ids */
  readonly messageModelInfo?: MessageModelInfo;
  /** Gets what cannot be reported otherwise. @default console */
  readonly logger?: Logger;
  /** Makes ids, for tests. @default the prefix, `_` and a nanoid */
  readonly generateId?: (prefix: IdPrefix) => string;
  /** The clock in milliseconds since 1970, for tests. @default Date.now */
  readonly now?: () => number;
}

/** Makes `toolContext` required when a tool wants one. */
export type ToolContextOption<ToolContextValue> = unknown extends ToolContextValue ? unknown : { readonly toolContext: ToolContextValue };

const has = (method: string) => (value: unknown) =>
  typeof value === "object" && value !== null && typeof (value as Record<string, unknown>)[method] === "function";

const MAX_TIMEOUT_MS = 2_147_483_647; // what setTimeout can count

/** Made when first needed, as the schema of the options. */
function createPolicySchema() {
  const text = z.string();
  return z.strictObject({ enabled: z.boolean().optional(), autoApprove: z.boolean().optional(), reason: text.optional() });
}

/** Made for the first agent and not on import: it takes longer than loading all of triact's own modules. */
function createOptionsSchema() {
  const aFunction = z.custom<(...values: never[]) => unknown>((value) => typeof value === "function", "expected a function");
  const text = z.string();
  const price = z.number().nonnegative();
  const hooksSchema = z.strictObject({
    beforeRun: aFunction.optional(),
    afterRun: aFunction.optional(),
    beforeModel: aFunction.optional(),
    afterModel: aFunction.optional(),
    beforeTool: aFunction.optional(),
    afterTool: aFunction.optional(),
    onEvent: aFunction.optional(),
  });
  return z.strictObject({
    model: z.custom(has("stream"), "expected a model, an object with stream()").optional(),
    providerId: text.min(1).optional(),
    modelId: text.min(1).optional(),
    apiKey: text.optional(),
    baseUrl: text.optional(),
    headers: z.record(text, text).optional(),
    runtime: z
      .custom(
        (value) => has("run")(value) && typeof (value as { name?: unknown }).name === "string",
        "expected a runtime, an object with name and run()",
      )
      .optional(),
    systemPrompt: text.optional(),
    tools: z.array(z.custom(isAgentTool, "expected a tool made by createTool")).optional(),
    initialMessages: z.array(z.unknown()).optional(),
    toolPolicies: z.record(text, createPolicySchema()).optional(),
    requestToolApproval: aFunction.optional(),
    toolExecution: z.enum(["sequential", "parallel"]).optional(),
    hooks: hooksSchema.optional(),
    plugins: z
      .array(
        z.looseObject({
          name: text.min(1),
          manifest: z.looseObject({ capabilities: z.array(z.enum(["tools", "hooks"])).optional() }).optional(),
          setup: aFunction.optional(),
          hooks: hooksSchema.optional(),
        }),
      )
      .optional(),
    maxIterations: z
      .custom<number>(
        (value) => value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && (value as number) >= 1),
        "expected an integer from 1, or Infinity",
      )
      .optional(),
    limits: z
      .strictObject({
        maxTokens: z.number().min(1).optional(),
        maxCost: z.number().positive().optional(),
        timeoutMs: z.number().positive().max(MAX_TIMEOUT_MS).optional(),
      })
      .optional(),
    completionPolicy: z.strictObject({ requireCompletionTool: z.boolean().optional(), completionGuard: aFunction.optional() }).optional(),
    prepareTurn: aFunction.optional(),
    consumePendingUserMessage: aFunction.optional(),
    modelOptions: z
      .strictObject({
        temperature: z.number().nonnegative().optional(),
        topP: z.number().positive().max(1).optional(),
        maxOutputTokens: z.number().int().positive().optional(),
        toolChoice: z
          .union([z.enum(["auto", "none", "required"]), z.strictObject({ toolName: text.min(1) })], {
            error: 'expected "auto", "none", "required" or { toolName }',
          })
          .optional(),
        stopSequences: z.array(text).optional(),
        seed: z.number().optional(),
        reasoning: z
          .union([z.enum(["none", "minimal", "low", "medium", "high"]), z.strictObject({ maxTokens: z.number().int().positive() })], {
            error: 'expected "none", "minimal", "low", "medium", "high" or { maxTokens }, an integer from 1',
          })
          .optional(),
        providerOptions: z.record(text, z.json()).optional(),
      })
      .optional(),
    pricing: z
      .strictObject({ inputPerMTok: price, outputPerMTok: price, cacheReadPerMTok: price.optional(), cacheWritePerMTok: price.optional() })
      .optional(),
    toolContext: z.unknown().optional(),
    output: z
      .custom((value) => (typeof value === "object" && value !== null) || typeof value === "function", "expected a schema")
      .optional(),
    agentId: text.min(1).optional(),
    agentRole: text.optional(),
    parentAgentId: text.optional(),
    conversationId: text.optional(),
    sessionId: text.min(1).optional(),
    sessionStore: z
      .custom((value) => has("load")(value) && has("save")(value), "expected a session store, an object with load() and save()")
      .optional(),
    messageModelInfo: z.strictObject({ id: text, provider: text, family: text.optional() }).optional(),
    logger: z.custom((value) => has("error")(value) && has("warn")(value), "expected an object with error() and warn()").optional(),
    generateId: aFunction.optional(),
    now: aFunction.optional(),
  });
}

let optionsSchema: ReturnType<typeof createOptionsSchema> | undefined;

/** The schema of `AgentOptions`. */
function getOptionsSchema(): ReturnType<typeof createOptionsSchema> {
  optionsSchema ??= createOptionsSchema();
  return optionsSchema;
}

/** A text that was joined is one piece of memory. A template would keep the parts, and half as much again: `bytes kept` in benchmarks. */
const defaultGenerateId = (prefix: IdPrefix): string => [prefix, nanoid()].join("_");

/** A configuration with every default filled in. */
export interface ResolvedOptions {
  /** Everything that the base needs to know. */
  readonly settings: AgentSettings;
  /** The strategy. */
  readonly runtime: AgentRuntime;
  /** Where the agent is kept, if anywhere. */
  readonly session: AgentSession | undefined;
}

/**
 * Checks a configuration and fills in every default.
 * @throws AgentConfigError naming the field, what came and what is allowed.
 */
export function resolveOptions(options: AgentOptions): ResolvedOptions {
  const parsed = getOptionsSchema().safeParse(options);
  if (!parsed.success) throw configError(parsed.error, options);
  checkProtoPolicy(options.toolPolicies ?? {});
  checkTools(options.tools ?? []);
  checkPlugins(options.plugins ?? []);
  const model = resolveModel(options);
  checkLimits(options);
  const generateId = options.generateId ?? defaultGenerateId;
  const session = createSession(options);
  const settings: AgentSettings = {
    agentId: options.agentId ?? generateId("agent"),
    agentRole: options.agentRole,
    parentAgentId: options.parentAgentId,
    conversationId: options.conversationId,
    sessionId: options.sessionId,
    model,
    messageModelInfo: modelInfoOf(options, model),
    systemPrompt: options.systemPrompt?.toWellFormed(),
    tools: Object.freeze([...(options.tools ?? [])]) as readonly AgentTool[],
    toolPolicies: options.toolPolicies === undefined ? NONE : copyPolicies(options.toolPolicies),
    requestToolApproval: options.requestToolApproval,
    toolExecution: options.toolExecution ?? "sequential",
    hooks: options.hooks,
    plugins: [...(options.plugins ?? [])],
    maxIterations: options.maxIterations ?? 100,
    limits: options.limits === undefined ? NONE : { ...options.limits },
    completionPolicy: options.completionPolicy === undefined ? NONE : { ...options.completionPolicy },
    prepareTurn: options.prepareTurn,
    consumePendingUserMessage: options.consumePendingUserMessage,
    modelOptions: options.modelOptions === undefined ? NONE : (toJsonValue(options.modelOptions) as ModelOptions),
    pricing: options.pricing === undefined ? undefined : { ...options.pricing },
    toolContext: options.toolContext,
    output: createTypedOutput(
      options.output,
      (options.tools ?? []).map(({ name }) => name),
    ),
    checkpoint: session === undefined ? undefined : (view) => session.checkpoint(view),
    logger: options.logger ?? console,
    generateId,
    now: options.now ?? Date.now,
  };
  return { settings: Object.freeze(settings), runtime: options.runtime ?? DEFAULT_RUNTIME, session };
}

function createSession({ sessionStore, sessionId }: AgentOptions): AgentSession | undefined {
  if (sessionStore === undefined) return undefined;
  if (sessionId === undefined)
    throw new AgentConfigError({ field: "sessionId", problem: "missing. A sessionStore needs the session's id" });
  return new AgentSession(sessionStore, sessionId);
}

const NONE = Object.freeze({});
const DEFAULT_RUNTIME = new ReActRuntime();

function resolveModel(options: AgentOptions): AgentModel {
  const providerField = (["providerId", "modelId", "apiKey", "baseUrl", "headers"] as const).find((field) => options[field] !== undefined);
  if (options.model !== undefined) {
    if (providerField === undefined) return options.model;
    throw new AgentConfigError({ field: providerField, problem: "not allowed together with model. Give one of the two" });
  }
  if (providerField === undefined) {
    throw new AgentConfigError({ field: "model", problem: "missing. Give a model object, or providerId and modelId" });
  }
  const { providerId, modelId, apiKey, baseUrl, headers } = options;
  if (providerId === undefined || modelId === undefined) {
    const field = providerId === undefined ? "providerId" : "modelId";
    throw new AgentConfigError({ field, problem: "missing. A model by name needs providerId and modelId" });
  }
  return modelFor({ providerId, modelId, apiKey, baseUrl, headers });
}

function modelInfoOf(options: AgentOptions, model: AgentModel): MessageModelInfo | undefined {
  if (options.messageModelInfo !== undefined) return Object.freeze({ ...options.messageModelInfo });
  if (model.modelId === undefined) return undefined;
  return Object.freeze({ id: model.modelId, provider: model.providerId ?? "unknown" });
}

function checkPlugins(plugins: readonly AgentPlugin[]): void {
  const seen = new Set<string>();
  for (const [index, { name }] of plugins.entries()) {
    if (seen.has(name))
      throw new AgentConfigError({
        field: `plugins.${index}`,
        problem: `a second plugin named ${JSON.stringify(name)}. Names must be unique`,
      });
    seen.add(name);
  }
}

function checkTools(tools: readonly AgentTool<never>[]): void {
  const seen = new Set<string>();
  for (const [index, { name }] of tools.entries()) {
    if (seen.has(name))
      throw new AgentConfigError({ field: `tools.${index}`, problem: `a second tool named ${JSON.stringify(name)}. Names must be unique` });
    seen.add(name);
  }
}

const PROTO = "__proto__";

/** zod leaves this key of a record unchecked, and a tool may have it as its name. */
function checkProtoPolicy(toolPolicies: ToolPolicies): void {
  if (!Object.hasOwn(toolPolicies, PROTO)) return;
  const parsed = createPolicySchema().safeParse(toolPolicies[PROTO]);
  if (parsed.success) return;
  const issues = parsed.error.issues.map((issue) => ({ ...issue, path: ["toolPolicies", PROTO, ...issue.path] }));
  throw configError(new z.ZodError(issues), { toolPolicies });
}

function checkLimits({ limits, pricing, completionPolicy, output, plugins = [], tools = [] }: AgentOptions): void {
  if (limits?.maxCost !== undefined && pricing === undefined) {
    throw new AgentConfigError({ field: "limits.maxCost", problem: "needs pricing, or nobody knows the cost" });
  }
  if (
    completionPolicy?.requireCompletionTool === true &&
    output === undefined &&
    plugins.length === 0 &&
    !tools.some((tool) => tool.lifecycle.completesRun === true)
  ) {
    const problem = "no tool has lifecycle.completesRun, so the run could never end";
    throw new AgentConfigError({ field: "completionPolicy.requireCompletionTool", problem });
  }
}

function copyPolicies(policies: ToolPolicies): ToolPolicies {
  return Object.freeze(Object.fromEntries(Object.entries(policies).map(([name, policy]) => [name, Object.freeze({ ...policy })])));
}

function configError(error: z.ZodError, options: unknown): AgentConfigError {
  const issue = error.issues[0];
  if (issue === undefined) return new AgentConfigError({ field: "options", problem: "not usable", cause: error });
  if (issue.code === "unrecognized_keys") {
    const field = [...issue.path, issue.keys[0]].join(".");
    const allowed = namesAllowedAt(issue.path);
    return new AgentConfigError({ field, problem: `unknown option. Allowed: ${allowed}`, cause: error });
  }
  const came = valueAt(options, issue.path);
  return new AgentConfigError({
    field: issue.path.join(".") || "options",
    problem: `${issue.message}, received ${describe(came)}`,
    cause: error,
  });
}

/** Names of the options that stand at a path of the configuration. */
function namesAllowedAt(path: readonly PropertyKey[]): string {
  let at: z.core.$ZodType | undefined = getOptionsSchema();
  for (const key of path) {
    at = unwrapped(at);
    if (at instanceof z.ZodObject) at = at.shape[String(key)];
    else if (at instanceof z.ZodArray) at = at.element;
    else at = at instanceof z.ZodRecord ? at.valueType : undefined;
  }
  at = unwrapped(at);
  return at instanceof z.ZodObject ? Object.keys(at.shape).join(", ") : "nothing else";
}

function unwrapped(schema: z.core.$ZodType | undefined): z.core.$ZodType | undefined {
  return schema instanceof z.ZodOptional ? unwrapped(schema.unwrap()) : schema;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === "object" && at !== null ? (at as Record<PropertyKey, unknown>)[key] : undefined),
    value,
  );
}

function describe(value: unknown): string {
  if (typeof value === "function") return "a function";
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "an array" : "an object";
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}
