import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import type { FlagSpec, FlagSpecs } from "./flags.js";
import { UsageError } from "./usage-error.js";

/** What stood on the command line. */
export class FlagValues {
  readonly positionals: readonly string[];
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: Readonly<Record<string, unknown>>, positionals: readonly string[]) {
    this.#values = values;
    this.positionals = positionals;
  }

  /** Whether a flag without a value was given. */
  has(name: string): boolean {
    return this.#values[name] === true;
  }

  /** The value of a flag. */
  text(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === "string" ? value : undefined;
  }

  /** The values of a flag that may be given several times. */
  texts(name: string): readonly string[] {
    const value = this.#values[name];
    return Array.isArray(value) ? value.map(String) : [];
  }

  /**
   * The value of a flag as a number.
   * @throws UsageError for what is no number in the range.
   */
  number(name: string, { min, max = Number.MAX_SAFE_INTEGER, isInteger }: NumberRange): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = text.trim() === "" ? Number.NaN : Number(text);
    if (value >= min && value <= max && (!isInteger || Number.isInteger(value))) return value;
    const expected = `${isInteger ? "an integer" : "a number"} from ${min}${max === Number.MAX_SAFE_INTEGER ? "" : ` to ${max}`}`;
    throw new UsageError({ problem: `--${name}: expected ${expected}, received ${JSON.stringify(text)}.` });
  }
}

interface NumberRange {
  readonly min: number;
  readonly max?: number;
  readonly isInteger: boolean;
}

/**
 * Reads the arguments of a command.
 * @throws UsageError naming the flag, what came and what is allowed.
 */
export function parseFlags(command: string, { specs, args }: { specs: FlagSpecs; args: readonly string[] }): FlagValues {
  const options = Object.fromEntries(Object.entries(specs).map(([name, spec]) => [name, toOption(spec)])) satisfies ParseArgsOptionsConfig;
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  const seen = new Set<string>();
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const spec = Object.hasOwn(specs, token.name) ? specs[token.name] : undefined;
    const problem = spec === undefined ? unknownFlag(command, specs) : problemOf(token, spec, seen.has(token.name));
    if (problem !== undefined) throw new UsageError({ problem: `${token.rawName}: ${problem}` });
    seen.add(token.name);
  }
  const { values, positionals } = parseArgs({ args: [...args], options, strict: true, allowPositionals: true });
  return new FlagValues(values, positionals);
}

function toOption({ value, repeatable = false, short }: FlagSpec): ParseArgsOptionsConfig[string] {
  return { type: value === undefined ? "boolean" : "string", multiple: repeatable, ...(short === undefined ? undefined : { short }) };
}

interface OptionToken {
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function problemOf({ value, inlineValue }: OptionToken, spec: FlagSpec, isRepeated: boolean): string | undefined {
  if (isRepeated && spec.repeatable !== true) return "given twice. It may be given once.";
  if (spec.value === undefined) return value === undefined ? undefined : `it takes no value, received ${JSON.stringify(value)}.`;
  if (value === undefined) return `a value is missing. Expected ${spec.value}: ${spec.help}.`;
  const looksLikeFlag = inlineValue === false && value.length > 1 && value.startsWith("-");
  return looksLikeFlag ? `expected ${spec.value}, received ${value}. A value that begins with a dash is written with "=".` : undefined;
}

function unknownFlag(command: string, specs: FlagSpecs): string {
  const allowed = Object.keys(specs).map((name) => `--${name}`);
  return `there is no such flag. Flags of triact ${command}: ${allowed.join(", ")}. Text that begins with a dash goes behind "--".`;
}
