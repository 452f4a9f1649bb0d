/**
 * What an execution did that its code could notice: the calls it made and the order in which they were settled, with the time and the dice it started
 * with. Plain JSON.
 */
export interface ExecutionJournal {
  readonly seed: number;
  /** Where the guest's clock started, in milliseconds since 1970. */
  readonly startTime: number;
  /** When the execution started by the host's clock, in milliseconds since 1970. */
  readonly recordedAt: number;
  readonly entries: readonly JournalEntry[];
}

/** One thing that happened, in order. */
export type JournalEntry =
  | { readonly type: "call"; readonly callId: number; readonly toolName: string; readonly inputText: string }
  | { readonly type: "timer"; readonly callId: number; readonly delayMs: number }
  | Settlement;

/** An answer that reached the code. */
export interface Settlement {
  readonly type: "settlement";
  readonly callId: number;
  readonly ok: boolean;
  /** JSON text of the value, or of `{ name, message }` if not `ok`. */
  readonly text: string;
  /** Milliseconds on the guest's clock since the start. */
  readonly elapsedMs: number;
}

/** What a replay knows about a call that the code makes again. */
export type ReplayedCall = { readonly kind: "new" } | { readonly kind: "known" } | { readonly kind: "diverged"; readonly problem: string };

/**
 * Answers calls from a journal, in the order in which they were answered then. An answer is due once every answer before it was given and its call has
 * been made again.
 */
export class JournalReplay {
  readonly #calls = new Map<number, Exclude<JournalEntry, Settlement>>();
  readonly #settlements: Settlement[];
  readonly #settledIds: ReadonlySet<number>;
  readonly #made = new Set<number>();
  #given = 0;

  constructor(entries: readonly JournalEntry[]) {
    this.#settlements = entries.filter((entry) => entry.type === "settlement");
    this.#settledIds = new Set(this.#settlements.map(({ callId }) => callId));
    for (const entry of entries) if (entry.type !== "settlement") this.#calls.set(entry.callId, entry);
  }

  /** Whether the call is one of the journal's. A call that has no answer there is new: it has to be executed. */
  check(made: Exclude<JournalEntry, Settlement>): ReplayedCall {
    const recorded = this.#calls.get(made.callId);
    if (recorded === undefined)
      return this.#isExhausted() ? { kind: "new" } : { kind: "diverged", problem: `it made ${nameOf(made)}, which it had not made before` };
    if (!isSame(recorded, made))
      return { kind: "diverged", problem: `call ${made.callId} was ${nameOf(recorded)} and is now ${nameOf(made)}` };
    this.#made.add(made.callId);
    return { kind: this.#settledIds.has(made.callId) ? "known" : "new" };
  }

  /** Answers that are due now. Each is given once. */
  *due(): Generator<Settlement> {
    for (
      let next = this.#settlements[this.#given];
      next !== undefined && this.#made.has(next.callId);
      next = this.#settlements[this.#given]
    ) {
      this.#given += 1;
      yield next;
    }
  }

  /** Calls of the journal that the code has not made again, in words; undefined if there are none. */
  missing(): string | undefined {
    const missing = [...this.#calls.values()].find(({ callId }) => !this.#made.has(callId));
    return missing && `it did not make ${nameOf(missing)} again`;
  }

  /** New calls can only follow on the last answer; what was made before it is in the journal. */
  #isExhausted(): boolean {
    return this.#given === this.#settlements.length;
  }
}

function isSame(a: Exclude<JournalEntry, Settlement>, b: Exclude<JournalEntry, Settlement>): boolean {
  if (a.type === "timer" || b.type === "timer") return a.type === b.type;
  return a.toolName === b.toolName && a.inputText === b.inputText;
}

function nameOf(entry: Exclude<JournalEntry, Settlement>): string {
  return entry.type === "timer" ? "a timer" : `a call of ${entry.toolName} with ${shorten(entry.inputText)}`;
}

function shorten(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
