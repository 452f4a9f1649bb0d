import type { ExecutionResult } from "../../src/sandbox/index.js";

/** Hostile input. */
export interface Attack {
  /** Code of one execution, or of several in one session. */
  readonly steps: readonly string[];
  readonly language?: "javascript" | "typescript";
  readonly isolation?: "process" | "in-process";
  readonly limits?: { readonly [name: string]: number };
}

/** What came of an attack. */
export interface Outcome {
  readonly steps: readonly ExecutionResult[];
  /** What honest code gives afterwards. */
  readonly alive: unknown;
  readonly unhandled: number;
}

/** What was found after an attack in a process of its own. */
export interface Aftermath extends Outcome {
  readonly residentMiB: number;
  /** Ids of child processes that are left, on Linux. */
  readonly children: string;
}

/** An attack, and how it may end: the code of the error, or the value. */
export interface HostileCase extends Omit<Attack, "steps"> {
  readonly name: string;
  readonly code: string;
  readonly before?: readonly string[];
  readonly fails?: readonly string[];
  readonly gives?: unknown;
  /** How it ends where another engine does it in another way; or that it ends the process, which that executor does not claim to prevent. */
  readonly elsewhere?: { readonly [Name in OtherExecutor]?: Pick<HostileCase, "fails" | "gives"> | "ends the process" };
}

/** Executors besides the one on child processes. */
export type OtherExecutor = "in-process" | "quickjs";
