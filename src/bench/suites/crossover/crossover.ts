import { AgentConfigError } from "../../../base/errors.js";
import { defineSuite, type Suite, type Task } from "../../suite.js";
import {
  type CrossoverKnob,
  type CrossoverKnobs,
  type CrossoverSweeps,
  checkKnobs,
  crossoverBase,
  crossoverSweeps,
} from "./crossover-knobs.js";
import { crossoverTask } from "./crossover-task.js";

/** What {@link crossover} takes. */
export interface CrossoverOptions {
  /** Knobs of the point that each sweep goes through. @default {@link crossoverBase} */
  readonly base?: Partial<CrossoverKnobs>;
  /** Values of the knobs to sweep; a knob that is left out stays at the base. @default {@link crossoverSweeps} and, for goal and access, all four combinations */
  readonly sweeps?: CrossoverSweeps;
  /** How many tasks of different content there are for each point. They share a template. @default 2 */
  readonly repeats?: number;
}

/**
 * Where does code or planning start to pay? Tasks that differ in one knob at a time around a base point: fan-out, depth, size of results, number of tools,
 * share of the results that matters, aggregate or relay, read or write. The answers are exact by construction.
 */
export function crossover({ base = {}, sweeps, repeats = 2 }: CrossoverOptions = {}): Suite {
  const middle = checkKnobs({ ...crossoverBase, ...base });
  if (!Number.isInteger(repeats) || repeats < 1) {
    throw new AgentConfigError({ field: "suite crossover.repeats", problem: `a whole number from 1 was expected, not ${repeats}` });
  }
  const corner: CrossoverKnobs[] = sweeps === undefined ? [{ ...middle, goal: "relay", access: "write" }] : [];
  const points = unique([middle, ...pointsOf(middle, sweeps ?? crossoverSweeps), ...corner]);
  return defineSuite({
    name: "crossover",
    version: "1",
    description: "Generated tasks that differ in one knob at a time, to see where each strategy starts to pay.",
    tasks: ({ seed }) =>
      points.flatMap((knobs) => Array.from({ length: repeats }, (_, index) => crossoverTask({ knobs, seed, repeat: index + 1 }))),
  });
}

/** The tasks that lie on the curve of one knob: those that differ from the first of them in this knob at most, in rising order where it is a number. */
export function crossoverCurve(tasks: readonly Task[], knob: CrossoverKnob): readonly Task[] {
  const others = ({ knobs = {} }: Task) => JSON.stringify({ ...knobs, [knob]: null });
  const base = tasks[0];
  const curve = base === undefined ? [] : tasks.filter((task) => others(task) === others(base));
  const value = ({ knobs }: Task) => knobs?.[knob];
  return curve.toSorted((a, b) => (typeof value(a) === "number" ? Number(value(a)) - Number(value(b)) : 0));
}

function pointsOf(middle: CrossoverKnobs, sweeps: CrossoverSweeps): CrossoverKnobs[] {
  return Object.entries(sweeps).flatMap(([knob, values]) => values.map((value) => checkKnobs({ ...middle, [knob]: value })));
}

function unique(points: readonly CrossoverKnobs[]): CrossoverKnobs[] {
  return [...new Map(points.map((point) => [JSON.stringify(point), point])).values()];
}
