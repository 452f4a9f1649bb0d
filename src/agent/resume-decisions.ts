import type { AgentContext } from "../base/agent-context.js";
import { AgentInputError } from "../base/errors.js";
import { isObject } from "../base/json.js";
import { deepFreeze } from "../base/message.js";
import type { ToolCallDecision, ToolCallDecisions } from "../base/policy.js";
import type { AgentSnapshot, PendingToolCall } from "../base/snapshot.js";
import { createDecisionSchema, type ParsedSnapshot } from "./parse-snapshot.js";

/**
 * The snapshot with people's answers at their calls.
 * @throws AgentInputError when the run of the snapshot is not unfinished or of another runtime, and for an answer that cannot be used.
 */
export function withDecisions({ snapshot, messages }: ParsedSnapshot, decisions: ToolCallDecisions, runtime: string): ParsedSnapshot {
  checkResumable(snapshot, runtime);
  checkForm(decisions);
  const ids = Object.keys(decisions);
  for (const toolCallId of ids) checkAddressee(snapshot.pendingToolCalls, toolCallId);
  const pendingToolCalls = snapshot.pendingToolCalls.map((call): PendingToolCall => {
    if (!ids.includes(call.toolCallId)) return call;
    return Object.freeze({ ...call, decision: parseDecision(call.toolCallId, decisions[call.toolCallId]) });
  });
  return { snapshot: { ...snapshot, pendingToolCalls }, messages };
}

/**
 * Checks the arguments that people changed, before anything runs.
 * @throws AgentInputError naming the call and what does not fit the tool's schema.
 */
export async function checkEditedInputs(context: AgentContext, { pendingToolCalls }: AgentSnapshot): Promise<void> {
  const edited = pendingToolCalls.filter(({ decision }) => decision?.approved === true && decision.input !== undefined);
  if (edited.length === 0) return;
  if (context.needsSetUp) await context.setUp().catch(() => undefined); // the run finds the same trouble, and reports it
  for (const { toolCallId, toolName, decision } of edited) {
    const check = await context.tools.get(toolName)?.checkInput(decision?.input);
    if (check === undefined || check.ok) continue; // the model is told of a tool that is gone
    throw new AgentInputError({
      problem: `decisions.${toolCallId}.input does not fit the schema of ${toolName}: ${check.problems.join("; ")}.`,
    });
  }
}

/**
 * Refuses to go on from an older snapshot of a run than the session holds: what was done since would be done again.
 * @throws AgentInputError when the session has the run further.
 */
export function checkNotOvertaken(snapshot: AgentSnapshot, stored: AgentSnapshot | undefined): void {
  if (stored === undefined || stored.runId === undefined || stored.runId !== snapshot.runId) return;
  const isOver = stored.status !== "suspended" && stored.status !== "running";
  const isFurther =
    stored.messages.length > snapshot.messages.length ||
    snapshot.pendingToolCalls.some((call) => progressOf(stored.pendingToolCalls, call.toolCallId) > progressOf([call], call.toolCallId));
  if (!isOver && !isFurther) return;
  const problem = isOver ? `its session has the end of the run (status ${stored.status})` : "its session has the run further than that";
  throw new AgentInputError({ problem: `The snapshot cannot be used: ${problem}. Resume what loadSession() gives.` });
}

/** How far a call got, from 0, not begun, to 4, finished. */
function progressOf(pendingToolCalls: readonly PendingToolCall[], toolCallId: string): number {
  const call = pendingToolCalls.find((pending) => pending.toolCallId === toolCallId);
  if (call === undefined) return 4;
  if (call.state === "started") return 3;
  return call.state === "awaiting-approval" ? (call.decision === undefined ? 1 : 2) : 0;
}

function checkResumable({ status, runtime: of, pendingToolCalls, journal = [] }: AgentSnapshot, runtime: string): void {
  if (status !== "suspended" && status !== "running") {
    const advice = "There is nothing to resume. Use restore(snapshot.messages) and run().";
    throw new AgentInputError({ problem: `The snapshot is of an agent whose last run is not unfinished (status ${status}). ${advice}` });
  }
  if (of === runtime || pendingToolCalls.length + journal.length === 0) return;
  throw new AgentInputError({
    problem: `The snapshot's open calls belong to the runtime ${JSON.stringify(of)}, and this agent has ${JSON.stringify(runtime)}.`,
  });
}

/** A `Map` has no keys that can be read here: its answers would be lost without a word. */
function checkForm(decisions: unknown): void {
  if (isObject(decisions) && !(decisions instanceof Map)) return;
  throw new AgentInputError({ problem: "decisions: expected an object of answers by toolCallId." });
}

function checkAddressee(pendingToolCalls: readonly PendingToolCall[], toolCallId: string): void {
  const call = pendingToolCalls.find((pending) => pending.toolCallId === toolCallId);
  const problem =
    call === undefined
      ? `the snapshot has no pending call of this id. Pending: ${pendingToolCalls.map((pending) => pending.toolCallId).join(", ") || "none"}`
      : call.decision !== undefined
        ? "the call was decided already"
        : call.state !== "awaiting-approval"
          ? "the call does not wait for an approval"
          : undefined;
  if (problem !== undefined) throw new AgentInputError({ problem: `decisions.${toolCallId}: ${problem}.` });
}

function parseDecision(toolCallId: string, decision: unknown): ToolCallDecision {
  const parsed = createDecisionSchema().safeParse(decision);
  if (parsed.success) return deepFreeze(parsed.data) as ToolCallDecision;
  const [issue] = parsed.error.issues;
  const field = ["decisions", toolCallId, ...(issue?.path ?? [])].join(".");
  throw new AgentInputError({ problem: `${field}: ${issue?.message ?? "not usable"}.`, cause: parsed.error });
}
