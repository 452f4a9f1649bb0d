import type { Intrinsics } from "./capture-intrinsics.js";
import type { Inspector } from "./guest-inspector.js";

/** What the console keeps to. */
export interface ConsoleLimits {
  readonly maxLogChars: number;
  readonly maxLogEntryChars: number;
}

/** Parts that the console is made of. */
export interface ConsoleParts {
  readonly intrinsics: Intrinsics;
  readonly inspector: Inspector;
  readonly emit: (level: string, text: string) => void;
}

/**
 * Makes the guest's `console`: levels, format placeholders, tables, groups and counters, with caps for each entry and for all of them together.
 *
 * Runs inside the guest: its text is taken by `toString()`, so it must not refer to anything outside of itself.
 */
export function createConsole({ intrinsics, inspector, emit }: ConsoleParts) {
  const { slice, codeAt, indexOf, repeat, padEnd, keys, isArray } = intrinsics;
  const MAX_COLUMNS = 20;
  const MAX_ROWS = 100;
  let maxEntry = 0;
  let charsLeft = 0;
  let omittedChars = 0;
  let told = false;
  let indent = "";
  let counts = intrinsics.create(null) as Record<string, number>;

  function start(limits: ConsoleLimits): void {
    maxEntry = limits.maxLogEntryChars;
    charsLeft = limits.maxLogChars;
    omittedChars = 0;
    told = false;
    indent = "";
    counts = intrinsics.create(null) as Record<string, number>;
  }

  /** The first `max` characters, not cutting a surrogate pair. */
  function head(text: string, max: number): string {
    const code = max > 0 && max < text.length ? codeAt(text, max - 1) : 0;
    return slice(text, 0, code >= 0xd800 && code <= 0xdbff ? max - 1 : max);
  }

  function print(level: string, text: string): void {
    if (charsLeft <= 0) {
      omittedChars += text.length;
      if (!told) emit("omitted", ""); // so that the host knows even if the code never ends
      told = true;
      return;
    }
    const whole = indent + text;
    const room = intrinsics.min(charsLeft, maxEntry);
    const kept = whole.length > room ? head(whole, room) : whole;
    charsLeft -= kept.length + 1;
    const gone = whole.length - kept.length;
    emit(level, gone > 0 ? `${kept}… [${gone} more characters]` : kept);
  }

  function show(value: unknown): string {
    return typeof value === "string" ? value : inspector.inspect(value, maxEntry);
  }

  function join(values: readonly unknown[], from: number): string {
    let text = "";
    for (let index = from; index < values.length && text.length <= maxEntry; index++)
      text += (index > from ? " " : "") + show(values[index]);
    return text;
  }

  /** Fills %s, %d, %i, %f, %j, %o and %O; %c takes its value and shows nothing. */
  function format(values: readonly unknown[]): string {
    const pattern = values[0];
    if (typeof pattern !== "string" || values.length < 2 || indexOf(pattern, "%") < 0) return join(values, 0);
    let text = "";
    let used = 1;
    let from = 0;
    for (let at = indexOf(pattern, "%"); at >= 0 && at < pattern.length - 1; at = indexOf(pattern, "%", from)) {
      const letter = pattern[at + 1] as string;
      text += slice(pattern, from, at);
      from = at + 2;
      if (letter === "%") text += "%";
      else if (indexOf("sdifjoOc", letter) >= 0 && used < values.length) text += fill(letter, values[used++]);
      else text += `%${letter}`;
    }
    text += slice(pattern, from);
    return used < values.length ? `${text} ${join(values, used)}` : text;
  }

  function fill(letter: string, value: unknown): string {
    if (letter === "c") return "";
    if (letter === "s" || letter === "j" || letter === "o" || letter === "O") return show(value);
    if (typeof value === "bigint") return show(value);
    const number = typeof value === "number" ? value : typeof value === "string" && value !== "" ? +value : Number.NaN;
    return letter === "i" ? `${number < 0 ? -intrinsics.floor(-number) : intrinsics.floor(number)}` : `${number}`;
  }

  function table(data: unknown): string {
    if (typeof data !== "object" || data === null) return show(data);
    const rowNames = keys(data);
    const columns: string[] = [];
    const seen = intrinsics.create(null) as Record<string, boolean>;
    const count = intrinsics.min(rowNames.length, MAX_ROWS);
    let plain = false;
    for (let row = 0; row < count; row++) {
      const value = (data as Record<string, unknown>)[rowNames[row] as string];
      if (typeof value !== "object" || value === null) plain = true;
      else addColumns(keys(value), { columns, seen });
    }
    let text = cells("(index)", columns, (column) => column) + (plain ? " | value" : "");
    for (let row = 0; row < count; row++)
      text += tableRow((data as Record<string, unknown>)[rowNames[row] as string], rowNames[row] as string, columns);
    return rowNames.length > count ? `${text}\n… ${rowNames.length - count} more rows` : text;
  }

  function addColumns(names: readonly string[], { columns, seen }: { columns: string[]; seen: Record<string, boolean> }): void {
    for (let index = 0; index < names.length && columns.length < MAX_COLUMNS; index++) {
      const name = names[index] as string;
      if (seen[name] === true) continue;
      seen[name] = true;
      intrinsics.define(columns, columns.length, { value: name, writable: true, enumerable: true, configurable: true });
    }
  }

  function tableRow(value: unknown, name: string, columns: readonly string[]): string {
    if (typeof value !== "object" || value === null) return `\n${cells(name, columns, () => "")} | ${show(value)}`;
    const names = isArray(value) ? value : (value as Record<string, unknown>);
    return `\n${cells(name, columns, (column) => (intrinsics.describe(names, column) === undefined ? "" : show((names as Record<string, unknown>)[column])))}`;
  }

  function cells(first: string, columns: readonly string[], cell: (column: string) => string): string {
    let text = padEnd(first, 8);
    for (let index = 0; index < columns.length; index++) text += ` | ${padEnd(cell(columns[index] as string), 12)}`;
    return text;
  }

  function label(value: unknown): string {
    return value === undefined ? "default" : `${value as string}`;
  }

  function install(): void {
    const methods = {
      log: (...values: unknown[]) => print("log", format(values)),
      info: (...values: unknown[]) => print("info", format(values)),
      debug: (...values: unknown[]) => print("debug", format(values)),
      trace: (...values: unknown[]) => print("debug", format(values)),
      warn: (...values: unknown[]) => print("warn", format(values)),
      error: (...values: unknown[]) => print("error", format(values)),
      dir: (value: unknown) => print("log", show(value)),
      table: (data: unknown) => print("log", table(data)),
      assert: (condition: unknown, ...values: unknown[]) => {
        if (!condition) print("error", `Assertion failed${values.length > 0 ? `: ${format(values)}` : ""}`);
      },
      count: (name?: unknown) => {
        const key = label(name);
        counts[key] = (counts[key] ?? 0) + 1;
        print("log", `${key}: ${counts[key]}`);
      },
      group: (...values: unknown[]) => {
        if (values.length > 0) print("log", format(values));
        if (indent.length < 40) indent += "  ";
      },
      groupCollapsed: (...values: unknown[]) => methods.group(...values),
      groupEnd: () => {
        indent = repeat(" ", indent.length > 2 ? indent.length - 2 : 0);
      },
      time: () => undefined,
      timeEnd: () => undefined,
    };
    intrinsics.define(intrinsics.globalObject, "console", { value: methods, writable: true, enumerable: false, configurable: true });
  }

  return { install, start, omitted: () => omittedChars };
}

/** The guest's console. */
export type GuestConsole = ReturnType<typeof createConsole>;
