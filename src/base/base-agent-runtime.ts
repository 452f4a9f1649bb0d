import type { AgentContext } from "./agent-context.js";
import type { AgentRequest, AgentRunResult, AgentRuntime } from "./agent-runtime.js";
import { AgentConfigError, type ReplyProblem, toError } from "./errors.js";
import { assertNever, isObject, toText } from "./json.js";
import { type AgentMessage, clientToolCalls, textOf } from "./message.js";
import type { AgentModelRequest, FinishReason } from "./model.js";
import { callAfterModel, callModel, type ModelReply } from "./model-call.js";
import { modelTexts, toolErrorText, toolResultText } from "./model-texts.js";
import { type Completed, hookStopOutcome, type Outcome, replyOutcome, SUSPENDED } from "./outcome.js";
import { Run } from "./run.js";
import type { Note } from "./run-history.js";
import type { ToolCall } from "./tool-call.js";
import type { FinishedToolCall, ToolOutcome } from "./tool-executor.js";
import type { TypedOutput } from "./typed-output.js";

/** A whole reply of the model. */
export interface Reply {
  readonly message: AgentMessage;
  /** The text parts, joined. */
  readonly text: string;
  /** The calls that our side must answer, in order. They may carry a `problem`; the tool executor answers those. */
  readonly toolCalls: readonly ToolCall[];
  readonly finishReason: FinishReason;
  /** True when the output limit cut the reply. */
  readonly truncated: boolean;
  /** The provider's words about the finish reason. */
  readonly error: string | undefined;
}

/** What a reply means. */
export type Decision =
  | Finish
  /** The model wants to act: calls of its own reply, or calls that `run.createToolCall` made from its text. */
  | { readonly kind: "act"; readonly action: readonly ToolCall[] }
  /** The reply cannot be used; the text tells the model why. */
  | { readonly kind: "correct"; readonly text: string }
  /** The reply ends the run, and not well. */
  | { readonly kind: "fail"; readonly problem: ReplyProblem; readonly text: string };

/** The model is done. */
export interface Finish {
  readonly kind: "finish";
  readonly outputText: string;
  /** The answer where it is more than text. */
  readonly output?: unknown;
  /** @default "natural" */
  readonly endedBy?: "natural" | "protocol";
}

// biome-ignore lint/suspicious/noConfusingVoidType: most preparations return nothing
type Preparation = Finish | undefined | void;

/** What an action came to. */
export interface Observation {
  /** Texts for the model, each added as a user message after the results of the calls. */
  readonly texts: readonly Note[];
  /** Set when the action ended the run. */
  readonly outcome?: Outcome;
  /** How the calls ended, in their order; those that wait for people are left out. For subclasses that look at it. */
  readonly calls?: readonly FinishedToolCall[];
}

/** What is known of an action that was given up. */
const NOTHING_OBSERVED: Observation = { texts: [] };

/** Nudges in a row to a model that answers nothing. */
const MAX_EMPTY_REPLIES = 1;

/** Times that a model is told that its output does not fit the schema. */
const MAX_INVALID_OUTPUTS = 3;

/** Continuations in a row of a reply that the provider paused. */
const MAX_PAUSES = 10;

/**
 * The loop. One model call a turn; what the model's reply means, and what an action is, are for subclasses to say. As it stands here it is native
 * tool calling.
 *
 * Subclasses override `name` and any of `instructions`, `prepare`, `buildRequest`, `adaptRequest`, `interpret` and `perform`. They keep no state of a run in
 * fields: one object serves many runs at once.
 */
export abstract class BaseAgentRuntime implements AgentRuntime {
  /** Stands in results and snapshots. */
  abstract readonly name: string;

