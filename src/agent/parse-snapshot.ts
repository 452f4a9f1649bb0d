import { z } from "zod";
import { AgentInputError } from "../base/errors.js";
import type { ToolErrorType } from "../base/events.js";
import { type MessageSource, repairHistory, toMessages } from "../base/history.js";
import { toJsonValue } from "../base/json.js";
import { type AgentMessage, type AgentMessageInput, clientToolCalls } from "../base/message.js";
import type { FinishReason, ModelErrorClass } from "../base/model.js";
import type { AgentSnapshot, PendingToolCall } from "../base/snapshot.js";

/** A snapshot and its messages, both copied. The messages are valid but for the results of the pending calls. */
export interface ParsedSnapshot {
  readonly snapshot: AgentSnapshot;
  readonly messages: AgentMessage[];
}

/** Made when first needed. Unknown keys are let through: a later version may have written them. */
function createSnapshotSchema() {
  const text = z.string();
  const id = text.min(1);
  const count = z.number().nonnegative();
  const input = z.record(text, z.json());
  const place = { parentToolCallId: id.optional(), ordinal: z.int().nonnegative().optional() };
  const call = { toolCallId: id, toolName: id, input, ...place, replay: z.json().optional() };
  const texts = z.array(text).optional();
  return z.looseObject({
    version: z.literal(1),
    agentId: id,
    runId: id.optional(),
    runtime: text,
    status: z.enum(["idle", "running", "completed", "failed", "aborted", "suspended"]),
    iteration: z.int().nonnegative(),
    messages: z.array(z.unknown()),
    pendingToolCalls: z.array(
      z.looseObject({
        ...call,
        state: z.enum(["queued", "awaiting-approval", "started"]).optional(),
        decision: createDecisionSchema().optional(),
        appendContext: texts,
      }),
    ),
    journal: z
      .array(
        z.looseObject({
          ...call,
          result: z.looseObject({ output: z.json(), isError: z.boolean().optional(), content: z.array(z.unknown()).optional() }),
          isPast: z.literal(true).optional(),
          errorType: (text as z.ZodType<ToolErrorType>).optional(),
          appendContext: texts,
        }),
      )
      .optional(),
    finishReason: (text as z.ZodType<FinishReason>).optional(),
    usage: z.looseObject({
      inputTokens: count,
      outputTokens: count,
      cacheReadTokens: count,
      cacheWriteTokens: count,
      reasoningTokens: count.optional(),
      totalInputTokens: count,
      totalOutputTokens: count,
      totalCost: count.optional(),
    }),
    lastError: text.optional(),
    lastErrorClass: (text as z.ZodType<ModelErrorClass>).optional(),
  });
}

/** A person's answer, as it comes from outside. */
export function createDecisionSchema() {
  const anObject = z.record(z.string(), z.json(), { error: "expected an object of JSON values" });
  return z.strictObject({ approved: z.boolean(), reason: z.string().optional(), input: anObject.optional() });
}

let snapshotSchema: ReturnType<typeof createSnapshotSchema> | undefined;

/**
 * Checks a snapshot that may come from a file or another process.
 * @returns The snapshot and its messages, both copied.
 * @throws AgentInputError naming the field and what is wrong with it.
 */
export function parseSnapshot(source: MessageSource, value: unknown): ParsedSnapshot {
  snapshotSchema ??= createSnapshotSchema();
  const parsed = snapshotSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = issue === undefined || issue.path.length === 0 ? "it" : issue.path.join(".");
    throw new AgentInputError({
      problem: `The snapshot cannot be used: ${field}: ${issue?.message ?? "unreadable"}.`,
      cause: parsed.error,
    });
  }
  const snapshot = toJsonValue(parsed.data) as unknown as AgentSnapshot;
  const given = toMessages(source, parsed.data.messages as readonly AgentMessageInput[]);
  const answered = new Set(given.flatMap(({ content }) => content.flatMap((part) => (part.type === "tool-result" ? part.toolCallId : []))));
  const pendingToolCalls = snapshot.pendingToolCalls.filter(({ toolCallId }) => !answered.has(toolCallId));
  const messages = repairAround(source, given, { ...snapshot, pendingToolCalls });
  checkPlaces(messages, pendingToolCalls);
  return { snapshot: { ...snapshot, pendingToolCalls }, messages };
}

/** The messages, valid but for the results of the calls that the snapshot names as pending. */
function repairAround(source: MessageSource, messages: AgentMessage[], { pendingToolCalls, finishReason }: AgentSnapshot): AgentMessage[] {
  const repaired = repairHistory(source, messages, { paused: finishReason === "pause" });
  const open = new Set(pendingToolCalls.map(({ toolCallId }) => toolCallId));
  const asked = repaired.findLastIndex(({ role }) => role === "assistant");
  return repaired.filter(({ role, content: [part] }, index) => {
    return !(index > asked && role === "tool" && part?.type === "tool-result" && open.has(part.toolCallId));
  });
}

/** A pending call that no message and no code holds could never be answered. */
function checkPlaces(messages: readonly AgentMessage[], pendingToolCalls: readonly PendingToolCall[]): void {
  const asking = messages.findLast(({ role }) => role !== "tool");
  const asked = new Set(asking === undefined ? [] : clientToolCalls(asking).map(({ toolCallId }) => toolCallId));
  const lost = pendingToolCalls.find(({ toolCallId, ordinal }) => ordinal === undefined && !asked.has(toolCallId));
  if (lost === undefined) return;
  const problem = `its pending call ${lost.toolCallId} does not stand in the last message`;
  throw new AgentInputError({ problem: `The snapshot cannot be used: ${problem}.` });
}
