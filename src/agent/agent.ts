import { AgentContext } from "../base/agent-context.js";
import type { AgentRequest, AgentRunResult, AgentRuntime } from "../base/agent-runtime.js";
import { SUSPENDED_PROBLEM } from "../base/agent-state.js";
import {
  AgentAbortError,
  AgentBusyError,
  AgentConfigError,
  AgentInputError,
  isInstance,
  messageOf,
  SuspendedRunError,
} from "../base/errors.js";
import type { AgentEventListener, AgentEventType } from "../base/events.js";
import { repairHistory, toMessages } from "../base/history.js";
import { isObject } from "../base/json.js";
import type { AgentMessage, AgentMessageInput } from "../base/message.js";
import type { ToolCallDecisions } from "../base/policy.js";
import type { Schema } from "../base/schema/schema.js";
import type { AgentSettings } from "../base/settings.js";
import type { AgentSnapshot } from "../base/snapshot.js";
import type { SteeringQueue } from "../base/steering-queue.js";
import type { AgentTool } from "../base/tool.js";
import { type AgentOptions, resolveOptions, type ToolContextOption } from "./agent-config.js";
import { AgentStream } from "./agent-stream.js";
import { type AgentToolOptions, createAgentTool, type DefaultInputSchema } from "./agent-tool.js";
import { type ParsedSnapshot, parseSnapshot } from "./parse-snapshot.js";
import { checkEditedInputs, checkNotOvertaken, withDecisions } from "./resume-decisions.js";
import type { AgentSession } from "./sessions/agent-session.js";

/** What a run can be given: text of the user, a message, or messages. */
export type AgentRunInput = string | AgentMessageInput | readonly AgentMessageInput[];

/** Options of {@link Agent.subscribe}. */
export interface SubscribeOptions {
  /** Types of the events that the function gets. What nobody gets is not built: naming them makes long streams cheaper. @default all */
  readonly types?: readonly AgentEventType[];
}

/** Options of one run. */
export interface AgentRunOptions {
  /** Aborts the run when it fires. */
  readonly signal?: AbortSignal;
}

/**
 * A conversation with a model that can call tools. It keeps the history; how a run goes forward is its runtime's affair.
 */
export class Agent<ToolContextValue = unknown, Output = unknown> {
  readonly #context: AgentContext;
  readonly #runtime: AgentRuntime;
  readonly #session: AgentSession | undefined;
  readonly #initialMessages: readonly AgentMessage[];
  /** The session has still to be read before the next run. */
  #sessionIsAhead: boolean;
  #controller: AbortController | undefined;
  #hasRun = false;

  /** @throws AgentConfigError when an option is unknown or has a value that is not allowed. */
  constructor(options: AgentOptions<ToolContextValue, Output> & ToolContextOption<NoInfer<ToolContextValue>>) {
    const { settings, runtime, session } = resolveOptions(options as AgentOptions);
    this.#session = session;
    this.#sessionIsAhead = session !== undefined;
    const messages = repairHistory(settings, initialMessagesOf(settings, options.initialMessages));
    this.#initialMessages = [...messages];
    this.#runtime = runtime;
    this.#context = new AgentContext(settings, { runtime, messages });
  }

  get agentId(): string {
    return this.#context.settings.agentId;
  }

  /** Whether a run was started. */
  get hasRun(): boolean {
    return this.#hasRun;
  }

  /**
   * Runs until the model is done, a limit is reached or somebody ends it. The history of earlier runs goes on.
   * @returns The result. Whatever fails in the run is told there, by `status`, `endedBy` and `error`.
   * @throws AgentBusyError while another run is under way; SuspendedRunError while one is suspended; AgentInputError for an input that cannot be used,
   * or when there is nothing to answer; SessionError when the session cannot be read.
   */
  run(input?: AgentRunInput, options: AgentRunOptions = {}): Promise<AgentRunResult<Output>> {
    return this.#start(input, options);
  }

