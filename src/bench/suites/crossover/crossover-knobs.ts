import { z } from "zod";
import { AgentConfigError } from "../../../base/errors.js";

/** What makes a task of the suite crossover easy or hard. Each can be turned without the others. */
export interface CrossoverKnobs {
  /** How many chains of records there are to follow: calls that could be made at once. 1 to 64. */
  readonly fanOut: number;
  /** How many records follow each other in a chain: calls that must wait for each other. 1 to 6. */
  readonly depth: number;
  /** Length of each record as JSON text, in bytes. 50 to 50,000. */
  readonly resultBytes: number;
  /** How many tools the agent sees; 3 of them are of use. 5 to 200. */
  readonly toolsShown: number;
  /** Share of the last records that count. Above 0, up to 1; at least one counts. */
  readonly relevantShare: number;
  /** `aggregate`: one number is made of what was read. `relay`: each value that was read has to be handed on. */
  readonly goal: "aggregate" | "relay";
  /** `read`: the result is the answer. `write`: the result is handed to a tool that changes something. */
  readonly access: "read" | "write";
}

/** The name of a knob. */
export type CrossoverKnob = keyof CrossoverKnobs;

/** The point that each sweep goes through. */
export const crossoverBase: CrossoverKnobs = {
  fanOut: 8,
  depth: 2,
  resultBytes: 500,
  toolsShown: 10,
  relevantShare: 0.5,
  goal: "aggregate",
  access: "read",
};

/** The values that each knob takes in its sweep, the others staying at the base point. */
export type CrossoverSweeps = { readonly [Knob in CrossoverKnob]?: readonly CrossoverKnobs[Knob][] };

/** The sweeps that the suite has by default. */
export const crossoverSweeps: Required<CrossoverSweeps> = {
  fanOut: [1, 2, 4, 8, 16, 32, 64],
  depth: [1, 2, 3, 4, 5, 6],
  resultBytes: [50, 150, 500, 1_500, 5_000, 15_000, 50_000],
  toolsShown: [5, 10, 20, 50, 100, 200],
  relevantShare: [0.125, 0.25, 0.5, 0.75, 1],
  goal: ["aggregate", "relay"],
  access: ["read", "write"],
};

const knobsSchema = z.strictObject({
  fanOut: z.int().min(1).max(64),
  depth: z.int().min(1).max(6),
  resultBytes: z.int().min(50).max(50_000),
  toolsShown: z.int().min(5).max(200),
  relevantShare: z.number().gt(0).max(1),
  goal: z.enum(["aggregate", "relay"]),
  access: z.enum(["read", "write"]),
} satisfies Record<CrossoverKnob, unknown>);

/** @throws AgentConfigError naming the knob. */
export function checkKnobs(knobs: CrossoverKnobs): CrossoverKnobs {
  const parsed = knobsSchema.safeParse(knobs);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const field = ["suite crossover", ...(issue?.path ?? [])].join(".");
  throw new AgentConfigError({ field, problem: issue?.message ?? "is not usable", cause: parsed.error });
}
