import { type AgentMessage, clientToolCalls } from "./message.js";
import type { JournalEntry, PendingToolCall } from "./snapshot.js";

/** The calls of a turn at one moment. Cheap to keep; its lists are made when they are first read, and never change. */
export class TurnCallsView {
  /** Finished calls, as far as the history does not tell them. */
  readonly journal: readonly JournalEntry[];
  readonly #calls: readonly PendingToolCall[];
  readonly #outside: readonly PendingToolCall[];
  /** A list that only grows, and its length at that moment. */
  readonly #settled: readonly AgentMessage[];
  readonly #settledCount: number;

  constructor(lists: CallLists) {
    this.journal = lists.journal;
    this.#calls = lists.calls;
    this.#outside = lists.outside;
    this.#settled = lists.settled;
    this.#settledCount = lists.settled.length;
  }

  /** Calls without a result, in call order. */
  get pending(): readonly PendingToolCall[] {
    if (this.#settledCount === 0) return [...this.#calls, ...this.#outside];
    const results = this.#resultsById();
    return [...this.#calls.filter(({ toolCallId }) => !results.has(toolCallId)), ...this.#outside];
  }

  /** Results that are not in the history yet, in call order. */
  get results(): readonly AgentMessage[] {
    if (this.#settledCount === 0) return [];
    const results = this.#resultsById();
    return this.#calls.flatMap(({ toolCallId }) => results.get(toolCallId) ?? []);
  }

  #resultsById(): Map<string, AgentMessage> {
    return new Map(this.#settled.slice(0, this.#settledCount).map((result) => [resultIdOf(result), result]));
  }
}

interface CallLists {
  readonly calls: readonly PendingToolCall[];
  readonly outside: readonly PendingToolCall[];
  readonly settled: readonly AgentMessage[];
  readonly journal: readonly JournalEntry[];
}

const NO_CALLS = new TurnCallsView({ calls: [], outside: [], settled: [], journal: [] });

/** What {@link TurnCalls.resume} takes up. */
export interface SuspendedCalls {
  /** The last assistant message. */
  readonly asking: AgentMessage | undefined;
  readonly pending: readonly PendingToolCall[];
  /** Results of the message's calls. */
  readonly results: readonly AgentMessage[];
  readonly journal: readonly JournalEntry[];
}

/**
 * The calls of the turn under way: which are open, how far they got, and what the finished ones came to.
 *
 * Calls of the assistant message have their results added to the history together, in call order. Calls that stand in no message (those that code
 * makes, or that a runtime reads from text) are kept in a journal instead, by which a run that was suspended finds what is done already.
 */
export class TurnCalls {
  /** The calls of the assistant message, in call order. The list is replaced when one of them changes. */
  #calls: readonly PendingToolCall[] = [];
  /** Those without a result. */
  readonly #open = new Map<string, PendingToolCall>();
  /** Results that are not in the history yet, in the order in which they came. The list only grows, until they are taken. */
  #settled: AgentMessage[] = [];
  /** Calls without a result that stand in no message. */
  #outside: readonly PendingToolCall[] = [];
  #journal: readonly JournalEntry[] = [];
  #view: TurnCallsView | undefined = NO_CALLS;

  get view(): TurnCallsView {
    this.#view ??= this.#isEmpty()
      ? NO_CALLS
      : new TurnCallsView({ calls: this.#calls, outside: this.#outside, settled: this.#settled, journal: this.#journal });
    return this.#view;
  }

  #isEmpty(): boolean {
    return this.#calls.length === 0 && this.#outside.length === 0 && this.#journal.length === 0;
  }

  /** Calls of the assistant message without a result, in call order. */
  get open(): Iterable<PendingToolCall> {
    return this.#open.values();
  }

  /** Whether calls of the assistant message are open. */
  get hasOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Whether calls of the assistant message are open, or have results that are not in the history yet. */
  get isAwaitingResults(): boolean {
    return this.#calls.length > 0;
  }

  isOpen(toolCallId: string): boolean {
    return this.#open.has(toolCallId);
  }

  /** A call without a result, whether it stands in the history or not. */
  pendingCall(toolCallId: string): PendingToolCall | undefined {
    return this.#open.get(toolCallId) ?? this.#outside.find((call) => call.toolCallId === toolCallId);
  }

  /** What is known of the call at a position in a text or in code. */
  callAt(ordinal: number, parentToolCallId: string | undefined): PendingToolCall | JournalEntry | undefined {
    const isIt = (call: PendingToolCall | JournalEntry) => call.ordinal === ordinal && call.parentToolCallId === parentToolCallId;
    return this.#journal.find((entry) => entry.isPast !== true && isIt(entry)) ?? this.#outside.find(isIt);
  }

  /** What a call came to, if the journal tells it. */
  finished(toolCallId: string): JournalEntry | undefined {
    return this.#journal.find((entry) => entry.toolCallId === toolCallId);
  }

  /** The result of a call of the assistant message that is not in the history yet. */
  result(toolCallId: string): AgentMessage | undefined {
    return this.#settled.find((result) => resultIdOf(result) === toolCallId);
  }

  /** The calls of a new assistant message. */
  ask(message: AgentMessage): void {
    const calls = clientToolCalls(message);
    if (calls.length === 0) return;
    this.#view = undefined;
    this.#calls = calls.map(({ toolCallId, toolName, input }) => Object.freeze({ toolCallId, toolName, input }));
    for (const call of this.#calls) this.#open.set(call.toolCallId, call);
  }

  /** A call that stands in no message begins. */
  begin(call: PendingToolCall): void {
    this.#view = undefined;
    this.#outside = [...this.#outside, Object.freeze(call)];
  }

  /** Notes how far a call got. */
  mark(toolCallId: string, changes: Partial<PendingToolCall>): void {
    const call = this.pendingCall(toolCallId);
    if (call === undefined) return;
    this.#view = undefined;
    const changed = Object.freeze({ ...call, ...changes });
    const replaced = (calls: readonly PendingToolCall[]) => calls.map((each) => (each === call ? changed : each));
    if (this.#open.has(toolCallId)) {
      this.#open.set(toolCallId, changed);
      this.#calls = replaced(this.#calls);
    } else this.#outside = replaced(this.#outside);
  }

  /** A call of the assistant message has its result. */
  settle(toolCallId: string, result: AgentMessage): void {
    this.#view = undefined;
    this.#open.delete(toolCallId);
    this.#settled.push(result);
  }

  /** A call that stands in no message is finished, or one whose result does not tell everything. */
  record(entry: JournalEntry): void {
    this.#view = undefined;
    this.#outside = this.#outside.filter(({ toolCallId }) => toolCallId !== entry.toolCallId);
    const others = this.#journal.filter(({ parentToolCallId }) => parentToolCallId !== entry.toolCallId); // it tells of its own calls
    this.#journal = [...others, Object.freeze(entry)];
  }

  /** Takes the results out, in call order. No call may be open. */
  takeResults(): readonly AgentMessage[] {
    if (this.#settled.length === 0) return [];
    const results = this.#settled.length === 1 ? this.#settled : this.view.results;
    this.#calls = [];
    this.#settled = [];
    this.#view = undefined;
    return results;
  }

  /** The turn is over. What later turns build on stays. */
  endTurn(): void {
    if (this.#outside.length === 0 && this.#journal.length === 0) return;
    this.#view = undefined;
    this.#outside = [];
    const kept = this.#journal.filter(({ replay }) => replay !== undefined);
    this.#journal = kept.map((entry) => (entry.isPast === true ? entry : Object.freeze({ ...entry, isPast: true })));
  }

  /** Nothing builds on finished calls any more. */
  dropReplays(): void {
    this.#view = undefined;
    this.#journal = this.#journal.filter(({ isPast }) => isPast !== true).map(({ replay, ...entry }) => Object.freeze(entry));
  }

  /** The run is over. */
  clear(): void {
    this.#open.clear();
    this.#calls = [];
    this.#settled = [];
    this.#outside = [];
    this.#journal = [];
    this.#view = NO_CALLS;
  }

  /** Takes up where another process stopped. */
  resume({ asking, pending, results, journal }: SuspendedCalls): void {
    this.#view = undefined;
    const byId = new Map(pending.map((call) => [call.toolCallId, call]));
    const calls = asking === undefined ? [] : clientToolCalls(asking);
    this.#calls = calls.map(({ toolCallId, toolName, input }) => byId.get(toolCallId) ?? Object.freeze({ toolCallId, toolName, input }));
    const settled = new Set(results.map(resultIdOf));
    for (const call of this.#calls) if (!settled.has(call.toolCallId)) this.#open.set(call.toolCallId, call);
    const inMessage = new Set(calls.map(({ toolCallId }) => toolCallId));
    this.#outside = pending.filter(({ toolCallId }) => !inMessage.has(toolCallId));
    this.#settled = [...results];
    this.#journal = journal;
  }
}

/** The call that a tool message answers. */
function resultIdOf({ content: [part] }: AgentMessage): string {
  return part?.type === "tool-result" ? part.toolCallId : "";
}
