import type { JsonObject } from "./json.js";

/** Standing permission for a tool. */
export interface ToolPolicy {
  /** False: calls are refused. @default true */
  readonly enabled?: boolean;
  /** False: each call needs an approval. @default true */
  readonly autoApprove?: boolean;
  /** Told to the model when `enabled: false` refuses a call, so that it does not try again. */
  readonly reason?: string;
}

/** Policies by tool name. `"*"` is the default that a tool's own entry overrides field by field. */
export type ToolPolicies = { readonly [toolName: string]: ToolPolicy };

/** A policy with its defaults. */
export interface ResolvedToolPolicy {
  readonly enabled: boolean;
  readonly autoApprove: boolean;
  readonly reason: string | undefined;
}

/** The policy that holds for one call: `"*"`, then the tool's entry, then what a `beforeTool` hook said. */
export function resolveToolPolicy(policies: ToolPolicies, toolName: string, override?: ToolPolicy): ResolvedToolPolicy {
  const wildcard = Object.hasOwn(policies, "*") ? policies["*"] : undefined;
  const own = Object.hasOwn(policies, toolName) ? policies[toolName] : undefined;
  return {
    enabled: override?.enabled ?? own?.enabled ?? wildcard?.enabled ?? true,
    autoApprove: override?.autoApprove ?? own?.autoApprove ?? wildcard?.autoApprove ?? true,
    reason: override?.reason ?? own?.reason ?? wildcard?.reason,
  };
}

/** The policies without the default for all tools. */
export function ownPolicy(policies: ToolPolicies, toolName: string): ToolPolicies {
  const own = Object.hasOwn(policies, toolName) ? policies[toolName] : undefined;
  return own === undefined ? {} : { [toolName]: own };
}

/**
 * One policy laid over another. A field that is undefined says nothing, and so lifts no ban.
 * @throws TypeError for a field that is neither true nor false: guessing could let a call through.
 */
export function overlayPolicy(below: ToolPolicy = {}, above: ToolPolicy = {}): ToolPolicy {
  for (const field of ["enabled", "autoApprove"] as const) {
    const value: unknown = above[field] ?? undefined;
    if (value !== undefined && typeof value !== "boolean") throw new TypeError(`the policy's ${field} must be true or false.`);
  }
  const said = Object.entries(above).filter(([, value]) => value !== undefined && value !== null);
  return { ...below, ...Object.fromEntries(said) };
}

/** What an approval callback is asked. */
export interface ToolApprovalRequest {
  readonly agentId: string;
  readonly runId: string;
  readonly iteration: number;
  readonly toolCallId: string;
  readonly parentToolCallId?: string;
  readonly toolName: string;
  /** The arguments that will be executed, as JSON; the schema's defaults and transforms come on top. */
  readonly input: JsonObject;
  /** Fires when the run ends early, or the code that made the call was stopped; nobody waits for the answer then. */
  readonly signal: AbortSignal;
}

/** An answer to one approval request. */
export interface ToolApprovalDecision {
  readonly approved: boolean;
  /** Goes to the model when the call is denied. */
  readonly reason?: string;
}

/** Nobody answers now: the run ends `suspended`, and `resume()` brings the answer. */
export interface ToolApprovalPending {
  readonly pending: true;
}

/** The host's way to ask a person. Throwing denies the call with the error's text as reason. */
export type RequestToolApproval = (
  request: ToolApprovalRequest,
) => ToolApprovalDecision | ToolApprovalPending | Promise<ToolApprovalDecision | ToolApprovalPending>;

/** A person's answer to a call that waited for it. */
export interface ToolCallDecision extends ToolApprovalDecision {
  /** Other arguments to execute the call with. They are checked like the model's own, and the model is told of them. */
  readonly input?: JsonObject;
}

/** Answers by `toolCallId`. */
export type ToolCallDecisions = Readonly<Record<string, ToolCallDecision>>;
