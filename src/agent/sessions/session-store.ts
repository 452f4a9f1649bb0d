import type { AgentMessage } from "../../base/message.js";
import type { AgentSnapshot } from "../../base/snapshot.js";

/** A session as it is stored. */
export interface StoredSession {
  /** How often the session was written. */
  readonly revision: number;
  readonly snapshot: AgentSnapshot;
}

/** A session in a list. */
export interface SessionInfo {
  readonly sessionId: string;
  readonly status: AgentSnapshot["status"];
  readonly messageCount: number;
  /** When it was last written, in milliseconds since 1970. */
  readonly updatedAt: number;
  /** Why it cannot be read. Its status is `failed` then, and its messages are not counted. */
  readonly problem?: string;
}

/** What one checkpoint changes in a session. */
export interface SessionChange {
  /** The revision that the change makes, from 1. What is stored must be the one before it. */
  readonly revision: number;
  /** How many of the stored messages stay. */
  readonly keep: number;
  /** The messages that follow them. */
  readonly messages: readonly AgentMessage[];
  /** The rest of the snapshot. */
  readonly state: Omit<AgentSnapshot, "messages">;
}

/** Where sessions are kept. All that it is given is plain JSON. */
export interface SessionStore {
  /**
   * The session, or `undefined` when there is none of this id.
   * @throws SessionError when it cannot be read.
   */
  load(sessionId: string): Promise<StoredSession | undefined>;
  /**
   * Writes a change, whole or not at all. When the promise resolves, the change survives the end of the process.
   * @throws SessionError when it cannot be written, or when somebody else has written the session since it was loaded.
   */
  save(sessionId: string, change: SessionChange): Promise<void>;
  /** All sessions, the one written last first. */
  list(): Promise<readonly SessionInfo[]>;
  /** Deletes a session. Does nothing when there is none. */
  delete(sessionId: string): Promise<void>;
}
