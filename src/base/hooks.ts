import type { AgentRunResult } from "./agent-runtime.js";
import type { AgentEvent } from "./events.js";
import type { JsonObject, JsonValue } from "./json.js";
import type { AgentMessage, AgentMessageInput, ToolCallPart, ToolResultContentPart } from "./message.js";
import type { AgentModelRequest, FinishReason, ModelOptions } from "./model.js";
import type { ToolPolicy } from "./policy.js";
import type { AgentSnapshot } from "./snapshot.js";
import type { AgentTool } from "./tool.js";

/** Ends the run `aborted` by `hook-stop`. */
export interface StopControl {
  readonly stop?: boolean;
  /** Stands in `lastError` of the snapshot. */
  readonly reason?: string;
}

/** What every hook is given. */
export interface HookContext {
  /** The agent as it is now. Built when first read. */
  readonly snapshot: AgentSnapshot;
  /** Fires when the run ends early. */
  readonly signal: AbortSignal;
}

/** What a `beforeModel` hook may change. It holds for this request alone; the history stays. */
export interface BeforeModelResult extends StopControl {
  /** Repaired to a valid history before it is sent. */
  readonly messages?: readonly AgentMessageInput[];
  /** The tools of this turn. A call of any other tool is answered as unknown. */
  readonly tools?: readonly AgentTool[];
  readonly options?: ModelOptions;
}

/** What a `beforeTool` hook may change. */
export interface BeforeToolResult extends StopControl {
  /** True: the call is not executed, the model gets `reason` as an error. */
  readonly skip?: boolean;
  /** New arguments. They are checked again. */
  readonly input?: JsonObject;
  /** Laid over the configured policy of this call. */
  readonly policy?: ToolPolicy;
  /** Text for the model, added after the results of the turn. */
  readonly appendContext?: string;
}

/** What a tool call came to, as hooks see it. */
export interface ToolCallResult {
  readonly output: JsonValue;
  readonly isError?: boolean;
  readonly content?: readonly ToolResultContentPart[];
}

/** What an `afterTool` hook may change. */
export interface AfterToolResult extends StopControl {
  readonly result?: { readonly output: unknown; readonly isError?: boolean; readonly content?: readonly ToolResultContentPart[] };
  readonly appendContext?: string;
}

type Awaitable<T> = T | Promise<T>;
// biome-ignore lint/suspicious/noConfusingVoidType: a hook without a return statement is the common one
type Maybe<T> = T | undefined | void;

/**
 * Functions that are called at fixed points of a run and awaited. What they are given is frozen; only what they return has an effect. The hooks
 * of the configuration come first, then those of the plugins in order, and each sees what the one before it returned.
 */
export interface AgentHooks {
  beforeRun?(context: HookContext): Awaitable<Maybe<StopControl>>;
  afterRun?(context: HookContext & { readonly result: AgentRunResult }): Awaitable<void>;
  beforeModel?(
    context: HookContext & {
      readonly request: AgentModelRequest;
      readonly tools: readonly AgentTool[];
      /** What a call outside of the turns is for, for example `plan`. Tools that the hook returns are no use to it. */
      readonly purpose?: string;
    },
  ): Awaitable<Maybe<BeforeModelResult>>;
  /** A stop keeps the reply and closes its calls. */
  afterModel?(
    context: HookContext & {
      readonly assistantMessage: AgentMessage;
      readonly finishReason: FinishReason;
      /** What a call outside of the turns was for. */
      readonly purpose?: string;
    },
  ): Awaitable<Maybe<StopControl>>;
  beforeTool?(
    context: HookContext & { readonly tool: AgentTool; readonly toolCall: ToolCallPart; readonly input: JsonObject },
  ): Awaitable<Maybe<BeforeToolResult>>;
  /** Called for every call that was executed, failed ones included. */
  afterTool?(
    context: HookContext & {
      readonly tool: AgentTool;
      readonly toolCall: ToolCallPart;
      readonly input: JsonObject;
      readonly result: ToolCallResult;
      /** Milliseconds since 1970. */
      readonly startedAt: number;
      readonly endedAt: number;
      readonly durationMs: number;
    },
  ): Awaitable<Maybe<AfterToolResult>>;
  /** Gets every event, after the subscribers. The run waits for it. */
  onEvent?(event: AgentEvent): Awaitable<void>;
}

/** Names of the hooks. */
export type HookName = keyof AgentHooks;

/** One hook and where it comes from. */
export interface RegisteredHook<Name extends HookName> {
  /** For error texts, for example `beforeTool of plugin "audit"`. */
  readonly label: string;
  readonly call: NonNullable<AgentHooks[Name]>;
}

/** All hooks of an agent in the order they are called. */
export type HookBag = { readonly [Name in HookName]: readonly RegisteredHook<Name>[] };

/** Names of all hooks. */
export const HOOK_NAMES = [
  "beforeRun",
  "afterRun",
  "beforeModel",
  "afterModel",
  "beforeTool",
  "afterTool",
  "onEvent",
] as const satisfies readonly HookName[];

/** What most agents have. */
const NO_HOOKS: HookBag = {
  beforeRun: [],
  afterRun: [],
  beforeModel: [],
  afterModel: [],
  beforeTool: [],
  afterTool: [],
  onEvent: [],
};

/** Collects hooks from their sources, in order. */
export function collectHooks(sources: readonly { readonly label: string; readonly hooks: AgentHooks | undefined }[]): HookBag {
  if (sources.every(({ hooks }) => hooks === undefined)) return NO_HOOKS;
  const collect = <Name extends HookName>(name: Name): RegisteredHook<Name>[] =>
    sources.flatMap(({ label, hooks }) => {
      const call = hooks?.[name];
      return call === undefined ? [] : [{ label: label === "" ? name : `${name} of ${label}`, call: call.bind(hooks) as typeof call }];
    });
  return {
    beforeRun: collect("beforeRun"),
    afterRun: collect("afterRun"),
    beforeModel: collect("beforeModel"),
    afterModel: collect("afterModel"),
    beforeTool: collect("beforeTool"),
    afterTool: collect("afterTool"),
    onEvent: collect("onEvent"),
  };
}

/** What a plugin brings. */
export interface PluginContribution {
  readonly tools?: readonly AgentTool[];
  readonly hooks?: AgentHooks;
}

/** A bundle of tools and hooks. */
export interface AgentPlugin {
  readonly name: string;
  /** When given, the plugin may bring only what it declares here. */
  readonly manifest?: { readonly capabilities?: readonly ("tools" | "hooks")[] };
  /** Called once, before the agent's first run. */
  setup?(context: PluginContext): Awaitable<Maybe<PluginContribution>>;
  readonly hooks?: AgentHooks;
}

/** What a plugin's `setup` gets. */
export interface PluginContext {
  readonly agentId: string;
  readonly agentRole?: string;
  readonly logger: Logger;
}

/** Where triact reports what it cannot report otherwise. */
export interface Logger {
  error(...values: unknown[]): void;
  warn(...values: unknown[]): void;
}

/** Reports to a logger. What the logger throws is dropped. */
export function log(logger: Logger, level: keyof Logger, ...values: unknown[]): void {
  try {
    logger[level](...values);
  } catch {
    // a logger that throws has nowhere left to report to
  }
}
