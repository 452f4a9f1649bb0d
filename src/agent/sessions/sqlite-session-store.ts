import type { DatabaseSync } from "node:sqlite";
import type { AgentMessage } from "../../base/message.js";
import type { AgentSnapshot } from "../../base/snapshot.js";
import { checkRevision } from "./session-change.js";
import type { SessionChange, SessionInfo, SessionStore, StoredSession } from "./session-store.js";

/** How long one process waits for another one's write. */
const BUSY_TIMEOUT_MS = 5_000;
const RETRY_MS = 20;
const SQLITE_BUSY = 5;

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS triact_sessions (
    session_id TEXT PRIMARY KEY, revision INTEGER NOT NULL, state TEXT NOT NULL, updated_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS triact_messages (
    session_id TEXT NOT NULL, position INTEGER NOT NULL, message TEXT NOT NULL, PRIMARY KEY (session_id, position)
  ) STRICT, WITHOUT ROWID;
`;

interface SessionRow {
  readonly session_id: string;
  readonly revision: number;
  readonly state: string;
  readonly updated_at: number;
}

/** Keeps sessions in a SQLite database, by Node's own `node:sqlite`. Several processes may share the file. */
export class SqliteSessionStore implements SessionStore {
  readonly #path: string;
  #opening: Promise<DatabaseSync> | undefined;

  /** @param path - Path of the database file; it and its folder are made when they are not there. `:memory:` keeps it in memory. */
  constructor(path: string) {
    this.#path = path;
  }

  async load(sessionId: string): Promise<StoredSession | undefined> {
    const database = await this.#open();
    return inTransaction(database, "DEFERRED", () => read(database, sessionId));
  }

  async save(sessionId: string, change: SessionChange): Promise<void> {
    const database = await this.#open();
    inTransaction(database, "IMMEDIATE", () => {
      const row = database.prepare("SELECT revision FROM triact_sessions WHERE session_id = ?").get(sessionId) as SessionRow | undefined;
      checkRevision(sessionId, change, row?.revision ?? 0);
      write(database, sessionId, change);
    });
  }

  async list(): Promise<readonly SessionInfo[]> {
    const database = await this.#open();
    const rows = database.prepare("SELECT * FROM triact_sessions ORDER BY updated_at DESC, rowid DESC").all() as unknown as SessionRow[];
    const count = database.prepare("SELECT count(*) AS count FROM triact_messages WHERE session_id = ?");
    return rows.map(({ session_id: sessionId, state, updated_at: updatedAt }) => {
      const { status } = JSON.parse(state) as AgentSnapshot;
      return { sessionId, status, messageCount: Number(count.get(sessionId)?.["count"]), updatedAt };
    });
  }

  async delete(sessionId: string): Promise<void> {
    const database = await this.#open();
    inTransaction(database, "IMMEDIATE", () => {
      for (const table of ["triact_sessions", "triact_messages"]) {
        database.prepare(`DELETE FROM ${table} WHERE session_id = ?`).run(sessionId);
      }
    });
  }

  /** Closes the database. The store can be used again; it opens it anew. */
  async close(): Promise<void> {
    const opening = this.#opening;
    this.#opening = undefined;
    if (opening !== undefined) (await opening).close();
  }

  #open(): Promise<DatabaseSync> {
    this.#opening ??= this.#connect().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #connect(): Promise<DatabaseSync> {
    const { DatabaseSync: Database } = await import("node:sqlite");
    if (this.#path !== ":memory:") await makeFolderOf(this.#path);
    const database = new Database(this.#path, { timeout: BUSY_TIMEOUT_MS });
    await prepare(database);
    return database;
  }
}

/** Processes that switch a new database to WAL at the same time would wait for each other for ever, so SQLite refuses all but one at once. */
async function prepare(database: DatabaseSync): Promise<void> {
  const { setTimeout: sleep } = await import("node:timers/promises");
  const endAt = performance.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      database.exec(SCHEMA);
      return;
    } catch (error) {
      if (isBusy(error) && performance.now() < endAt) {
        await sleep(RETRY_MS);
        continue;
      }
      database.close();
      throw error;
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY;
}

/** All of it or nothing; what is read in it was stored at one moment. */
function inTransaction<T>(database: DatabaseSync, kind: "DEFERRED" | "IMMEDIATE", work: () => T): T {
  database.exec(`BEGIN ${kind}`);
  try {
    const value = work();
    database.exec("COMMIT");
    return value;
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK"); // some failures have done so already
    throw error;
  }
}

function read(database: DatabaseSync, sessionId: string): StoredSession | undefined {
  const row = database.prepare("SELECT revision, state FROM triact_sessions WHERE session_id = ?").get(sessionId) as SessionRow | undefined;
  if (row === undefined) return undefined;
  const rows = database.prepare("SELECT message FROM triact_messages WHERE session_id = ? ORDER BY position").all(sessionId);
  const messages = rows.map(({ message }) => JSON.parse(String(message)) as AgentMessage);
  return { revision: row.revision, snapshot: { ...(JSON.parse(row.state) as Omit<AgentSnapshot, "messages">), messages } };
}

async function makeFolderOf(path: string): Promise<void> {
  const { mkdir } = await import("node:fs/promises");
  const { dirname } = await import("node:path");
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
}

function write(database: DatabaseSync, sessionId: string, { revision, keep, messages, state }: SessionChange): void {
  database
    .prepare("INSERT OR REPLACE INTO triact_sessions (session_id, revision, state, updated_at) VALUES (?, ?, ?, ?)")
    .run(sessionId, revision, JSON.stringify(state), Date.now());
  database.prepare("DELETE FROM triact_messages WHERE session_id = ? AND position >= ?").run(sessionId, keep);
  const insert = database.prepare("INSERT INTO triact_messages (session_id, position, message) VALUES (?, ?, ?)");
  for (const [index, message] of messages.entries()) insert.run(sessionId, keep + index, JSON.stringify(message));
}
