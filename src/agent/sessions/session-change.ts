import { SessionError } from "../../base/errors.js";
import type { AgentMessage } from "../../base/message.js";
import type { AgentSnapshot } from "../../base/snapshot.js";
import type { SessionChange } from "./session-store.js";

/**
 * Refuses a change that does not follow what is stored.
 * @throws SessionError when somebody else has written the session meanwhile.
 */
export function checkRevision(sessionId: string, { revision }: SessionChange, stored: number): void {
  if (stored === revision - 1) return;
  const problem = `it is at revision ${stored}, and the change is for revision ${revision}. Another process or agent has written it`;
  throw new SessionError({ problem: `Session ${JSON.stringify(sessionId)} could not be written: ${problem}.` });
}

/** The snapshot after a change. */
export function toSnapshot({ keep, messages, state }: Omit<SessionChange, "revision">, stored: readonly AgentMessage[]): AgentSnapshot {
  return { ...state, messages: [...stored.slice(0, keep), ...messages] };
}
