import { messageOf } from "./errors.js";
import { isObject, type JsonObject } from "./json.js";
import { modelTexts } from "./model-texts.js";
import type { RequestToolApproval, ToolCallDecision } from "./policy.js";
import type { Run } from "./run.js";
import type { ToolCall } from "./tool-call.js";

/** No answer yet: the call stays open, and the run is suspended. A runtime's own tool may return it, when a call that it made waits. */
export const WAITING = Symbol("waiting");

/** A call that needs an approval. */
export interface ApprovalSubject {
  readonly call: ToolCall;
  /** The arguments that will be executed, as JSON. */
  readonly input: JsonObject;
  readonly appendContext: readonly string[];
}

/** The reason of a denial, nothing when the call is approved, or `WAITING`. */
export type Denial = string | undefined | typeof WAITING;

/** Asks the configured callback. */
export async function askForApproval(run: Run, subject: ApprovalSubject, ask: RequestToolApproval): Promise<Denial> {
  const { call, input, appendContext } = subject;
  const { toolCallId, toolName, parentToolCallId } = call;
  const parent = parentToolCallId === undefined ? undefined : { parentToolCallId };
  const context = appendContext.length === 0 ? undefined : { appendContext: Object.freeze([...appendContext]) };
  run.calls.mark(toolCallId, { state: "awaiting-approval", input, ...context });
  await reportRequest(run, subject);
  const { id: runId, iteration, settings } = run;
  const signal = call.signal === undefined ? run.signal : AbortSignal.any([run.signal, call.signal]);
  const request = { agentId: settings.agentId, runId, iteration, toolCallId, toolName, input, signal, ...parent };
  const resumeClock = call.pauseClock?.();
  let denial: Denial;
  try {
    denial = denialOf(await untilAborted(run.wait(ask(Object.freeze(request))), call.signal));
    if (denial === WAITING && run.parent !== undefined) denial = modelTexts.cannotWait;
  } catch (error) {
    if (signal.aborted) throw error;
    denial = modelTexts.approvalThrew(messageOf(error));
  } finally {
    resumeClock?.();
  }
  if (denial === WAITING) return WAITING;
  await reportAnswer(run, call, denial);
  return denial;
}

/** Waits until nobody needs the answer any more. */
async function untilAborted<T>(answer: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return answer;
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([answer, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** What a person's stored answer says to a call, reported as an event. Without an answer the call waits on, and people are asked for it again. */
export async function reportDecision(run: Run, subject: ApprovalSubject, decision: ToolCallDecision | undefined): Promise<Denial> {
  if (decision === undefined) {
    await reportRequest(run, subject);
    return WAITING;
  }
  const denial = denialOf(decision);
  if (denial !== WAITING) await reportAnswer(run, subject.call, denial);
  return denial;
}

async function reportRequest(run: Run, { call, input }: ApprovalSubject): Promise<void> {
  const { toolCallId, toolName, parentToolCallId } = call;
  const parent = parentToolCallId === undefined ? undefined : { parentToolCallId };
  await run.emit("approval-requested", { pending: Object.freeze([Object.freeze({ toolCallId, toolName, input, ...parent })]) });
}

async function reportAnswer(run: Run, { toolCallId, toolName }: ToolCall, denial: string | undefined): Promise<void> {
  const approved = denial === undefined;
  if (approved) run.calls.mark(toolCallId, { state: "started" });
  await run.emit("approval-resolved", { toolCallId, toolName, approved, ...(approved ? undefined : { reason: denial }) });
}

/** What an answer says against a call. */
function denialOf(answer: unknown): Denial {
  if (!isObject(answer)) return modelTexts.approvalUnreadable;
  if (answer["pending"] === true && answer["approved"] === undefined) return WAITING;
  if (typeof answer["approved"] !== "boolean") return modelTexts.approvalUnreadable;
  if (answer["approved"]) return undefined;
  const reason = answer["reason"];
  return typeof reason === "string" && reason.trim() !== "" ? modelTexts.reason(reason) : modelTexts.noReason;
}