  async run(context: AgentContext, request: AgentRequest): Promise<AgentRunResult> {
    const run = new Run({ context, request, runtime: this.name });
    let outcome: Outcome | undefined;
    try {
      outcome = await this.#start(run, request);
      while (outcome === undefined) outcome = run.checkLimits() ?? (await this.#turn(run));
    } catch (thrown) {
      const error = toError(thrown);
      if (error instanceof AgentConfigError && !run.hasBegun) {
        run.abandon();
        throw error;
      }
      outcome = run.outcomeOf(error);
    }
    return run.finish(outcome);
  }

  /** What the model is told besides the agent's system prompt. Called once a turn. Default: nothing. */
  protected instructions(_run: Run): string {
    return "";
  }

  /**
   * Called once, before anything happens. Default: nothing.
   * @throws AgentConfigError when the runtime cannot work with the agent's configuration.
   */
  protected check(_run: Run): void {
    // nothing that could be wrong
  }

  /**
   * Called after the input was added and before the first turn. What it adds with `run.add…` the model sees. In a run that is taken up again before it
   * had a turn it is called again. Default: nothing.
   * @returns An answer that needs no turn, if there is one. It enters the history as a message of the assistant.
   */
  protected prepare(_run: Run): Preparation | Promise<Preparation> {
    // nothing to prepare
  }

  /** The request of this turn: the whole history, all tools, the configured options. It must be frozen or fresh. */
  protected buildRequest(run: Run): AgentModelRequest | Promise<AgentModelRequest> {
    const { systemPrompt: own = "" } = run.settings;
    const instructions = this.instructions(run);
    const systemPrompt = `${own}${own === "" || instructions === "" ? "" : "\n\n"}${instructions}`.toWellFormed();
    const { output, modelOptions } = run.settings;
    return {
      ...(systemPrompt === "" ? undefined : { systemPrompt }),
      messages: run.messages,
      tools: run.tools.list,
      options: modelOptions,
      ...(output !== undefined && run.context.outputIsEnforced ? { responseFormat: output.responseFormat } : undefined),
      signal: run.signal,
    };
  }

  /**
   * Called for a request that `prepareTurn` or `beforeModel` hooks changed, as the last thing before it is sent. Tools that a hook gave are in it and in
   * `run.tools`. Default: it is sent as it is.
   */
  protected adaptRequest(request: AgentModelRequest, _run: Run): AgentModelRequest {
    return request;
  }

  /** What the reply means. Called for replies with text or calls, after they were added to the history. Default: calls are actions, text is the end. */
  protected interpret(reply: Reply, _run: Run): Decision | Promise<Decision> {
    return reply.toolCalls.length > 0 ? { kind: "act", action: reply.toolCalls } : { kind: "finish", outputText: reply.text };
  }

  /**
   * Carries an action out. Results of the reply's own calls enter the history as tool messages; results of other calls are told as text.
   */
  protected async perform(action: readonly ToolCall[], run: Run): Promise<Observation> {
    const outcomes = await run.toolExecutor.executeAll(action);
    const texts: string[] = [];
    const contexts: string[] = [];
    for (const outcome of outcomes) {
      if (outcome.kind === "waiting") continue;
      if (!outcome.inHistory) texts.push(observationText(outcome)); // not answered by a message of its own
      if (outcome.appendContext.length > 0) contexts.push(...outcome.appendContext);
    }
    if (contexts.length > 0) texts.push(contexts.join("\n"));
    const outcome = outcomeOfCalls(outcomes, run);
    const calls = outcomes.filter((ended) => ended.kind === "finished");
    return outcome === undefined ? { texts, calls } : { texts, calls, outcome };
  }

  async #start(run: Run, request: AgentRequest): Promise<Outcome | undefined> {
    run.throwIfEnded();
    if (run.context.needsSetUp) await run.wait(run.context.setUp());
    checkCompletionTools(run);
    this.check(run);
    run.markBegun();
    for (const hook of run.context.hooks.beforeRun) {
      const control = await run.callHook(hook.label, () => hook.call(run.hookContext({})));
      if (control?.stop === true) return hookStopOutcome(control.reason);
    }
    await run.emit("run-started", run.isResumed ? { resumed: true } : {});
    if (run.isResumed) {
      await run.save(); // the answers that came with it
      if (run.iteration > 0 || run.unfinishedReply !== undefined) return this.#finishTurn(run);
    }
    for (const message of request.input) await run.add(message);
    const answer = (await run.waitGently(Promise.resolve(this.prepare(run)))) ?? undefined;
    run.throwIfEnded();
    if (answer === undefined) return undefined;
    await run.addAnswer(answer.outputText);
    return this.#complete(toCompleted(answer), run);
  }

