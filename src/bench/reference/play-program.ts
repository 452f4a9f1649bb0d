import { AgentConfigError } from "../../base/errors.js";
import { freeNames } from "./program-names.js";

/** A call that a program makes. */
export interface PlannedCall {
  /** Name of the function in the program. */
  readonly name: string;
  readonly input: unknown;
}

/** A call that was made, with what came of it. */
export interface MadeCall extends PlannedCall {
  readonly output?: unknown;
  /** Set when it failed. */
  readonly error?: string;
}

/** How far a program got. */
export type Played =
  | { readonly kind: "answered"; readonly answer: string }
  /** It waits for these calls, in the order in which it made them. */
  | { readonly kind: "waiting"; readonly calls: readonly PlannedCall[] }
  /** It threw. `refused` is the call whose failure it did not expect, where it was one. */
  | { readonly kind: "failed"; readonly message: string; readonly refused?: string };

/**
 * Runs a program from its start as far as a transcript goes: to its answer, or to the calls that it waits for. Equal calls take the results of equal
 * calls, in their order.
 *
 * The program is the suite's own code and runs in this process; code of a model never belongs here.
 */
export async function playProgram(program: string, transcript: readonly MadeCall[]): Promise<Played> {
  const { names, run } = compile(program);
  const results = Map.groupBy(transcript, keyOf);
  const taken = new Map<string, number>();
  const waiting: PlannedCall[] = [];
  const call = (name: string, input: unknown) => {
    const key = keyOf({ name, input });
    const index = taken.get(key) ?? 0;
    taken.set(key, index + 1);
    const result = results.get(key)?.[index];
    if (result?.error !== undefined) return refusal(key, result.error);
    if (result !== undefined) return Promise.resolve(structuredClone(result.output));
    waiting.push({ name, input });
    return new Promise<never>(() => undefined);
  };
  const functions = names.map(
    (name) =>
      (input: unknown = {}) =>
        call(name, input),
  );
  const stuck = new Promise<Played>((resolve) => setImmediate(() => resolve({ kind: "waiting", calls: waiting })));
  return Promise.race([run(...functions).then(toAnswer, toFailure), stuck]);
}

/** What makes two calls the same. */
export function keyOf({ name, input }: PlannedCall): string {
  return JSON.stringify([name, input]);
}

class Refusal extends Error {
  readonly key: string;
  constructor(key: string, message: string) {
    super(message);
    this.key = key;
  }
}

function refusal(key: string, message: string): Promise<never> {
  const refused = Promise.reject(new Refusal(key, message));
  refused.catch(() => undefined); // the program may be stuck before it looks at this call
  return refused;
}

function toAnswer(answer: unknown): Played {
  return { kind: "answered", answer: String(answer) };
}

function toFailure(thrown: unknown): Played {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { kind: "failed", message, ...(thrown instanceof Refusal ? { refused: thrown.key } : undefined) };
}

interface Compiled {
  readonly names: readonly string[];
  readonly run: (...functions: unknown[]) => Promise<unknown>;
}

type AsyncFunctionConstructor = new (...parts: string[]) => Compiled["run"];

const MAX_COMPILED = 500;
const compiled = new Map<string, Compiled>();

function compile(program: string): Compiled {
  const known = compiled.get(program);
  if (known !== undefined) return known;
  const AsyncFunction = (async () => undefined).constructor as AsyncFunctionConstructor;
  try {
    const names = freeNames(program);
    const made = { names, run: new AsyncFunction(...names, `"use strict";\n${program}`) };
    if (compiled.size >= MAX_COMPILED) compiled.clear();
    compiled.set(program, made);
    return made;
  } catch (cause) {
    throw new AgentConfigError({ field: "program", problem: `it cannot be compiled: ${(cause as Error).message}`, cause });
  }
}
