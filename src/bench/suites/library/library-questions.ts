import type { Random } from "../../random.js";
import { type EntityKind, type RelationName, relations, relationsOf } from "./library-relations.js";
import type { Entity, LibraryWorld } from "./library-world.js";

/** A chain of facts to follow. */
export interface LibraryQuestion {
  /** What the question names. */
  readonly start: string;
  readonly chain: readonly RelationName[];
  readonly question: string;
  readonly answer: string;
  /** How many of the steps meet a document that is out of date. */
  readonly corrections: number;
}

/** Several things of a kind, of which one comes first. */
export interface LibraryComparison {
  readonly names: readonly string[];
  readonly relation: RelationName;
  readonly question: string;
  readonly answer: string;
}

/** How many questions there are for each number of steps, without and with corrections. */
const plan: readonly (readonly [number, number, number])[] = [
  [1, 8, 4],
  [2, 10, 5],
  [3, 10, 5],
  [4, 8, 4],
];

/** Chains of 1 to 4 steps, all different. With corrections, who does not follow them ends at another answer. */
export function chainQuestions(world: LibraryWorld, random: Random): LibraryQuestion[] {
  const seen = new Set<string>();
  return plan.flatMap(([steps, plain, corrected]) => [
    ...Array.from({ length: plain }, () => draw(steps, false)),
    ...Array.from({ length: corrected }, () => draw(steps, true)),
  ]);

  function draw(steps: number, corrected: boolean): LibraryQuestion {
    for (let attempt = 0; attempt < 100_000; attempt++) {
      const found = walk(world, { random, steps });
      if (found === undefined || found.corrections > 0 !== corrected || seen.has(found.question)) continue;
      if (corrected && outdatedAnswer(world, found) === found.answer) continue;
      seen.add(found.question);
      return found;
    }
    throw new RangeError(`There is no question of ${steps} steps in this library.`);
  }
}

/** Which of four came first? Four documents that can be read at once. */
export function comparisons(world: LibraryWorld, random: Random): LibraryComparison[] {
  const kinds = [
    { relation: "foundation", question: "Which of these institutions was founded first: {n}?" },
    { relation: "birthYear", question: "Which of these people was born first: {n}?" },
    { relation: "workYear", question: "Which of these works was finished first: {n}?" },
  ] as const;
  return [...kinds, ...kinds].map(({ relation, question }) => {
    const entities = [...world.values()].filter(({ kind, formerName }) => kind === relations[relation].of && formerName === undefined);
    const year = (entity: Entity) => Number(entity.facts[relation]?.value);
    let picked: Entity[] = [];
    do picked = random.sample(entities, 4);
    while (new Set(picked.map(year)).size < picked.length);
    const names = picked.map(({ name }) => name);
    const answer = picked.reduce((first, entity) => (year(entity) < year(first) ? entity : first)).name;
    return { names, relation, question: `${question.replace("{n}", names.join(", "))} Answer with the name alone.`, answer };
  });
}

function walk(world: LibraryWorld, { random, steps }: { random: Random; steps: number }): LibraryQuestion | undefined {
  const first = random.pick([...world.values()]);
  const former = first.formerName !== undefined && random.chance(0.5);
  const start = former ? (first.formerName as string) : first.name;
  const chain: RelationName[] = [];
  const visited = new Set([first.name]);
  let [at, corrections]: [Entity, number] = [first, former ? 1 : 0];
  for (;;) {
    const relation = random.pick(relationsOf(at.kind));
    const { value, outdated } = at.facts[relation] ?? { value: "" };
    chain.push(relation);
    if (outdated !== undefined) corrections += 1;
    if (chain.length === steps)
      return visited.has(value)
        ? undefined
        : { start, chain, question: wordQuestion(start, first.kind, chain), answer: value, corrections };
    const next = world.get(value);
    if (next === undefined || visited.has(value)) return undefined;
    visited.add(value);
    at = next;
  }
}

/** Where one ends who believes what is out of date. */
function outdatedAnswer(world: LibraryWorld, { start, chain }: LibraryQuestion): string | undefined {
  return chain.reduce<string | undefined>((name, relation) => {
    const fact = name === undefined ? undefined : world.get(name)?.facts[relation];
    return fact?.outdated ?? fact?.value;
  }, start);
}

function wordQuestion(start: string, kind: EntityKind, chain: readonly RelationName[]): string {
  const named = kind === "work" ? `“${start}”` : kind === "institution" || kind === "event" || kind === "river" ? `the ${start}` : start;
  const asked = chain.reduce<string>((subject, relation) => relations[relation].phrase.replace("{s}", subject), named);
  const last = relations[chain.at(-1) as RelationName];
  return last.to === "number" ? `Find out ${asked}. Answer with the number alone.` : `Name ${asked}. Answer with the name alone.`;
}
