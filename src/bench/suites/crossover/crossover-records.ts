import type { Random } from "../../random.js";
import type { CrossoverKnobs } from "./crossover-knobs.js";

/** One record: it names the next one of its chain, or is the last and holds the values. */
export interface CrossoverRecord {
  readonly id: string;
  readonly next?: string;
  readonly class?: string;
  readonly units?: number;
  readonly note: string;
}

/** The last record of a chain. */
export interface LastRecord {
  readonly id: string;
  readonly units: number;
  readonly class: string;
}

/** All that the tools of one task know. */
export interface CrossoverWorld {
  /** First part of the ids of the records that the chains start with; `-01`, `-02` and so on follow it. */
  readonly prefix: string;
  readonly records: ReadonlyMap<string, CrossoverRecord>;
  /** In the order of the records that their chains start with. */
  readonly last: readonly LastRecord[];
  /** The class that counts. */
  readonly wantedClass: string;
}

/** Without those that look like digits. */
const letters = [..."ABCDEFGHJKLMNPQRSTUVWXYZ"];

const classes = ["red", "tan", "jet", "sky", "ash", "bay"];

const fillerWords =
  "seal checked at the north gate and the weight entered by hand because the scale was away for repair on that day while the driver waited near ramp four".split(
    " ",
  );

/** Generates the records of one task. */
export function crossoverWorld({ fanOut, depth, resultBytes, relevantShare }: CrossoverKnobs, random: Random): CrossoverWorld {
  const freshId = idMaker(random);
  const prefix = freshId().slice(0, 2);
  const [wantedClass = "", ...otherClasses] = random.shuffle(classes);
  const relevant = Math.max(1, Math.round(fanOut * relevantShare));
  const wanted = random.shuffle(Array.from({ length: fanOut }, (_, chain) => chain < relevant));
  const records = new Map<string, CrossoverRecord>();
  const last = wanted.map((isWanted, chain) => {
    const ids = [startId(prefix, chain), ...Array.from({ length: depth - 1 }, () => freshId(prefix))];
    for (const [step, id] of ids.slice(0, -1).entries()) add({ id, next: ids[step + 1] as string, note: "" });
    const record = {
      id: ids.at(-1) as string,
      class: isWanted ? wantedClass : random.pick(otherClasses),
      units: random.integer(10, 99),
    };
    add({ ...record, note: "" });
    return record;
  });
  return { prefix, records, last, wantedClass };

  function add(record: CrossoverRecord): void {
    const missing = resultBytes - JSON.stringify(record).length;
    records.set(record.id, { ...record, note: filler(missing, random) });
  }
}

/** The id that a chain starts with. */
export function startId(prefix: string, chain: number): string {
  return `${prefix}-${String(chain + 1).padStart(2, "0")}`;
}

/** Words of exactly this length. */
function filler(length: number, random: Random): string {
  const words: string[] = [];
  for (let written = 0; written < length; ) {
    const word = random.pick(fillerWords);
    words.push(word);
    written += word.length + 1;
  }
  return words.join(" ").slice(0, Math.max(0, length)).padEnd(length, ".");
}

/** Ids of five characters, such as `K7-12`, none twice and none with the prefix that the starting records have. */
function idMaker(random: Random): (excludedPrefix?: string) => string {
  const used = new Set<string>();
  return (excludedPrefix) => {
    for (;;) {
      const letter = random.pick(letters);
      const id = `${letter}${random.integer(1, 9)}-${String(random.integer(0, 99)).padStart(2, "0")}`;
      if (used.has(id) || id.slice(0, 2) === excludedPrefix) continue;
      used.add(id);
      return id;
    }
  };
}
