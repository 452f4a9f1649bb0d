import { HookError, ModelError, messageOf, toError } from "./errors.js";
import { repairHistory, toMessages } from "./history.js";
import type { BeforeModelResult } from "./hooks.js";
import { toJsonValue } from "./json.js";
import { type AgentMessage, type AgentMessageInput, textOf } from "./message.js";
import type { AgentModel, AgentModelEvent, AgentModelRequest, FinishReason, ModelOptions, ResponseFormat } from "./model.js";
import { modelTexts } from "./model-texts.js";
import { hookStopOutcome, type Outcome } from "./outcome.js";
import { type AssembledReply, ReplyAssembler } from "./reply-assembler.js";
import type { Run } from "./run.js";
import type { PrepareTurn } from "./settings.js";
import { isAgentTool, ToolSet } from "./tool.js";
import { type CallUsage, NOTHING_USED, type Pricing } from "./usage.js";

/** Overflow recoveries of one run. */
const MAX_OVERFLOW_RECOVERIES = 3;

/** Events between two looks at the clock, see `Run.breathe`. */
const BREATHE_EVERY = 64;

/** A reply as the stream left it, with what it cost. */
export interface ModelReply extends AssembledReply {
  readonly usage: CallUsage;
  /** What the stream threw, when it did. */
  readonly cause?: unknown;
}

/** The runtime's part in a request. */
export interface RequestMaker {
  /** Makes the request of this turn. */
  build(): AgentModelRequest | Promise<AgentModelRequest>;
  /** Brings a request that `prepareTurn` or hooks may have changed into the runtime's own form. */
  adapt(request: AgentModelRequest): AgentModelRequest;
}

/**
 * Asks the model once: request, `prepareTurn`, `beforeModel` hooks, stream, and one recovery when the provider finds the request too large.
 * @returns The reply, or the outcome of a hook that ended the run.
 * @throws ModelError when the call failed; HookError when a hook or `prepareTurn` threw.
 */
export async function callModel(run: Run, maker: RequestMaker): Promise<ModelReply | Outcome> {
  const building = maker.build();
  const built = building instanceof Promise ? await run.wait(building) : building;
  const preparing = prepareRequest(run, maker, { built, overflowRecovery: false });
  const request = preparing instanceof Promise ? await preparing : preparing;
  if ("status" in request) return request;
  run.counters.modelCalls = run.iteration;
  const { model, pricing } = run.settings;
  const options: StreamOptions = { model, pricing, isSilent: false };
  const reply = await stream(run, request, options);
  if (!isOverflow(reply)) return checked(reply);
  const recovered = await recover(run, maker, { refused: request, reply, options });
  return "status" in recovered ? recovered : checked(recovered);
}

/** A question to a model outside of the turns: for a plan, a critique, a choice. */
export interface ModelQuestion {
  /** What it is for, in a word or two; hooks see it. For example `plan`. */
  readonly purpose: string;
  /** Default: the agent's model, with its options but for the tool choice. */
  readonly model?: AgentModel;
  /** Prices of `model`. Default: the agent's, for the agent's model. */
  readonly pricing?: Pricing;
  readonly systemPrompt?: string;
  readonly messages: string | readonly AgentMessageInput[];
  readonly options?: ModelOptions;
  /** Kept where the model's provider enforces schemas. */
  readonly responseFormat?: ResponseFormat;
}

/** A model's answer to a question outside of the turns. */
export interface ModelAnswer {
  /** Frozen. It is not in the history. */
  readonly message: AgentMessage;
  readonly text: string;
  readonly finishReason: FinishReason;
}

/**
 * Asks a model outside of the turns. It counts as any model call: hooks see it, its usage is the run's, limits and abort hold. The history stays as it
 * is, and no event shows the reply.
 * @throws ModelError when the call failed; RunStop when a hook or a limit ended the run.
 */
export async function askModel(run: Run, question: ModelQuestion): Promise<ModelAnswer> {
  const over = run.checkUsage();
  if (over !== undefined) return run.stop(over);
  const request = await callBeforeModel(run, questionRequest(run, question), question.purpose);
  if ("status" in request) return run.stop(request);
  const { model, pricing } = run.settings;
  const own = question.model === undefined || question.model === model;
  const reply = checked(
    await stream(run, request, {
      model: question.model ?? model,
      pricing: question.pricing ?? (own ? pricing : undefined),
      isSilent: true,
    }),
  );
  const message = run.createAssistantMessage(reply);
  const { finishReason = "unknown" } = reply;
  const stop = await callAfterModel(run, { assistantMessage: message, finishReason, purpose: question.purpose });
  return stop === undefined ? { message, text: textOf(message), finishReason } : run.stop(stop);
}

