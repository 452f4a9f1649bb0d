import { evaluate } from "./arithmetic.js";
import { M3Browser } from "./m3-browser.js";
import type { M3Data } from "./m3-data.js";

/** What a tool does with its arguments, which were checked already. */
export type M3Function = (input: never) => unknown;

/** The tools of all domains by name, over fresh state. Tools of one name do the same in each domain. */
export function m3Functions(data: M3Data): Readonly<Record<string, M3Function>> {
  return {
    ...textFunctions,
    ...dnaFunctions(data.dna),
    ...tradeFunctions,
    ...travelFunctions(data.travel),
    ...browserFunctions(data.website),
  };
}

interface Values {
  readonly values: readonly number[];
}

const smallest = ({ values }: Values) => Math.min(...someOf(values));
const largest = ({ values }: Values) => Math.max(...someOf(values));

const textFunctions = {
  convert_hex_to_ascii: ({ hex_string }: { hex_string: string }) => {
    const digits = hex_string.replace(/\s+/g, "");
    if (!/^([0-9a-f]{2})*$/i.test(digits)) throw new Error(`This is not hexadecimal: ${hex_string}`);
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(digits, "hex"));
  },
  reverse_string: ({ string }: { string: string }) => [...string].reverse().join(""),
  caesar_decode: ({ message, shift }: { message: string; shift: number | string }) =>
    message.replace(/[A-Za-z]/g, (letter) => {
      const first = letter <= "Z" ? 65 : 97;
      const moved = (letter.charCodeAt(0) - first - Number(shift)) % 26;
      return String.fromCharCode(first + ((moved + 26) % 26));
    }),
  string_length: ({ string }: { string: string }) => [...string].length,
  minimum_value: smallest,
  maximum_value: largest,
};

function dnaFunctions(dna: M3Data["dna"]) {
  const replace = (sequence: string, table: Readonly<Record<string, string>>) =>
    [...sequence].map((letter) => table[letter] ?? letter).join("");
  return {
    count_nucleotides: ({ dna_sequence }: { dna_sequence: string }) => {
      const counts = new Map<string, number>();
      for (const letter of dna_sequence) counts.set(letter, (counts.get(letter) ?? 0) + 1);
      return Object.fromEntries(counts);
    },
    transcribe_dna_to_mrna: ({ dna_sequence }: { dna_sequence: string }) => replace(dna_sequence, dna.dna_to_mrna),
    reverse_transcribe_mrna_to_dna: ({ mrna_sequence }: { mrna_sequence: string }) => replace(mrna_sequence, dna.mrna_to_dna),
    translate_mrna_to_amino_acid: ({ mrna_sequence }: { mrna_sequence: string }) =>
      (mrna_sequence.match(/.{1,3}/gsu) ?? []).map((codon) => dna.codons[codon] ?? dna.unknown_codon).join("-"),
    find_max_nucleotide: ({ nucleotide_counts }: { nucleotide_counts: readonly (string | number)[] }) => {
      let best: [string, number] | undefined;
      for (let index = 0; index + 1 < nucleotide_counts.length; index += 2) {
        const count = Number(nucleotide_counts[index + 1]);
        if (best === undefined || count > best[1]) best = [String(nucleotide_counts[index]), count];
      }
      if (best === undefined) throw new Error("A letter and its count were expected.");
      return best;
    },
    is_valid_dna_sequence: ({ dna_sequence }: { dna_sequence: string }) =>
      [...dna_sequence].every((letter) => dna.valid_letters.includes(letter)),
  };
}

const tradeFunctions = {
  convert_currency: ({ base_price, conversion_rate }: { base_price: number; conversion_rate: number }) => base_price * conversion_rate,
  calculate_tariff: ({ price, tariff_rate }: { price: number; tariff_rate: number }) => (price * tariff_rate) / 100,
  estimate_final_value: ({ price, tariff }: { price: number; tariff: number }) => price + tariff,
  calculator: ({ expression }: { expression: string }) => evaluate(expression) ?? `Failed to evaluate expression: ${expression}`,
  find_minimum: smallest,
  find_maximum: largest,
};

function travelFunctions({ locations, flights, hotels }: M3Data["travel"]) {
  const known = (given: string) => {
    const location = given.replaceAll('"', "");
    if (!locations.includes(location)) throw new Error(`There is no location ${location}.`);
    return location;
  };
  return {
    find_flights: (input: { from_location: string; to_location: string; date: string }) => {
      const [from, to] = [known(input.from_location), known(input.to_location)];
      return flights.filter((flight) => flight.from_location === from && flight.to_location === to && flight.date === input.date);
    },
    book_hotel: (input: { location: string; preferences: readonly string[] }) => {
      const location = known(input.location);
      const fits = ({ preferences }: { preferences: readonly string[] }) => input.preferences.every((wish) => preferences.includes(wish));
      return hotels.filter((hotel) => hotel.location === location && fits(hotel));
    },
    budget_calculator: (input: { flight_price: number; hotel_price_per_night: number; num_nights: number }) =>
      input.flight_price + input.hotel_price_per_night * input.num_nights,
    max: largest,
    min: smallest,
    sum: ({ values }: Values) => values.reduce((total, value) => total + value, 0),
  };
}

function browserFunctions(website: M3Data["website"]) {
  const browser = new M3Browser(website);
  return {
    click_url: ({ url }: { url: string }) => browser.click(url),
    go_to_previous_page: () => browser.goBack(),
    scroll_down: () => browser.scrollDown(),
    scroll_up: () => browser.scrollUp(),
    view: () => browser.view(),
  };
}

function someOf(values: readonly number[]): readonly number[] {
  if (values.length === 0) throw new Error("At least one value was expected.");
  return values;
}
