/** Words and numbers as every form of the report writes them. Runs in a browser too. */

/** Stands for a number that there is none of. */
export const NONE = "–";

/** A share as a percentage: `66.7%`. */
export function percent(share: number | undefined): string {
  if (share === undefined) return NONE;
  const value = share * 100;
  return `${Number.isInteger(value) ? value : value.toFixed(1)}%`;
}

/** A difference between two shares in percentage points, with its sign: `+12.5`. */
export function points(difference: number | undefined): string {
  return signed(difference === undefined ? undefined : difference * 100, 1);
}

/** A difference with its sign: `+1.5`. */
export function signed(difference: number | undefined, digits: number): string {
  if (difference === undefined) return NONE;
  const text = Math.abs(difference).toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return Number(text) === 0 ? text : `${difference > 0 ? "+" : "−"}${text}`;
}

/** A count with separators: `12,345`. */
export function count(value: number | undefined): string {
  return value === undefined ? NONE : Math.round(value).toLocaleString("en-US");
}

/** A count that has room for a few characters: `12.3k`. */
export function shortCount(value: number | undefined): string {
  if (value === undefined) return NONE;
  if (value < 1000) return Number.isInteger(value) ? String(value) : value.toFixed(1);
  const [size, unit] = value < 999_950 ? [1e3, "k"] : value < 999_950_000 ? [1e6, "M"] : [1e9, "G"];
  return `${(value / size).toFixed(1)}${unit}`;
}

/** US dollars with three digits that say something: `$0.00123`. */
export function dollars(value: number | undefined): string {
  if (value === undefined) return NONE;
  if (value === 0) return "$0";
  const digits = Math.max(2, 2 - Math.floor(Math.log10(Math.abs(value))));
  return `$${value.toFixed(Math.min(8, digits))}`;
}

/** A duration: `0.8 ms`, `12 s`. */
export function duration(ms: number | undefined): string {
  if (ms === undefined) return NONE;
  if (Math.abs(ms) < 10) return `${ms.toFixed(1)} ms`;
  if (Math.abs(ms) < 1000) return `${Math.round(ms)} ms`;
  return ms < 100_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;
}

/** How many times as much: `×1.50`. */
export function ratio(value: number | undefined): string {
  return value === undefined ? NONE : `×${value < 10 ? value.toFixed(2) : value.toFixed(0)}`;
}

/** A p-value: `0.034`, `<0.001`. */
export function probability(p: number): string {
  return p < 0.001 ? "<0.001" : p.toFixed(3);
}

/** Names of strategies cut to a width; names that would look the same get a number. */
export function shortNames(names: readonly string[], maxChars: number): readonly string[] {
  const cut = (name: string, room: number) => (name.length <= room ? name : `${name.slice(0, room - 1)}…`);
  return names.map((name, index) => {
    const short = cut(name, maxChars);
    const same = names.filter((other) => cut(other, maxChars) === short);
    return same.length === 1 ? short : `${cut(name, maxChars - 2 - String(index).length)}#${index + 1}`;
  });
}