function questionRequest(run: Run, { model, purpose, systemPrompt, messages, options, responseFormat }: ModelQuestion): AgentModelRequest {
  const { settings, signal } = run;
  const { toolChoice: _, ...configured } = settings.modelOptions;
  const isEnforced = responseFormat !== undefined && (model ?? settings.model).capabilities?.structuredOutput === true;
  return Object.freeze({
    ...(systemPrompt === undefined ? undefined : { systemPrompt: systemPrompt.toWellFormed() }),
    messages: Object.freeze(repairHistory(settings, toMessages(settings, messages))),
    tools: Object.freeze([]),
    options: Object.freeze({ ...(model === undefined ? configured : undefined), ...options }),
    ...(isEnforced ? { responseFormat } : undefined),
    purpose,
    signal,
  });
}

/** The reply, if it is one. */
function checked(reply: ModelReply): ModelReply {
  const { finishReason, error, errorClass, cause } = reply;
  if (finishReason === undefined) throw new ModelError({ message: "The model's stream ended without a finish event." });
  if (finishReason !== "error") return reply;
  if (cause instanceof ModelError) throw cause;
  throw new ModelError({ message: error ?? "The model call failed.", ...(errorClass === undefined ? undefined : { errorClass }), cause });
}

/** The one overflow: `prepareTurn` shortens the request, and only if it did is the model asked again. */
async function recover(
  run: Run,
  maker: RequestMaker,
  { refused, reply, options }: { refused: AgentModelRequest; reply: ModelReply; options: StreamOptions },
): Promise<ModelReply | Outcome> {
  const built = await run.wait(maker.build());
  const providerText = textOfError(reply);
  if (run.settings.prepareTurn === undefined) throw overflowError(modelTexts.overflowNoCompaction(providerText));
  run.counters.overflowRecoveries += 1;
  const attempt = run.counters.overflowRecoveries;
  if (attempt > MAX_OVERFLOW_RECOVERIES) throw overflowError(modelTexts.overflowStillTooLarge(providerText));
  if (reply.content.length > 0) await run.emit("assistant-reset", { reason: "The context window is exceeded." });
  await run.notice("The context window is exceeded. Compacting and asking again.", { kind: "overflow-recovery", attempt });
  const request = await prepareRequest(run, maker, { built, overflowRecovery: true });
  if ("status" in request) return request;
  if (sizeOf(request) >= sizeOf(refused)) {
    throw overflowError(
      refused.messages.length <= 1 ? modelTexts.overflowNothingToCompact(providerText) : modelTexts.overflowStillTooLarge(providerText),
    );
  }
  const second = await stream(run, request, options);
  if (isOverflow(second)) throw overflowError(modelTexts.overflowStillTooLarge(textOfError(second)));
  return second;
}

function overflowError(message: string): ModelError {
  return new ModelError({ message, errorClass: "context_window_exceeded" });
}

function isOverflow(reply: AssembledReply): boolean {
  return reply.errorClass === "context_window_exceeded";
}

function textOfError(reply: AssembledReply): string {
  return reply.error ?? "(no text)";
}

/** Characters of all that the model is sent. */
function sizeOf({ systemPrompt = "", messages, tools }: AgentModelRequest): number {
  const definitions = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  return systemPrompt.length + JSON.stringify(messages.map(({ content }) => content)).length + JSON.stringify(definitions).length;
}

interface BuiltRequest {
  readonly built: AgentModelRequest;
  /** Whether the provider found the last one too large. */
  readonly overflowRecovery: boolean;
}

function prepareRequest(
  run: Run,
  maker: RequestMaker,
  { built, overflowRecovery }: BuiltRequest,
): Promise<AgentModelRequest | Outcome> | AgentModelRequest {
  const request = relaxToolChoice(run, Object.freeze(built));
  const untouched = run.settings.prepareTurn === undefined && run.context.hooks.beforeModel.length === 0;
  return untouched ? request : changeRequest(run, maker, { built: request, overflowRecovery });
}

