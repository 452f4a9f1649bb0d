import type { AgentState } from "./agent-state.js";
import { SuspendedRunError } from "./errors.js";
import type { ToolErrorType } from "./events.js";
import type { ToolCallResult } from "./hooks.js";
import type { JsonObject } from "./json.js";
import type { AgentMessage, ToolResultPart } from "./message.js";
import { modelTexts } from "./model-texts.js";
import type { AgentSettings } from "./settings.js";
import type { JournalEntry, PendingToolCall } from "./snapshot.js";
import type { ToolCall } from "./tool-call.js";
import type { FinishedToolCall } from "./tool-executor.js";
import { parseToolInput } from "./tool-input.js";

/** What a call came to. */
export interface FinishedCall {
  /** Absent: as they stand in the history. */
  readonly input: JsonObject | undefined;
  readonly result: ToolCallResult;
  readonly inHistory: boolean;
  readonly errorType: ToolErrorType | undefined;
  readonly appendContext: readonly string[];
}

/** Where a call stands that is in no message. */
export interface CallPosition {
  /** The call in whose code this one stands. @default none */
  readonly parentToolCallId?: string;
  /** Position among the calls of the code or text, from 0. @default the number of calls created there before */
  readonly ordinal?: number;
}

/** What is known of a call of a turn that was suspended. */
export type PastCall = ({ readonly kind: "finished" } & FinishedCall) | { readonly kind: "open"; readonly call: PendingToolCall };

/** The calls of one run's turn, as the tool executor and the runtime see them. */
export class RunCalls {
  readonly #state: AgentState;
  readonly #settings: AgentSettings;
  readonly #save: () => Promise<void> | undefined;
  /** Calls made from the text of this turn, and from each piece of code. */
  #ordinals: Map<string | undefined, number> | undefined;
  /** Whether the turn was begun by another run object, perhaps in another process. */
  #resumed = false;
  #over = false;

  /** @param save - Writes the state into the session, if there is one. */
  constructor(state: AgentState, settings: AgentSettings, save: () => Promise<void> | undefined) {
    this.#state = state;
    this.#settings = settings;
    this.#save = save;
  }

  /** Whether this is a call of the last assistant message that has no result yet. */
  isOpen(toolCallId: string): boolean {
    return !this.#over && this.#state.calls.isOpen(toolCallId);
  }

