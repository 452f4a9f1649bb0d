import type { LogEntry, LogLevel } from "./code-executor.js";
import { cutText } from "./sandbox-json.js";

/** The log of one execution. The guest keeps to the limits by itself; this is for one that was tampered with. */
export class LogBook {
  readonly #entries: LogEntry[] = [];
  readonly #maxEntryChars: number;
  readonly #onLog: ((entry: LogEntry) => void) | undefined;
  #charsLeft: number;
  #omittedChars = 0;
  #isCut = false;

  constructor(limits: { readonly maxLogChars: number; readonly maxLogEntryChars: number }, onLog: ((entry: LogEntry) => void) | undefined) {
    this.#charsLeft = limits.maxLogChars;
    this.#maxEntryChars = limits.maxLogEntryChars;
    this.#onLog = onLog;
  }

  /** Takes an entry, or the news that the guest leaves out further ones. */
  add(level: LogLevel | "omitted", text: string): void {
    if (level === "omitted") this.#isCut = true;
    else if (this.#charsLeft <= 0) this.omit(text.length);
    else {
      const entry = { level, text: cutText(text, this.#maxEntryChars + MARK_CHARS) };
      this.#charsLeft -= entry.text.length + 1;
      this.#entries.push(entry);
      this.#onLog?.(entry);
    }
  }

  /** Notes that the guest left out this many characters. */
  omit(chars: number): void {
    this.#omittedChars += Math.max(chars, 0);
    this.#isCut ||= chars > 0;
  }

  /** All entries, with one at the end that says if some are missing. */
  entries(): readonly LogEntry[] {
    if (!this.#isCut) return this.#entries;
    const count = this.#omittedChars > 0 ? `${this.#omittedChars} more characters` : "more";
    return [...this.#entries, { level: "warn", text: `… [${count} of log left out]` }];
  }

  /** Entries as text, one below the other. */
  static textOf(entries: readonly LogEntry[]): string {
    return entries.map(({ level, text }) => (level === "warn" || level === "error" ? `[${level}] ${text}` : text)).join("\n");
  }
}

/** Room for the guest's own mark in an entry that it cut. */
const MARK_CHARS = 40;
