import { messageOf, ToolTimeoutError } from "./errors.js";
import type { ToolErrorType } from "./events.js";
import { toContentParts, toMessagePart, toolMessage } from "./history.js";
import type { AfterToolResult, BeforeToolResult, ToolCallResult } from "./hooks.js";
import { isObject, type JsonObject, toJsonValue } from "./json.js";
import type { AgentMessage, ToolCallPart } from "./message.js";
import { hookContextText, modelTexts } from "./model-texts.js";
import { overlayPolicy, type RequestToolApproval, resolveToolPolicy, type ToolPolicy } from "./policy.js";
import type { Run } from "./run.js";
import type { SchemaCheck } from "./schema/schema.js";
import { type AgentTool, type ToolCallContext, ToolResult } from "./tool.js";
import type { ToolCall } from "./tool-call.js";

/** What one call came to. */
export interface ToolOutcome {
  readonly call: ToolCall;
  readonly result: ToolCallResult;
  /** The result as a tool message. It belongs into the history only if the call stands there. */
  readonly message: AgentMessage;
  /** Set when the result is an error. */
  readonly errorType: ToolErrorType | undefined;
  /** Whether the message is the result of a call that stands in the history. */
  readonly inHistory: boolean;
  /** Whether a completion tool succeeded. */
  readonly completesRun: boolean;
  /** Texts of hooks for the model. */
  readonly appendContext: readonly string[];
  /** Set when a hook ended the run. */
  readonly stop: { readonly reason: string | undefined } | undefined;
}

/** What became of a call so far. `errorType` is set when the result is an error. */
interface Answer {
  readonly result: ToolCallResult;
  readonly errorType?: ToolErrorType;
}

/** A call on its way through the pipeline. */
interface Passage {
  readonly call: ToolCall;
  readonly tool: AgentTool;
  readonly part: ToolCallPart;
  readonly appendContext: string[];
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
 */
export class ToolExecutor {
  readonly #run: Run;
  #stopped = false;

  constructor(run: Run) {
    this.#run = run;
  }

  /** Executes calls one after the other or at once, as the agent is configured. The outcomes stand in call order. */
  executeAll(calls: readonly ToolCall[]): Promise<ToolOutcome[]> {
    const atOnce = calls.length > 1 && this.#run.settings.toolExecution === "parallel";
    return atOnce ? Promise.all(calls.map((call) => this.execute(call))) : this.#executeInOrder(calls);
  }

  async #executeInOrder(calls: readonly ToolCall[]): Promise<ToolOutcome[]> {
    const outcomes: ToolOutcome[] = [];
    for (const call of calls) outcomes.push(await this.execute(call));
    return outcomes;
  }

  /** Executes one call. Never rejects. */
  async execute(call: ToolCall): Promise<ToolOutcome> {
    const run = this.#run;
    const startedAt = run.settings.now();
    const { toolCallId, toolName, parentToolCallId } = call;
    const parent = parentToolCallId === undefined ? undefined : { parentToolCallId };
    if (parent === undefined) run.counters.toolCalls += 1;
    const part: ToolCallPart = Object.freeze({ type: "tool-call", toolCallId, toolName, input: call.input });
    const inHistory = run.isOpen(toolCallId);
    const starting = run.emit("tool-started", { toolCall: part, ...parent });
    if (starting !== undefined) await starting;
    const appendContext: string[] = [];
    const passage: Passage | undefined = this.#enter(call, part, appendContext);
    const { result, errorType } = passage === undefined ? this.#refuse(call) : await this.#pass(passage);
    const resultPart = toMessagePart({ toolCallId, toolName }, result);
    const message = toolMessage(run.settings, resultPart);
    run.settleCall(toolCallId, message);
    if (run.listening) {
      const durationMs = run.settings.now() - startedAt;
      const failure = errorType === undefined ? undefined : { errorType };
      const finishing = run.emit("tool-finished", { toolCallId, toolName, ...parent, message, result: resultPart, durationMs, ...failure });
      if (finishing !== undefined) await finishing;
    }
    return {
      call,
      result,
      message,
      inHistory,
      errorType,
      completesRun: result.isError !== true && passage?.tool.lifecycle.completesRun === true,
      appendContext,
      stop: passage?.stop,
    };
  }

  /** The passage of a call that can be made at all. */
  #enter(call: ToolCall, part: ToolCallPart, appendContext: string[]): Passage | undefined {
    if (this.#run.signal.aborted || this.#stopped || call.problem !== undefined || call.unknownName !== undefined) return undefined;
    const tool = this.#run.tools.get(call.toolName);
    if (tool === undefined) return undefined;
    return { call, tool, part, appendContext, input: call.input, checked: undefined, policy: undefined, stop: undefined };
  }

