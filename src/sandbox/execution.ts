import type {
  CodeLanguage,
  ExecuteOptions,
  ExecutionError,
  ExecutionOutcome,
  ExecutionResult,
  LogEntry,
  SandboxTool,
  ToolReply,
} from "./code-executor.js";
import { ExecutionClock } from "./execution-clock.js";
import { type JournalEntry, JournalReplay, type Settlement } from "./execution-journal.js";
import { LogBook } from "./log-book.js";
import type { Sandbox, SandboxCode, SandboxEvent } from "./sandbox.js";
import { parseJson } from "./sandbox-json.js";
import type { ResolvedLimits } from "./sandbox-limits.js";
import { abortedError, divergedError, limitError, lostError, timeError } from "./sandbox-texts.js";
import { type GuestCall, ToolCalls } from "./tool-calls.js";
import { settlementText } from "./tool-results.js";

/** What one execution is made of. */
export interface ExecutionParts {
  readonly language: CodeLanguage;
  readonly options: ExecuteOptions;
  readonly tools: ReadonlyMap<string, SandboxTool>;
  readonly limits: ResolvedLimits;
  /** Whether variables are to persist. */
  readonly keepsSandbox: boolean;
  /** Sentences for the model that come first. */
  readonly notices: readonly string[];
}

/**
 * After the value is there, what goes on in the guest has this long to come to rest, by the clock on the wall: long enough for a machine with much else to do.
 * A sandbox that can see how much its code computes is quicker with what does not end.
 */
const REST_MS = 2_000;
const MAX_TIMERS = 1_000;

/**
 * One execution on the host's side: takes what happens in the sandbox, makes the calls, keeps the journal and the clocks, and settles once. It believes
 * nothing of what the sandbox says.
 */
export class Execution {
  readonly #parts: ExecutionParts;
  readonly #sandbox: Sandbox;
  readonly #calls: ToolCalls;
  readonly #clock: ExecutionClock;
  readonly #logs: LogBook;
  readonly #replay: JournalReplay;
  readonly #entries: JournalEntry[] = [];
  readonly #timers = new Map<number, NodeJS.Timeout>();
  readonly #settled = Promise.withResolvers<ExecutionOutcome>();
  readonly #startedAt = performance.now();
  readonly #seed: number;
  readonly #startTime: number;
  readonly #recordedAt: number;
  readonly #notices: string[];
  #callCount = 0;
  #lastCallId = 0;
  #timerCount = 0;
  #elapsedMs = 0;
  #isOver = false;
  /** What the execution will be once the sandbox has come to rest, or the calls under way have ended. */
  #waitingOutcome: ExecutionOutcome | undefined;
  #restTimer: NodeJS.Timeout | undefined;
  #isSandboxLost = false;
  /** Grows with all that may give the guest something to do. */
  #activity = 0;
  #activityAtPing = 0;
  #openPings = 0;

