import type { AgentContext } from "./agent-context.js";
import type { AgentRequest, AgentRunResult } from "./agent-runtime.js";
import type { AgentState, StateView } from "./agent-state.js";
import { AgentAbortError, HookError, messageOf, RunLimitError } from "./errors.js";
import type { AgentEventMap, AgentEventType } from "./events.js";
import { userMessage } from "./history.js";
import { type HookContext, log } from "./hooks.js";
import { isObject, type JsonObject } from "./json.js";
import type { AgentMessage } from "./message.js";
import type { FinishReason } from "./model.js";
import { askModel, type ModelAnswer, type ModelQuestion, type ModelReply } from "./model-call.js";
import { modelTexts } from "./model-texts.js";
import { errorOutcome, isFailure, limitOutcome, type Outcome, RunStop } from "./outcome.js";
import { type CallPosition, RunCalls } from "./run-calls.js";
import { RunCounters } from "./run-counters.js";
import { type Note, RunHistory } from "./run-history.js";
import { RunReporter } from "./run-reporter.js";
import { toResult } from "./run-result.js";
import type { AgentSettings } from "./settings.js";
import type { AgentSnapshot } from "./snapshot.js";
import { type ParentRun, type SubRunOptions, startSubRun } from "./sub-run.js";
import type { ToolSet } from "./tool.js";
import type { ToolCall } from "./tool-call.js";
import { ToolExecutor } from "./tool-executor.js";
import {
  type AgentUsage,
  addUsage,
  type CallUsage,
  type ModelUsage,
  metricsOf,
  type Pricing,
  settleUsage,
  UNKNOWN_USAGE,
} from "./usage.js";
import { Waiter } from "./waiter.js";

/**
 * One run: everything that changes between `run-started` and the result, and what a runtime may do in it.
 */
export class Run {
  readonly id: string;
  readonly context: AgentContext;
  readonly settings: AgentSettings;
  /** Runs tool calls through the one pipeline. */
  readonly toolExecutor: ToolExecutor;
  /** The tool calls of the turn. */
  readonly calls: RunCalls;
  /** Whether the run was begun by an earlier call and goes on after it was suspended. */
  readonly isResumed: boolean;
  /** The run that this one is a part of. */
  readonly parent: ParentRun | undefined;
  /** Runs that this one is within; 0 for a run that somebody started. */
  readonly depth: number;
  readonly counters = new RunCounters();
  readonly #state: AgentState;
  readonly #waiter: Waiter;
  readonly #runtime: string;
  readonly #reporter: RunReporter;
  readonly #history: RunHistory;
  #iteration = 0;
  #begun = false;
  #tools: ToolSet | undefined;
  /** Ends the run wherever it looks next. */
  #stop: RunStop | undefined;
  /** Only `finish` counts from here on. */
  #isOver = false;
  /** What has to be let go at the end. */
  readonly #releases: (() => void | Promise<void>)[] = [];

  /** @throws AgentBusyError when the context is running already. */
  constructor({ context, request, runtime }: { context: AgentContext; request: AgentRequest; runtime: string }) {
    const { settings } = context;
    this.isResumed = request.resume === true;
    this.parent = request.parent;
    this.depth = request.parent === undefined ? 0 : request.parent.depth + 1;
    this.context = context;
    this.settings = settings;
    this.#state = context.state;
    this.#runtime = runtime;
    this.#waiter = new Waiter({ signal: request.signal, timeoutMs: settings.limits.timeoutMs, now: settings.now });
    const { events, state } = context;
    this.#reporter = new RunReporter({ origin: this, events, listener: request.listener, parent: request.parent, waiter: this.#waiter });
    this.#history = new RunHistory({ state, settings, reporter: this.#reporter, throwIfEnded: () => this.throwIfEnded() });
    try {
      this.id = this.isResumed ? this.#resume() : this.#state.begin(settings.generateId("run"));
    } catch (error) {
      this.#waiter.dispose();
      throw error;
    }
    this.calls = new RunCalls(this.#state, settings, () => this.save());
    this.toolExecutor = new ToolExecutor(this);
  }

  #resume(): string {
    const id = this.#state.goOn(() => this.settings.generateId("run"));
    this.#iteration = this.#state.iteration;
    this.counters.modelCalls = this.#iteration;
    this.#history.resume();
    return id;
  }

  /** Fires when the run is aborted or out of time. */
  get signal(): AbortSignal {
    return this.#waiter.signal;
  }

  /** Number of the turn, from 1; 0 before the first. */
  get iteration(): number {
    return this.#iteration;
  }

  /** The history as it is now; frozen. */
  get messages(): readonly AgentMessage[] {
    return this.#state.view.messages;
  }

  /** The state as it is now; cheap, whatever the length of the history. */
  get view(): StateView {
    return this.#state.view;
  }

