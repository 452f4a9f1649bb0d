import type { ToolCallDecision, ToolCallDecisions } from "../base/policy.js";
import { type AskedCall, askAboutCall } from "./ask-about-call.js";
import type { CommandHost } from "./command.js";
import type { Questions } from "./questions.js";

/** What the asking needs. */
export interface AskDecisionsOptions {
  /** Whose person is asked. */
  readonly host: Pick<CommandHost, "terminal" | "interruption">;
  /** Asks them. */
  readonly questions: Questions;
  /** Names of tools that the person has allowed for the rest of the run. It is added to. */
  readonly always: Set<string>;
}

/** Asks the person about each call that waits. Calls that are left waiting have no decision. */
export async function askDecisions(
  calls: readonly AskedCall[],
  { host, questions, always }: AskDecisionsOptions,
): Promise<ToolCallDecisions> {
  const { signal } = host.interruption;
  const decisions: Record<string, ToolCallDecision> = {};
  for (const call of calls) {
    if (always.has(call.toolName)) {
      decisions[call.toolCallId] = { approved: true };
      continue;
    }
    const answer = await askAboutCall(call, { questions, terminal: host.terminal, signal, editable: true });
    if (answer.kind === "gone") break;
    if (answer.kind === "waits") continue;
    if (answer.always) always.add(call.toolName);
    decisions[call.toolCallId] = answer.decision;
  }
  return decisions;
}
