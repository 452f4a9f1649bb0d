import { z } from "zod";
import { SandboxOptionError } from "./sandbox-errors.js";

/** Limits of one execution. */
export interface SandboxLimits {
  /** Wall clock in milliseconds. It stands still while every open tool call waits for a person. @default 30_000 */
  readonly timeoutMs?: number;
  /** Time that the code itself computes, in milliseconds; waiting costs nothing. @default 10_000 */
  readonly cpuMs?: number;
  /** Heap of the guest in MiB, 8 or more. A guide to the engine; in a child process the process as a whole is watched too. @default 64 */
  readonly memoryMiB?: number;
  /** Tool calls of one execution. One more is an error in the code. @default 256 */
  readonly maxToolCalls?: number;
  /** Tool calls under way at once; others wait. @default 16 */
  readonly maxParallelToolCalls?: number;
  /** Characters of all log entries of one execution. @default 65_536 */
  readonly maxLogChars?: number;
  /** Characters of one log entry. @default 16_384 */
  readonly maxLogEntryChars?: number;
  /** Characters of the code. @default 262_144 */
  readonly maxCodeChars?: number;
  /** Characters of a tool's argument as JSON. @default 1_000_000 */
  readonly maxInputChars?: number;
  /** Characters of a tool's result as JSON. A longer one is an error in the code. @default 8_000_000 */
  readonly maxToolResultChars?: number;
  /** Characters of the execution's result as JSON. @default 1_000_000 */
  readonly maxResultChars?: number;
  /** Levels of arrays and objects in arguments and results. @default 100 */
  readonly maxNesting?: number;
}

/** Limits with every default filled in. */
export type ResolvedLimits = { readonly [Name in keyof SandboxLimits]-?: number };

/** Limits of an execution for which nothing else is said. */
export const DEFAULT_LIMITS: ResolvedLimits = {
  timeoutMs: 30_000,
  cpuMs: 10_000,
  memoryMiB: 64,
  maxToolCalls: 256,
  maxParallelToolCalls: 16,
  maxLogChars: 65_536,
  maxLogEntryChars: 16_384,
  maxCodeChars: 262_144,
  maxInputChars: 1_000_000,
  maxToolResultChars: 8_000_000,
  maxResultChars: 1_000_000,
  maxNesting: 100,
};

/** A timer in Node cannot wait for longer, in milliseconds. */
export const MAX_TIMER_MS = 2 ** 31 - 1;
const count = (min: number, max: number) => z.int().min(min).max(max).optional();

/** Makes the schema of the `limits` option. A function, because an import should be quick. */
export function createLimitsSchema() {
  return z.strictObject({
    timeoutMs: count(1, MAX_TIMER_MS),
    cpuMs: count(1, MAX_TIMER_MS),
    memoryMiB: count(8, 4_096),
    maxToolCalls: count(0, 1_000_000),
    maxParallelToolCalls: count(1, 1_024),
    maxLogChars: count(0, 16_000_000),
    maxLogEntryChars: count(1, 16_000_000),
    maxCodeChars: count(1, 16_000_000),
    maxInputChars: count(2, 16_000_000),
    maxToolResultChars: count(2, 16_000_000),
    maxResultChars: count(2, 16_000_000),
    maxNesting: count(1, 1_000),
  });
}

let limitsSchema: ReturnType<typeof createLimitsSchema> | undefined;

/**
 * Fills in what is not given.
 * @throws SandboxOptionError for a limit that is unknown or out of its range.
 */
export function resolveLimits(given: SandboxLimits | undefined, defaults: ResolvedLimits): ResolvedLimits {
  if (given === undefined) return defaults;
  limitsSchema ??= createLimitsSchema();
  const parsed = parseOptions(limitsSchema, given, "limits");
  return { ...defaults, ...Object.fromEntries(Object.entries(parsed).filter(([, value]) => value !== undefined)) };
}

/**
 * Checks options against a schema.
 * @throws SandboxOptionError that names the field, and says what came and what is allowed.
 */
export function parseOptions<T>(schema: z.ZodType<T>, given: unknown, name: string): T {
  const parsed = schema.safeParse(given, { reportInput: true });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const path = issue?.path.map(String) ?? [];
  throw new SandboxOptionError({ field: [name, ...path].join("."), problem: issue?.message ?? "cannot be used", cause: parsed.error });
}
