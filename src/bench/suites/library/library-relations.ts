/** What documents are about. */
export type EntityKind = "person" | "town" | "river" | "region" | "institution" | "event" | "work";

/** What can be known of something, and how it is said. */
export interface Relation {
  readonly of: EntityKind;
  /** What it leads to; `number` ends a question. */
  readonly to: EntityKind | "number";
  /** Names the object by the subject `{s}` in questions. */
  readonly phrase: string;
  /** Sentences of the documents that say it, of the subject `{s}` and the object `{o}`. */
  readonly wordings: readonly string[];
}

/** All relations by name. No sentence of one fits the wording of another in documents of the same kind. */
export const relations = {
  birthTown: {
    of: "person",
    to: "town",
    phrase: "the town in which {s} was born",
    wordings: ["{s} was born in {o}.", "{o} was the birthplace of {s}.", "The parish book of {o} records the birth of {s}."],
  },
  birthYear: {
    of: "person",
    to: "number",
    phrase: "the year in which {s} was born",
    wordings: ["The year of birth is {o}.", "The birth fell in the year {o}.", "Life began for {s} in the year {o}."],
  },
  school: {
    of: "person",
    to: "institution",
    phrase: "the institution at which {s} studied",
    wordings: ["{s} studied at the {o}.", "The training of {s} took place at the {o}.", "As a student, {s} belonged to the {o}."],
  },
  teacher: {
    of: "person",
    to: "person",
    phrase: "the teacher of {s}",
    wordings: ["The teacher of {s} was {o}.", "{s} learned the craft from {o}.", "It was {o} who taught {s}."],
  },
  seat: {
    of: "institution",
    to: "town",
    phrase: "the town in which {s} stands today",
    wordings: ["Its seat is {o}.", "Visitors find it in {o}.", "It has its rooms in {o}."],
  },
  foundation: {
    of: "institution",
    to: "number",
    phrase: "the year in which {s} was founded",
    wordings: ["It was founded in {o}.", "The year of foundation is {o}.", "It goes back to the year {o}."],
  },
  founder: {
    of: "institution",
    to: "person",
    phrase: "the founder of {s}",
    wordings: ["Its founder was {o}.", "{o} founded it.", "It owes its existence to {o}."],
  },
  eventYear: {
    of: "event",
    to: "number",
    phrase: "the year in which {s} took place",
    wordings: ["It took place in {o}.", "The year was {o}.", "It was held in the summer of {o}."],
  },
  host: {
    of: "event",
    to: "town",
    phrase: "the town in which {s} took place",
    wordings: ["The place was {o}.", "{o} was the host.", "All of it happened in the streets of {o}."],
  },
  organiser: {
    of: "event",
    to: "person",
    phrase: "the organiser of {s}",
    wordings: ["{o} organised it.", "The organiser was {o}.", "It was planned and led by {o}."],
  },
  author: {
    of: "work",
    to: "person",
    phrase: "the author of {s}",
    wordings: ["It is a work of {o}.", "{o} made it.", "Its author is {o}."],
  },
  workYear: {
    of: "work",
    to: "number",
    phrase: "the year in which {s} was finished",
    wordings: ["It was finished in {o}.", "The last stroke was done in {o}.", "On its back stands the year {o}."],
  },
  keeper: {
    of: "work",
    to: "institution",
    phrase: "the institution that keeps {s} today",
    wordings: ["It is kept at the {o}.", "The {o} holds it.", "It belongs to the collection of the {o}."],
  },
  river: {
    of: "town",
    to: "river",
    phrase: "the river that flows through {s}",
    wordings: ["The {o} flows through {s}.", "{s} lies on the {o}.", "Its bridges cross the {o}."],
  },
  region: {
    of: "town",
    to: "region",
    phrase: "the region of {s}",
    wordings: ["{s} belongs to {o}.", "It is one of the towns of {o}.", "The maps show it in {o}."],
  },
  length: {
    of: "river",
    to: "number",
    phrase: "the length in kilometres of {s}",
    wordings: ["It is {o} kilometres long.", "From spring to mouth it measures {o} kilometres."],
  },
  capital: {
    of: "region",
    to: "town",
    phrase: "the capital of {s}",
    wordings: ["Its capital is {o}.", "It is governed from {o}."],
  },
} as const satisfies Record<string, Relation>;

/** The name of a relation. */
export type RelationName = keyof typeof relations;

/** The relations that start at a kind. */
export function relationsOf(kind: EntityKind): RelationName[] {
  return (Object.keys(relations) as RelationName[]).filter((name) => relations[name].of === kind);
}

/** Regular expressions, as text, of which one matches each sentence that says it; the object is their group. */
export function patternsOf(name: RelationName): string[] {
  return relations[name].wordings.map((wording) => {
    const escaped = wording.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
    return `^${escaped.replace("{s}", ".+").replace("{o}", "(.+)")}$`;
  });
}
