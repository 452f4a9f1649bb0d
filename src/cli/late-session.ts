import { messageOf } from "../base/errors.js";
import type { AgentSnapshot } from "../base/snapshot.js";
import type { AgentPlan } from "./agent-plan.js";
import type { CommandHost } from "./command.js";
import type { Questions } from "./questions.js";
import { oneLine } from "./safe-text.js";
import type { SessionFolder } from "./session-folder.js";

/** What a run without a session needs to be kept after all. */
export interface LateSessionOptions {
  /** Where it is kept. */
  readonly folder: SessionFolder;
  /** Asks for its name. */
  readonly questions: Questions;
  /** Where the person reads why. */
  readonly terminal: CommandHost["terminal"];
}

/** A session for a run that began without one, because the person wants it to wait. */
export class LateSession {
  readonly #options: LateSessionOptions;
  #name: string | undefined;

  constructor(options: LateSessionOptions) {
    this.#options = options;
  }

  /** What the person called it. */
  get name(): string | undefined {
    return this.#name;
  }

  /** Asks for its name, once. `false`: the person went back. */
  async choose(signal: AbortSignal): Promise<boolean> {
    if (this.#name !== undefined) return true;
    const { folder, questions, terminal } = this.#options;
    terminal.stderr.write(`This run has no session, so it would be lost. It can be kept as a file in ${oneLine(folder.path, 200)}.\n`);
    for (;;) {
      const name = (await questions.ask("Name of a new session (Enter to go back): ", { signal }))?.trim() ?? "";
      if (name === "") return false;
      const problem = await this.#problemOf(name);
      if (problem === undefined) {
        this.#name = name;
        return true;
      }
      terminal.stderr.write(`${oneLine(problem, 500)} Choose another name.\n`);
    }
  }

  /** Why a new session cannot have this name. */
  async #problemOf(name: string): Promise<string | undefined> {
    try {
      return (await this.#options.folder.store.load(name)) === undefined ? undefined : `There is a session ${oneLine(name, 100)} already.`;
    } catch (error) {
      return messageOf(error);
    }
  }

  /** Writes the run into it. */
  async save(name: string, { snapshot: { messages, ...state }, plan }: { snapshot: AgentSnapshot; plan: AgentPlan }): Promise<void> {
    const { folder } = this.#options;
    const unlock = await folder.lock(name);
    try {
      await folder.store.save(name, { revision: 1, keep: 0, messages, state });
      await folder.writeNotes(name, { plan, repliesBefore: 0 });
    } finally {
      await unlock();
    }
  }
}
