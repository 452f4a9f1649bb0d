import type { StateView } from "../../base/agent-state.js";
import { messageOf, SessionError } from "../../base/errors.js";
import type { AgentMessage } from "../../base/message.js";
import type { AgentSnapshot, PendingToolCall } from "../../base/snapshot.js";
import type { SessionStore } from "./session-store.js";

/** Writes one agent's state into one session of a store, each time only what has changed. */
export class AgentSession {
  readonly #store: SessionStore;
  readonly #sessionId: string;
  #opening: Promise<AgentSnapshot | undefined> | undefined;
  #revision = 0;
  /** What the store holds; undefined where it holds another message than the agent has. */
  #stored: readonly (AgentMessage | undefined)[] = [];
  #last: AgentSnapshot | undefined;
  /** The newest state that waits for the write under way. */
  #next: { readonly view: StateView; readonly written: Promise<void> } | undefined;
  #writing: Promise<void> | undefined;

  constructor(store: SessionStore, sessionId: string) {
    this.#store = store;
    this.#sessionId = sessionId;
  }

  /**
   * Reads the session, once.
   * @returns What is stored, if anything is.
   * @throws SessionError when it cannot be read.
   */
  open(): Promise<AgentSnapshot | undefined> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  async #open(): Promise<AgentSnapshot | undefined> {
    try {
      const session = await this.#store.load(this.#sessionId);
      if (session === undefined) return undefined;
      this.#revision = session.revision;
      this.#stored = session.snapshot.messages;
      this.#last = session.snapshot;
      return session.snapshot;
    } catch (cause) {
      this.#opening = undefined; // the next call tries again
      throw cause instanceof SessionError ? cause : new SessionError({ problem: this.#describe("read", cause), cause });
    }
  }

  /** What the store holds, as far as this agent knows: what it read, or what it wrote since. */
  get last(): AgentSnapshot | undefined {
    return this.#last;
  }

  /** The agent goes on with these messages. Those that the store holds as they are need not be written again. */
  adopt(messages: readonly AgentMessage[]): void {
    this.#stored = this.#stored.map((stored, index) => {
      const message = messages[index];
      return JSON.stringify(stored) === JSON.stringify(message) ? message : undefined;
    });
  }

  /**
   * Writes a state. Of states that come while another one is being written, only the newest is.
   * @throws SessionError when that fails.
   */
  checkpoint(view: StateView): Promise<void> {
    if (this.#writing === undefined) return this.#begin(view);
    const written = this.#next?.written ?? this.#writing.catch(() => undefined).then(() => this.#begin(this.#takeNext()));
    this.#next = { view, written };
    return written;
  }

  #takeNext(): StateView {
    const { view } = this.#next as { readonly view: StateView };
    this.#next = undefined;
    return view;
  }

  #begin(view: StateView): Promise<void> {
    const writing = this.#write(view).finally(() => {
      if (this.#next === undefined) this.#writing = undefined; // the one that waits begins in a moment, and until then no other may
    });
    this.#writing = writing;
    return writing;
  }

  async #write(view: StateView): Promise<void> {
    await this.open();
    const { snapshot } = view;
    const { messages, ...rest } = snapshot;
    let keep = 0;
    while (keep < messages.length && this.#stored[keep] === messages[keep]) keep += 1;
    const state = { ...rest, pendingToolCalls: rest.pendingToolCalls.map(queued) };
    const revision = this.#revision + 1;
    try {
      await this.#store.save(this.#sessionId, { revision, keep, messages: messages.slice(keep), state });
    } catch (cause) {
      throw cause instanceof SessionError ? cause : new SessionError({ problem: this.#describe("written", cause), cause });
    }
    this.#revision = revision;
    this.#stored = messages;
    this.#last = snapshot;
  }

  #describe(what: "read" | "written", cause: unknown): string {
    return `Session ${JSON.stringify(this.#sessionId)} could not be ${what}: ${messageOf(cause)}`;
  }
}

/** An agent with a session writes it before each call, so a call that is not marked has certainly not begun. */
function queued(call: PendingToolCall): PendingToolCall {
  return call.state === undefined ? { ...call, state: "queued" } : call;
}
