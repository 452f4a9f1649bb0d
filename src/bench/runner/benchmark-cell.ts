import type { AgentRuntime } from "../../base/agent-runtime.js";
import type { AgentModel } from "../../base/model.js";
import type { Pricing } from "../../base/usage.js";
import type { Fault } from "../faults/fault-kinds.js";
import { Random } from "../random.js";
import type { Suite, Task } from "../suite.js";

/** A strategy with its settings. */
export interface BenchmarkArm {
  /** Unique in a run; stands in records and reports. */
  readonly name: string;
  readonly runtime: AgentRuntime;
  /** Settings for the manifest, as JSON. @default null */
  readonly settings?: unknown;
}

/** A model with what it costs. */
export interface BenchmarkModel {
  /** Unique in a run; stands in records and reports. */
  readonly name: string;
  readonly model: AgentModel;
  readonly pricing?: Pricing;
}

/** A suite with its tasks. */
export interface LoadedSuite {
  readonly suite: Suite;
  readonly tasks: readonly Task[];
}

/** One attempt at one task by one strategy. */
export interface BenchmarkCell {
  /** `suite/task/arm/model/trial`, and the fault where there is one. */
  readonly id: string;
  readonly suite: Suite;
  readonly task: Task;
  readonly arm: BenchmarkArm;
  /** Undefined: the reference policy. */
  readonly model: BenchmarkModel | undefined;
  /** From 0. */
  readonly trial: number;
  readonly fault: Fault | undefined;
}

/** Name of the reference policy in records. */
export const REFERENCE_POLICY = "reference-policy";

/** What {@link planCells} takes. */
export interface CellPlanOptions {
  /** What is to be solved. */
  readonly suites: readonly LoadedSuite[];
  /** What is compared. */
  readonly arms: readonly BenchmarkArm[];
  /** Undefined stands for the reference policy. */
  readonly models: readonly (BenchmarkModel | undefined)[];
  /** Attempts at each task. */
  readonly trials: number;
  /** Each is run besides the run without one. */
  readonly faults: readonly Fault[];
  /** Chooses the order. */
  readonly seed: number;
}

/** Every cell of a run, in an order that depends on the seed alone, so that time of day and strategy do not go together. */
export function planCells({ suites, arms, models, trials, faults, seed }: CellPlanOptions): BenchmarkCell[] {
  const cells: BenchmarkCell[] = [];
  for (const { suite, tasks } of suites) {
    for (const task of tasks) {
      for (const arm of arms) {
        for (const model of models) {
          for (let trial = 0; trial < trials; trial++) {
            for (const fault of [undefined, ...faults]) {
              const id = [suite.name, task.id, arm.name, model?.name ?? REFERENCE_POLICY, trial, ...(fault ? [fault.name] : [])].join("/");
              cells.push({ id, suite, task, arm, model, trial, fault });
            }
          }
        }
      }
    }
  }
  return new Random("cells", seed).shuffle(cells);
}

/** Names that stand twice in a list. */
export function firstDuplicate(names: readonly string[]): string | undefined {
  return names.find((name, index) => names.indexOf(name) !== index);
}
