import { createInterface, type Interface, type Key } from "node:readline";
import { setImmediate } from "node:timers/promises";
import type { CommandHost } from "./command.js";
import { OutputGate } from "./output-gate.js";
import type { QuestionOptions } from "./questions.js";
import type { Terminal } from "./terminal.js";

/** What a person does at the prompt. `end`: the input has ended (Ctrl-D). */
export type ChatInput = { readonly kind: "message"; readonly text: string } | { readonly kind: "end" } | { readonly kind: "interrupted" };

/** Who gets what a person does while the agent works. */
export interface BusyHandlers {
  /** A line was typed. */
  readonly onLine: (line: string) => void;
  /** Ctrl-C was pressed. */
  readonly onInterrupt: () => void;
}

interface Waiting {
  readonly isQuestion: boolean;
  readonly settle: (line: string | undefined) => void;
  readonly onInterrupt: () => void;
}

const MORE = "… ";
const SPEAKING = "» ";
const ERASE_LINE = "\r\u001b[K";
const AGAIN = "Ctrl-C again leaves, as Ctrl-D does.\n";

/**
 * The terminal of a conversation: one line editor from beginning to end, for messages, for answers, and for what is typed while the agent works. While
 * somebody types then, the output is held back, so that the two do not run into each other.
 */
export class ChatConsole {
  /** To be written to instead of the host's. */
  readonly terminal: Terminal;
  readonly #host: Pick<CommandHost, "terminal" | "interruption">;
  readonly #gate: OutputGate;
  readonly #lines: Interface;
  readonly #isEditor: boolean;
  /** Lines that came before anybody asked for them. */
  readonly #queue: string[] = [];
  #waiting: Waiting | undefined;
  #busy: BusyHandlers | undefined;
  #isClosed = false;
  #wasInterrupted = false;

