import { AgentConfigError } from "../base/errors.js";
import type { ToolPolicies } from "../base/policy.js";
import type { AgentTool } from "../base/tool.js";
import { isAgentTool } from "../base/tool.js";

/** A list of tasks to compare strategies on. Made by {@link defineSuite}. */
export interface Suite {
  /** Lower-case words joined by hyphens. */
  readonly name: string;
  /** Goes up when tasks, tools or checks change: numbers of different versions are not compared. */
  readonly version: string;
  readonly description: string;
  /**
   * The tasks, in a fixed order. The same seed gives the same tasks.
   * @throws AgentConfigError when the suite is not usable, for example when two tasks have one id.
   */
  tasks(options: SuiteTasksOptions): Promise<readonly Task[]>;
}

/** What {@link Suite.tasks} takes. */
export interface SuiteTasksOptions {
  /** Chooses what a generated suite holds. A suite that is a fixed list does not look at it. */
  readonly seed: number;
}

/** One question, with all that is needed to let an agent answer it and to know whether it did. */
export interface Task {
  /** Unique in the suite, and the same in each run, so that runs can be compared. */
  readonly id: string;
  /** Tasks that vary one pattern share its name; statistics then draw them together. @default a template of its own */
  readonly template?: string;
  /** Reservations and kinds, such as `ambiguous`, by which reports can leave tasks out. */
  readonly flags?: readonly string[];
  /** How hard the task is, and in which way, for curves. */
  readonly knobs?: TaskKnobs;
  /** What the agent is asked. */
  readonly question: string;
  /** Makes fresh tools over fresh state. Two trials share nothing, and with one seed they give the same results. */
  start(options: TrialOptions): Trial | Promise<Trial>;
  /**
   * The reference solution: the body of an async function in which the trial's tools are async functions in scope, by name, each taking one input
   * object. It returns the final answer as text. It knows what the question says and what tools return, nothing else. It is plain JavaScript that a
   * sandbox runs as it stands, and deterministic, so that it can be run again against a transcript: no clock, no randomness, and no tool call whose
   * input depends on which of several calls came back first.
   */
  readonly program?: string;
}

/** Values of a task's knobs, by name. */
export type TaskKnobs = Readonly<Record<string, number | string>>;

/** What {@link Task.start} takes. */
export interface TrialOptions {
  /** For whatever should differ between the trials of one task. */
  readonly seed: number;
}

/** One attempt at a task. */
export interface Trial {
  /** Made by `createTool`; the state behind them is this trial's own. */
  readonly tools: readonly AgentTool[];
  /** Policies to run under. Default: every tool is allowed. */
  readonly policies?: ToolPolicies;
  /** Names of the tools that change something. Without it, reports do not say how often a change was made twice. */
  readonly writes?: readonly string[];
  /** Judges the final answer and the state that the tools are in. Exact: no model is asked. Called once, when the agent has ended. */
  check(answer: string): Verdict | Promise<Verdict>;
  /** Frees what `start` took. Called once, after `check`, also when the agent failed. */
  dispose?(): void | Promise<void>;
}

/** Whether an attempt reached its goal. */
export interface Verdict {
  readonly solved: boolean;
  /** For a person who looks at the failure: what was expected, and what came. Not shown to a model. */
  readonly reason?: string;
  /** Changes that nobody asked for, one line each. With one of them a task is not solved. */
  readonly sideEffects?: readonly string[];
}

/** What {@link defineSuite} takes. */
export interface SuiteOptions {
  /** Lower-case letters, digits and hyphens. */
  readonly name: string;
  /** @default "1" */
  readonly version?: string;
  /** One sentence for lists and reports. @default "" */
  readonly description?: string;
  /** The tasks, or what makes them from a seed. */
  readonly tasks: readonly Task[] | ((options: SuiteTasksOptions) => readonly Task[] | Promise<readonly Task[]>);
}

/**
 * Makes a suite. What is wrong with its tasks is said when they are asked for, and what is wrong with a trial when it starts.
 * @throws AgentConfigError for a bad name, or for a list of tasks that is not usable.
 */