  /** Corrections in a row up to now. */
  get corrections(): number {
    return this.counters.corrections;
  }

  /** The tools that can be called in this turn. */
  get tools(): ToolSet {
    return this.#tools ?? this.context.tools;
  }

  get usage(): AgentUsage {
    return this.#state.usage;
  }

  get snapshot(): AgentSnapshot {
    return this.#state.view.snapshot;
  }

  /** Waits for a promise, but no longer than until the run ends early. Rejects with the run's abort or time-limit error then. */
  wait<T>(value: T | PromiseLike<T>): Promise<T> {
    return this.#waiter.wait(value);
  }

  /** Waits for work that ends by itself when the run ends early, and gives it a moment for that. `undefined` when it did not end then. */
  waitGently<T>(work: Promise<T>): Promise<T | undefined> {
    return this.#waiter.waitGently(work);
  }

  /** @throws AgentAbortError or RunLimitError when the run has been aborted or is out of time. */
  throwIfEnded(): void {
    this.#waiter.throwIfEnded();
    if (this.#stop !== undefined) throw this.#stop;
    if (this.#history.unsaved !== undefined) throw this.#history.unsaved;
  }

  /** Ends the run with an outcome, from wherever it is: what is thrown, and thrown again wherever the run looks, is for nobody to catch. */
  stop(outcome: Outcome): never {
    this.#stop ??= new RunStop(outcome);
    throw this.#stop;
  }

  /**
   * Asks a model outside of the turns, for example for a plan or a critique. It counts as any model call: hooks see it, its usage is the run's, limits
   * and abort hold. The history stays as it is, and no event shows the reply.
   * @throws ModelError when the call failed.
   */
  ask(question: ModelQuestion): Promise<ModelAnswer> {
    return askModel(this, question);
  }

  /** Runs a runtime on a conversation of its own, as a part of this run. See {@link startSubRun}. */
  subRun(options: SubRunOptions): Promise<AgentRunResult> {
    return startSubRun(this, options);
  }

  /** Lets timers and input of the process have their turn, when this run has not waited for anything for a while. */
  breathe(): Promise<void> | undefined {
    return this.#waiter.breathe();
  }

  /** The limit that was reached, if any. */
  checkLimits(): Outcome | undefined {
    this.throwIfEnded();
    const { maxIterations } = this.settings;
    if (this.#iteration >= maxIterations)
      return limitOutcome("max-iterations", `The run used all of its ${maxIterations} iterations (maxIterations).`);
    return this.checkUsage();
  }

  /** The limit of tokens or cost that was reached, by this run or by one that it is a part of, if any. */
  checkUsage(): Outcome | undefined {
    this.throwIfEnded();
    const beyond = this.parent?.checkUsage();
    if (beyond !== undefined) return beyond;
    const { limits } = this.settings;
    const { inputTokens, outputTokens, totalCost = 0 } = this.usage;
    const tokens = inputTokens + outputTokens;
    if (tokens >= (limits.maxTokens ?? Number.POSITIVE_INFINITY)) {
      return limitOutcome("token-limit", `The run used ${tokens} tokens of ${limits.maxTokens} (limits.maxTokens).`);
    }
    if (totalCost >= (limits.maxCost ?? Number.POSITIVE_INFINITY)) {
      return limitOutcome("cost-limit", `The run cost ${totalCost} of ${limits.maxCost} (limits.maxCost).`);
    }
    return undefined;
  }

  /** Begins the next turn. */
  beginTurn(): Promise<void> | undefined {
    this.#iteration = this.#state.beginTurn();
    this.calls.beginTurn();
    this.counters.toolCalls = 0;
    this.#tools = undefined;
    return this.emit("turn-started", {});
  }

  /** Replaces the tools of this turn. */
  useTools(tools: ToolSet): void {
    this.#tools = tools;
  }

  /** Whether the user sent messages that the model has not seen. */
  hasSteering(): boolean {
    this.context.steering.poll();
    return this.context.steering.waiting;
  }

  /** Adds the queued messages of the user to the history. */
  takeSteering(): Promise<void> | undefined {
    this.throwIfEnded(); // the words belong to the next run, perhaps of another history
    if (this.counters.pauses > 0 || !this.hasSteering()) return undefined; // a paused reply has to be the end of the request that goes on with it
    return this.#addUserTexts(this.context.steering.take());
  }

  /** Adds a message to the history. Results of calls that were executed are added before it. */
  add(message: AgentMessage): Promise<void> | undefined {
    return this.#history.add(message);
  }

  /** Writes the state into the session, where there is one. Never rejects: a run that cannot be saved ends where it next looks. */
  save(): Promise<void> | undefined {
    return this.#history.save();
  }

  /** The reply with which an earlier call of the run stopped: nothing but results of its calls has followed. */
  get unfinishedReply(): AgentMessage | undefined {
    const last = this.#state.lastMessage;
    return this.isResumed && last?.role === "assistant" ? last : undefined;
  }

  /** Why the model stopped its last reply. */
  get finishReason(): FinishReason | undefined {
    return this.#state.finishReason;
  }

  /** Adds a user message that the framework wrote: a reminder, an observation, a correction. */
  addNote(note: Note): Promise<void> {
    return this.addNotes([note]);
  }

  /** Adds the notes that tell what an action came to. They enter history and session together. */
  addNotes(notes: readonly Note[]): Promise<void> {
    return this.#history.addNotes(notes);
  }

  /** Adds a user message. Blank text adds nothing: providers refuse it. */
  async addUserText(text: string, metadata?: JsonObject): Promise<void> {
    if (text.trim() !== "") await this.add(userMessage(this.settings, text, metadata));
  }

  /** Adds an answer that no turn gave. */
  async addAnswer(text: string): Promise<void> {
    if (text.trim() === "") return;
    const content = Object.freeze([Object.freeze({ type: "text", text: text.toWellFormed() } as const)]);
    await this.add(this.createAssistantMessage({ content, usage: UNKNOWN_USAGE }));
  }

  /** Whether this is a call of the last assistant message that has no result yet. */
  isOpen(toolCallId: string): boolean {
    return this.calls.isOpen(toolCallId);
  }

  /** Adds the results of the last assistant message's calls to the history. Calls that are still open get an error result. */
  closeCalls(text: (toolName: string) => string = modelTexts.notActedOn): Promise<void> | undefined {
    return this.#history.closeCalls(text);
  }

  /**
   * A call for the tool executor that does not stand in the history, for runtimes whose model does not call natively. Create the calls of a turn in
   * the order of the text or code that they come from: by their position a run that was suspended finds them again.
   * @param input - The arguments. What is no object is answered with an error result when the call is executed.
   */
  createToolCall(toolName: string, input: unknown, position?: CallPosition): ToolCall {
    return this.calls.create(toolName, input, position);
  }

  /** Has a function called once when the run is over, for what a runtime holds for it. What it throws is logged. */
  onEnd(release: () => void | Promise<void>): void {
    this.#releases.push(release);
  }

  async #release(): Promise<void> {
    for (const release of this.#releases.splice(0)) {
      try {
        await this.#waiter.waitGently(Promise.resolve(release()));
      } catch (error) {
        log(this.settings.logger, "error", `What run ${this.id} held could not be released.`, error);
      }
    }
  }

  /** Whether a call id is in the history already. */
  hasCallId(toolCallId: string): boolean {
    return this.#state.hasCallId(toolCallId);
  }

  /** Name of the tool in the call of this id, if the provider runs it itself. */
  providerToolName(toolCallId: string): string | undefined {
    return this.#state.providerToolName(toolCallId);
  }

  /**
   * Adds one model call to the usage.
   * @param pricing - Prices of the model that was called.
   */
  addUsage(reported: ModelUsage, pricing: Pricing | undefined): CallUsage {
    const call = settleUsage(reported, pricing);
    if (call !== UNKNOWN_USAGE) this.addCallUsage(call);
    return call;
  }

  /** Adds a model call, of this run or of one within it, to the usage of this run and of those that it is a part of. */
  addCallUsage(call: CallUsage): void {
    if (this.#isOver) return; // of work that was given up; the numbers are the next run's by now
    this.#state.setUsage(addUsage(this.#state.usage, call));
    this.parent?.addUsage(call);
  }

  /** The reply as a message, with what it cost and who wrote it. */
  createAssistantMessage({ content, usage }: Pick<ModelReply, "content" | "usage">): AgentMessage {
    const { generateId, now, messageModelInfo } = this.settings;
    const metrics = metricsOf(usage);
    return Object.freeze({
      id: generateId("msg"),
      role: "assistant",
      content,
      createdAt: now(),
      ...(messageModelInfo === undefined ? undefined : { modelInfo: messageModelInfo }),
      ...(metrics === undefined ? undefined : { metrics }),
    });
  }

  /** Notes why the model stopped its reply. */
  noteFinishReason(finishReason: FinishReason): void {
    this.#state.setFinishReason(finishReason);
  }

  /** A reply came that was not paused: what the provider began and did not answer, it will not answer any more. */
  closePause(): void {
    this.#state.dropUnansweredCalls();
  }

  /** Whether no further turn is allowed. */
  get isLastTurn(): boolean {
    return this.#iteration >= this.settings.maxIterations;
  }

  /** The run has a sound configuration and begins. */
  markBegun(): void {
    this.#begun = true;
  }

  /** Whether the run got past the check of its configuration. */
  get hasBegun(): boolean {
    return this.#begun;
  }

  /** What hooks are given: the snapshot, the signal, and the fields of the hook. */
  hookContext<Fields extends object>(fields: Fields): HookContext & Fields {
    const { view } = this.#state;
    const context = {
      get snapshot() {
        return view.snapshot;
      },
      signal: this.signal,
    };
    return Object.freeze(Object.assign(context, fields));
  }

  /** Calls a function of the user's, and names it when it throws. */
  async callHook<T>(label: string, call: () => T | PromiseLike<T>): Promise<Awaited<T>> {
    this.throwIfEnded();
    try {
      const answer = await this.wait(call());
      return isObject(answer) ? { ...answer } : answer; // what a getter of it throws belongs to the hook as well
    } catch (cause) {
      this.throwIfEnded();
      throw new HookError({ hook: label, cause });
    }
  }

  /** Reports something to people that changes nothing. */
  notice(message: string, metadata?: JsonObject): Promise<void> | undefined {
    return this.emit("status-notice", metadata === undefined ? { message } : { message, metadata });
  }

  /** Whether anybody listens to events. Without listeners an event need not be built. */
  get listening(): boolean {
    return this.#reporter.listening;
  }

  /** Reports an event. The promise, if any, never rejects, and does not wait for a hanging hook once the run has ended early. */
  emit<Type extends AgentEventType>(type: Type, fields: AgentEventMap[Type]): Promise<void> | undefined {
    return this.#reporter.emit(type, fields);
  }

  /** Ends the run: closes calls, calls the `afterRun` hooks, reports, and gives the result. */
  async finish(ended: Outcome): Promise<AgentRunResult> {
    let outcome = ended;
    this.#isOver = true;
    this.#history.end();
    this.calls.close();
    let result = await this.#end(outcome);
    for (const hook of this.context.hooks.afterRun) {
      try {
        await this.#waiter.waitGently(Promise.resolve(hook.call(this.hookContext({ result }))));
      } catch (cause) {
        const error = new HookError({ hook: hook.label, cause });
        log(this.settings.logger, "error", `The hook ${hook.label} threw at the end of run ${this.id}.`, error);
        if (isFailure(outcome)) continue; // what the run failed by is not lost behind a broken report of it
        outcome = { status: "failed", endedBy: "error", error };
        result = await this.#end(outcome);
      }
    }
    if (this.#releases.length > 0) await this.#release();
    await this.save();
    const { unsaved } = this.#history;
    if (unsaved !== undefined && !isFailure(outcome)) {
      outcome = errorOutcome(unsaved);
      result = await this.#end(outcome);
    }
    const reporting = this.#reportEnd(outcome, result);
    this.#reporter.close();
    await reporting;
    this.#waiter.dispose();
    return result;
  }

  #reportEnd(outcome: Outcome, result: AgentRunResult): Promise<void> | undefined {
    if (!isFailure(outcome)) return this.emit("run-finished", { result });
    const { error, errorClass } = outcome;
    return this.emit("run-failed", errorClass === undefined ? { error, result } : { error, errorClass, result });
  }

  /** Ends a run that never began, because its configuration is wrong. */
  abandon(): void {
    this.#state.abandon(this);
    this.#waiter.dispose();
  }

  /** The outcome of an error that ended the run. */
  outcomeOf(error: unknown): Outcome {
    if (error instanceof RunStop) return error.outcome;
    if (error instanceof AgentAbortError) return { status: "aborted", endedBy: "abort", reason: error.message };
    if (error instanceof RunLimitError) return limitOutcome(error.limit, error.message);
    return errorOutcome(error);
  }

  async #addUserTexts(texts: readonly string[]): Promise<void> {
    for (const text of texts) await this.addUserText(text);
  }

  /** Puts the end into the state, and makes the result. Only a suspended run keeps its calls open. */
  async #end(outcome: Outcome): Promise<AgentRunResult> {
    if (outcome.status !== "suspended") await this.#history.closeAtEnd();
    const failure = isFailure(outcome) ? outcome : undefined;
    const reason = outcome.status === "aborted" ? outcome.reason : undefined;
    this.#state.end(outcome.status, failure === undefined ? reason : messageOf(failure.error), failure?.errorClass);
    const { agentId, agentRole } = this.settings;
    const { messages, usage } = this;
    const iterations = this.counters.modelCalls;
    const pending =
      outcome.status === "suspended" ? this.snapshot.pendingToolCalls.filter(({ state }) => state === "awaiting-approval") : [];
    return toResult(outcome, {
      agentId,
      agentRole,
      runId: this.id,
      runtime: this.#runtime,
      iterations,
      messages,
      usage,
      pending,
      lastText: this.#history.lastText,
    });
  }
}
