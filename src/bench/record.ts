import type { RunLimits } from "../base/settings.js";
import type { TaskKnobs } from "./suite.js";

/** What became of a cell. */
export type CellOutcome =
  | "solved"
  | "wrong"
  | "gave-up"
  | "step-limit"
  | "token-limit"
  | "parse-failure"
  | "sandbox-failure"
  | "provider-error"
  | "timeout";

/** Where the tokens of a cell went, each token counted once, in each request that carried it. The parts sum to input plus output tokens. */
export interface TokenLedger {
  /** System prompt and the strategy's own instructions. */
  readonly instructions: number;
  /** Descriptions of tools, natively or as text. */
  readonly tools: number;
  readonly question: number;
  /** The model's calls and code. */
  readonly actions: number;
  /** Results of tools and what code came to. */
  readonly results: number;
  readonly plan: number;
  /** Errors, corrections, and replies that were thrown away. */
  readonly repairs: number;
  readonly final: number;
}

/** One attempt at one task by one strategy: a line of the records file. */
export interface CellRecord {
  /** Version of this format. */
  readonly version: 1;
  /** `suite/task/arm/model/trial` or `…/fault`; unique in a run. */
  readonly cell: string;
  readonly suite: string;
  readonly suiteVersion: string;
  readonly task: string;
  readonly template?: string;
  readonly flags?: readonly string[];
  readonly knobs?: TaskKnobs;
  /** Name of the strategy with its settings. */
  readonly arm: string;
  readonly model: string;
  /** From 0. */
  readonly trial: number;
  readonly fault?: string;
  readonly outcome: CellOutcome;
  /** Why it is not solved, for a person. */
  readonly reason?: string;
  readonly sideEffects: number;
  /** How often the fault happened. Absent without a fault. */
  readonly faultsMade?: number;
  /** Successful calls of tools that change something, with an input that such a call had before. Absent where the suite does not tell these tools. */
  readonly repeatedWrites?: number;
  /** How the run ended; see `AgentRunResult.endedBy`. */
  readonly endedBy: string;
  readonly answer: string;
  readonly modelCalls: number;
  /** Calls of tools, those made by code included. */
  readonly toolCalls: number;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  /** The same tokens as the tokenizer of the benchmark counts them, to be compared with those of the provider. */
  readonly countedInputTokens?: number;
  readonly countedOutputTokens?: number;
  /** Where prices are known. */
  readonly cost?: number;
  readonly ledger: TokenLedger;
  /** Wall clock of the run in milliseconds, and the parts of it spent in the model, in tools, and in the sandbox. */
  readonly wallMs: number;
  readonly modelMs: number;
  readonly toolMs: number;
  readonly sandboxMs: number;
  /** Provider errors that were retried. */
  readonly retries: number;
  /** True when every model reply came from the cache. */
  readonly cached?: true;
  /** File of the trace, relative to the records file. */
  readonly trace: string;
}

/** A line of the records file that says what was run: its first. */
export interface RunManifest {
  readonly version: 1;
  readonly kind: "manifest";
  readonly triact: string;
  readonly commit?: string;
  readonly node: string;
  readonly machine: string;
  readonly seed: number;
  readonly trials: number;
  readonly suites: readonly { readonly name: string; readonly version: string; readonly tasks: number }[];
  readonly arms: readonly { readonly name: string; readonly runtime: string; readonly settings: unknown; readonly promptHash: string }[];
  /** Model names as the providers returned them. */
  readonly models: readonly string[];
  /** Set for the reference policy: how much it does in one action. */
  readonly granularity?: "call" | "level" | "whole";
  readonly faults?: string;
  readonly tokenizer: string;
  readonly limits?: CellLimits;
  readonly prices?: { readonly date: string; readonly perMTok: unknown };
  readonly startedAt: number;
}

/** How much one cell may take. */
export interface CellLimits extends RunLimits {
  /** Most model calls. */
  readonly maxIterations: number;
}

/** Everything that can be looked at behind a cell. */
export interface CellTrace {
  readonly cell: string;
  readonly question: string;
  readonly steps: readonly TraceStep[];
}

/** One thing that happened, in order. */
export type TraceStep =
  | {
      readonly kind: "request";
      readonly atMs: number;
      readonly inputTokens: number;
      readonly outputTokens: number;
      readonly purpose?: string;
    }
  | { readonly kind: "message"; readonly atMs: number; readonly role: "user" | "assistant"; readonly text: string; readonly code?: string }
  | {
      readonly kind: "call";
      readonly atMs: number;
      readonly durationMs: number;
      readonly toolCallId: string;
      readonly parentToolCallId?: string;
      readonly toolName: string;
      readonly input: unknown;
      readonly output: unknown;
      readonly isError: boolean;
    }
  | { readonly kind: "end"; readonly atMs: number; readonly endedBy: string; readonly answer: string };
