import type { AgentTool } from "triact";
import { type ProgramCall, runProgram, type Task } from "triact/bench";
import { guestFunctions } from "../../../src/runtimes/codeact/tool-guide.js";

/** A call that a program makes. */
export interface Call {
  readonly toolName: string;
  readonly input: unknown;
}

/** What came of a replayed program. */
export interface Replayed {
  readonly solved: boolean;
  readonly reason: string | undefined;
  /** The calls of each turn. */
  readonly turns: readonly (readonly Call[])[];
}

/**
 * Solves a task as a model would: the program runs from its start against the results so far; what it waits for then are the next calls.
 * @param atMost - How many of the waiting calls are made in a turn.
 */
export async function replay(task: Task, { atMost = Number.POSITIVE_INFINITY, seed = 1 } = {}): Promise<Replayed> {
  const { tools, check, dispose } = await task.start({ seed });
  const transcript: ProgramCall[] = [];
  const turns: Call[][] = [];
  for (;;) {
    const { answer, waiting } = await step(task.program ?? "", tools, transcript);
    if (answer !== undefined) {
      const { solved, reason } = await check(answer);
      await dispose?.();
      return { solved, reason, turns };
    }
    const next = waiting.slice(0, atMost);
    if (next.length === 0 || turns.length > 1_000) throw new Error(`The program of ${task.id} waits for nothing.`);
    turns.push(next);
    for (const { toolName, input } of next) {
      const { calls } = await runProgram(`try { await ${nameOf(tools, toolName)}(${JSON.stringify(input)}) } catch {} return ""`, tools);
      transcript.push(...calls);
    }
  }
}

/** Runs a program as far as the transcript goes: to its answer, or to the calls that it waits for. Equal calls take the results of equal calls in their order. */
export async function step(program: string, tools: readonly AgentTool[], transcript: readonly ProgramCall[]) {
  const results = Map.groupBy(transcript, key);
  const taken = new Map<string, number>();
  const waiting: Call[] = [];
  const functions = tools.map(({ name }) => (input: unknown = {}) => {
    const call = { toolName: name, input };
    const index = taken.get(key(call)) ?? 0;
    taken.set(key(call), index + 1);
    const result = results.get(key(call))?.[index];
    if (result?.error !== undefined) return Promise.reject(new Error(result.error));
    if (result !== undefined) return Promise.resolve(structuredClone(result.output));
    waiting.push(call);
    return new Promise(() => undefined);
  });
  const AsyncFunction = (async () => undefined).constructor as new (...parts: string[]) => (...values: unknown[]) => Promise<string>;
  const run = new AsyncFunction(...guestFunctions(tools).map(({ name }) => name), program);
  const settled = new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined)));
  return { answer: await Promise.race([run(...functions), settled]), waiting };
}

function key({ toolName, input }: Call): string {
  return JSON.stringify([toolName, input]);
}

function nameOf(tools: readonly AgentTool[], toolName: string): string {
  return guestFunctions(tools).find(({ tool }) => tool.name === toolName)?.name ?? "";
}