async function changeRequest(
  run: Run,
  maker: RequestMaker,
  { built, overflowRecovery }: BuiltRequest,
): Promise<AgentModelRequest | Outcome> {
  let request = built;
  const { prepareTurn } = run.settings;
  if (prepareTurn !== undefined) {
    const { iteration, signal } = run;
    const { systemPrompt, messages } = request;
    const context = run.hookContext({ iteration, systemPrompt, messages, overflowRecovery, signal });
    request = withTurn(run, request, await run.callHook("prepareTurn", () => prepareTurn(context)));
  }
  const hooked = await callBeforeModel(run, request);
  return "status" in hooked || hooked === built ? hooked : Object.freeze(maker.adapt(hooked));
}

async function callBeforeModel(run: Run, built: AgentModelRequest, purpose?: string): Promise<AgentModelRequest | Outcome> {
  let request = built;
  for (const hook of run.context.hooks.beforeModel) {
    const about = purpose === undefined ? { tools: run.tools.list } : { tools: [], purpose };
    const context = run.hookContext({ request, ...about });
    const returned = await run.callHook(hook.label, () => hook.call(context));
    if (returned === undefined || returned === null) continue;
    if (returned.stop === true) return hookStopOutcome(returned.reason);
    const { tools: _, ...changes } = returned;
    request = withHook(run, request, purpose === undefined ? returned : changes, hook.label);
  }
  return request;
}

/** Shows a reply to the `afterModel` hooks. */
export async function callAfterModel(
  run: Run,
  reply: { readonly assistantMessage: AgentMessage; readonly finishReason: FinishReason; readonly purpose?: string },
): Promise<Outcome | undefined> {
  let stop: Outcome | undefined;
  for (const hook of run.context.hooks.afterModel) {
    const control = await run.callHook(hook.label, () => hook.call(run.hookContext(reply)));
    if (control?.stop === true) stop ??= hookStopOutcome(control.reason);
  }
  return stop;
}

function withTurn(run: Run, request: AgentModelRequest, changes: Awaited<ReturnType<PrepareTurn>>): AgentModelRequest {
  if (changes === undefined || changes === null) return request;
  const { systemPrompt = request.systemPrompt, messages } = changes;
  return Object.freeze({
    ...request,
    ...(systemPrompt === undefined ? undefined : { systemPrompt: systemPrompt.toWellFormed() }),
    ...(messages === undefined ? undefined : { messages: repaired(run, messages, "prepareTurn") }),
  });
}

function withHook(run: Run, request: AgentModelRequest, changes: BeforeModelResult, label: string): AgentModelRequest {
  const { messages, tools, options } = changes;
  if (tools !== undefined) {
    const wrong = tools.find((tool) => !isAgentTool(tool));
    if (wrong !== undefined) throw new HookError({ hook: label, cause: new TypeError("tools: expected tools made by createTool") });
    run.useTools(new ToolSet(tools));
  }
  return Object.freeze({
    ...request,
    ...(messages === undefined ? undefined : { messages: repaired(run, messages, label) }),
    ...(tools === undefined ? undefined : { tools: run.tools.list }),
    ...(options === undefined ? undefined : { options: withOptions(request.options, options, label) }),
  });
}

/** The hook keeps its own object, and so may not share it with the request. */
function withOptions(options: ModelOptions, changes: ModelOptions, label: string): ModelOptions {
  try {
    return toJsonValue({ ...options, ...structuredClone(changes) }) as ModelOptions;
  } catch (cause) {
    throw new HookError({ hook: label, cause });
  }
}

function repaired(run: Run, messages: readonly AgentMessageInput[], label: string): readonly AgentMessage[] {
  try {
    return Object.freeze(repairHistory(run.settings, toMessages(run.settings, messages), { paused: run.counters.pauses > 0 }));
  } catch (cause) {
    throw new HookError({ hook: label, cause });
  }
}

/** A forced tool call that was obeyed once would be forced for ever, unless the tool ends the run. */
function relaxToolChoice(run: Run, request: AgentModelRequest): AgentModelRequest {
  const { toolChoice } = request.options;
  const forced = toolChoice === "required" || typeof toolChoice === "object";
  if (!forced || !run.counters.hasActed) return request;
  const completing = run.tools.completing;
  const ends = typeof toolChoice === "object" ? completing.includes(toolChoice.toolName) : completing.length > 0;
  if (ends) return request;
  const options: ModelOptions = Object.freeze({ ...request.options, toolChoice: "auto" });
  return Object.freeze({ ...request, options });
}

/** Which model is asked, and whether its reply is shown as it comes. */
interface StreamOptions {
  readonly model: AgentModel;
  /** Prices of the model. */
  readonly pricing: Pricing | undefined;
  /** True: without events for the deltas. */
  readonly isSilent: boolean;
}

