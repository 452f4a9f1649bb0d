import type { Random } from "../../random.js";
import type { EntityKind } from "./library-relations.js";

/** Something with a name that nothing else has. */
export interface NamedEntity {
  readonly kind: EntityKind;
  /** Title of its document. */
  readonly name: string;
}

const words = (text: string) => text.split(" ");

const givenNames = words(
  "Agnes Albin Beata Cyrus Delia Emeric Flora Gerd Hedda Ismael Jutta Konrad Livia Magnus Nadia Oskar Petra Quentin Rahel Silvan Thea Urban Vera Wendel Yrsa Zeno",
);
const surnames = words(
  "Abelow Brindel Caspary Drewitz Ekdal Fennimor Gralau Hestermann Ilvany Jernquist Karolyi Lindqvist Morvay Nadolny Orlamond Pasternal Quade Rosvall Sandgren Tarkin Ulbrich Varnhage Wessely Yoxall Zandern",
);
const townStarts = words("Al Bren Cor Dun Els Far Gren Hal Ist Jor Kel Lor Mar Nor Ost Pel Quen Ros Sel Tor Ul Ver Wes Yar");
const townEnds = words("by dale ford haven mere stead wick ton burg holm");
const riverNames = words("Aller Brask Cinder Dovrin Esk Fulda Garn Hode Isel Jarn Kolm Lessa");
const regionNames = ["Upper Marland", "Lower Marland", "the Saltmarch", "the Vintry", "Hollenland", "Eastermoor", "the Twelve Parishes"];
const institutionKinds = [
  "Observatory",
  "Academy",
  "Botanical Garden",
  "Museum of Trade",
  "School of Navigation",
  "Conservatory",
  "City Library",
  "Institute of Mines",
];
const topics = words("Bees Bridges Clocks Dyes Glass Lighthouses Maps Minerals Organs Printing Seeds Tides");
const gatherings = ["Congress on", "Exhibition of", "Symposium on", "Fair of"];
const ordinals = words("First Second Third Fourth Fifth");
const adjectives = words("Silent Crooked Golden Borrowed Hidden Frozen Patient Broken Distant Painted Sunken Restless");
const things = words("Lantern Compass Orchard Harbour Ladder Mirror Meadow Staircase Violin Chimney Anchor Window");
const trips = ["Expedition", "Crossing", "Survey", "Ascent"];

/** Names for everything there is, in the order of the kinds. */
export function nameEverything(random: Random): NamedEntity[] {
  const towns = random.shuffle(townStarts).map((start) => `${start}${random.pick(townEnds)}`);
  const people = random.sample(
    givenNames.flatMap((given) => surnames.map((surname) => `${given} ${surname}`)),
    84,
  );
  const institutions = random.sample(
    institutionKinds.flatMap((kind) => towns.map((town) => `${town} ${kind}`)),
    34,
  );
  const meetings = topics.flatMap((topic) => gatherings.map((gathering) => `${random.pick(ordinals)} ${gathering} ${topic}`));
  const journeys = random.sample(surnames, 14).map((surname) => `${surname} ${random.pick(trips)}`);
  const events = [...random.sample(meetings, 30), ...journeys];
  const works = random.sample(
    adjectives.flatMap((adjective) => things.map((thing) => `The ${adjective} ${thing}`)),
    52,
  );
  const named = (kind: EntityKind, names: readonly string[]) => names.map((name) => ({ kind, name }));
  return [
    ...named("person", people),
    ...named("town", towns),
    ...named("river", riverNames),
    ...named("region", regionNames),
    ...named("institution", institutions),
    ...named("event", events),
    ...named("work", works),
  ];
}