  constructor(host: Pick<CommandHost, "terminal" | "interruption">) {
    const { stdin, stderr, isInteractive } = host.terminal;
    this.#host = host;
    this.#gate = new OutputGate(host.terminal);
    this.terminal = { stdin, stdout: this.#gate.stdout, stderr: this.#gate.stderr, isInteractive };
    this.#isEditor = isInteractive && stderr.isErasable;
    this.#lines = createInterface({ input: stdin, output: stderr.stream, terminal: this.#isEditor, historySize: 200 });
    this.#lines.on("line", (line) => this.#onLine(line));
    this.#lines.on("SIGINT", () => (this.#waiting ?? this.#busy)?.onInterrupt());
    this.#lines.on("history", (history) => {
      if (this.#waiting?.isQuestion === true) history.shift(); // answers are no messages
    });
    this.#lines.on("close", () => {
      this.#isClosed = true;
      this.#waiting?.settle(undefined);
    });
    if (!this.#isEditor) return;
    stdin.prependListener("keypress", this.#beforeKey);
    stdin.on("keypress", this.#afterKey);
  }

  /** A message of the person. A backslash at the end of a line goes on with the next one, and lines that are pasted are one message. */
  async readMessage(prompt: string): Promise<ChatInput> {
    const lines: string[] = [];
    for (;;) {
      const line = await this.#readOne(lines.length === 0 ? prompt : MORE);
      if (line === INTERRUPTED) {
        if (this.#wasInterrupted || this.#host.interruption.signal.aborted) return { kind: "interrupted" };
        this.#warn();
        lines.length = 0;
        continue;
      }
      if (line === undefined && lines.length === 0) return { kind: "end" };
      this.#wasInterrupted = false;
      const goesOn = line?.endsWith("\\") === true;
      if (line !== undefined) lines.push(goesOn ? line.slice(0, -1) : line);
      if (goesOn) continue;
      if (this.terminal.isInteractive && lines[0]?.startsWith("/") !== true) {
        await setImmediate(); // what was pasted together is read together
        lines.push(...this.#queue.splice(0));
      }
      return { kind: "message", text: lines.join("\n") };
    }
  }

  /** Says how to leave; the next Ctrl-C at the prompt does. */
  #warn(): void {
    this.#wasInterrupted = true;
    this.terminal.stderr.write(AGAIN);
  }

  async #readOne(prompt: string): Promise<string | undefined | typeof INTERRUPTED> {
    const interrupted = new AbortController();
    const { signal } = this.#host.interruption;
    const onInterrupt = () => interrupted.abort(INTERRUPTED);
    try {
      return await this.#read(prompt, { signal: AbortSignal.any([signal, interrupted.signal]), isQuestion: false, onInterrupt });
    } catch (reason) {
      if (signal.aborted || reason === INTERRUPTED) return INTERRUPTED;
      throw reason;
    }
  }

  /**
   * The answer to a question; what was being typed meanwhile is kept for afterwards.
   * @returns The line; `undefined` when the input has ended.
   * @throws The signal's reason when it fires.
   */
  async ask(prompt: string, { signal, prefill = "" }: QuestionOptions): Promise<string | undefined> {
    await setImmediate(); // keys that were pressed before the question are no answer
    await setImmediate();
    signal.throwIfAborted();
    if (this.#isClosed) return undefined;
    const typed = this.#takeTyped();
    const onInterrupt = () => (this.#busy === undefined ? this.#host.interruption.interrupt("SIGINT") : this.#busy.onInterrupt());
    try {
      return await this.#read(prompt, { signal, prefill, isQuestion: true, onInterrupt });
    } finally {
      if (typed !== "" && !this.#isClosed) {
        this.#speak();
        this.#lines.write(typed);
      }
    }
  }

  #read(
    prompt: string,
    { signal, prefill = "", isQuestion, onInterrupt }: QuestionOptions & Omit<Waiting, "settle">,
  ): Promise<string | undefined> {
    signal.throwIfAborted();
    if (!isQuestion && this.#queue.length > 0) return Promise.resolve(this.#queue.shift());
    if (this.#isClosed) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      const stop = () => {
        this.#waiting = undefined;
        signal.removeEventListener("abort", onAbort);
      };
      const onAbort = () => {
        stop();
        this.#clearTyped();
        this.#host.terminal.stderr.write("\n");
        reject(signal.reason);
      };
      signal.addEventListener("abort", onAbort, { once: true });
      const settle = (line: string | undefined) => {
        stop();
        resolve(line);
      };
      this.#waiting = { isQuestion, settle, onInterrupt };
      this.#stopSpeaking();
      if (!this.terminal.isInteractive) return;
      this.#lines.setPrompt(prompt);
      this.#lines.prompt(true); // with what was typed while the agent worked
      if (prefill !== "") this.#lines.write(prefill);
    });
  }

  /** Lets the agent work while a person may type to it. */
  async whileBusy<T>(handlers: BusyHandlers, work: () => Promise<T>): Promise<T> {
    this.#busy = handlers;
    try {
      return await work();
    } finally {
      this.#busy = undefined;
    }
  }

  /** A turn was ended by Ctrl-C: the next one leaves. */
  noteInterrupted(): void {
    if (this.#isEditor) this.#warn();
  }

  /** Gives the terminal back. */
  close(): void {
    this.#stopSpeaking();
    const { stdin } = this.#host.terminal;
    stdin.off("keypress", this.#beforeKey);
    stdin.off("keypress", this.#afterKey);
    this.#lines.close();
  }

  #onLine(line: string): void {
    if (this.#waiting !== undefined) this.#waiting.settle(line);
    else if (this.#busy === undefined || !this.terminal.isInteractive || line.startsWith("/")) this.#queue.push(line);
    else if (line.trim() !== "") this.#busy.onLine(line);
    if (this.#gate.isHeld && this.#waiting === undefined) this.#gate.release();
  }

  /** Somebody begins to type while the agent works. */
  readonly #beforeKey = (_text: string | undefined, { ctrl = false, name }: Key = {}): void => {
    const isTyping = !ctrl && name !== "return" && name !== "enter";
    if (isTyping && this.#busy !== undefined && this.#waiting === undefined && !this.#gate.isHeld) this.#speak();
  };

  readonly #afterKey = (): void => {
    if (this.#gate.isHeld && this.#waiting === undefined && this.#lines.line === "") this.#stopSpeaking();
  };

  #speak(): void {
    if (this.#gate.isHeld) return;
    this.#host.terminal.stderr.write(this.#gate.isAtLineStart ? "" : "\n");
    this.#gate.hold();
    this.#lines.setPrompt(SPEAKING);
    this.#lines.prompt(true);
  }

  #stopSpeaking(): void {
    if (!this.#gate.isHeld) return;
    this.#host.terminal.stderr.write(ERASE_LINE);
    this.#gate.release();
  }

  #takeTyped(): string {
    const typed = this.#isEditor ? this.#lines.line : "";
    this.#clearTyped();
    return typed;
  }

  #clearTyped(): void {
    if (!this.#isEditor || this.#isClosed || this.#lines.line === "") return;
    this.#lines.write(null, { ctrl: true, name: "e" });
    this.#lines.write(null, { ctrl: true, name: "u" });
  }
}

const INTERRUPTED = Symbol("interrupted");
