import { type ProgramCall, type ProgramResult, runProgram } from "./run-program.js";
import type { Suite, SuiteTasksOptions, Task, Trial, TrialOptions, Verdict } from "./suite.js";

/** What {@link checkSuite} found out. */
export interface SuiteCheck {
  /** Number of tasks. */
  readonly tasks: number;
  /** Ids of the tasks without a reference program, of which less is known. */
  readonly withoutProgram: readonly string[];
  /** Ids of the tasks that an empty answer without any action solves: those whose right action is none. */
  readonly floor: readonly string[];
  /** What is wrong, one line each, starting with the task's id. Empty for a suite that can be trusted. */
  readonly problems: readonly string[];
}

/** An answer that should be right nowhere. */
const WRONG_ANSWER = "certainly not this";

/**
 * Checks a suite against itself, for its tests: each reference program solves its task, a wrong answer solves none, two trials of one seed give the same
 * results even when they run at once, and the same seed gives the same tasks.
 * @throws AgentConfigError when the suite is not usable at all.
 */
export async function checkSuite(suite: Suite, options: SuiteTasksOptions): Promise<SuiteCheck> {
  const tasks = await suite.tasks(options);
  const again = await suite.tasks(options);
  const problems = JSON.stringify(tasks) === JSON.stringify(again) ? [] : ["the same seed gave other tasks"];
  const floor: string[] = [];
  for (const task of tasks) {
    if ((await attempt(task, options, async () => "")).solved) floor.push(task.id);
    problems.push(...(await problemsOf(task, options)).map((problem) => `${task.id}: ${problem}`));
  }
  const withoutProgram = tasks.filter(({ program }) => program === undefined).map(({ id }) => id);
  return { tasks: tasks.length, withoutProgram, floor, problems };
}

async function problemsOf(task: Task, options: TrialOptions): Promise<string[]> {
  const problems: string[] = [];
  const wrong = await attempt(task, options, async () => WRONG_ANSWER);
  if (wrong.solved) problems.push("a wrong answer without any action solves it");
  const { program } = task;
  if (program === undefined) return problems;
  try {
    const acted = await attempt(task, options, async ({ tools }) => {
      await runProgram(program, tools);
      return WRONG_ANSWER;
    });
    if (acted.solved) problems.push("the right actions with a wrong answer solve it");
    problems.push(...(await problemsOfProgram(task, options, program)));
  } catch (error) {
    problems.push(`its program failed: ${error instanceof Error ? error.message : String(error)}`);
  }
  return problems;
}

/** Both trials start before either runs, so that state they share would show. */
async function problemsOfProgram(task: Task, options: TrialOptions, program: string): Promise<string[]> {
  const trials = [await task.start(options), await task.start(options)] as const;
  try {
    const [first, second] = await Promise.all([runProgram(program, trials[0].tools), runProgram(program, trials[1].tools)]);
    const verdicts = [await trials[0].check(first.answer), await trials[1].check(second.answer)];
    const unsolved = verdicts.find(({ solved }) => !solved);
    const problems = unsolved === undefined ? [] : [`its program does not solve it: ${describe(unsolved)}`];
    if (sorted(first) !== sorted(second)) problems.push("two trials of one seed gave other results");
    return problems;
  } finally {
    for (const trial of trials) await trial.dispose?.();
  }
}

async function attempt(task: Task, options: TrialOptions, answer: (trial: Trial) => Promise<string>): Promise<Verdict> {
  const trial = await task.start(options);
  try {
    return await trial.check(await answer(trial));
  } finally {
    await trial.dispose?.();
  }
}

function describe({ reason = "no reason given", sideEffects = [] }: Verdict): string {
  return [reason, ...sideEffects.map((effect) => `side effect: ${effect}`)].join("; ");
}

/** Parallel calls may end in any order. */
function sorted({ answer, calls }: ProgramResult): string {
  const lines = calls.map((call: ProgramCall) => JSON.stringify(call)).sort();
  return JSON.stringify([answer, lines]);
}
