import { AgentBusyError, SuspendedRunError } from "./errors.js";
import type { AgentMessage } from "./message.js";
import type { FinishReason, ModelErrorClass } from "./model.js";
import type { AgentSnapshot, AgentStatus } from "./snapshot.js";
import { TurnCalls, type TurnCallsView } from "./turn-calls.js";
import { type AgentUsage, NO_USAGE } from "./usage.js";

/** What a new run is told while another one is suspended. */
export const SUSPENDED_PROBLEM = "The agent's run is suspended. Go on with it by resume(), or give it up by restore().";

/** Who an agent is; the same in all its snapshots. */
export interface AgentIdentity {
  readonly agentId: string;
  readonly agentRole?: string;
  readonly parentAgentId?: string;
  readonly conversationId?: string;
  readonly sessionId?: string;
  /** Name of the runtime. */
  readonly runtime: string;
}

/**
 * The state of one conversation: its history and where its run is.
 *
 * The history only grows. What is handed out are views: a list and its length at that moment, made into frozen arrays when somebody reads them, so
 * that an event costs the same however long the history is.
 */
export class AgentState {
  readonly identity: AgentIdentity;
  #messages: AgentMessage[];
  readonly #callIds = new Set<string>();
  /** Tool names by id, of the calls that providers run themselves. */
  #providerCalls: Map<string, string> | undefined;
  /** Ids of those that have no result yet. */
  #unanswered: Set<string> | undefined;
  #status: AgentStatus = "idle";
  #runId: string | undefined;
  #iteration = 0;
  #usage: AgentUsage = NO_USAGE;
  #lastError: string | undefined;
  #lastErrorClass: ModelErrorClass | undefined;
  #finishReason: FinishReason | undefined;
  readonly #calls = new TurnCalls();
  #view: StateView | undefined;

  /** @param messages - A valid history, see `repairHistory`. The list becomes the state's own. */
  constructor(identity: AgentIdentity, messages: AgentMessage[] = []) {
    this.identity = identity;
    this.#messages = messages;
    for (const message of messages) this.#rememberCalls(message);
  }

  get status(): AgentStatus {
    return this.#status;
  }

  /** Turns of the run so far. */
  get iteration(): number {
    return this.#iteration;
  }

  /** Why the model stopped its last reply. */
  get finishReason(): FinishReason | undefined {
    return this.#finishReason;
  }

  get usage(): AgentUsage {
    return this.#usage;
  }

  get lastMessage(): AgentMessage | undefined {
    return this.#messages.at(-1);
  }

  /** The calls of the turn under way. To change them, use `changedCalls`. */
  get calls(): TurnCalls {
    return this.#calls;
  }

  /** The same, for a change. */
  get changedCalls(): TurnCalls {
    this.#view = undefined;
    return this.#calls;
  }

