import { z } from "zod";
import { type AgentTool, createTool } from "../../../base/tool.js";
import { sameNumber, sameNumbers } from "../../answers.js";
import { judge } from "../../judge.js";
import { Random } from "../../random.js";
import { reusableTools } from "../../reusable-tools.js";
import type { Task, Trial } from "../../suite.js";
import type { CrossoverKnobs } from "./crossover-knobs.js";
import { type CrossoverWorld, crossoverWorld, type LastRecord, startId } from "./crossover-records.js";
import { decoyTools, decoyWrites } from "./decoy-tools.js";

/** What {@link crossoverTask} takes. */
export interface CrossoverTaskOptions {
  /** Checked already. */
  readonly knobs: CrossoverKnobs;
  /** Seed of the suite. */
  readonly seed: number;
  /** Number of the task among those of the same knobs, from 1. */
  readonly repeat: number;
}

/** Makes one task of the suite. */
export function crossoverTask({ knobs, seed, repeat }: CrossoverTaskOptions): Task {
  const { fanOut, depth, resultBytes, toolsShown, relevantShare, goal, access } = knobs;
  const template =
    `fan-${fanOut} depth-${depth} bytes-${resultBytes} tools-${toolsShown} share-${relevantShare} ${goal} ${access}`.replaceAll(" ", "/");
  const world = crossoverWorld(knobs, new Random(seed, "crossover", template, repeat));
  return {
    id: `${template}/${repeat}`,
    template,
    knobs: { ...knobs },
    question: question(knobs, world),
    program: program(knobs, world),
    start: () => start({ knobs, world, random: new Random(seed, "crossover tools", template, repeat) }),
  };
}

function question({ fanOut, goal, access }: CrossoverKnobs, { prefix, wantedClass }: CrossoverWorld): string {
  const from = startId(prefix, 0);
  const which =
    fanOut === 1 ? `the record ${from}` : `the ${fanOut} records ${from} to ${startId(prefix, fanOut - 1)} (numbered in steps of one)`;
  const asked = {
    "aggregate read": `Add up the \`units\` of those last records whose \`class\` is "${wantedClass}". Answer with the sum alone.`,
    "relay read": `Answer with the \`units\` of those last records whose \`class\` is "${wantedClass}", in the order of the records that you started with, separated by commas, and nothing else.`,
    "aggregate write": `Add up the \`units\` of those last records whose \`class\` is "${wantedClass}", and post the sum with one call of post_total, with "${prefix}" as its account. Then answer with the sum alone.`,
    "relay write": `For each of those last records whose \`class\` is "${wantedClass}", call post_units once with the record's \`id\` and \`units\`. Then answer with the number of records that you posted, and nothing else.`,
  }[`${goal} ${access}` as const];
  return `A record names the record to read after it in \`next\`; one without \`next\` is the last of its chain. Start with ${which}, and follow each chain to its last record. ${asked}`;
}

function program({ fanOut, goal, access }: CrossoverKnobs, { prefix, wantedClass }: CrossoverWorld): string {
  const result = {
    "aggregate read": "return String(sum);",
    "relay read": 'return wanted.map((record) => record.units).join(", ");',
    "aggregate write": `await post_total({ account: ${JSON.stringify(prefix)}, total: sum });\nreturn String(sum);`,
    "relay write": "await Promise.all(wanted.map(({ id, units }) => post_units({ id, units })));\nreturn String(wanted.length);",
  }[`${goal} ${access}` as const];
  return `const ids = Array.from({ length: ${fanOut} }, (_, index) => "${prefix}-" + String(index + 1).padStart(2, "0"));
const last = await Promise.all(ids.map(async (id) => {
  let record = await read_record({ id });
  while (record.next !== undefined) record = await read_record({ id: record.next });
  return record;
}));
const wanted = last.filter((record) => record.class === ${JSON.stringify(wantedClass)});
${goal === "aggregate" ? "const sum = wanted.reduce((total, record) => total + record.units, 0);\n" : ""}${result}`;
}

function start({ knobs, world, random }: { knobs: CrossoverKnobs; world: CrossoverWorld; random: Random }): Trial {
  const made: string[] = [];
  const own = ownTools({ world, made });
  const decoys = random.sample(decoysOver(made), knobs.toolsShown - own.length);
  const tools = random.shuffle([...own, ...decoys]);
  const relevant = world.last.filter((record) => record.class === world.wantedClass);
  return {
    tools,
    writes: tools.map(({ name }) => name).filter((name) => writes.has(name)),
    check: (answer) =>
      judge({ wanted: wantedChanges(knobs, world, relevant), made, answerProblem: answerProblem({ answer, knobs, relevant }) }),
  };
}

const writes = new Set(["post_units", "post_total", ...decoyWrites]);

interface TrialState {
  readonly world: CrossoverWorld;
  /** The changes so far. */
  readonly made: string[];
}

const ownTools = reusableTools<TrialState>(makeOwnTools);
const decoysOver = reusableTools<string[]>(decoyTools);

function makeOwnTools(state: () => TrialState): AgentTool[] {
  const id = z.string().describe("Id of the record, for example K7-12.");
  const posted = z.object({ posted: z.boolean() });
  return [
    createTool({
      name: "read_record",
      description: "Reads one record of the yard's register by its id.",
      inputSchema: z.object({ id }),
      outputSchema: z.object({
        id: z.string(),
        next: z.string().optional().describe("Id of the record to read after this one; not there in the last one."),
        class: z.string().optional().describe("Only in the last one."),
        units: z.int().optional().describe("Only in the last one."),
        note: z.string(),
      }),
      execute: (input) => {
        const record = state().world.records.get(input.id);
        if (record === undefined) throw new Error(`There is no record ${input.id}.`);
        return record;
      },
    }),
    createTool({
      name: "post_units",
      description: "Posts the units of one record to the ledger. Each call adds an entry.",
      inputSchema: z.object({ id, units: z.int() }),
      outputSchema: posted,
      execute: (input) => {
        state().made.push(unitsPosted(input));
        return { posted: true };
      },
    }),
    createTool({
      name: "post_total",
      description: "Posts a total to an account of the ledger. Each call adds an entry.",
      inputSchema: z.object({ account: z.string(), total: z.int() }),
      outputSchema: posted,
      execute: ({ account, total }) => {
        state().made.push(totalPosted(account, total));
        return { posted: true };
      },
    }),
  ];
}

function wantedChanges({ goal, access }: CrossoverKnobs, { prefix }: CrossoverWorld, relevant: readonly LastRecord[]): string[] {
  if (access === "read") return [];
  return goal === "relay" ? relevant.map(unitsPosted) : [totalPosted(prefix, sumOf(relevant))];
}

interface Answered {
  readonly answer: string;
  readonly knobs: CrossoverKnobs;
  readonly relevant: readonly LastRecord[];
}

function answerProblem({ answer, knobs: { goal, access }, relevant }: Answered): string | undefined {
  const units = relevant.map((record) => record.units);
  if (goal === "relay" && access === "read") return sameNumbers(answer, units) ? undefined : `the answer should be ${units.join(", ")}`;
  const expected = goal === "relay" ? relevant.length : sumOf(relevant);
  return sameNumber(answer, expected) ? undefined : `the answer should be ${expected}`;
}

function sumOf(records: readonly LastRecord[]): number {
  return records.reduce((sum, { units }) => sum + units, 0);
}

function unitsPosted({ id, units }: Pick<LastRecord, "id" | "units">): string {
  return `post_units of ${units} for ${id}`;
}

function totalPosted(account: string, total: number): string {
  return `post_total of ${total} to ${account}`;
}
