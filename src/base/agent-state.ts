import { AgentBusyError } from "./errors.js";
import { type AgentMessage, clientToolCalls } from "./message.js";
import type { ModelErrorClass } from "./model.js";
import type { AgentSnapshot, AgentStatus, PendingToolCall } from "./snapshot.js";
import { type AgentUsage, NO_USAGE } from "./usage.js";

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
  #openCalls: readonly PendingToolCall[] = [];
  #results: readonly AgentMessage[] = [];
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

  get usage(): AgentUsage {
    return this.#usage;
  }

  get lastMessage(): AgentMessage | undefined {
    return this.#messages.at(-1);
  }

  /** Calls of the last assistant message whose results are not in the history yet, in call order. */
  get openCalls(): readonly PendingToolCall[] {
    return this.#openCalls;
  }

  /** Whether calls of the last assistant message are open, or have results that are not in the history yet. */
  get isAwaitingResults(): boolean {
    return this.#openCalls.length > 0 || this.#results.length > 0;
  }

  /** The state as it is now. */
  get view(): StateView {
    this.#view ??= new StateView({
      identity: this.identity,
      list: this.#messages,
      length: this.#messages.length,
      results: this.#results,
      status: this.#status,
      runId: this.#runId,
      iteration: this.#iteration,
      openCalls: this.#openCalls,
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
   * @throws AgentBusyError when one is under way.
   */
  begin(runId: string): void {
    if (this.#status === "running") throw new AgentBusyError({ agentId: this.identity.agentId });
    this.#view = undefined;
    this.#status = "running";
    this.#runId = runId;
    this.#iteration = 0;
    const { totalInputTokens, totalOutputTokens } = this.#usage;
    this.#usage = Object.freeze({ ...NO_USAGE, totalInputTokens, totalOutputTokens });
    this.#lastError = undefined;
    this.#lastErrorClass = undefined;
  }

  /** Ends the run. */
  end(status: AgentStatus, lastError: string | undefined, lastErrorClass: ModelErrorClass | undefined): void {
    this.#view = undefined;
    this.#status = status;
    this.#lastError = lastError;
    this.#lastErrorClass = lastErrorClass;
  }

  /** Takes back a run that never began. */
  abandon(): void {
    this.#view = undefined;
    this.#status = "idle";
    this.#runId = undefined;
  }

  beginTurn(): number {
    this.#view = undefined;
    this.#iteration += 1;
    return this.#iteration;
  }

  setUsage(usage: AgentUsage): void {
    this.#view = undefined;
    this.#usage = usage;
  }

  /** Adds a message; the calls in it are open from now on. */
  add(message: AgentMessage): void {
    this.#view = undefined;
    this.#messages.push(message);
    if (message.role === "assistant") this.#openCalls = this.#rememberCalls(message);
  }

  /** Notes the result of an open call. It enters the history with those of its siblings, in call order. */
  settleCall(toolCallId: string, result: AgentMessage): void {
    this.#view = undefined;
    this.#results = [...this.#results, result];
    this.#openCalls = this.#openCalls.filter((call) => call.toolCallId !== toolCallId);
  }

  /** Moves the noted results into the history, in the order of the calls, and returns them. No call may be open. */
  flushResults(): readonly AgentMessage[] {
    const results = this.#results;
    if (results.length === 0) return results;
    this.#view = undefined;
    const inOrder = results.length === 1 ? results : inCallOrder(this.lastMessage, results);
    this.#messages.push(...inOrder);
    this.#results = [];
    return inOrder;
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

  #rememberCalls(message: AgentMessage): readonly PendingToolCall[] {
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
    return clientToolCalls(message).map(({ toolCallId, toolName, input }) => Object.freeze({ toolCallId, toolName, input }));
  }
}

/** The message without some of its calls; undefined when nothing is left that says anything. */
function withoutCalls(message: AgentMessage, toolCallIds: ReadonlySet<string>): AgentMessage | undefined {
  const content = message.content.filter((part) => part.type !== "tool-call" || !toolCallIds.has(part.toolCallId));
  if (content.length === message.content.length) return message;
  return content.every((part) => part.type === "reasoning") ? undefined : Object.freeze({ ...message, content: Object.freeze(content) });
}

function inCallOrder(asking: AgentMessage | undefined, results: readonly AgentMessage[]): AgentMessage[] {
  const byId = new Map(results.map((result) => [resultIdOf(result), result]));
  const calls = asking === undefined ? [] : clientToolCalls(asking);
  return calls.flatMap((call) => byId.get(call.toolCallId) ?? []);
}

function resultIdOf(message: AgentMessage): string | undefined {
  const [part] = message.content;
  return part?.type === "tool-result" ? part.toolCallId : undefined;
}

interface ViewFields {
  readonly identity: AgentIdentity;
  readonly list: readonly AgentMessage[];
  readonly length: number;
  readonly results: readonly AgentMessage[];
  readonly status: AgentStatus;
  readonly runId: string | undefined;
  readonly iteration: number;
  readonly openCalls: readonly PendingToolCall[];
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
    const { identity, results, status, runId, iteration, openCalls, usage, lastError, lastErrorClass } = this.#fields;
    return Object.freeze({
      version: 1,
      ...identity,
      ...(runId === undefined ? undefined : { runId }),
      status,
      iteration,
      messages: results.length === 0 ? this.messages : Object.freeze([...this.messages, ...inCallOrder(this.messages.at(-1), results)]),
      pendingToolCalls: Object.freeze([...openCalls]),
      usage,
      ...(lastError === undefined ? undefined : { lastError }),
      ...(lastErrorClass === undefined ? undefined : { lastErrorClass }),
    });
  }
}