  /** The state as it is now. */
  get view(): StateView {
    this.#view ??= new StateView({
      identity: this.identity,
      list: this.#messages,
      length: this.#messages.length,
      calls: this.#calls.view,
      status: this.#status,
      runId: this.#runId,
      iteration: this.#iteration,
      finishReason: this.#finishReason,
      usage: this.#usage,
      lastError: this.#lastError,
      lastErrorClass: this.#lastErrorClass,
    });
    return this.#view;
  }

  /** Whether a tool call in the history has this id. */
  hasCallId(toolCallId: string): boolean {
    return this.#callIds.has(toolCallId);
  }

  /** Name of the tool in the call of this id, if the provider runs it itself. */
  providerToolName(toolCallId: string): string | undefined {
    return this.#providerCalls?.get(toolCallId);
  }

  /** Ids of all tool calls and messages in the history. A copy. */
  get takenIds(): { readonly calls: Set<string>; readonly messages: Set<string> } {
    return { calls: new Set(this.#callIds), messages: new Set(this.#messages.map(({ id }) => id)) };
  }

  /**
   * Starts a run.
   * @returns Its id.
   * @throws AgentBusyError when one is under way; SuspendedRunError when one is suspended.
   */
  begin(runId: string): string {
    if (this.#status === "running") throw new AgentBusyError({ agentId: this.identity.agentId });
    if (this.#status === "suspended") throw new SuspendedRunError({ problem: SUSPENDED_PROBLEM });
    this.#view = undefined;
    this.#status = "running";
    this.#runId = runId;
    this.#iteration = 0;
    const { totalInputTokens, totalOutputTokens } = this.#usage;
    this.#usage = Object.freeze({ ...NO_USAGE, totalInputTokens, totalOutputTokens });
    this.#lastError = undefined;
    this.#lastErrorClass = undefined;
    this.#finishReason = undefined;
    return runId;
  }

  /**
   * Takes up the run of a snapshot. Its results of a turn that is not finished go back to the other calls of the turn.
   * @param messages - The snapshot's messages, copied.
   */
  resume(messages: AgentMessage[], snapshot: AgentSnapshot): void {
    this.#view = undefined;
    const { status, runId, iteration, usage, finishReason, pendingToolCalls, journal = [], lastError, lastErrorClass } = snapshot;
    const unfinished = status === "running" || status === "suspended";
    const asked = messages.findLastIndex(({ role }) => role !== "tool");
    const asking = unfinished && messages[asked]?.role === "assistant" ? messages[asked] : undefined;
    const results = asking === undefined ? [] : messages.splice(asked + 1);
    this.#messages = messages;
    for (const message of messages) this.#rememberCalls(message);
    this.#calls.resume({ asking, pending: pendingToolCalls, results, journal });
    this.#status = status === "running" ? "suspended" : status;
    this.#runId = runId;
    this.#iteration = iteration;
    this.#usage = usage;
    this.#finishReason = finishReason;
    this.#lastError = lastError;
    this.#lastErrorClass = lastErrorClass;
  }

  /**
   * Goes on with a suspended run.
   * @returns Its id.
   * @throws AgentBusyError when a run is under way.
   */
  goOn(newRunId: () => string): string {
    if (this.#status === "running") throw new AgentBusyError({ agentId: this.identity.agentId });
    this.#view = undefined;
    this.#status = "running";
    this.#lastError = undefined;
    this.#lastErrorClass = undefined;
    this.#runId ??= newRunId();
    return this.#runId;
  }

  /** Ends the run. */
  end(status: AgentStatus, lastError: string | undefined, lastErrorClass: ModelErrorClass | undefined): void {
    this.#view = undefined;
    if (status !== "suspended") this.#calls.clear();
    this.#status = status;
    this.#lastError = lastError;
    this.#lastErrorClass = lastErrorClass;
  }

  /** Takes back a run that never began. One that was suspended before still is. */
  abandon({ isResumed }: { isResumed: boolean }): void {
    this.#view = undefined;
    this.#status = isResumed ? "suspended" : "idle";
    if (!isResumed) this.#runId = undefined;
  }

  beginTurn(): number {
    this.#view = undefined;
    this.#calls.endTurn();
    this.#iteration += 1;
    return this.#iteration;
  }

  setUsage(usage: AgentUsage): void {
    this.#view = undefined;
    this.#usage = usage;
  }

  setFinishReason(finishReason: FinishReason): void {
    this.#view = undefined;
    this.#finishReason = finishReason;
  }

  /** Adds a message; the calls in it are open from now on. */
  add(message: AgentMessage): void {
    this.#view = undefined;
    this.#messages.push(message);
    if (message.role !== "assistant") return;
    this.#rememberCalls(message);
    this.#calls.ask(message);
  }

  /** Moves the noted results into the history, in the order of the calls, and returns them. No call may be open. */
  flushResults(): readonly AgentMessage[] {
    const results = this.#calls.takeResults();
    if (results.length === 0) return results;
    this.#view = undefined;
    for (const result of results) this.#messages.push(result);
    return results;
  }

  /** Takes calls out of the history that a provider began to run itself and will not answer any more. */
  dropUnansweredCalls(): void {
    const unanswered = this.#unanswered;
    if (unanswered === undefined || unanswered.size === 0) return;
    this.#view = undefined;
    this.#messages = this.#messages.flatMap((message) => withoutCalls(message, unanswered) ?? []); // views keep the old list
    for (const toolCallId of unanswered) this.#providerCalls?.delete(toolCallId); // a result that comes after all has no call any more
    this.#unanswered = undefined;
  }

  #rememberCalls(message: AgentMessage): void {
    for (const part of message.content) {
      if (part.type === "tool-result") this.#unanswered?.delete(part.toolCallId);
      if (part.type !== "tool-call") continue;
      this.#callIds.add(part.toolCallId);
      if (part.providerExecuted !== true) continue;
      this.#providerCalls ??= new Map();
      this.#providerCalls.set(part.toolCallId, part.toolName);
      this.#unanswered ??= new Set();
      this.#unanswered.add(part.toolCallId);
    }
  }
}

/** The message without some of its calls; undefined when nothing is left that says anything. */
function withoutCalls(message: AgentMessage, toolCallIds: ReadonlySet<string>): AgentMessage | undefined {
  const content = message.content.filter((part) => part.type !== "tool-call" || !toolCallIds.has(part.toolCallId));
  if (content.length === message.content.length) return message;
  return content.every((part) => part.type === "reasoning") ? undefined : Object.freeze({ ...message, content: Object.freeze(content) });
}

interface ViewFields {
  readonly identity: AgentIdentity;
  readonly list: readonly AgentMessage[];
  readonly length: number;
  readonly calls: TurnCallsView;
  readonly status: AgentStatus;
  readonly runId: string | undefined;
  readonly iteration: number;
  readonly finishReason: FinishReason | undefined;
  readonly usage: AgentUsage;
  readonly lastError: string | undefined;
  readonly lastErrorClass: ModelErrorClass | undefined;
}

/** The state at one moment. Cheap to keep; frozen arrays and the snapshot are made when first read. */
export class StateView {
  readonly #fields: ViewFields;
  #messages: readonly AgentMessage[] | undefined;
  #snapshot: AgentSnapshot | undefined;

  constructor(fields: ViewFields) {
    this.#fields = fields;
  }

  /** The history at that moment; frozen. */
  get messages(): readonly AgentMessage[] {
    this.#messages ??= Object.freeze(this.#fields.list.slice(0, this.#fields.length));
    return this.#messages;
  }

  get snapshot(): AgentSnapshot {
    this.#snapshot ??= this.#build();
    return this.#snapshot;
  }

  #build(): AgentSnapshot {
    const { identity, calls, status, runId, iteration, finishReason, usage, lastError, lastErrorClass } = this.#fields;
    const { results, journal } = calls;
    const unfinished = status === "running" || status === "suspended";
    return Object.freeze({
      version: 1,
      ...identity,
      ...(runId === undefined ? undefined : { runId }),
      status,
      iteration,
      messages: results.length === 0 ? this.messages : Object.freeze([...this.messages, ...results]),
      pendingToolCalls: Object.freeze(calls.pending),
      ...(journal.length === 0 ? undefined : { journal: Object.freeze(journal) }),
      ...(finishReason === undefined || !unfinished ? undefined : { finishReason }),
      usage,
      ...(lastError === undefined ? undefined : { lastError }),
      ...(lastErrorClass === undefined ? undefined : { lastErrorClass }),
    });
  }
}
