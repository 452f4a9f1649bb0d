import type { Random } from "../../random.js";
import { type EntityKind, type RelationName, relations } from "./library-relations.js";
import type { Entity, Fact, LibraryWorld } from "./library-world.js";

/** A short text of the library. */
export interface LibraryDocument {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

const openings: Readonly<Record<EntityKind, readonly string[]>> = {
  person: [
    "{s} is remembered by few.",
    "Of {s} there is one portrait in pencil.",
    "The letters of {s} fill two boxes.",
    "{s} never liked to travel.",
  ],
  town: [
    "{s} has a market on Thursdays.",
    "The walls of {s} were pulled down long ago.",
    "{s} is known for its pears.",
    "Fog is frequent in {s}.",
  ],
  river: ["The {s} freezes in hard winters.", "Barges went up the {s} until the railway came.", "The {s} is rich in eels."],
  region: ["The hills of {s} are low.", "In {s} the barley ripens late.", "Few roads lead through {s}."],
  institution: [
    "The {s} has a clock that is always slow.",
    "Old catalogues call the {s} a quiet house.",
    "The {s} opens its doors at nine.",
    "Nobody knows who drew the plans of the {s}.",
  ],
  event: ["The {s} was talked of for years.", "The {s} cost more than had been thought.", "It rained all through the {s}."],
  work: [
    "{s} is smaller than one expects.",
    "{s} was shown under glass for a long time.",
    "Some hold {s} to be unfinished.",
    "{s} has been copied often.",
  ],
};

const fillers = [
  "The sources do not agree about the details.",
  "A drawing of it was lost in a fire.",
  "Much has been written about this, little of it is of use.",
  "A street bears the name.",
  "An inventory of the last century lists three trunks and a barometer.",
  "School classes come here in spring.",
  "The anniversary passed without notice.",
  "There is a note on this in the almanac.",
  "Later writers repeat the same anecdote.",
];

const pointers = [
  "This article is out of date: see “{t}”.",
  "A later notice corrects this article; see “{t}”.",
  "For what has changed since then, see “{t}”.",
];

const noticeTitles: Partial<Record<RelationName, string>> = {
  birthTown: "Erratum on {s}",
  seat: "Removal of the {s}",
  eventYear: "On the date of the {s}",
  keeper: "Transfer of {s}",
};

const noticeReasons = [
  "A letter that was found in an attic settles the matter.",
  "The council's minutes leave no doubt.",
  "This was noticed when the shelves were put in order.",
];

/** Writes a document for each thing, and a notice for each correction. They are in random order, and so are their ids. */
export function writeDocuments(world: LibraryWorld, random: Random): LibraryDocument[] {
  const texts = [...world.values()].flatMap((entity) => [...articles(entity), ...notices(entity)]);
  return random.shuffle(texts).map((text, index) => ({ id: `doc-${101 + index}`, ...text }));

  function articles(entity: Entity) {
    const { name, formerName } = entity;
    const facts = Object.entries(entity.facts) as [RelationName, Fact][];
    const told = random.shuffle(facts.map(([relation, { value, outdated }]) => say(relation, { s: name, o: outdated ?? value })));
    const see = facts.flatMap(([relation, { outdated }]) => (outdated === undefined ? [] : [pointTo(noticeTitle(relation, name))]));
    const article = { title: name, text: [opening(entity), ...told, ...random.sample(fillers, random.integer(0, 2)), ...see].join(" ") };
    if (formerName === undefined) return [article];
    const old = `The ${formerName} changed its name in ${random.integer(1_940, 1_958)} and moved house in the same year. ${pointTo(name)}`;
    return [article, { title: formerName, text: `${old} ${random.pick(fillers)}` }];
  }

  function notices({ name, facts }: Entity) {
    return (Object.entries(facts) as [RelationName, Fact][]).flatMap(([relation, { value, outdated }]) => {
      if (outdated === undefined) return [];
      const before = `Older articles name ${outdated} here, and that no longer holds.`;
      return [
        { title: noticeTitle(relation, name), text: [before, random.pick(noticeReasons), say(relation, { s: name, o: value })].join(" ") },
      ];
    });
  }

  function say(relation: RelationName, { s, o }: { s: string; o: string }): string {
    return random.pick<string>(relations[relation].wordings).replace("{s}", s).replace("{o}", o);
  }

  function opening({ kind, name }: Entity): string {
    return random.pick(openings[kind]).replace("{s}", name);
  }

  function pointTo(title: string): string {
    return random.pick(pointers).replace("{t}", title);
  }
}

function noticeTitle(relation: RelationName, name: string): string {
  return (noticeTitles[relation] ?? "Note on {s}").replace("{s}", name);
}
