import type { AgentRunResult } from "./agent-runtime.js";
import type { JsonObject } from "./json.js";
import type { AgentMessage, MediaPart, ToolCallPart, ToolResultPart } from "./message.js";
import type { FinishReason, ModelErrorClass } from "./model.js";
import type { AgentSnapshot, PendingToolCall } from "./snapshot.js";
import type { AgentUsage } from "./usage.js";

/** What every event carries. */
export interface AgentEventBase {
  readonly runId: string;
  /** Number of the turn, from 1. Absent outside of turns. */
  readonly iteration?: number;
  /** The agent at the time of the event. Built when first read, however late. */
  readonly snapshot: AgentSnapshot;
}

/** One step of a plan, and how far it is. */
export interface PlanStepState {
  readonly goal: string;
  /** What should be known at its end. */
  readonly evidence?: string;
  /** Numbers, from 1, of the steps that it builds on. */
  readonly needs?: readonly number[];
  readonly status: "pending" | "done" | "failed";
}

/** What happens in a run, by `type`. An event reports and changes nothing. */
export interface AgentEventMap {
  /** `resumed`: the run goes on after it was suspended. */
  "run-started": { readonly resumed?: true };
  "message-added": { readonly message: AgentMessage };
  "turn-started": unknown;
  "assistant-text-delta": { readonly text: string /** All text of the reply so far. */; readonly accumulatedText: string };
  "assistant-reasoning-delta": { readonly text: string; readonly redacted?: boolean };
  "assistant-tool-call-delta": {
    /** Position of the call in the reply, from 0. */
    readonly callIndex: number;
    readonly toolCallId?: string | undefined;
    readonly toolName?: string | undefined;
    /** New text of the arguments; not yet parsed, perhaps never valid. */
    readonly inputText: string;
  };
  "assistant-media": { readonly media: MediaPart };
  /** What was streamed of this reply is thrown away, and the model is asked again. */
  "assistant-reset": { readonly reason: string };
  "usage-updated": { readonly usage: AgentUsage };
  "assistant-message": { readonly message: AgentMessage; readonly finishReason: FinishReason };
  "tool-started": { readonly toolCall: ToolCallPart; readonly parentToolCallId?: string };
  "tool-updated": { readonly toolCallId: string; readonly toolName: string; readonly parentToolCallId?: string; readonly update: unknown };
  "tool-finished": {
    readonly toolCallId: string;
    readonly toolName: string;
    readonly parentToolCallId?: string;
    readonly message: AgentMessage;
    /** The one part of the message. */
    readonly result: ToolResultPart;
    /** From the start of the call to its result, waiting for approval included, in milliseconds. */
    readonly durationMs: number;
    /** What kind of failure, when the result is an error. */
    readonly errorType?: ToolErrorType;
  };
  "turn-finished": { readonly toolCallCount: number };
  "run-finished": { readonly result: AgentRunResult };
  "run-failed": { readonly error: Error; readonly errorClass?: ModelErrorClass; readonly result: AgentRunResult };
  "status-notice": { readonly message: string; readonly metadata?: JsonObject };
  "plan-updated": {
    /** What is to be done, in order. */ readonly plan: readonly string[] /** The same with how far it is. */;
    readonly steps: readonly PlanStepState[];
  };
  /** An event of a run within this one. */
  "nested-event": {
    readonly agentId: string;
    readonly agentRole?: string;
    /** The tool call that the run within is. Absent for runs that the runtime started by itself. */
    readonly parentToolCallId?: string;
    /** The event, with the run id and the snapshot of the run within. It may be a `nested-event` itself. */
    readonly event: AgentEvent;
  };
  "approval-requested": { readonly pending: readonly PendingToolCall[] };
  /** The answer to one approval request. `reason` is set when the call was denied. */
  "approval-resolved": {
    readonly toolCallId: string;
    readonly toolName: string;
    readonly approved: boolean;
    readonly reason?: string | undefined;
  };
}

/** Why a tool call has an error result. */
export type ToolErrorType =
  | "truncated"
  | "invalid-json"
  | "unknown-tool"
  | "invalid-arguments"
  | "hook-error"
  | "skipped"
  | "disabled"
  | "denied"
  | "timeout"
  | "aborted"
  | "stopped"
  | "interrupted"
  | "execution";

/** Type of an event. */
export type AgentEventType = keyof AgentEventMap;

/** An event. */
export type AgentEvent = { [Type in AgentEventType]: AgentEventBase & { readonly type: Type } & AgentEventMap[Type] }[AgentEventType];

/** An event of one type. */
export type AgentEventOf<Type extends AgentEventType> = Extract<AgentEvent, { readonly type: Type }>;

/** Gets events as they happen. What it throws is logged and skipped. */
export type AgentEventListener = (event: AgentEvent) => void;
