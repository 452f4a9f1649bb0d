import type { Sandbox, SandboxAnswer, SandboxCode, SandboxEvent, SandboxListener } from "../sandbox.js";
import { lostError } from "../sandbox-texts.js";
import type { WorkerCommand } from "./quickjs-realm.js";

/** A thread with an interpreter, in Node or in a browser. */
export interface QuickJsThread {
  /** Sends a command. */
  post(command: WorkerCommand): void;
  /** Says where news of the thread goes. */
  listen(listeners: {
    readonly onMessage: (event: SandboxEvent | "ready") => void;
    readonly onError: (error: Error) => void;
    readonly onExit: () => void;
  }): void;
  /** Lets the process end while nothing runs in the thread. */
  unref(): void;
  /** Ends the thread, whatever it does. */
  end(): void;
}

/** An interpreter in a thread of its own, as this thread sees it. */
export class QuickJsSandbox implements Sandbox {
  /** Settles when the interpreter can run code, and rejects if it cannot be loaded. */
  readonly ready: Promise<void>;
  readonly #thread: QuickJsThread;
  #listener: SandboxListener | undefined;
  #isGone = false;

  constructor(thread: QuickJsThread) {
    this.#thread = thread;
    this.ready = new Promise((resolve, reject) => {
      thread.listen({
        onMessage: (event) => {
          if (event === "ready") resolve();
          else this.#listener?.(event);
        },
        onError: reject,
        onExit: () => this.#onExit(),
      });
    });
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** Lets the process end while nothing runs here. */
  unref(): void {
    this.#thread.unref();
  }

  run(code: SandboxCode, listener: SandboxListener): void {
    this.#listener = listener;
    this.#thread.post({ type: "run", code });
  }

  settle({ callId, ok, text, elapsedMs }: SandboxAnswer): void {
    this.#thread.post({ type: "settle", answer: { callId, ok, text, elapsedMs } });
  }

  ping(): void {
    this.#thread.post({ type: "ping" });
  }

  dispose(): void {
    this.#listener = undefined;
    this.#isGone = true;
    this.#thread.end();
  }

  #onExit(): void {
    this.#isGone = true;
    this.#listener?.({ type: "lost", error: lostError() });
  }
}
