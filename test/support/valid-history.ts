import type { AgentMessage, PendingToolCall } from "triact";
import { historyProblems } from "triact/testing";
import { expect } from "vitest";

/** Fails unless every provider would accept the history. */
export function assertValidHistory(messages: readonly AgentMessage[], label = "history"): void {
  expect(historyProblems(messages), label).toEqual([]);
}

/** Fails unless the messages of a snapshot are valid but for the calls it names as pending. */
export function assertValidSnapshot(snapshot: { messages: readonly AgentMessage[]; pendingToolCalls: readonly PendingToolCall[] }): void {
  const inMessages = snapshot.pendingToolCalls.filter(
    ({ ordinal, parentToolCallId }) => ordinal === undefined && parentToolCallId === undefined,
  );
  const open = inMessages.map(({ toolCallId }) => toolCallId);
  expect(historyProblems(snapshot.messages, open), "snapshot").toEqual([]);
}