  /** Why a call cannot be made. */
  #refuse(call: ToolCall): Answer {
    if (this.#run.signal.aborted) return failure("aborted", modelTexts.abortedBeforeCall(call.toolName));
    if (this.#stopped) return failure("stopped", modelTexts.stopped(call.toolName));
    if (call.problem !== undefined) return failure(call.problem.errorType, call.problem.text);
    return failure("unknown-tool", modelTexts.unknownTool(call.unknownName ?? call.toolName, this.#run.tools.names));
  }

  #pass(passage: Passage): Promise<Answer> | Answer {
    try {
      const finding = this.#findRefusal(passage);
      return finding instanceof Promise ? this.#passInTime(passage, finding) : (finding ?? this.#go(passage));
    } catch (error) {
      return this.#unexpected(passage, error);
    }
  }

  async #passInTime(passage: Passage, finding: Promise<Answer | undefined>): Promise<Answer> {
    try {
      return (await finding) ?? (await this.#go(passage));
    } catch (error) {
      return this.#unexpected(passage, error);
    }
  }

  /** What was thrown before the tool was called. */
  #unexpected({ call }: Passage, error: unknown): Answer {
    if (this.#run.signal.aborted) return failure("aborted", modelTexts.abortedBeforeCall(call.toolName));
    return failure("execution", messageOf(error));
  }

  /** Nothing speaks against the call. */
  #go(passage: Passage): Promise<Answer> | Answer {
    this.#run.throwIfEnded();
    if (this.#stopped) return failure("stopped", modelTexts.stopped(passage.call.toolName)); // a sibling's hook, meanwhile
    return this.#run.context.hooks.afterTool.length === 0 ? this.#execute(passage) : this.#executeWithHooks(passage);
  }

  async #executeWithHooks(passage: Passage): Promise<Answer> {
    const startedAt = this.#run.settings.now();
    return this.#afterTool(passage, await this.#execute(passage), startedAt);
  }

  /** Why the call is not executed, if it is not. Known at once where no hook, no asynchronous schema and no person has to be waited for. */
  #findRefusal(passage: Passage): Promise<Answer | undefined> | Answer | undefined {
    const checking = this.#check(passage);
    if (checking instanceof Promise || this.#run.context.hooks.beforeTool.length > 0) return this.#findRefusalInTime(passage, checking);
    return checking ?? this.#permit(passage);
  }

  async #findRefusalInTime(passage: Passage, checking: Promise<Answer | undefined> | Answer | undefined): Promise<Answer | undefined> {
    return (await checking) ?? (await this.#beforeTool(passage)) ?? (await this.#permit(passage));
  }

  /** Checks the arguments against the tool's schema. */
  #check(passage: Passage): Promise<Answer | undefined> | Answer | undefined {
    const checking = passage.tool.checkInput(passage.input);
    if (!(checking instanceof Promise)) return this.#takeCheck(passage, checking);
    return this.#run.wait(checking).then((check) => this.#takeCheck(passage, check));
  }

