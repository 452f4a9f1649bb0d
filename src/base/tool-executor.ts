import { messageOf } from "./errors.js";
import type { ToolErrorType } from "./events.js";
import { toMessagePart, toolMessage } from "./history.js";
import type { AfterToolResult, BeforeToolResult, ToolCallResult } from "./hooks.js";
import { isObject, type JsonObject, toJsonValue } from "./json.js";
import type { ToolCallPart } from "./message.js";
import { hookContextText, modelTexts } from "./model-texts.js";
import { overlayPolicy, ownPolicy, resolveToolPolicy, type ToolPolicy } from "./policy.js";
import type { Run } from "./run.js";
import type { FinishedCall } from "./run-calls.js";
import type { SchemaCheck } from "./schema/schema.js";
import type { PendingToolCall } from "./snapshot.js";
import { type AgentTool, RUN, type ToolCallContext } from "./tool.js";
import { failure, replaceResult, type ToolAnswer, toAnswer } from "./tool-answer.js";
import { askForApproval, reportDecision, WAITING } from "./tool-approval.js";
import type { ToolCall } from "./tool-call.js";
import { ToolDeadline } from "./tool-deadline.js";

/** What became of one call. */
export type ToolOutcome = FinishedToolCall | WaitingToolCall;

/** A call with a result. */
export interface FinishedToolCall {
  readonly kind: "finished";
  readonly call: ToolCall;
  /** The arguments as hooks and people left them. */
  readonly input: JsonObject;
  readonly result: ToolCallResult;
  /** Whether the call stands in the history, and so its result too. */
  readonly inHistory: boolean;
  /** Set when the result is an error. */
  readonly errorType: ToolErrorType | undefined;
  /** Whether a completion tool succeeded. */
  readonly completesRun: boolean;
  /** Texts of hooks for the model. */
  readonly appendContext: readonly string[];
  /** Set when a hook ended the run. */
  readonly stop: { readonly reason: string | undefined } | undefined;
}

/** A call that waits for a person's answer; the run has to be suspended. */
export interface WaitingToolCall {
  readonly kind: "waiting";
  readonly call: ToolCall;
}

/** Why a call is not executed, if it is not. */
type Refusal = ToolAnswer | typeof WAITING | undefined;

/** A call on its way through the pipeline. */
interface Passage {
  readonly call: ToolCall;
  readonly tool: AgentTool;
  readonly part: ToolCallPart;
  readonly appendContext: string[];
  /** How far the call got before the run was suspended. */
  readonly past: PendingToolCall | undefined;
  /** Arguments as JSON, as hooks and people see them. */
  input: JsonObject;
  /** Arguments as the tool gets them. */
  checked: unknown;
  policy: ToolPolicy | undefined;
  stop: { readonly reason: string | undefined } | undefined;
}

/**
 * The one way in which tools are called, by models and by the code they write.
 *
 * parse error → unknown tool → schema check → `beforeTool` hooks → schema check again if the input was changed → policy → approval → execute →
 * `afterTool` hooks → result. Whatever goes wrong becomes the call's result; nothing is thrown.
 *
 * In a turn that was suspended, calls that were finished give their result again, and calls that wait take up where they stood.
 */
export class ToolExecutor {
  readonly #run: Run;
  #stopped = false;

  constructor(run: Run) {
    this.#run = run;
  }

  /** Executes calls one after the other or at once, as the agent is configured. The outcomes stand in call order. */
  executeAll(calls: readonly ToolCall[]): Promise<ToolOutcome[]> {
    const [only] = calls;
    if (only !== undefined && calls.length === 1) return this.execute(only).then(asList);
    return this.#run.settings.toolExecution === "parallel"
      ? Promise.all(calls.map((call) => this.execute(call)))
      : this.#executeInOrder(calls);
  }

