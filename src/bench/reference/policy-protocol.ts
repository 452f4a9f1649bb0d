import type { AgentModelRequest } from "../../base/model.js";
import type { PlanStep } from "../../runtimes/deep-research/plan.js";
import type { Task } from "../suite.js";

/** A task whose solution is known. */
export type SolvedTask = Pick<Task, "id" | "question"> & { readonly program: string };

/** How much the policy does in one action: one call, all calls that depend on none of each other, or the whole program where code can be sent. */
export type Granularity = "call" | "level" | "whole";

/** What the policy is about to say. */
export type Intent =
  | { readonly kind: "calls"; readonly calls: readonly NativeCall[] }
  /** Code, as a message of CodeAct's protocol. */
  | { readonly kind: "code"; readonly language: string; readonly code: string }
  /** The answer, as a message of CodeAct's protocol. */
  | { readonly kind: "final"; readonly output: string }
  /** A plan, as JSON. */
  | { readonly kind: "plan"; readonly steps: readonly PlanStep[] }
  /** The answer, or whatever else is text. */
  | { readonly kind: "text"; readonly text: string };

/** A call of a tool that was declared natively. */
export interface NativeCall {
  readonly toolName: string;
  readonly input: unknown;
}

/** What a protocol is asked with. */
export interface PolicyTurn {
  readonly request: AgentModelRequest;
  readonly task: SolvedTask;
  readonly granularity: Granularity;
}

/**
 * A way in which a strategy asks and is answered. A strategy of your own that asks for something else than native calls, CodeAct's messages or a plan of
 * steps needs one of its own.
 */
export interface PolicyProtocol {
  readonly name: string;
  /** Whether the request asks in this way. It is looked at as a model would: system prompt, tools, messages. */
  speaks(request: AgentModelRequest): boolean;
  /** What is to be said. A pure function of the turn. */
  intend(turn: PolicyTurn): Promise<Intent> | Intent;
}
