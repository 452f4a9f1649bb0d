import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { z } from "zod";
import { JsonlSessionStore } from "../agent/sessions/jsonl-session-store.js";
import { messageOf } from "../base/errors.js";
import { type AgentPlan, agentPlanSchema } from "./agent-plan.js";
import type { CommandHost } from "./command.js";
import type { FlagValues } from "./parse-flags.js";
import { lockSession } from "./session-lock.js";
import { UsageError } from "./usage-error.js";

/** What the command remembers of a session besides the agent itself. */
export interface SessionNotes {
  /** What the agent was built from the last time. */
  readonly plan: AgentPlan;
  /** How many replies the session had when this model was first used. */
  readonly repliesBefore: number;
}

const notesSchema = z.object({ plan: agentPlanSchema, repliesBefore: z.int().nonnegative() });

/** The folder in which the command keeps sessions. */
export class SessionFolder {
  readonly path: string;
  readonly store: JsonlSessionStore;

  constructor(path: string) {
    this.path = path;
    this.store = new JsonlSessionStore(path);
  }

  /** The folder that the flags and the environment name. */
  static of(values: FlagValues, { environment, workingDirectory }: Pick<CommandHost, "environment" | "workingDirectory">): SessionFolder {
    const home = environment["TRIACT_HOME"] || join(homedir(), ".triact");
    return new SessionFolder(resolve(workingDirectory, values.text("session-dir") ?? join(home, "sessions")));
  }

  /**
   * Keeps other processes out of a session.
   * @returns What lets them in again.
   * @throws UsageError when another process has it, or when the folder cannot be made.
   */
  async lock(name: string): Promise<() => Promise<void>> {
    try {
      await mkdir(this.path, { recursive: true, mode: 0o700 });
    } catch (cause) {
      throw new UsageError({ problem: `The folder of the sessions, ${this.path}, cannot be used: ${messageOf(cause)}.`, cause });
    }
    return lockSession(name, this.#pathOf(name, "lock"));
  }

  /** What was remembered; `undefined` for a session that the command has not written. */
  async readNotes(name: string): Promise<SessionNotes | undefined> {
    try {
      return notesSchema.parse(JSON.parse(await readFile(this.#pathOf(name, "command.json"), "utf8")));
    } catch {
      return undefined; // not there, or of another version: the flags have to be given again
    }
  }

  async writeNotes(name: string, notes: SessionNotes): Promise<void> {
    const path = this.#pathOf(name, "command.json");
    await writeFile(`${path}.new`, `${JSON.stringify(notes)}\n`, { mode: 0o600 });
    await rename(`${path}.new`, path); // whole or not at all
  }

  #pathOf(name: string, suffix: string): string {
    return join(this.path, `${encodeURIComponent(name.toWellFormed())}.${suffix}`);
  }
}
