import type { AgentOptions } from "../agent/agent-config.js";
import type { AgentSnapshot } from "../base/snapshot.js";
import type { AgentPlan } from "./agent-plan.js";
import type { FlagValues } from "./parse-flags.js";
import type { SessionFolder, SessionNotes } from "./session-folder.js";
import { UsageError } from "./usage-error.js";

const MAX_NAME_BYTES = 200; // as the session store

/** A session that this process has locked. */
export class RunSession {
  readonly name: string;
  readonly folder: SessionFolder;
  /** What is stored; `undefined` for a new session. */
  readonly snapshot: AgentSnapshot | undefined;
  /** What the command remembers of it. */
  readonly notes: SessionNotes | undefined;

  readonly #unlock: () => Promise<void>;
  #isClosed = false;

  private constructor(
    name: string,
    { folder, snapshot, notes, unlock }: Pick<RunSession, "folder" | "snapshot" | "notes"> & { unlock: () => Promise<void> },
  ) {
    this.name = name;
    this.#unlock = unlock;
    this.folder = folder;
    this.snapshot = snapshot;
    this.notes = notes;
  }

  /**
   * Takes a session, so that nobody else has it until {@link close}.
   * @throws UsageError when somebody else has it; SessionError when it cannot be read.
   */
  static async open(name: string, folder: SessionFolder): Promise<RunSession> {
    if (name === "") throw new UsageError({ problem: "The name of the session is empty." });
    if (encodeURIComponent(name.toWellFormed()).length > MAX_NAME_BYTES) {
      throw new UsageError({
        problem: `The name of the session is too long. Allowed are ${MAX_NAME_BYTES} plain letters; other signs count as three to twelve.`,
      });
    }
    const unlock = await folder.lock(name);
    try {
      const stored = await folder.store.load(name);
      return new RunSession(name, { folder, snapshot: stored?.snapshot, notes: await folder.readNotes(name), unlock });
    } catch (error) {
      await unlock();
      throw error;
    }
  }

  /**
   * Does something with a session that nobody else has meanwhile.
   * @throws UsageError when somebody else has it; SessionError when it cannot be read.
   */
  static async with<T>(name: string, folder: SessionFolder, use: (session: RunSession) => Promise<T>): Promise<T> {
    const session = await RunSession.open(name, folder);
    try {
      return await use(session);
    } finally {
      await session.close();
    }
  }

  /** Lets others have it. Closing it again does nothing: by then it may be somebody else's. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#unlock();
  }

  /** The options that keep an agent in the session. */
  get agentOptions(): Pick<AgentOptions, "sessionStore" | "sessionId"> {
    return { sessionStore: this.folder.store, sessionId: this.name };
  }

  /** Whether the last run waits or was cut off. */
  get isUnfinished(): boolean {
    return this.snapshot?.status === "suspended" || this.snapshot?.status === "running";
  }

  /** How many replies a script has given in this session already. */
  skipReplies(plan: AgentPlan): number {
    return this.#replies - this.#repliesBefore(plan);
  }

  /** Remembers what the agent is built from, for `resume`. */
  remember(plan: AgentPlan): Promise<void> {
    return this.folder.writeNotes(this.name, { plan, repliesBefore: this.#repliesBefore(plan) });
  }

  get #replies(): number {
    return this.snapshot?.messages.filter(({ role }) => role === "assistant").length ?? 0;
  }

  #repliesBefore({ model }: AgentPlan): number {
    return this.notes !== undefined && this.notes.plan.model === model ? this.notes.repliesBefore : this.#replies;
  }
}

/** The command that goes on with a session, ready to be copied. */
export function resumeHint(name: string, values: FlagValues): string {
  return `Go on with: triact resume ${quote(name)}${folderFlagOf(values)}`;
}

/** The flags that name a session, ready to be copied. */
export function sessionFlagsOf(name: string, values: FlagValues): string {
  return `--session ${quote(name)}${folderFlagOf(values)}`;
}

function folderFlagOf(values: FlagValues): string {
  const folder = values.text("session-dir");
  return folder === undefined ? "" : ` --session-dir ${quote(folder)}`;
}

function quote(text: string): string {
  return /^[\w./:@][\w./:@-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
