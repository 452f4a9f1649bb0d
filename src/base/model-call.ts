import { HookError, ModelError, messageOf, toError } from "./errors.js";
import { repairHistory, toMessages } from "./history.js";
import type { BeforeModelResult } from "./hooks.js";
import { toJsonValue } from "./json.js";
import type { AgentMessage, AgentMessageInput } from "./message.js";
import type { AgentModelEvent, AgentModelRequest, ModelOptions } from "./model.js";
import { modelTexts } from "./model-texts.js";
import { hookStopOutcome, type Outcome } from "./outcome.js";
import { type AssembledReply, ReplyAssembler } from "./reply-assembler.js";
import type { Run } from "./run.js";
import type { PrepareTurn } from "./settings.js";
import { isAgentTool, ToolSet } from "./tool.js";
import { type CallUsage, NOTHING_USED } from "./usage.js";

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
  const reply = await stream(run, request);
  if (!isOverflow(reply)) return checked(reply);
  const recovered = await recover(run, maker, { refused: request, reply });
  return "status" in recovered ? recovered : checked(recovered);
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
  { refused, reply }: { refused: AgentModelRequest; reply: ModelReply },
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
  const second = await stream(run, request);
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
  const hooks = run.context.hooks.beforeModel;
  for (const hook of hooks) {
    const context = run.hookContext({ request, tools: run.tools.list });
    const returned = await run.callHook(hook.label, () => hook.call(context));
    if (returned === undefined || returned === null) continue;
    if (returned.stop === true) return hookStopOutcome(returned.reason);
    request = withHook(run, request, returned, hook.label);
  }
  return request === built ? built : Object.freeze(maker.adapt(request));
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

/** Reads one reply. An error of the model is part of what it returns; what is thrown is the early end of the run. */
async function stream(run: Run, request: AgentModelRequest): Promise<ModelReply> {
  const reader = new StreamReader(run);
  run.counters.modelCalls = run.iteration;
  let failure: { readonly cause: Error } | undefined;
  try {
    await run.wait(reader.read(request));
  } catch (thrown) {
    failure = { cause: toError(thrown) };
  }
  reader.close();
  const usage = run.addUsage(reader.assembler.usage);
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
  #iterator: AsyncIterator<AgentModelEvent> | undefined;
  #eventCount = 0;
  #closed = false;

  constructor(run: Run) {
    this.#run = run;
  }

  async read(request: AgentModelRequest): Promise<void> {
    const run = this.#run;
    const iterator = run.settings.model.stream(request)[Symbol.asyncIterator]();
    this.#iterator = iterator;
    for (;;) {
      const { done, value: event } = await iterator.next(); // `for await` would wait for the stream to close, and fail with it
      if (done === true) this.#iterator = undefined;
      if (done === true || this.#closed) return;
      if (event.type === "reset") await this.#reset(event.reason ?? "The model call was retried.");
      else {
        const call = this.assembler.add(event);
        if (event.type === "finish") return;
        if (run.listening) {
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
    this.#run.addUsage(usage); // the lost attempt has been paid for
    this.assembler = new ReplyAssembler();
    if (usage !== NOTHING_USED) await this.#run.emit("usage-updated", { usage: this.#run.usage });
    await this.#run.emit("assistant-reset", { reason });
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