  /**
   * One model call and what follows: the end of the run, or `undefined` for another turn.
   *
   * Much of it gives a promise only when an `onEvent` hook has to be waited for. Awaiting nothing a dozen times would be a fifth of a turn's time.
   */
  async #turn(run: Run): Promise<Outcome | undefined> {
    const starting = run.beginTurn();
    if (starting !== undefined) await starting;
    const steering = run.takeSteering();
    if (steering !== undefined) await steering;
    const maker = { build: () => this.buildRequest(run), adapt: (request: AgentModelRequest) => this.adaptRequest(request, run) };
    const modelReply = await callModel(run, maker);
    if ("status" in modelReply) return modelReply;
    const reply = toReply(modelReply, run);
    const stop = run.context.hooks.afterModel.length === 0 ? undefined : await callAfterModel(run, toHookFields(reply));
    const keeping = this.#keep(reply, run);
    if (keeping !== undefined) await keeping;
    const outcome = stop ?? (await this.#answer(reply, run));
    if (outcome?.status === "suspended") return outcome;
    const closing = run.closeCalls(stop === undefined ? modelTexts.notActedOn : modelTexts.stopped);
    if (closing !== undefined) await closing;
    const finishing = run.emit("turn-finished", { toolCallCount: run.counters.toolCalls }) ?? run.breathe();
    if (finishing !== undefined) await finishing;
    return outcome;
  }