export function defineSuite({ name, version = "1", description = "", tasks }: SuiteOptions): Suite {
  if (typeof name !== "string" || !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) {
    throw new AgentConfigError({ field: "suite.name", problem: `lower-case words joined by hyphens were expected, not ${text(name)}` });
  }
  const label = `suite ${name}`;
  if (typeof version !== "string" || version === "") {
    throw new AgentConfigError({ field: `${label}.version`, problem: `a text was expected, not ${text(version)}` });
  }
  if (typeof tasks !== "function") checkTasks(tasks, label);
  return Object.freeze({
    name,
    version,
    description,
    async tasks(options: SuiteTasksOptions) {
      if (!Number.isSafeInteger(options?.seed)) {
        throw new AgentConfigError({ field: `${label}.tasks.seed`, problem: `a whole number was expected, not ${text(options?.seed)}` });
      }
      const list = typeof tasks === "function" ? await tasks(options) : tasks;
      checkTasks(list, label);
      return Object.freeze(list.map((task) => guarded(task, label)));
    },
  });
}

function checkTasks(tasks: unknown, label: string): asserts tasks is readonly Task[] {
  if (!Array.isArray(tasks)) throw new AgentConfigError({ field: `${label}.tasks`, problem: `a list was expected, not ${text(tasks)}` });
  if (tasks.length === 0)
    throw new AgentConfigError({ field: `${label}.tasks`, problem: "at least one task was expected, not an empty list" });
  const ids = new Map<string, number>();
  for (const [index, task] of (tasks as readonly Partial<Task>[]).entries()) {
    const field = `${label}.tasks[${index}]`;
    const { id } = task;
    if (typeof id !== "string" || id.trim() === "")
      throw new AgentConfigError({ field: `${field}.id`, problem: `a text was expected, not ${text(id)}` });
    const earlier = ids.get(id);
    if (earlier !== undefined)
      throw new AgentConfigError({ field: `${field}.id`, problem: `${text(id)} is the id of tasks[${earlier}] already` });
    ids.set(id, index);
    checkTask(task, `${label}, task ${id}`);
  }
}

function checkTask({ question, start, program, flags, knobs }: Partial<Task>, field: string): void {
  const fail = (name: string, expected: string, came: unknown) => {
    throw new AgentConfigError({ field: `${field}: ${name}`, problem: `${expected} was expected, not ${text(came)}` });
  };
  if (typeof question !== "string" || question.trim() === "") fail("question", "a text", question);
  if (typeof start !== "function") fail("start", "a function", start);
  if (program !== undefined && (typeof program !== "string" || program.trim() === "")) fail("program", "JavaScript source", program);
  if (flags !== undefined && !(Array.isArray(flags) && flags.every((flag) => typeof flag === "string")))
    fail("flags", "a list of texts", flags);
  for (const [knob, value] of Object.entries(knobs ?? {})) {
    if (typeof value !== "string" && !Number.isFinite(value)) fail(`knobs.${knob}`, "a number or a text", value);
  }
}

/** The task with a `start` that looks at what it made. */
function guarded(task: Task, label: string): Task {
  const field = `${label}, task ${task.id}: start()`;
  return Object.freeze({
    ...task,
    async start(options: TrialOptions) {
      const trial = await started(task, { options, field });
      const problem = problemOf(trial);
      if (problem !== undefined) throw new AgentConfigError({ field, problem });
      return trial;
    },
  });
}

async function started(task: Task, { options, field }: { options: TrialOptions; field: string }): Promise<Trial> {
  try {
    return await task.start(options);
  } catch (cause) {
    throw new AgentConfigError({ field, problem: `it failed: ${cause instanceof Error ? cause.message : String(cause)}`, cause });
  }
}

function problemOf(trial: Partial<Trial> | undefined): string | undefined {
  if (typeof trial?.check !== "function") return "a trial with `tools` and `check` was expected";
  if (!Array.isArray(trial.tools)) return `a list of tools was expected, not ${text(trial.tools)}`;
  const stranger = trial.tools.find((tool) => !isAgentTool(tool));
  if (stranger !== undefined) return `tools made by createTool were expected, not ${text(stranger)}`;
  const names = trial.tools.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return `two tools have the name ${twice}`;
  const { writes = [] } = trial;
  if (!Array.isArray(writes)) return `a list of names of tools was expected as \`writes\`, not ${text(writes)}`;
  const unknown = writes.find((name) => !names.includes(name));
  return unknown === undefined ? undefined : `\`writes\` names ${text(unknown)}, and there is no such tool`;
}

function text(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : typeof value === "object" && value !== null ? "an object" : String(value);
}
