import type { FileHandle } from "node:fs/promises";
import { messageOf, SessionError } from "../../base/errors.js";
import type { AgentSnapshot } from "../../base/snapshot.js";
import { checkRevision, toSnapshot } from "./session-change.js";
import type { SessionChange, SessionInfo, SessionStore, StoredSession } from "./session-store.js";

/** Options of {@link JsonlSessionStore}. */
export interface JsonlSessionStoreOptions {
  /** Whether each change is forced onto the disk, so that it survives a power cut and not only the end of the process. @default true */
  readonly sync?: boolean;
}

/** A line of a file: a change, and what tells two equal ones of different writers apart. */
interface StoredLine extends SessionChange {
  readonly write?: string;
}

/** How far a file was read. */
interface Position {
  readonly revision: number;
  /** Bytes of whole lines. What follows them was cut off by the end of its process. */
  readonly end: number;
}

const SUFFIX = ".jsonl";
const MAX_NAME_BYTES = 200;

/**
 * Keeps each session in a file of a folder, one JSON line a change. Files can be read by their owner alone.
 *
 * A line that was cut off by the end of its process is left out, and overwritten by the next one. Of lines that two processes wrote for one revision at
 * the same time the first one counts, and the other process is told.
 */
export class JsonlSessionStore implements SessionStore {
  readonly #folder: string;
  readonly #sync: boolean;
  readonly #positions = new Map<string, Position>();

  /** @param folder - Path of a folder; it is made when it is not there. */
  constructor(folder: string, { sync = true }: JsonlSessionStoreOptions = {}) {
    this.#folder = folder;
    this.#sync = sync;
  }

  async load(sessionId: string): Promise<StoredSession | undefined> {
    const { readFile } = await import("node:fs/promises");
    let bytes: Buffer;
    try {
      bytes = await readFile(await this.#pathOf(sessionId));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
    const { session, end } = readLines(sessionId, bytes);
    this.#positions.set(sessionId, { revision: session?.revision ?? 0, end });
    return session;
  }

  async save(sessionId: string, change: SessionChange): Promise<void> {
    const { mkdir, open } = await import("node:fs/promises");
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const path = await this.#pathOf(sessionId);
    let position = this.#positions.get(sessionId) ?? { revision: 0, end: 0 };
    const file = await open(path, "a+", 0o600);
    try {
      const { size } = await file.stat();
      if (size !== position.end) {
        await this.load(sessionId); // written by somebody else, or cut off
        position = this.#positions.get(sessionId) ?? position;
      }
      checkRevision(sessionId, change, position.revision);
      if (size > position.end) await file.truncate(position.end);
      const write = crypto.randomUUID();
      const line = Buffer.from(`${JSON.stringify({ write, ...change })}\n`);
      const { bytesWritten } = await file.write(line); // in one piece, or lines of two processes could mix
      if (bytesWritten < line.length) throw new Error(`only ${bytesWritten} of ${line.length} bytes could be written`);
      if ((await firstWriteOf(file, change.revision, position.end)) !== write) {
        checkRevision(sessionId, change, change.revision); // somebody else was faster
      }
      if (this.#sync) await file.datasync();
      this.#positions.set(sessionId, { revision: change.revision, end: position.end + line.length });
    } finally {
      await file.close();
    }
  }

  async list(): Promise<readonly SessionInfo[]> {
    const { readdir, stat } = await import("node:fs/promises");
    const { join } = await import("node:path");
    const names = (await readdir(this.#folder).catch(undefinedIfMissing)) ?? [];
    const infos: SessionInfo[] = [];
    for (const name of names) {
      const sessionId = idOf(name);
      if (sessionId === undefined) continue;
      const file = await stat(join(this.#folder, name)).catch(undefinedIfMissing);
      if (file === undefined) continue; // deleted meanwhile
      const updatedAt = Math.floor(file.mtimeMs);
      try {
        const session = await this.load(sessionId);
        if (session === undefined) continue; // nothing was written yet
        const { status, messages } = session.snapshot;
        infos.push({ sessionId, status, messageCount: messages.length, updatedAt });
      } catch (error) {
        if (!(error instanceof SessionError)) throw error;
        infos.push({ sessionId, status: "failed", messageCount: 0, updatedAt, problem: error.message });
      }
    }
    return infos.sort((a, b) => b.updatedAt - a.updatedAt);
  }

  async delete(sessionId: string): Promise<void> {
    const { rm } = await import("node:fs/promises");
    await rm(await this.#pathOf(sessionId), { force: true });
    this.#positions.delete(sessionId);
  }

  async #pathOf(sessionId: string): Promise<string> {
    const { join } = await import("node:path");
    const name = encodeURIComponent(sessionId.toWellFormed());
    if (name === "" || name.length > MAX_NAME_BYTES) {
      const allowed = `A session's id has 1 to ${MAX_NAME_BYTES} plain letters, of which other signs count as three to twelve`;
      throw new SessionError({ problem: `${allowed}; ${JSON.stringify(sessionId)} does not.` });
    }
    return join(this.#folder, `${name}${SUFFIX}`);
  }
}

/** The session that a file is named after; `undefined` for a file that this store does not write. */
function idOf(name: string): string | undefined {
  if (!name.endsWith(SUFFIX)) return undefined;
  const encoded = name.slice(0, -SUFFIX.length);
  try {
    const id = decodeURIComponent(encoded);
    return id !== "" && encodeURIComponent(id) === encoded ? id : undefined;
  } catch {
    return undefined; // a sign that does not belong into such a name
  }
}

/** Which of the writes behind a place in the file was the first of its revision. Only then does the line count. */
async function firstWriteOf(file: FileHandle, revision: number, position: number): Promise<string | undefined> {
  const { size } = await file.stat();
  const { buffer } = await file.read(Buffer.alloc(size - position), 0, size - position, position);
  const lines = buffer.toString("utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as StoredLine).find((line) => line.revision === revision)?.write;
}

/** The session in a file, and where its last whole line ends. */
function readLines(sessionId: string, bytes: Buffer): { readonly session: StoredSession | undefined; readonly end: number } {
  const end = bytes.lastIndexOf(0x0a) + 1;
  let session: StoredSession | undefined;
  const lines = bytes.toString("utf8", 0, end).split("\n").slice(0, -1);
  for (const [index, line] of lines.entries()) {
    try {
      const { revision, write: _, ...change } = JSON.parse(line) as StoredLine;
      if (session !== undefined && revision <= session.revision) continue; // its writer came too late
      const snapshot: AgentSnapshot = toSnapshot(change, session?.snapshot.messages ?? []);
      session = { revision, snapshot };
    } catch (cause) {
      const problem = `Session ${JSON.stringify(sessionId)} could not be read: line ${index + 1} is damaged: ${messageOf(cause)}`;
      throw new SessionError({ problem, cause });
    }
  }
  return { session, end };
}

function undefinedIfMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
