import type { Random } from "../../random.js";
import { type NamedEntity, nameEverything } from "./library-names.js";
import { type RelationName, relations, relationsOf } from "./library-relations.js";

/** A fact of today, and what an older document says instead. */
export interface Fact {
  readonly value: string;
  /** The wrong or former value; undefined when nothing was ever corrected. */
  readonly outdated?: string;
}

/** Something that a document is about. */
export interface Entity extends NamedEntity {
  readonly facts: Readonly<Partial<Record<RelationName, Fact>>>;
  /** A name that it had before, with a document of its own. */
  readonly formerName?: string;
}

/** Everything that the documents tell. */
export type LibraryWorld = ReadonlyMap<string, Entity>;

/** The relations that may be corrected, with the share of their facts that are. */
const correctedShare: Partial<Record<RelationName, number>> = { birthTown: 0.25, seat: 0.3, eventYear: 0.3, keeper: 0.4 };

/** Invents people, places, institutions, events and works, and how they hang together. */
export function makeWorld(random: Random): LibraryWorld {
  const named = nameEverything(random);
  const namesOf = Map.groupBy(named, ({ kind }) => kind);
  const years = new Map<string, number>();
  const capitals = new Map(
    random
      .sample(namesOf.get("town") ?? [], namesOf.get("region")?.length ?? 0)
      .map(({ name }, index) => [name, namesOf.get("region")?.[index]?.name ?? ""]),
  );
  const entities = named.map((entity): Entity => {
    const facts = relationsOf(entity.kind).map((relation) => [relation, factFor(entity, relation)] as const);
    return { ...entity, facts: Object.fromEntries(facts) };
  });
  const renamed = new Set(
    random
      .sample(
        entities.filter(({ kind }) => kind === "institution"),
        5,
      )
      .map(({ name }) => name),
  );
  const oldNames = random.shuffle([
    "Old Hall of Letters",
    "Society of the Compass",
    "Stone Gate School",
    "House of Instruments",
    "Lantern College",
  ]);
  const all = entities.map((entity) => (renamed.has(entity.name) ? { ...entity, formerName: oldNames.pop() as string } : entity));
  return new Map(all.map((entity) => [entity.name, entity]));

  function factFor(entity: NamedEntity, relation: RelationName): Fact {
    const value = valueFor(entity, relation);
    if (!random.chance(correctedShare[relation] ?? 0)) return { value };
    let outdated = value;
    while (outdated === value) outdated = valueFor(entity, relation);
    return { value, outdated };
  }

  function valueFor({ name }: NamedEntity, relation: RelationName): string {
    const { to } = relations[relation];
    if (relation === "region") return capitals.get(name) ?? random.pick(namesOf.get("region") ?? []).name;
    if (relation === "capital") return [...capitals].find(([, region]) => region === name)?.[0] ?? "";
    if (relation === "length") return String(random.integer(41, 480));
    if (relation === "birthYear") return String(yearOf(name));
    if (to === "number") return String(random.integer(1_781, 1_938));
    const others = (namesOf.get(to) ?? []).filter((other) => other.name !== name);
    if (relation !== "teacher") return random.pick(others).name;
    // Teachers are older than who they teach, so that no chain of teachers leads back to where it began.
    const older = others.filter((other) => yearOf(other.name) < yearOf(name));
    return (older.length === 0 ? random.pick(others) : random.pick(older)).name;
  }

  function yearOf(person: string): number {
    const year = years.get(person) ?? random.integer(1_741, 1_899);
    years.set(person, year);
    return year;
  }
}