/** Reads one reply. An error of the model is part of what it returns; what is thrown is the early end of the run. */
async function stream(run: Run, request: AgentModelRequest, options: StreamOptions): Promise<ModelReply> {
  const reader = new StreamReader(run, options);
  let failure: { readonly cause: Error } | undefined;
  try {
    await run.wait(reader.read(request));
  } catch (thrown) {
    failure = { cause: toError(thrown) };
  }
  reader.close();
  const usage = run.addUsage(reader.assembler.usage, options.pricing);
  if (reader.assembler.usage !== NOTHING_USED) await run.emit("usage-updated", { usage: run.usage });
  run.throwIfEnded();
  const reply = reader.assembler.finish(run.settings, run);
  for (const toolCallId of reply.droppedCallIds) await run.notice(`The model gave two calls the id ${toolCallId}; the second was dropped.`);
  if (failure === undefined) return Object.assign(reply, { usage });
  const { cause } = failure;
  const errorClass = cause instanceof ModelError ? cause.errorClass : "unknown";
  return { ...reply, usage, finishReason: "error", error: messageOf(cause), errorClass, cause };
}

/** Closes a stream. Its own trouble with ending is of no interest any more. */
async function closeQuietly(iterator: AsyncIterator<unknown> | undefined): Promise<void> {
  try {
    await iterator?.return?.(undefined);
  } catch {
    // nobody waits for it
  }
}

/** Pulls one stream into an assembler, with events for whoever listens. */
class StreamReader {
  assembler = new ReplyAssembler();
  readonly #run: Run;
  readonly #options: StreamOptions;
  #iterator: AsyncIterator<AgentModelEvent> | undefined;
  #eventCount = 0;
  #closed = false;

  constructor(run: Run, options: StreamOptions) {
    this.#run = run;
    this.#options = options;
  }

  async read(request: AgentModelRequest): Promise<void> {
    const run = this.#run;
    const { model, isSilent } = this.#options;
    const iterator = model.stream(request)[Symbol.asyncIterator]();
    this.#iterator = iterator;
    for (;;) {
      const { done, value: event } = await iterator.next(); // `for await` would wait for the stream to close, and fail with it
      if (done === true) this.#iterator = undefined;
      if (done === true || this.#closed) return;
      if (event.type === "reset") await this.#reset(event.reason ?? "The model call was retried.");
      else {
        const call = this.assembler.add(event);
        if (event.type === "finish") return;
        if (!isSilent && run.listening) {
          const hooks = this.#report(event, call);
          if (hooks !== undefined) await hooks;
        }
      }
      this.#eventCount += 1;
      if (this.#eventCount % BREATHE_EVERY === 0) await run.breathe();
    }
  }

  /** Lets go of a stream that is not read to its end. */
  close(): void {
    this.#closed = true;
    const iterator = this.#iterator;
    this.#iterator = undefined;
    void closeQuietly(iterator);
  }

  async #reset(reason: string): Promise<void> {
    const { usage } = this.assembler;
    this.#run.addUsage(usage, this.#options.pricing); // the lost attempt has been paid for
    this.assembler = new ReplyAssembler();
    if (usage !== NOTHING_USED) await this.#run.emit("usage-updated", { usage: this.#run.usage });
    if (!this.#options.isSilent) await this.#run.emit("assistant-reset", { reason });
  }

  #report(event: AgentModelEvent, call: ReturnType<ReplyAssembler["add"]>): Promise<void> | undefined {
    const run = this.#run;
    switch (event.type) {
      case "text-delta":
        return event.text === "" ? undefined : run.emit("assistant-text-delta", { text: event.text, accumulatedText: this.assembler.text });
      case "reasoning-delta":
        if (event.text === "" && event.redacted !== true) return undefined;
        return run.emit("assistant-reasoning-delta", event.redacted === true ? { text: event.text, redacted: true } : { text: event.text });
      case "tool-call-delta":
        return call === undefined
          ? undefined
          : run.emit("assistant-tool-call-delta", {
              callIndex: call.ordinal,
              toolCallId: call.toolCallId,
              toolName: call.toolName === "" ? undefined : call.toolName,
              inputText: event.inputText ?? "",
            });
      case "media": {
        const { type, data, mediaType } = event;
        return run.emit("assistant-media", { media: Object.freeze({ type, data, mediaType }) });
      }
      default:
        return undefined;
    }
  }
}
