import type { JsonValue } from "../../../base/json.js";
import type { M3Call } from "./m3-data.js";
import type { M3Source, M3Step } from "./m3-program.js";

/** One argument of a call. */
export interface M3Argument {
  readonly call: M3Call;
  readonly name: string;
  readonly value: JsonValue;
  readonly question: string;
  /** The calls whose results are known by then. */
  readonly earlier: readonly M3Step[];
}

/** Arguments that the question states, or that are computed from what it states, even where a result happens to be equal. */
const stated = new Set([
  "shift",
  "num_nights",
  "conversion_rate",
  "tariff_rate",
  "base_price",
  "hex_string",
  "date",
  "from_location",
  "to_location",
]);

/** JavaScript for an argument: from the results of earlier calls where it comes from there, else as it stands. */
export function inputSource(argument: M3Argument): string {
  const { name, value, earlier } = argument;
  const literal = JSON.stringify(value);
  if (stated.has(name)) return literal;
  if (name === "url")
    return (
      latest(
        earlier,
        ({ call }) => shows(call.result, String(value)),
        (step) => `link(${step.name}, ${literal})`,
      ) ?? literal
    );
  if (name === "expression") return expressionSource(String(value), earlier);
  const whole = candidateFor(argument, value);
  if (whole !== undefined) return whole;
  if (!Array.isArray(value)) return literal;
  return `[${value.map((part: JsonValue) => candidateFor(argument, part) ?? JSON.stringify(part)).join(", ")}]`;
}

function candidateFor({ earlier }: M3Argument, value: JsonValue): string | undefined {
  const wanted = JSON.stringify(value);
  return latest(
    earlier,
    (step) => candidates(step).some((source) => JSON.stringify(source.value) === wanted),
    (step) => {
      return candidates(step).find((source) => JSON.stringify(source.value) === wanted)?.code ?? "";
    },
  );
}

/** What can be read from one result, the likeliest first. */
function candidates({ name, call: { result } }: M3Step): M3Source[] {
  const sources: M3Source[] = [{ code: name, value: result }];
  if (typeof result === "string" && /^\d+$/.test(result)) sources.push({ code: `Number(${name})`, value: Number(result) });
  if (Array.isArray(result)) sources.push(...rowCandidates(name, result));
  else if (typeof result === "object" && result !== null)
    sources.push({ code: `Object.entries(${name}).flat()`, value: Object.entries(result).flat() });
  return sources;
}

type Row = Readonly<Record<string, JsonValue>>;

function rowCandidates(name: string, rows: readonly JsonValue[]): M3Source[] {
  const [first] = rows;
  if (typeof first === "string") return [{ code: `${name}[0].repeat(3)`, value: first.repeat(3) }];
  if (typeof first !== "object") return [];
  const table = rows as readonly Row[];
  const field = "price" in (first as Row) ? "price" : "price_per_night";
  const best = table.reduce((top, row) => (Number(row["rating"]) > Number(top["rating"]) ? row : top));
  return [
    { code: `cheapest(${name}, ${JSON.stringify(field)})`, value: Math.min(...table.map((row) => Number(row[field]))) },
    { code: `bestRated(${name}).${field}`, value: best[field] ?? null },
    { code: `${name}[0].${field}`, value: (first as Row)[field] ?? null },
  ];
}

/** Numbers in an expression that are results, or prices on pages, are put in from there. */
function expressionSource(expression: string, earlier: readonly M3Step[]): string {
  let found = false;
  const code = expression.replace(/\d+(?:\.\d+)?/g, (number) => {
    const source =
      latest(
        earlier,
        ({ call }) => call.result === Number(number),
        ({ name }) => name,
      ) ??
      latest(
        earlier,
        ({ call }) => shows(call.result, `Price: $${number}\n`),
        ({ name }) => `field(${name}, "Price")`,
      );
    found ||= source !== undefined;
    return source === undefined ? number : `\${${source}}`;
  });
  return found ? `\`${code}\`` : JSON.stringify(expression);
}

function shows(result: JsonValue, text: string): boolean {
  return typeof result === "string" && (result.includes(`'${text}'`) || (text.endsWith("\n") && result.includes(text)));
}

function latest(steps: readonly M3Step[], fits: (step: M3Step) => boolean, source: (step: M3Step) => string): string | undefined {
  const step = steps.findLast(fits);
  return step === undefined ? undefined : source(step);
}