  /** What is known of a call, in a turn that was suspended. */
  past(toolCallId: string): PastCall | undefined {
    if (!this.#resumed) return undefined;
    const { calls } = this.#state;
    const message = calls.result(toolCallId);
    const entry = calls.finished(toolCallId);
    if (message !== undefined) return finishedInHistory(message, entry);
    if (entry !== undefined) return finishedOutside(entry);
    const pending = calls.pendingCall(toolCallId);
    return pending === undefined ? undefined : { kind: "open", call: pending };
  }

  /** The executor takes a call. Returns whether it stands in the history. */
  begin({ toolCallId, toolName, input, parentToolCallId, ordinal }: ToolCall): boolean {
    if (this.isOpen(toolCallId)) return true;
    const isKnown = this.#state.hasCallId(toolCallId) || this.#state.calls.pendingCall(toolCallId) !== undefined;
    if (this.#over || isKnown) return false; // known, but not open: it has its result, or it was begun before the run was suspended
    const position = {
      ...(parentToolCallId === undefined ? undefined : { parentToolCallId }),
      ...(ordinal === undefined ? undefined : { ordinal }),
    };
    this.#state.changedCalls.begin({ toolCallId, toolName, input, ...position });
    return false;
  }

  /** Notes how far a call got. */
  mark(toolCallId: string, changes: Partial<Pick<PendingToolCall, "state" | "appendContext" | "input" | "replay">>): void {
    if (!this.#over) this.#state.changedCalls.mark(toolCallId, changes);
  }

  /** The tool is about to be called. Where there is a session, it has to know that first. */
  start(toolCallId: string): Promise<void> | undefined {
    if (this.#settings.checkpoint === undefined || this.#over) return undefined;
    this.mark(toolCallId, { state: "started" });
    return this.#save();
  }

  /** Notes what a call came to. */
  finish(finished: FinishedToolCall, message: AgentMessage): void {
    if (this.#over) return;
    const { toolCallId } = finished.call;
    if (finished.inHistory) this.settle(toolCallId, message);
    const isTold = finished.inHistory ? isToldByHistory(finished) : this.#state.calls.pendingCall(toolCallId) === undefined;
    if (!isTold) this.#record(finished);
  }

  #record({ call, input, result, errorType, appendContext }: FinishedToolCall): void {
    const { toolCallId, toolName, parentToolCallId, ordinal } = call;
    const replay = this.#state.calls.pendingCall(toolCallId)?.replay;
    this.#state.changedCalls.record({
      toolCallId,
      toolName,
      input,
      ...(parentToolCallId === undefined ? undefined : { parentToolCallId }),
      ...(ordinal === undefined ? undefined : { ordinal }),
      result,
      ...(errorType === undefined ? undefined : { errorType }),
      ...(appendContext.length === 0 ? undefined : { appendContext: Object.freeze([...appendContext]) }),
      ...(replay === undefined ? undefined : { replay }),
    });
  }

  /** Notes the result of an open call of the last assistant message. */
  settle(toolCallId: string, result: AgentMessage): void {
    if (this.isOpen(toolCallId)) this.#state.changedCalls.settle(toolCallId, result);
  }

  /**
   * A call that stands in no message, for runtimes whose model does not call natively. In a turn that was suspended it is the same call as before.
   * @param input - The arguments. What is no object is answered with an error result when the call is executed.
   * @throws SuspendedRunError when the turn was suspended and its call at this position was another one.
   */
  create(toolName: string, input: unknown, position: CallPosition = {}): ToolCall {
    const { parentToolCallId, ordinal = this.#nextOrdinal(parentToolCallId) } = position;
    const earlier = this.#resumed ? this.#state.calls.callAt(ordinal, parentToolCallId) : undefined;
    if (earlier !== undefined && earlier.toolName !== toolName) {
      const problem = `call ${ordinal + 1} of the turn was ${earlier.toolName} before it was suspended, and is ${toolName} now`;
      throw new SuspendedRunError({ problem: `The run cannot go on: ${problem}.` });
    }
    const toolCallId = earlier?.toolCallId ?? this.#settings.generateId("call");
    const call = { toolCallId, toolName, ordinal, ...(parentToolCallId === undefined ? undefined : { parentToolCallId }) };
    const parsed = parseToolInput("", input);
    if (parsed.kind === "ok") return { ...call, input: parsed.input };
    const reason = parsed.kind === "invalid" ? parsed.reason : "it stops before its end";
    return { ...call, input: {}, problem: { errorType: "invalid-json", text: modelTexts.invalidJson(toolName, reason) } };
  }

  #nextOrdinal(parentToolCallId: string | undefined): number {
    this.#ordinals ??= new Map();
    const ordinal = this.#ordinals.get(parentToolCallId) ?? 0;
    this.#ordinals.set(parentToolCallId, ordinal + 1);
    return ordinal;
  }

  /** Calls that are finished and on which later turns build, in order. */
  get toReplay(): readonly JournalEntry[] {
    return this.#state.calls.view.journal.filter(({ replay }) => replay !== undefined);
  }

  /** What was done earlier in the run is lost, so that later turns cannot build on it. */
  dropReplays(): void {
    if (!this.#over) this.#state.changedCalls.dropReplays();
  }

  /** The turn that begins now was begun before. */
  resumeTurn(): void {
    this.#resumed = true;
  }

  /** A new turn begins. */
  beginTurn(): void {
    this.#resumed = false;
    this.#ordinals = undefined;
  }

  /** From here on nothing is written any more: the calls may be another run's by now. */
  close(): void {
    this.#over = true;
  }
}

/** Whether call and result say everything: no hook and no person changed the arguments or added words. */
function isToldByHistory({ call, input, appendContext }: FinishedToolCall): boolean {
  return input === call.input && appendContext.length === 0;
}

function finishedInHistory({ content: [part] }: AgentMessage, entry: JournalEntry | undefined): PastCall {
  const { output, isError, content } = part as ToolResultPart;
  const result = { output, ...(isError === true ? { isError } : undefined), ...(content === undefined ? undefined : { content }) };
  const errorType = isError === true ? "execution" : undefined;
  return { kind: "finished", input: entry?.input, result, inHistory: true, errorType, appendContext: entry?.appendContext ?? [] };
}

function finishedOutside({ input, result, errorType, appendContext = [] }: JournalEntry): PastCall {
  return { kind: "finished", input, result, inHistory: false, errorType, appendContext };
}