  #takeCheck(passage: Passage, check: SchemaCheck): Answer | undefined {
    if (!check.ok) return failure("invalid-arguments", modelTexts.invalidArguments(passage.call.toolName, check.problems));
    passage.checked = check.value;
    return undefined;
  }

  async #beforeTool(passage: Passage): Promise<Answer | undefined> {
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

  async #changeInput(passage: Passage, input: unknown, label: string): Promise<Answer | undefined> {
    try {
      const json = toJsonValue(input);
      if (!isObject(json)) throw new TypeError("the input it returned is not an object");
      passage.input = json as JsonObject;
    } catch (error) {
      return failure("hook-error", modelTexts.hookFailed(label, messageOf(error), false));
    }
    return this.#check(passage);
  }

  /** Policy, then approval. */
  #permit(passage: Passage): Promise<Answer | undefined> | Answer | undefined {
    const { toolName } = passage.call;
    const { enabled, autoApprove, reason } = resolveToolPolicy(this.#run.settings.toolPolicies, toolName, passage.policy);
    if (!enabled) return failure("disabled", modelTexts.disabled(toolName, reason));
    if (autoApprove) return undefined;
    if (this.#run.settings.requestToolApproval === undefined)
      return failure("denied", modelTexts.denied(toolName, modelTexts.noApprovalCallback));
    return this.#permitByApproval(passage, this.#run.settings.requestToolApproval);
  }

  async #permitByApproval(passage: Passage, ask: RequestToolApproval): Promise<Answer | undefined> {
    const denial = await this.#askForApproval(passage, ask);
    return denial === undefined ? undefined : failure("denied", modelTexts.denied(passage.call.toolName, denial));
  }

  /** The reason of a denial, or nothing when the call is approved. */
  async #askForApproval({ call, input }: Passage, ask: RequestToolApproval): Promise<string | undefined> {
    const run = this.#run;
    const { toolCallId, toolName, parentToolCallId } = call;
    const parent = parentToolCallId === undefined ? undefined : { parentToolCallId };
    await run.emit("approval-requested", { pending: Object.freeze([Object.freeze({ toolCallId, toolName, input, ...parent })]) });
    const { id: runId, iteration, signal, settings } = run;
    const request = { agentId: settings.agentId, runId, iteration, toolCallId, toolName, input, signal, ...parent };
    let denial: string | undefined;
    try {
      denial = denialOf(await run.wait(ask(Object.freeze(request))));
    } catch (error) {
      if (signal.aborted) throw error;
      denial = modelTexts.approvalThrew(messageOf(error));
    }
    const approved = denial === undefined;
    await run.emit("approval-resolved", { toolCallId, toolName, approved, ...(approved ? undefined : { reason: denial }) });
    return denial;
  }

  async #execute({ call, tool, checked }: Passage): Promise<Answer> {
    const run = this.#run;
    const startedAt = run.settings.now();
    const deadline = tool.timeoutMs === undefined ? undefined : new ToolDeadline(tool.name, tool.timeoutMs, run.signal);
    const { context, close } = this.#createContext(call, deadline?.signal ?? run.signal);
    try {
      const returned = tool.execute(checked, context);
      const value = isThenable(returned) ? await run.wait(deadline === undefined ? returned : deadline.race(returned)) : returned;
      return toAnswer(call.toolName, value);
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

  async #afterTool(passage: Passage, executed: Answer, startedAt: number): Promise<Answer> {
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
  #stop(passage: Passage, reason: string | undefined): Answer {
    this.#stopped = true;
    passage.stop = { reason };
    return failure("stopped", modelTexts.stopped(passage.call.toolName));
  }
}

/** What an approval callback's answer says against the call. */
function denialOf(decision: unknown): string | undefined {
  if (!isObject(decision) || typeof decision["approved"] !== "boolean") return modelTexts.approvalUnreadable;
  if (decision["approved"]) return undefined;
  const reason = decision["reason"];
  return typeof reason === "string" && reason.trim() !== "" ? modelTexts.reason(reason) : modelTexts.noReason;
}

function failure(errorType: ToolErrorType, error: string): Answer {
  const output = Object.freeze({ error: error.toWellFormed() });
  return { result: Object.freeze({ output, isError: true }), errorType };
}

function toAnswer(toolName: string, value: unknown): Answer {
  try {
    if (!(value instanceof ToolResult)) return { result: Object.freeze({ output: toJsonValue(value) }) };
    return answerOf({ output: value.output, isError: value.isError, content: value.content });
  } catch (error) {
    return failure("execution", modelTexts.notJson(toolName, messageOf(error)));
  }
}

function replaceResult(answer: Answer, result: NonNullable<AfterToolResult["result"]>): Answer {
  const replaced = answerOf(result);
  return replaced.errorType === undefined ? replaced : { ...replaced, errorType: answer.errorType ?? "execution" };
}

function answerOf({ output, isError, content }: NonNullable<AfterToolResult["result"]>): Answer {
  const parts = content === undefined ? [] : toContentParts(content);
  const result: ToolCallResult = Object.freeze({
    output: toJsonValue(output),
    ...(isError === true ? { isError } : undefined),
    ...(parts.length === 0 ? undefined : { content: parts }),
  });
  return isError === true ? { result, errorType: "execution" } : { result };
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}

/** The time one call may take: a signal of its own that also follows the run's. */
class ToolDeadline {
  readonly error: ToolTimeoutError;
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;
  readonly #onOuter = () => this.#controller.abort(this.#outer.reason);
  readonly #timer: ReturnType<typeof setTimeout>;
  #expire: (() => void) | undefined;

  constructor(toolName: string, timeoutMs: number, outer: AbortSignal) {
    this.error = new ToolTimeoutError({ toolName, timeoutMs });
    this.#outer = outer;
    outer.addEventListener("abort", this.#onOuter);
    this.#timer = setTimeout(() => {
      this.#expire?.();
      this.#controller.abort(this.error);
    }, timeoutMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The promise, or a rejection when the time is over. A later outcome of the promise is dropped. */
  race<T>(promise: PromiseLike<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#expire = () => reject(this.error);
      promise.then(resolve, reject);
    });
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#outer.removeEventListener("abort", this.#onOuter);
  }
}