  async #start(input: AgentRunInput | undefined, options: AgentRunOptions, listener?: AgentEventListener): Promise<AgentRunResult<Output>> {
    if (this.#sessionIsAhead) await this.loadSession();
    if (this.#controller !== undefined) throw new AgentBusyError({ agentId: this.agentId });
    if (this.#context.state.status === "suspended") throw new SuspendedRunError({ problem: SUSPENDED_PROBLEM });
    return this.#drive({ input: this.#prepareInput(input), ...(listener === undefined ? undefined : { listener }) }, options);
  }

  async #drive(request: Omit<AgentRequest, "signal">, options: AgentRunOptions): Promise<AgentRunResult<Output>> {
    const controller = new AbortController();
    const onAbort = () => controller.abort(toAbortError(options.signal?.reason));
    if (options.signal?.aborted === true) onAbort();
    else options.signal?.addEventListener("abort", onAbort);
    this.#controller = controller;
    const hadRun = this.#hasRun;
    this.#hasRun = true;
    try {
      const result: unknown = await this.#runtime.run(this.#context, { ...request, signal: controller.signal });
      if (isObject(result)) return result as unknown as AgentRunResult<Output>;
      throw new AgentConfigError({ field: "runtime", problem: `run() of ${JSON.stringify(this.#runtime.name)} gave no result` });
    } catch (error) {
      if (isInstance(error, AgentConfigError)) this.#hasRun = hadRun; // it never began
      throw error;
    } finally {
      if (this.#controller === controller) this.#controller = undefined;
      options.signal?.removeEventListener("abort", onAbort);
    }
  }

  /** The same as `run`: the conversation goes on. */
  continue(input?: AgentRunInput, options: AgentRunOptions = {}): Promise<AgentRunResult<Output>> {
    return this.run(input, options);
  }

  /** A run as an iterator of its events. `result` of what is returned can be awaited with or without reading them. */
  stream(input?: AgentRunInput, options: AgentRunOptions = {}): AgentStream<Output> {
    const left = new AbortController();
    const signal = options.signal === undefined ? left.signal : AbortSignal.any([options.signal, left.signal]);
    return new AgentStream<Output>({
      start: (listener) => this.#start(input, { ...options, signal }, listener),
      abort: (reason) => left.abort(reason),
    });
  }

  /**
   * Goes on with a run that was suspended, or whose process ended: in this process or another, at any time. Calls with an answer are executed or
   * refused; calls without one suspend the run again; finished calls are not made again; of a call that was under way when its process ended the model is
   * told that its outcome is not known.
   * @param snapshot - Of this agent, or of one with the same runtime and the same tools. It may have gone through JSON.
   * @param decisions - Answers for calls of `snapshot.pendingToolCalls` that wait for an approval. Default none.
   * @throws AgentBusyError while a run is under way; AgentInputError for what is no snapshot of an unfinished run, a decision for a call that does not
   * wait for one, or a snapshot of a run that the agent's session has further; nothing is changed then.
   */
  async resume(snapshot: AgentSnapshot, decisions: ToolCallDecisions = {}, options: AgentRunOptions = {}): Promise<AgentRunResult<Output>> {
    if (this.#controller !== undefined) throw new AgentBusyError({ agentId: this.agentId });
    const { settings } = this.#context;
    const resumed = withDecisions(parseSnapshot(settings, snapshot), decisions, this.#runtime.name);
    await checkEditedInputs(this.#context, resumed.snapshot);
    if (this.#session !== undefined) {
      await this.#session.open();
      checkNotOvertaken(resumed.snapshot, this.#session.last);
    }
    if (this.#controller !== undefined) throw new AgentBusyError({ agentId: this.agentId });
    this.#takeUp(resumed);
    return this.#drive({ input: [], resume: true }, options);
  }

  /**
   * Reads the agent's session from its store: the history goes on from there, and a run that was not finished waits for `resume`. The first run does
   * this by itself.
   * @returns The agent as it was stored; `undefined` when there is no session yet.
   * @throws AgentInputError for an agent without a session store; AgentBusyError while a run is under way; SessionError when the session cannot be read.
   */
  async loadSession(): Promise<AgentSnapshot | undefined> {
    if (this.#session === undefined) throw new AgentInputError({ problem: "loadSession: the agent has no sessionStore." });
    if (this.#controller !== undefined) throw new AgentBusyError({ agentId: this.agentId });
    const stored = await this.#session.open();
    if (this.#controller !== undefined) throw new AgentBusyError({ agentId: this.agentId });
    if (!this.#sessionIsAhead) return stored === undefined && !this.#hasRun ? undefined : this.snapshot();
    this.#sessionIsAhead = false;
    if (stored === undefined) return undefined;
    this.#takeUp(parseSnapshot(this.#context.settings, stored));
    return this.snapshot();
  }

  #takeUp({ snapshot, messages }: ParsedSnapshot): void {
    this.#sessionIsAhead = false;
    this.#context.takeUp(messages, snapshot);
    this.#session?.adopt(this.#context.state.view.snapshot.messages);
  }

  /** Ends the run under way; its promise resolves with status `aborted`. Does nothing when there is none. */
  abort(reason?: unknown): void {
    this.#controller?.abort(toAbortError(reason));
  }

  /** Sends the user's words into a run under way: they are added before its next turn. Without a run they wait for the next one. */
  steer(text: string): void {
    if (typeof text !== "string" || text.trim() === "") throw new AgentInputError({ problem: "steer: expected text that is not empty." });
    this.#context.steering.push(text);
  }

  /**
   * The agent as a tool of another agent. Each call is a run of its own on a new conversation, inside the limits of the caller's run: its events reach
   * the caller's listeners as `nested-event`, its usage counts as the caller's too, and it ends when the caller ends.
   * @throws AgentConfigError for an option that is not allowed.
   */
  asTool<const InputSchema extends Schema = DefaultInputSchema>(options: AgentToolOptions<InputSchema>): AgentTool {
    return createAgentTool({ context: this.#context, runtime: this.#runtime, initialMessages: this.#initialMessages }, options);
  }

  /** Calls a function with every event, or with those of some types, as it happens. Returns the way to stop that. */
  subscribe(listener: AgentEventListener, { types }: SubscribeOptions = {}): () => void {
    if (typeof listener !== "function") throw new AgentInputError({ problem: "subscribe: expected a function." });
    if (types !== undefined && !Array.isArray(types))
      throw new AgentInputError({ problem: "subscribe: expected a list of types of events." });
    return this.#context.events.subscribe(listener, types);
  }

  /** The agent as it is now: plain JSON that never changes. */
  snapshot(): AgentSnapshot {
    return this.#context.state.view.snapshot;
  }

  /**
   * Replaces the history, for example by the messages of a snapshot. A run under way is aborted; usage and status begin anew; model, tools, hooks and
   * subscribers stay. Calls without a result get one that says they were interrupted.
   * @throws AgentInputError when a message cannot be used; nothing is changed then.
   */
  restore(messages: readonly AgentMessageInput[]): void {
    if (!Array.isArray(messages)) throw new AgentInputError({ problem: "restore: expected a list of messages." });
    const { settings } = this.#context;
    const history: AgentMessage[] = repairHistory(settings, toMessages(settings, messages));
    this.abort("Agent state restored");
    this.#controller = undefined;
    this.#sessionIsAhead = false; // what is stored is given up
    this.#context.steering.take(); // words for the conversation that is gone
    this.#context.replaceHistory(history);
  }

  #prepareInput(input: AgentRunInput | undefined): AgentMessage[] {
    const { settings, state, steering } = this.#context;
    const given = toMessages(settings, input);
    const messages = typeof input === "string" ? given : repairHistory(settings, given, { taken: state.takenIds });
    if (messages.length > 0) return messages;
    if (input !== undefined) throw new AgentInputError({ problem: "The input has no message with content." });
    const last = state.lastMessage;
    const answerable = last !== undefined && last.role !== "assistant";
    if (!answerable && !isWaiting(steering)) {
      throw new AgentInputError({ problem: "There is nothing for the model to answer. Give an input, or steer() first." });
    }
    return messages;
  }
}

/** Whether a message of the user waits, or the run itself has to find out why that cannot be said. */
function isWaiting(steering: SteeringQueue): boolean {
  try {
    steering.poll();
  } catch {
    return true; // the run asks again, and reports it
  }
  return steering.waiting;
}

function initialMessagesOf(settings: AgentSettings, initialMessages: AgentOptions["initialMessages"]): AgentMessage[] {
  try {
    return toMessages(settings, initialMessages);
  } catch (cause) {
    throw new AgentConfigError({ field: "initialMessages", problem: messageOf(cause), cause });
  }
}

function toAbortError(reason: unknown): AgentAbortError {
  return isInstance(reason, AgentAbortError) ? reason : new AgentAbortError({ reason });
}

/** The same as `new Agent(options)`. */
export function createAgent<ToolContextValue = unknown, Output = unknown>(
  options: AgentOptions<ToolContextValue, Output> & ToolContextOption<NoInfer<ToolContextValue>>,
): Agent<ToolContextValue, Output> {
  return new Agent<ToolContextValue, Output>(options);
}