  /** What is left of the turn in which the run was suspended, or in which its process ended. */
  async #finishTurn(run: Run): Promise<Outcome | undefined> {
    const message = run.unfinishedReply;
    if (message === undefined) return undefined;
    run.calls.resumeTurn();
    const outcome = await this.#answer(toReplyAgain(message, run), run);
    if (outcome?.status === "suspended") return outcome;
    await run.closeCalls();
    await run.emit("turn-finished", { toolCallCount: run.counters.toolCalls });
    return outcome;
  }

  /** Adds the reply to the history, unless there is nothing in it to keep. */
  #keep({ message, finishReason }: Reply, run: Run): Promise<void> | undefined {
    run.noteFinishReason(finishReason);
    const adding = saysSomething(message) ? run.add(message) : undefined;
    const report = () => {
      if (finishReason !== "pause") run.closePause();
      return run.emit("assistant-message", { message, finishReason });
    };
    return adding === undefined ? report() : adding.then(report);
  }

  /** What follows from the reply: the end of the run, or `undefined` for another turn. */
  #answer(reply: Reply, run: Run): Promise<Outcome | undefined> | Outcome | undefined {
    const { toolCalls, finishReason } = reply;
    if (toolCalls.length === 0) {
      const problem = problemOf(reply);
      if (problem !== undefined) return problem;
      if (finishReason === "pause") return this.#continuePause(run);
      if (!saysSomething(reply.message)) return this.#nudge(reply, run);
    }
    run.counters.emptyReplies = 0;
    run.counters.pauses = 0;
    return this.#apply(this.interpret(reply, run), reply, run);
  }

  async #apply(interpreted: Decision | Promise<Decision>, reply: Reply, run: Run): Promise<Outcome | undefined> {
    const decision = interpreted instanceof Promise ? await settled(interpreted, run) : interpreted;
    switch (decision.kind) {
      case "finish": {
        if (reply.truncated) return replyOutcome("truncated", "The output limit cut the answer (finish reason max-tokens).");
        return this.#complete(toCompleted(decision), run);
      }
      case "act": {
        run.counters.corrections = 0;
        run.counters.hasActed = true;
        const { texts, outcome } = (await run.waitGently(this.perform(decision.action, run))) ?? NOTHING_OBSERVED;
        run.throwIfEnded();
        if (outcome?.status === "suspended") return outcome;
        const closing = run.closeCalls();
        if (closing !== undefined) await closing;
        if (texts.length > 0) await run.addNotes(texts);
        return outcome?.status === "completed" ? this.#complete(outcome, run) : outcome;
      }
      case "correct": {
        run.counters.corrections += 1;
        await run.closeCalls(() => decision.text);
        await run.addNote(decision.text);
        return undefined;
      }
      case "fail":
        return replyOutcome(decision.problem, decision.text);
      default:
        return assertNever(decision);
    }
  }

  /** Lets the run end, unless the completion policy or a waiting message of the user says otherwise. */
  async #complete(outcome: Completed, run: Run): Promise<Outcome | undefined> {
    const { requireCompletionTool, completionGuard } = run.settings.completionPolicy;
    const byTool = outcome.endedBy === "completion-tool";
    if (requireCompletionTool === true && !byTool) {
      await run.addNote(modelTexts.completionReminder(run.context.tools.completing));
      return undefined;
    }
    const checked = run.settings.output === undefined ? outcome : await this.#checkOutput(outcome, run.settings.output, run);
    if (checked?.status !== "completed") return checked;
    const objection = completionGuard === undefined ? undefined : await run.callHook("completionGuard", completionGuard);
    if (typeof objection === "string" && objection.trim() !== "") {
      await run.addNote(objection);
      return undefined;
    }
    return !byTool && !run.isLastTurn && run.hasSteering() ? undefined : checked;
  }

  /** The outcome with its output as the schema gives it; a failure when the model got it wrong too often; `undefined` after it was told. */
  async #checkOutput(outcome: Completed, typed: TypedOutput, run: Run): Promise<Outcome | undefined> {
    const check = await run.wait("output" in outcome ? typed.check(outcome.output) : typed.checkText(outcome.outputText));
    if (check.ok) return { ...outcome, output: check.value };
    const failure = countInvalidOutput(run, check.problems);
    if (failure !== undefined) return failure;
    await run.addNote(modelTexts.outputInvalid(check.problems, run.context.outputIsEnforced ? undefined : typed.tool.name));
    return undefined;
  }

  /** Asks for the rest of a paused reply, a limited number of times. */
  #continuePause(run: Run): Outcome | undefined {
    run.counters.pauses += 1;
    return run.counters.pauses > MAX_PAUSES ? replyOutcome("truncated", "The provider paused the reply without end.") : undefined;
  }

  /** Tells a model that answered nothing to answer, a limited number of times. */
  async #nudge(reply: Reply, run: Run): Promise<Outcome | undefined> {
    const { truncated } = reply;
    run.counters.emptyReplies += 1;
    if (run.counters.emptyReplies > MAX_EMPTY_REPLIES) {
      return truncated
        ? replyOutcome("truncated", "The output limit cut the reply before it said anything, again.")
        : replyOutcome("empty", "The model answered with neither text nor a tool call, again.");
    }
    await run.addNote(truncated ? modelTexts.cutOffReply : modelTexts.emptyReply);
    return undefined;
  }
}

/** A decision that had to be waited for. A run within it ends before this one does. */
async function settled(interpreting: Promise<Decision>, run: Run): Promise<Decision> {
  const decision = await run.waitGently(interpreting);
  run.throwIfEnded();
  return decision as Decision; // undefined only for a run that has ended
}

function toReply(modelReply: ModelReply, run: Run): Reply {
  const { toolCalls, truncated, finishReason = "unknown", error } = modelReply;
  const message = run.createAssistantMessage(modelReply);
  return { message, text: textOf(message), toolCalls, finishReason, truncated, error };
}

function toCompleted(finish: Finish): Completed {
  const { outputText, endedBy = "natural" } = finish;
  return { status: "completed", endedBy, outputText, ...("output" in finish ? { output: finish.output } : undefined) };
}

function toHookFields({ message, finishReason }: Reply) {
  return { assistantMessage: message, finishReason };
}

