import type { AgentState, StateView } from "./agent-state.js";
import { AgentAbortError, messageOf, SessionError } from "./errors.js";
import { errorMessage, SYSTEM_DISPLAY, userMessage } from "./history.js";
import type { JsonObject } from "./json.js";
import { type AgentMessage, textOf } from "./message.js";
import { modelTexts } from "./model-texts.js";
import type { RunReporter } from "./run-reporter.js";
import type { AgentSettings } from "./settings.js";
import type { PendingToolCall } from "./snapshot.js";

/** Text of the framework for the model; with what the framework itself wants to know of it later, as frozen JSON. */
export type Note = string | { readonly text: string; readonly metadata: JsonObject };

/** What a {@link RunHistory} is made with. */
export interface RunHistoryOptions {
  /** Holds the history. */
  readonly state: AgentState;
  /** Those of the agent. */
  readonly settings: AgentSettings;
  /** That of the same run. */
  readonly reporter: RunReporter;
  /** Throws what ended the run early, if anything did. */
  readonly throwIfEnded: () => void;
}

/**
 * What one run writes into the history, in an order that every provider takes: the results of a message's calls follow on it, all of them, before
 * anything else. What was written is reported, and saved where there is a session.
 */
export class RunHistory {
  readonly #options: RunHistoryOptions;
  readonly #state: AgentState;
  readonly #settings: AgentSettings;
  #lastText = "";
  /** Nothing more is written but by {@link close}: work that was given up may go on, and the history may be another run's by then. */
  #isOver = false;
  #unsaved: SessionError | undefined;

  constructor(options: RunHistoryOptions) {
    this.#options = options;
    this.#state = options.state;
    this.#settings = options.settings;
  }

  /** Text of the assistant's last message that has one. */
  get lastText(): string {
    return this.#lastText;
  }

  /** Why the session could not be written, if so. */
  get unsaved(): SessionError | undefined {
    return this.#unsaved;
  }

  /** Takes over from an earlier part of the run. */
  resume(): void {
    const last = this.#state.view.messages.findLast(({ role }) => role === "assistant");
    this.#lastText = last === undefined ? "" : textOf(last);
  }

  /** Adds a message. Results of calls that were executed are added before it. */
  add(message: AgentMessage): Promise<void> | undefined {
    this.#throwIfOver();
    if (message.role === "tool") return this.#addResult(message);
    if (this.#state.calls.isAwaitingResults) return this.#addAfterResults(message);
    this.#state.add(message);
    if (message.role === "assistant") this.#lastText = textOf(message) || this.#lastText;
    const reporting = this.#options.reporter.emit("message-added", { message });
    return this.#settings.checkpoint === undefined ? reporting : this.#saveAfter(reporting);
  }

  /** Adds user messages that the framework wrote. They enter history and session together: a process that ends between two would lose the second. */
  async addNotes(notes: readonly Note[]): Promise<void> {
    await this.closeCalls(modelTexts.notActedOn);
    const said = notes.map(unfold).filter(({ text }) => text.trim() !== "");
    const messages = said.map(({ text, metadata }) => userMessage(this.#settings, text, metadata));
    if (messages.length === 0) return;
    for (const message of messages) this.#state.add(message);
    await this.#reportAdded(messages);
    await this.save();
  }

  /** Adds the results of the last assistant message's calls. Calls that are still open get an error result. */
  closeCalls(text: (toolName: string) => string): Promise<void> | undefined {
    this.#throwIfOver();
    return this.#closeCalls(({ toolName }) => text(toolName));
  }

  /** The run is over: nothing can be added any more. */
  end(): void {
    this.#isOver = true;
  }

  /** Answers what is open when the run is over. */
  async closeAtEnd(): Promise<void> {
    await this.#closeCalls(textOfInterruption);
    this.#state.dropUnansweredCalls();
  }

  /** Writes the state into the session, where there is one. Never rejects: a run that cannot be saved ends where it next looks. */
  save(): Promise<void> | undefined {
    const { checkpoint } = this.#settings;
    return checkpoint === undefined ? undefined : this.#save(checkpoint);
  }

  async #save(checkpoint: (view: StateView) => Promise<void>): Promise<void> {
    try {
      await checkpoint(this.#state.view);
    } catch (cause) {
      this.#unsaved ??= cause instanceof SessionError ? cause : new SessionError({ problem: messageOf(cause), cause });
    }
  }

  async #saveAfter(reporting: Promise<void> | undefined): Promise<void> {
    await reporting;
    await this.save();
  }

  async #addAfterResults(message: AgentMessage): Promise<void> {
    await this.closeCalls(modelTexts.notActedOn);
    await this.add(message);
  }

  /** A result that came as a message, in the input of a run. It enters the history with those of its siblings. */
  async #addResult(message: AgentMessage): Promise<void> {
    const [part] = message.content;
    if (part?.type !== "tool-result" || !this.#state.calls.isOpen(part.toolCallId)) return; // nobody asked
    this.#state.changedCalls.settle(part.toolCallId, message);
    if (!this.#state.calls.hasOpen) await this.closeCalls(modelTexts.notActedOn);
  }

  #closeCalls(text: (call: PendingToolCall) => string): Promise<void> | undefined {
    const { calls } = this.#state;
    if (!calls.isAwaitingResults) return undefined;
    for (const call of calls.hasOpen ? [...calls.open] : []) {
      this.#state.changedCalls.settle(call.toolCallId, errorMessage(this.#settings, call, text(call)));
    }
    const reporting = this.#reportAdded(this.#state.flushResults());
    return this.#settings.checkpoint === undefined ? reporting : this.#saveAfter(reporting);
  }

  #reportAdded(messages: readonly AgentMessage[]): Promise<void> | undefined {
    if (this.#options.reporter.hasHooks) return this.#reportAddedInTurn(messages);
    for (const message of messages) void this.#options.reporter.emit("message-added", { message }); // no hook, no promise
    return undefined;
  }

  async #reportAddedInTurn(messages: readonly AgentMessage[]): Promise<void> {
    for (const message of messages) await this.#options.reporter.emit("message-added", { message });
  }

  #throwIfOver(): void {
    if (!this.#isOver) return;
    this.#options.throwIfEnded();
    throw new AgentAbortError({ reason: "the run is over; nothing can be added to it any more" });
  }
}

/** What the model is told of a call that is open when its run ends. One that waited for people was certainly not made. */
function textOfInterruption({ toolName, state }: PendingToolCall): string {
  return state === "awaiting-approval" ? modelTexts.notReached(toolName) : modelTexts.interrupted(toolName);
}

function unfold(note: Note): { readonly text: string; readonly metadata: JsonObject } {
  if (typeof note === "string") return { text: note, metadata: SYSTEM_DISPLAY };
  return { text: note.text, metadata: Object.freeze({ ...note.metadata, ...SYSTEM_DISPLAY }) };
}
