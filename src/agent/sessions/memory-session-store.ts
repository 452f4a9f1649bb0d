import type { AgentSnapshot } from "../../base/snapshot.js";
import { checkRevision, toSnapshot } from "./session-change.js";
import type { SessionChange, SessionInfo, SessionStore, StoredSession } from "./session-store.js";

/** Keeps sessions in memory, for tests and for agents of one process. */
export class MemorySessionStore implements SessionStore {
  /** As JSON text: what was saved is never changed through an object that somebody kept. */
  readonly #sessions = new Map<string, { readonly revision: number; readonly text: string; readonly updatedAt: number }>();

  async load(sessionId: string): Promise<StoredSession | undefined> {
    return this.#read(sessionId);
  }

  #read(sessionId: string): StoredSession | undefined {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) return undefined;
    return { revision: session.revision, snapshot: JSON.parse(session.text) as AgentSnapshot };
  }

  async save(sessionId: string, change: SessionChange): Promise<void> {
    const before = this.#read(sessionId); // nobody else writes between this line and the last one
    checkRevision(sessionId, change, before?.revision ?? 0);
    const text = JSON.stringify(toSnapshot(change, before?.snapshot.messages ?? []));
    this.#sessions.set(sessionId, { revision: change.revision, text, updatedAt: Date.now() });
  }

  async list(): Promise<readonly SessionInfo[]> {
    const infos = [...this.#sessions].map(([sessionId, { text, updatedAt }]): SessionInfo => {
      const { status, messages } = JSON.parse(text) as AgentSnapshot;
      return { sessionId, status, messageCount: messages.length, updatedAt };
    });
    return infos.reverse().sort((a, b) => b.updatedAt - a.updatedAt);
  }

  async delete(sessionId: string): Promise<void> {
    this.#sessions.delete(sessionId);
  }
}