  async #executeInOrder(calls: readonly ToolCall[]): Promise<ToolOutcome[]> {
    const outcomes: ToolOutcome[] = [];
    for (const call of calls) outcomes.push(await this.execute(call));
    return outcomes;
  }

  /** Executes one call. Never rejects. */
  async execute(call: ToolCall): Promise<ToolOutcome> {
    const run = this.#run;
    const { toolCallId, toolName, parentToolCallId } = call;
    if (parentToolCallId === undefined) run.counters.toolCalls += 1;
    const past = run.calls.past(toolCallId);
    if (past?.kind === "finished") return this.#finishedBefore(call, past);
    const startedAt = run.settings.now();
    const parent = parentToolCallId === undefined ? undefined : { parentToolCallId };
    const part: ToolCallPart = Object.freeze({ type: "tool-call", toolCallId, toolName, input: call.input });
    const inHistory = run.calls.begin(call);
    const starting = run.emit("tool-started", { toolCall: part, ...parent });
    if (starting !== undefined) await starting;
    const appendContext: string[] = [];
    const passage = this.#enter(call, { part, appendContext, past: past?.call });
    const answer = passage === undefined ? this.#refuse(call) : await this.#pass(passage);
    if (answer === WAITING) return { kind: "waiting", call };
    const { result, errorType } = answer;
    const resultPart = toMessagePart({ toolCallId, toolName }, result);
    const message = toolMessage(run.settings, resultPart);
    const completesRun = result.isError !== true && passage?.tool.lifecycle.completesRun === true;
    const input = passage === undefined ? call.input : passage.input;
    const stop = passage?.stop;
    const finished: FinishedToolCall = { kind: "finished", call, input, result, inHistory, errorType, completesRun, appendContext, stop };
    run.calls.finish(finished, message);
    const saving = run.save();
    if (saving !== undefined) await saving;
    if (run.listening) {
      const durationMs = run.settings.now() - startedAt;
      const failed = errorType === undefined ? undefined : { errorType };
      const finishing = run.emit("tool-finished", { toolCallId, toolName, ...parent, message, result: resultPart, durationMs, ...failed });
      if (finishing !== undefined) await finishing;
    }
    return finished;
  }

  #finishedBefore(call: ToolCall, past: FinishedCall): FinishedToolCall {
    const completesRun = past.result.isError !== true && this.#run.tools.get(call.toolName)?.lifecycle.completesRun === true;
    return { ...past, input: past.input ?? call.input, kind: "finished", call, completesRun, stop: undefined };
  }

  /** The passage of a call that can be made at all. */
  #enter(call: ToolCall, { part, appendContext, past }: Pick<Passage, "part" | "appendContext" | "past">): Passage | undefined {
    if (this.#run.signal.aborted || this.#stopped || call.problem !== undefined || call.unknownName !== undefined) return undefined;
    const tool = call.tool ?? this.#run.tools.get(call.toolName);
    if (tool === undefined) return undefined;
    return { call, tool, part, appendContext, past, input: call.input, checked: undefined, policy: undefined, stop: undefined };
  }

  /** Why a call cannot be made. */
  #refuse(call: ToolCall): ToolAnswer {
    if (this.#run.signal.aborted) return failure("aborted", modelTexts.abortedBeforeCall(call.toolName));
    if (this.#stopped) return failure("stopped", modelTexts.stopped(call.toolName));
    if (call.problem !== undefined) return failure(call.problem.errorType, call.problem.text);
    return failure("unknown-tool", modelTexts.unknownTool(call.unknownName ?? call.toolName, this.#run.tools.names));
  }

  #pass(passage: Passage): Promise<ToolAnswer | typeof WAITING> | ToolAnswer | typeof WAITING {
    try {
      const finding = passage.past === undefined ? this.#findRefusal(passage) : this.#takeUp(passage, passage.past);
      return finding instanceof Promise ? this.#passInTime(passage, finding) : (finding ?? this.#go(passage));
    } catch (error) {
      return this.#unexpected(passage, error);
    }
  }

  async #passInTime(passage: Passage, finding: Promise<Refusal>): Promise<ToolAnswer | typeof WAITING> {
    try {
      return (await finding) ?? (await this.#go(passage));
    } catch (error) {
      return this.#unexpected(passage, error);
    }
  }

  /** What was thrown before the tool was called. */
  #unexpected({ call }: Passage, error: unknown): ToolAnswer {
    if (this.#run.signal.aborted || isGivenUp(call)) return failure("aborted", modelTexts.abortedBeforeCall(call.toolName));
    return failure("execution", messageOf(error));
  }

  /** Nothing speaks against the call. */
  #go(passage: Passage): Promise<ToolAnswer | typeof WAITING> | ToolAnswer {
    this.#run.throwIfEnded();
    if (this.#stopped) return failure("stopped", modelTexts.stopped(passage.call.toolName)); // a sibling's hook, meanwhile
    if (isGivenUp(passage.call)) return failure("aborted", modelTexts.abortedBeforeCall(passage.call.toolName));
    const saving = this.#run.calls.start(passage.call.toolCallId);
    if (saving !== undefined) return this.#goWhenSaved(passage, saving);
    return this.#run.context.hooks.afterTool.length === 0 ? this.#execute(passage) : this.#executeWithHooks(passage);
  }

  /** A call that the session does not know of could be made twice. */
  async #goWhenSaved(passage: Passage, saving: Promise<void>): Promise<ToolAnswer | typeof WAITING> {
    await this.#run.wait(saving);
    this.#run.throwIfEnded();
    if (isGivenUp(passage.call)) return failure("aborted", modelTexts.abortedBeforeCall(passage.call.toolName));
    return this.#executeWithHooks(passage);
  }

  /** Goes on with a call of a turn that was suspended or lost with its process. Its `beforeTool` hooks have run. */
  async #takeUp(passage: Passage, { state, input, decision, appendContext = [] }: PendingToolCall): Promise<Refusal> {
    const { toolName } = passage.call;
    if (passage.call.tool !== undefined && state !== "awaiting-approval") return this.#begunBefore(passage, input);
    if (state === "queued") return failure("interrupted", modelTexts.notReached(toolName));
    if (state !== "awaiting-approval") return failure("interrupted", modelTexts.interrupted(toolName));
    const edited = decision?.approved === true ? decision.input : undefined;
    passage.input = edited ?? input;
    passage.appendContext.push(...appendContext);
    const problem = decision?.approved === false ? undefined : await this.#check(passage); // what is refused need not fit
    if (problem !== undefined) return problem;
    const { enabled, reason } = resolveToolPolicy(this.#run.settings.toolPolicies, toolName);
    if (!enabled) return failure("disabled", modelTexts.disabled(toolName, reason)); // since then
    const denial = await reportDecision(this.#run, passage, decision);
    if (denial === WAITING) return WAITING;
    if (denial !== undefined) return failure("denied", modelTexts.denied(toolName, denial));
    if (edited !== undefined) passage.appendContext.push(modelTexts.inputEdited(passage.call, edited));
    return undefined;
  }

  async #executeWithHooks(passage: Passage): Promise<ToolAnswer | typeof WAITING> {
    const startedAt = this.#run.settings.now();
    const answer = await this.#execute(passage);
    return answer === WAITING ? WAITING : this.#afterTool(passage, answer, startedAt);
  }

  /** Why the call is not executed, if it is not. Known at once where no hook, no asynchronous schema and no person has to be waited for. */
  #findRefusal(passage: Passage): Promise<Refusal> | Refusal {
    const checking = this.#check(passage);
    if (checking instanceof Promise || this.#run.context.hooks.beforeTool.length > 0) return this.#findRefusalInTime(passage, checking);
    return checking ?? this.#permit(passage);
  }

  async #findRefusalInTime(passage: Passage, checking: Promise<Refusal> | Refusal): Promise<Refusal> {
    return (await checking) ?? (await this.#beforeTool(passage)) ?? (await this.#permit(passage));
  }

  /** Checks the arguments against the tool's schema. */
  #check(passage: Passage): Promise<Refusal> | Refusal {
    const checking = passage.tool.checkInput(passage.input);
    if (!(checking instanceof Promise)) return this.#takeCheck(passage, checking);
    return this.#run.wait(checking).then((check) => this.#takeCheck(passage, check));
  }

  #takeCheck(passage: Passage, check: SchemaCheck): ToolAnswer | undefined {
    if (!check.ok) return failure("invalid-arguments", modelTexts.invalidArguments(passage.call.toolName, check.problems));
    passage.checked = check.value;
    return undefined;
  }

  async #beforeTool(passage: Passage): Promise<Refusal> {
    const { tool, part: toolCall, call } = passage;
    for (const hook of this.#run.context.hooks.beforeTool) {
      let returned: BeforeToolResult;
      try {
        // Read once, here: a getter that throws is the hook's failure.
        returned = { ...(await this.#run.wait(hook.call(this.#run.hookContext({ tool, toolCall, input: passage.input })))) };
        if (returned.policy !== undefined) passage.policy = overlayPolicy(passage.policy, returned.policy);
      } catch (error) {
        if (this.#run.signal.aborted) throw error;
        return failure("hook-error", modelTexts.hookFailed(hook.label, messageOf(error), false));
      }
      this.#noteContext(passage, "PreToolUse", returned.appendContext);
      if (returned.stop === true) return this.#stop(passage, returned.reason);
      if (returned.skip === true) return failure("skipped", modelTexts.skipped(call.toolName, returned.reason));
      if (returned.input === undefined) continue;
      const refusal = await this.#changeInput(passage, returned.input, hook.label);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  async #changeInput(passage: Passage, input: unknown, label: string): Promise<Refusal> {
    try {
      const json = toJsonValue(input);
      if (!isObject(json)) throw new TypeError("the input it returned is not an object");
      passage.input = json as JsonObject;
    } catch (error) {
      return failure("hook-error", modelTexts.hookFailed(label, messageOf(error), false));
    }
    return this.#check(passage);
  }

  /** A runtime's own tool takes itself up. It was permitted before. */
  async #begunBefore(passage: Passage, input: JsonObject): Promise<Refusal> {
    passage.input = input;
    return this.#check(passage);
  }

  /** Policy, then approval. */
  #permit(passage: Passage): Promise<Refusal> | Refusal {
    const { toolName } = passage.call;
    const { toolPolicies, output } = this.#run.settings;
    // An answer is no act, and the calls of code are gated one by one: the default for all tools gates neither an answer nor code.
    const isUngated = passage.tool === output?.tool || passage.call.tool !== undefined;
    const { enabled, autoApprove, reason } = resolveToolPolicy(
      isUngated ? ownPolicy(toolPolicies, toolName) : toolPolicies,
      toolName,
      passage.policy,
    );
    if (!enabled) return failure("disabled", modelTexts.disabled(toolName, reason));
    return autoApprove ? undefined : this.#permitByApproval(passage);
  }

  async #permitByApproval(passage: Passage): Promise<Refusal> {
    const { toolName } = passage.call;
    const { requestToolApproval } = this.#run.settings;
    if (requestToolApproval === undefined) return failure("denied", modelTexts.denied(toolName, modelTexts.noApprovalCallback));
    const denial = await askForApproval(this.#run, passage, requestToolApproval);
    if (denial === WAITING) return WAITING;
    return denial === undefined ? undefined : failure("denied", modelTexts.denied(toolName, denial));
  }

  async #execute({ call, tool, checked }: Passage): Promise<ToolAnswer | typeof WAITING> {
    const run = this.#run;
    const startedAt = run.settings.now();
    const signal = call.signal === undefined ? run.signal : AbortSignal.any([run.signal, call.signal]);
    const deadline = tool.timeoutMs === undefined ? undefined : new ToolDeadline(tool.name, tool.timeoutMs, signal);
    const { context, close } = this.#createContext(call, deadline?.signal ?? signal);
    try {
      const returned = tool.execute(checked, context);
      const value = isThenable(returned) ? await run.wait(deadline === undefined ? returned : deadline.race(returned)) : returned;
      return value === WAITING && call.tool !== undefined ? WAITING : toAnswer(call.toolName, value);
    } catch (error) {
      if (run.signal.aborted) return failure("aborted", modelTexts.aborted(call.toolName, run.settings.now() - startedAt));
      if (deadline !== undefined && error === deadline.error)
        return failure("timeout", modelTexts.timedOut(call.toolName, deadline.error.timeoutMs));
      return failure("execution", messageOf(error));
    } finally {
      close();
      deadline?.dispose();
    }
  }

  #createContext(call: ToolCall, signal: AbortSignal): { context: ToolCallContext; close(): void } {
    const run = this.#run;
    const { toolCallId, toolName, parentToolCallId } = call;
    const parent = parentToolCallId === undefined ? undefined : { parentToolCallId };
    let open = true;
    const context: ToolCallContext = {
      agentId: run.settings.agentId,
      runId: run.id,
      iteration: run.iteration,
      toolCallId,
      ...parent,
      signal,
      [RUN]: run,
      toolContext: run.settings.toolContext,
      emitUpdate: (update) => {
        if (open && !signal.aborted) void run.emit("tool-updated", { toolCallId, toolName, ...parent, update });
      },
    };
    const close = () => {
      open = false;
    };
    return { context, close };
  }

  async #afterTool(passage: Passage, executed: ToolAnswer, startedAt: number): Promise<ToolAnswer> {
    const { tool, part: toolCall, input } = passage;
    const endedAt = this.#run.settings.now();
    let answer = executed;
    for (const hook of this.#run.context.hooks.afterTool) {
      const fields = { tool, toolCall, input, result: answer.result, startedAt, endedAt, durationMs: endedAt - startedAt };
      try {
        const { result, appendContext, stop, reason }: AfterToolResult =
          (await this.#run.wait(hook.call(this.#run.hookContext(fields)))) ?? {};
        if (result !== undefined) answer = replaceResult(answer, result);
        this.#noteContext(passage, "PostToolUse", appendContext);
        if (stop === true) {
          this.#stop(passage, reason);
          return answer;
        }
      } catch (error) {
        if (this.#run.signal.aborted) return answer; // the tool has run: its result stands
        return failure("hook-error", modelTexts.hookFailed(hook.label, messageOf(error), true));
      }
    }
    return answer;
  }

  #noteContext({ call, appendContext }: Passage, source: "PreToolUse" | "PostToolUse", text: string | undefined): void {
    const { toolName, toolCallId } = call;
    if (typeof text === "string" && text !== "") appendContext.push(hookContextText({ source, toolName, toolCallId, text }));
  }

  /** Ends the run; calls that have not begun are not made. */
  #stop(passage: Passage, reason: string | undefined): ToolAnswer {
    this.#stopped = true;
    passage.stop = { reason };
    return failure("stopped", modelTexts.stopped(passage.call.toolName));
  }
}

function asList(outcome: ToolOutcome): ToolOutcome[] {
  return [outcome];
}

/** Whether nobody waits for a call any more: the code that made it was stopped, and the model is told so. */
function isGivenUp({ signal }: ToolCall): boolean {
  return signal?.aborted === true;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}
