import { type AgentMessage, clientToolCalls } from "./message.js";
import type { JournalEntry, PendingToolCall } from "./snapshot.js";

/** The calls of a turn at one moment. The lists are never changed. */
export interface TurnCallsView {
  readonly pending: readonly PendingToolCall[];
  /** Results that are not in the history yet, in call order. */
  readonly results: readonly AgentMessage[];
  readonly journal: readonly JournalEntry[];
}

const NO_CALLS: TurnCallsView = Object.freeze({ pending: Object.freeze([]), results: Object.freeze([]), journal: Object.freeze([]) });

/**
 * The calls of the turn under way: which are open, how far they got, and what the finished ones came to.
 *
 * Calls of the assistant message have their results added to the history together, in call order. Calls that stand in no message (those that code
 * makes, or that a runtime reads from text) are kept in a journal instead, by which a run that was suspended finds what is done already.
 */
export class TurnCalls {
  /** The message whose calls these are. */
  #asking: AgentMessage | undefined;
  /** Calls of the message without a result. */
  readonly #open = new Map<string, PendingToolCall>();
  /** Other calls without a result. */
  readonly #outside = new Map<string, PendingToolCall>();
  readonly #results = new Map<string, AgentMessage>();
  #journal: readonly JournalEntry[] = [];
  #view: TurnCallsView | undefined = NO_CALLS;

  get view(): TurnCallsView {
    this.#view ??= this.#makeView();
    return this.#view;
  }

  #makeView(): TurnCallsView {
    const isEmpty = this.#open.size === 0 && this.#outside.size === 0 && this.#results.size === 0 && this.#journal.length === 0;
    if (isEmpty) return NO_CALLS;
    const pending = [...this.#open.values()];
    if (this.#outside.size > 0) pending.push(...this.#outside.values());
    return { pending, results: this.#results.size === 0 ? NO_CALLS.results : this.#inCallOrder(), journal: this.#journal };
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
    return this.#open.size > 0 || this.#results.size > 0;
  }

  isOpen(toolCallId: string): boolean {
    return this.#open.has(toolCallId);
  }

  /** A call without a result, whether it stands in the history or not. */
  pendingCall(toolCallId: string): PendingToolCall | undefined {
    return this.#open.get(toolCallId) ?? this.#outside.get(toolCallId);
  }

  /** What is known of the call at a position in a text or in code. */
  callAt(ordinal: number, parentToolCallId: string | undefined): PendingToolCall | JournalEntry | undefined {
    const isIt = (call: PendingToolCall | JournalEntry) => call.ordinal === ordinal && call.parentToolCallId === parentToolCallId;
    return this.#journal.find(isIt) ?? [...this.#outside.values()].find(isIt);
  }

  /** What a call came to, if the journal tells it. */
  finished(toolCallId: string): JournalEntry | undefined {
    return this.#journal.find((entry) => entry.toolCallId === toolCallId);
  }

  /** The result of a call of the assistant message that is not in the history yet. */
  result(toolCallId: string): AgentMessage | undefined {
    return this.#results.get(toolCallId);
  }

  /** The calls of a new assistant message. */
  ask(message: AgentMessage): void {
    const calls = clientToolCalls(message);
    if (calls.length === 0) return;
    this.#asking = message;
    for (const { toolCallId, toolName, input } of calls) this.#open.set(toolCallId, Object.freeze({ toolCallId, toolName, input }));
    this.#view = undefined;
  }

  /** A call that stands in no message begins. */
  begin(call: PendingToolCall): void {
    this.#outside.set(call.toolCallId, Object.freeze(call));
    this.#view = undefined;
  }

  /** Notes how far a call got. */
  mark(toolCallId: string, changes: Partial<PendingToolCall>): void {
    for (const calls of [this.#open, this.#outside]) {
      const call = calls.get(toolCallId);
      if (call !== undefined) calls.set(toolCallId, Object.freeze({ ...call, ...changes }));
    }
    this.#view = undefined;
  }

  /** A call of the assistant message has its result. */
  settle(toolCallId: string, result: AgentMessage): void {
    this.#open.delete(toolCallId);
    this.#results.set(toolCallId, result);
    this.#view = undefined;
  }

  /** A call that stands in no message is finished, or one whose result does not tell everything. */
  record(entry: JournalEntry): void {
    this.#outside.delete(entry.toolCallId);
    this.#journal = [...this.#journal, Object.freeze(entry)];
    this.#view = undefined;
  }

  /** Takes the results out, in call order. No call may be open. */
  takeResults(): readonly AgentMessage[] {
    if (this.#results.size === 0) return NO_CALLS.results;
    const results = this.#inCallOrder();
    this.#results.clear();
    this.#view = undefined;
    return results;
  }

  /** The turn is over. What code did stays, because the code of later turns builds on it. */
  endTurn(): void {
    if (this.#outside.size === 0 && this.#journal.length === 0) return;
    this.#outside.clear();
    this.#journal = this.#journal.filter(({ parentToolCallId }) => parentToolCallId !== undefined);
    this.#view = undefined;
  }

  /** The run is over. */
  clear(): void {
    this.#open.clear();
    this.#outside.clear();
    this.#results.clear();
    this.#journal = [];
    this.#view = NO_CALLS;
  }

  /** Takes up where another process stopped. `asking` is the last assistant message, `results` are those of its calls. */
  resume({ asking, pending, results, journal }: TurnCallsView & { readonly asking: AgentMessage | undefined }): void {
    this.#asking = asking;
    const inMessage = new Set(asking === undefined ? [] : clientToolCalls(asking).map(({ toolCallId }) => toolCallId));
    for (const call of pending) (inMessage.has(call.toolCallId) ? this.#open : this.#outside).set(call.toolCallId, call);
    for (const result of results) this.#results.set(resultIdOf(result), result);
    this.#journal = journal;
    this.#view = undefined;
  }

  #inCallOrder(): readonly AgentMessage[] {
    if (this.#results.size === 1) return [...this.#results.values()];
    const calls = this.#asking === undefined ? [] : clientToolCalls(this.#asking);
    return calls.flatMap(({ toolCallId }) => this.#results.get(toolCallId) ?? []);
  }
}

/** The call that a tool message answers. */
function resultIdOf({ content: [part] }: AgentMessage): string {
  return part?.type === "tool-result" ? part.toolCallId : "";
}