  constructor(sandbox: Sandbox, parts: ExecutionParts) {
    const { options, limits, tools } = parts;
    this.#parts = parts;
    this.#sandbox = sandbox;
    this.#notices = [...parts.notices];
    this.#logs = new LogBook(limits, options.onLog);
    this.#replay = new JournalReplay(options.replay?.entries ?? []);
    this.#seed = options.replay?.seed ?? options.seed ?? Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);
    this.#recordedAt = options.replay?.recordedAt ?? Date.now();
    this.#startTime = options.replay?.startTime ?? options.startTime ?? this.#recordedAt;
    this.#calls = new ToolCalls({
      tools,
      maxParallel: limits.maxParallelToolCalls,
      onReply: (call, reply) => this.#onReply(call, reply),
      onChange: () => this.#onCallsChanged(),
    });
    this.#clock = new ExecutionClock({ limitMs: limits.timeoutMs, onExpired: () => this.#onExpired() });
  }

  /** Whether the sandbox can run more code. To be asked after the end. */
  get isSandboxLost(): boolean {
    return this.#isSandboxLost;
  }

  /** Runs the code to its end. Never rejects. */
  async run(): Promise<ExecutionResult> {
    const { signal } = this.#parts.options;
    const onAbort = () => this.#stop(abortedError());
    signal?.addEventListener("abort", onAbort, { once: true });
    if (signal?.aborted) onAbort();
    else this.#sandbox.run(this.#code(), (event) => this.#onEvent(event));
    const outcome = await this.#settled.promise;
    signal?.removeEventListener("abort", onAbort);
    return this.#resultOf(outcome);
  }

  /** Ends the execution from outside. */
  abort() {
    this.#stop(abortedError());
  }

  #code(): SandboxCode {
    const { language, options, tools, limits } = this.#parts;
    const step = { toolNames: [...tools.keys()], seed: this.#seed, startTime: this.#startTime, limits };
    return { language, code: options.code, step, cpuMs: limits.cpuMs };
  }

  #onEvent(event: SandboxEvent) {
    if (this.#isOver) return;
    switch (event.type) {
      case "called":
        return this.#onCalled(event);
      case "timer-set":
        return this.#onTimerSet(event);
      case "logged":
        return this.#logs.add(event.level, event.text);
      case "ponged":
        return this.#onPonged();
      case "completed":
        this.#onGuestEnd(event);
        return this.#rest(this.#completed(event));
      case "failed":
        this.#onGuestEnd(event);
        return this.#rest({ status: "failed", error: event.error });
      case "lost":
        return this.#onLost(event.error);
      default:
        return assertNever(event);
    }
  }

  #onCalled({ callId, toolName, text }: Extract<SandboxEvent, { type: "called" }>) {
    const { limits } = this.#parts;
    if (this.#waitingOutcome !== undefined || !this.#isNextId(callId)) return this.#stop(lostError());
    this.#callCount += 1;
    if (this.#callCount > limits.maxToolCalls)
      return this.#stop(
        limitError("too-many-calls", `The code made more than ${limits.maxToolCalls} tool calls and was stopped. Do less in one step.`),
      );
    const input = parseJson(text, { maxChars: limits.maxInputChars, maxNesting: limits.maxNesting });
    if (!input.ok)
      return this.#settle({
        callId,
        ok: false,
        text: errorText(`The argument of ${toolName} cannot be used: ${input.problem}.`, "TypeError"),
      });
    this.#onMade({ type: "call", callId, toolName, inputText: text }, () => this.#calls.make({ callId, toolName, input: input.value }));
  }

  #onTimerSet({ callId, delayMs }: Extract<SandboxEvent, { type: "timer-set" }>) {
    this.#timerCount += 1;
    if (!this.#isNextId(callId) || !(delayMs >= 0)) return this.#stop(lostError());
    if (this.#timerCount > MAX_TIMERS)
      return this.#stop(limitError("too-many-calls", `The code set more than ${MAX_TIMERS} timers and was stopped.`));
    const wait = () => {
      const fire = () => {
        this.#timers.delete(callId);
        this.#settle({ callId, ok: true, text: "null" });
        this.#onCallsChanged();
      };
      this.#timers.set(callId, setTimeout(fire, Math.min(delayMs, 2 ** 31 - 1)));
    };
    this.#onMade({ type: "timer", callId, delayMs }, wait);
  }

  #isNextId(callId: number): boolean {
    this.#lastCallId += 1;
    this.#activity += 1;
    return callId === this.#lastCallId;
  }

  /** A call of the journal is answered from there, any other one is made. */
  #onMade(entry: Exclude<JournalEntry, Settlement>, make: () => void) {
    this.#entries.push(entry);
    const known = this.#replay.check(entry);
    if (known.kind === "diverged") return this.#stop(divergedError(known.problem));
    if (known.kind === "new") make();
    for (const settlement of this.#replay.due()) this.#give(settlement);
  }

  #onReply({ callId, toolName }: GuestCall, reply: ToolReply) {
    if (reply.kind === "end") return this.#endHere(callId, reply.value);
    if (reply.kind === "suspend") return;
    if (this.#waitingOutcome?.status === "ended") return;
    this.#settle({ callId, ...settlementText(toolName, reply, this.#parts.limits.maxToolResultChars) });
  }

  /** The guest is stopped where it is; calls under way may end. */
  #endHere(callId: number, value: unknown): void {
    if (this.#waitingOutcome?.status === "ended") return;
    this.#waitingOutcome = { status: "ended", callId, value };
    this.#loseSandbox();
    this.#clearTimers();
    this.#calls.close();
  }

  #settle(answer: { callId: number; ok: boolean; text: string }): void {
    if (this.#isOver) return;
    this.#elapsedMs = Math.max(this.#elapsedMs, Date.now() - this.#recordedAt);
    this.#give({ type: "settlement", ...answer, elapsedMs: this.#elapsedMs });
  }

  #give(settlement: Settlement): void {
    this.#elapsedMs = Math.max(this.#elapsedMs, settlement.elapsedMs);
    this.#entries.push(settlement);
    this.#activity += 1;
    this.#sandbox.settle(settlement);
  }

  #onCallsChanged(): void {
    if (this.#isOver) return;
    if (this.#waitingOutcome?.status === "ended") {
      if (!this.#calls.areRunning) this.#finish(this.#waitingOutcome);
      return;
    }
    const waits = this.#calls.areAllWaiting && this.#timers.size === 0;
    this.#clock.setPaused(waits);
    // The code may be about to make further calls; the pong comes when it has nothing more to do.
    if (waits && !this.#calls.areRunning && this.#calls.suspendedIds().length > 0) this.#ping();
  }

  #ping(): void {
    this.#openPings += 1;
    this.#activityAtPing = this.#activity;
    this.#sandbox.ping();
  }

  #onPonged() {
    this.#openPings -= 1;
    if (this.#openPings > 0) return;
    if (this.#waitingOutcome !== undefined) return this.#finish(this.#waitingOutcome);
    if (this.#activityAtPing !== this.#activity) return this.#onCallsChanged(); // something has been settled since
    const callIds = this.#calls.suspendedIds();
    if (callIds.length === 0 || this.#calls.areRunning || this.#timers.size > 0) return;
    this.#loseSandbox();
    this.#finish({ status: "suspended", callIds });
  }

  #onGuestEnd({ notices, omittedLogChars }: { readonly notices: readonly string[]; readonly omittedLogChars: number }): void {
    this.#notices.push(...notices);
    this.#logs.omit(omittedLogChars);
  }

  #completed({ text, source }: Extract<SandboxEvent, { type: "completed" }>): ExecutionOutcome {
    if (text === "") return { status: "completed", result: undefined, source };
    const { maxResultChars, maxNesting } = this.#parts.limits;
    // A value in a value, for example a Map in a Map, takes more levels in JSON.
    const parsed = parseJson(text, { maxChars: maxResultChars, maxNesting: maxNesting * 3 });
    if (parsed.ok) return { status: "completed", result: parsed.value, source };
    return { status: "failed", error: limitError("result-too-large", `The result cannot be returned: ${parsed.problem}. Return less.`) };
  }

  /** The outcome stands; a sandbox that is to be used again must come to rest first. */
  #rest(outcome: ExecutionOutcome) {
    const missing = this.#replay.missing();
    const final: ExecutionOutcome = missing === undefined ? outcome : { status: "failed", error: divergedError(missing) };
    this.#clearTimers();
    if (!this.#parts.keepsSandbox || this.#isSandboxLost) return this.#finish(final);
    this.#waitingOutcome = final;
    this.#restTimer = setTimeout(() => this.#onRestless(final), REST_MS);
    this.#ping();
  }

  #onRestless(outcome: ExecutionOutcome): void {
    this.#notices.push("The code left work that went on after its end; it was stopped, and with it all variables are lost.");
    this.#loseSandbox();
    this.#finish(outcome);
  }

  /** What is lost after the value is there are the variables alone. */
  #onLost(error: ExecutionError) {
    const outcome = this.#waitingOutcome;
    if (outcome === undefined || outcome.status === "ended") return this.#stop(error);
    this.#onRestless(outcome);
  }

  #onExpired() {
    const { timeoutMs } = this.#parts.limits;
    if (this.#waitingOutcome?.status === "ended") return this.#finish(this.#waitingOutcome);
    this.#stop(timeError({ timeoutMs, waitingFor: this.#calls.openNames() }));
  }

  #stop(error: ExecutionError): void {
    if (this.#isOver) return;
    this.#loseSandbox();
    this.#finish({ status: "failed", error });
  }

  #loseSandbox(): void {
    this.#isSandboxLost = true;
    this.#sandbox.dispose();
  }

  #finish(outcome: ExecutionOutcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#clock.stop();
    this.#clearTimers();
    clearTimeout(this.#restTimer);
    this.#calls.stop(outcome.status === "failed" ? new Error(outcome.error.message) : undefined);
    this.#settled.resolve(outcome);
  }

  #clearTimers(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  #resultOf(outcome: ExecutionOutcome): ExecutionResult {
    const logs: readonly LogEntry[] = this.#logs.entries();
    return {
      ...outcome,
      logs,
      stdout: LogBook.textOf(logs),
      notices: this.#notices,
      sessionLost: this.#parts.keepsSandbox && this.#isSandboxLost,
      journal: { seed: this.#seed, startTime: this.#startTime, recordedAt: this.#recordedAt, entries: this.#entries },
      toolCallCount: this.#callCount,
      durationMs: performance.now() - this.#startedAt,
    };
  }
}

function errorText(message: string, name: string): string {
  return JSON.stringify({ name, message });
}

function assertNever(event: never): never {
  throw new Error(`There is no such event: ${JSON.stringify(event)}`);
}