/** The reply of a message that is in the history already. */
function toReplyAgain(message: AgentMessage, run: Run): Reply {
  const toolCalls = clientToolCalls(message);
  const finishReason = run.finishReason ?? (toolCalls.length > 0 ? "tool-calls" : "stop");
  return { message, text: textOf(message), toolCalls, finishReason, truncated: finishReason === "max-tokens", error: undefined };
}

/** Why a reply without calls cannot be an answer, whatever it says. */
function problemOf({ finishReason, error }: Reply): Outcome | undefined {
  const words = error === undefined ? "" : ` The provider says: ${error}`;
  switch (finishReason) {
    case "refusal":
      return replyOutcome("refusal", `The model refused to answer.${words}`);
    case "content-filter":
      return replyOutcome("content-filter", `The provider's content filter stopped the reply.${words}`);
    case "stop":
    case "tool-calls":
    case "max-tokens":
    case "pause":
      return undefined;
    default: // what a model of the user's own may say, besides "aborted" and "unknown"
      return replyOutcome("unknown-finish-reason", `The model stopped for a reason that is not known (${finishReason}).${words}`);
  }
}

/** Whether a message holds more than reasoning. */
function saysSomething(message: AgentMessage): boolean {
  for (const part of message.content) if (part.type !== "reasoning") return true;
  return false;
}

function outcomeOfCalls(outcomes: readonly ToolOutcome[], run: Run): Outcome | undefined {
  const outputTool = run.settings.output?.tool.name;
  let completing: FinishedToolCall | undefined;
  let invalid: FinishedToolCall | undefined;
  let waiting = false;
  for (const outcome of outcomes) {
    if (outcome.kind === "waiting") waiting = true;
    else if (outcome.stop !== undefined) return hookStopOutcome(outcome.stop.reason);
    else if (outcome.completesRun) completing ??= outcome;
    else if (outcome.call.toolName === outputTool && isInvalidInput(outcome)) invalid ??= outcome;
  }
  if (invalid !== undefined && completing === undefined) {
    const failure = countInvalidOutput(run, [toText(invalid.result.output)]); // once a turn: the model is told once
    if (failure !== undefined) return failure;
  }
  if (waiting) return SUSPENDED; // all calls of a turn run before one of them can end the run
  return completing === undefined ? undefined : completedBy(completing, run);
}

/** The end of a run by a completion tool. */
export function completedBy(
  { call, input, result }: Pick<FinishedToolCall, "input" | "result"> & { call: { toolName: string } },
  run: Run,
): Completed {
  const { output: typed } = run.settings;
  const output = call.toolName === typed?.tool.name ? typed.unwrap(input) : result.output;
  return { status: "completed", endedBy: "completion-tool", outputText: toText(output), output };
}

function isInvalidInput({ errorType }: FinishedToolCall): boolean {
  return errorType === "invalid-arguments" || errorType === "invalid-json";
}

/** The failure of a run whose model gives no output of the right form, after it was told so a limited number of times. */
function countInvalidOutput(run: Run, problems: readonly string[]): Outcome | undefined {
  run.counters.invalidOutputs += 1;
  if (run.counters.invalidOutputs <= MAX_INVALID_OUTPUTS) return undefined;
  const times = `${run.counters.invalidOutputs} times`;
  return replyOutcome("output-invalid", `The model gave no output that fits the schema, ${times}. The last time: ${problems.join("; ")}`);
}

/** A call's result for a model that does not call natively. */
function observationText({ call, result, errorType }: FinishedToolCall): string {
  const { toolName: tool, toolCallId: callId } = call;
  const { output } = result;
  if (errorType === undefined) return toolResultText({ output, tool, callId });
  const error = isObject(output) && typeof output["error"] === "string" ? output["error"] : toText(output);
  return toolErrorText({ errorType, error, tool, callId });
}

function checkCompletionTools(run: Run): void {
  if (run.settings.completionPolicy.requireCompletionTool !== true || run.context.tools.completing.length > 0) return;
  const problem = "no tool has lifecycle.completesRun, so the run could never end. Add such a tool, or leave requireCompletionTool out";
  throw new AgentConfigError({ field: "completionPolicy.requireCompletionTool", problem });
}
