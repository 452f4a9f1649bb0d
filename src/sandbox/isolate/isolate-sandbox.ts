import type IsolatedVm from "isolated-vm";
import { type Parser, type PreparedCode, prepareCode } from "../code/prepare-code.js";
import type { ExecutionError } from "../code-executor.js";
import { GUEST_FILE_NAME, guestProgram } from "../guest/guest-program.js";
import { completedEvent, failedEvent, isLogLevel } from "../guest-events.js";
import type { Sandbox, SandboxAnswer, SandboxCode, SandboxListener } from "../sandbox.js";
import { catastrophicError, cpuError, memoryError } from "../sandbox-texts.js";
import type { Ivm } from "./load-isolated-vm.js";

/** What an isolate is made with. */
export interface IsolateOptions {
  /** The module isolated-vm. */
  readonly ivm: Ivm;
  /** What reads the code. */
  readonly parser: Parser;
  /** V8's limit for the heap. */
  readonly memoryMiB: number;
  /** Called when V8 has given up: this process must not go on for long. */
  readonly onCatastrophe: () => void;
  /** Called when the isolate is disposed of while code may run in it. */
  readonly onDispose?: () => void;
}

/** How often the clocks of an isolate are looked at. */
const POLL_MS = 25;
/** What code has left behind may compute for so long before it has come to rest, in milliseconds. */
const REST_CPU_MS = 100;

/**
 * One V8 isolate with one realm.
 *
 * Nothing of isolated-vm enters the guest: out of it leads one callback, held by our own code there, into it the one function which that code returns, and
 * only strings, numbers and booleans pass.
 */
export class IsolateSandbox implements Sandbox {
  readonly #isolate: IsolatedVm.Isolate;
  readonly #options: IsolateOptions;
  #enter: IsolatedVm.Reference | undefined;
  #listener: SandboxListener | undefined;
  #prepared: PreparedCode | undefined;
  #poll: NodeJS.Timeout | undefined;
  #cpuLimit = { startNs: 0n, ms: 0 };
  #isRunning = false;

  private constructor(options: IsolateOptions) {
    this.#options = options;
    const onCatastrophicError = () => this.#onCatastrophe();
    this.#isolate = new options.ivm.Isolate({ memoryLimit: options.memoryMiB, snapshot: guestSnapshot(options.ivm), onCatastrophicError });
  }

  /** Makes an isolate with its realm. */
  static async create(options: IsolateOptions): Promise<IsolateSandbox> {
    const sandbox = new IsolateSandbox(options);
    const context = await sandbox.#isolate.createContext();
    const receive = (type: unknown, id: unknown, first: unknown, second: unknown) => sandbox.#receive({ type, id, first, second });
    const send = new options.ivm.Callback(receive as never, { sync: true } as never);
    sandbox.#enter = await context.evalClosure(START, [send], { result: { reference: true }, filename: GUEST_FILE_NAME });
    return sandbox;
  }

  get isGone(): boolean {
    return this.#isolate.isDisposed;
  }

  run(code: SandboxCode, listener: SandboxListener) {
    this.#listener = listener;
    const preparation = prepareCode(code, this.#options.parser);
    if (!preparation.ok) return listener({ type: "failed", error: preparation.error, notices: [], omittedLogChars: 0 });
    if (this.#isolate.isDisposed) return this.#lose(memoryError(this.#options));
    const { original: _, ...prepared } = preparation.prepared;
    this.#prepared = preparation.prepared;
    this.#isRunning = true;
    this.#watch(code.cpuMs);
    // The engine's own clock is for a host that is too busy to look at ours.
    this.#apply(["run", 0, JSON.stringify({ ...code.step, ...prepared })], { timeout: code.cpuMs + 1_000 });
  }

  settle({ callId, text, ok, elapsedMs }: SandboxAnswer): void {
    this.#apply(["settle", callId, text, ok, elapsedMs]);
  }

  ping(): void {
    if (!this.#isRunning && !this.#isolate.isDisposed) this.#watch(REST_CPU_MS);
    this.#apply(["ping", 0]);
  }

  dispose(): void {
    this.#listener = undefined;
    this.#stopPolling();
    if (this.#isolate.isDisposed) return;
    this.#isolate.dispose();
    this.#options.onDispose?.();
  }

  /** An isolate that is gone throws; that it is gone is found out by looking. */
  #apply(values: (string | number | boolean)[], options: { timeout?: number } = {}): void {
    if (!this.#isolate.isDisposed) this.#enter?.applyIgnored(undefined, values, options);
  }

  /** Called by the guest's own code. Must not throw: an error would enter the guest with its stack. */
  #receive({ type, id, first, second }: Record<"type" | "id" | "first" | "second", unknown>) {
    const listener = this.#listener;
    if (listener === undefined || typeof id !== "number" || typeof first !== "string" || typeof second !== "string") return;
    switch (type) {
      case "called":
        return listener({ type, callId: id, toolName: first, text: second });
      case "logged":
        return isLogLevel(first) ? listener({ type, level: first, text: second }) : undefined;
      case "timer-set":
        return listener({ type, callId: id, delayMs: Number(first) });
      case "ponged":
        if (!this.#isRunning) this.#stopPolling();
        return listener({ type });
      case "completed":
        this.#endRun();
        return listener(completedEvent({ omittedLogChars: id, text: first, meta: second }));
      case "failed":
        this.#endRun();
        return listener(failedEvent({ omittedLogChars: id, meta: second, original: this.#prepared?.original }));
    }
  }

  #endRun(): void {
    this.#isRunning = false;
    this.#stopPolling();
  }

  /** Looks again and again at how long the code computes from now on. */
  #watch(cpuMs: number): void {
    this.#cpuLimit = { startNs: this.#isolate.cpuTime, ms: cpuMs };
    this.#poll ??= setInterval(() => this.#check(), POLL_MS);
  }

  #check() {
    if (this.#isolate.isDisposed) return this.#lose(memoryError(this.#options));
    const usedMs = Number(this.#isolate.cpuTime - this.#cpuLimit.startNs) / 1e6;
    if (usedMs > this.#cpuLimit.ms) this.#lose(cpuError({ cpuMs: this.#cpuLimit.ms }));
  }

  #onCatastrophe(): void {
    this.#lose(catastrophicError());
    this.#options.onCatastrophe();
  }

  #lose(error: ExecutionError): void {
    const listener = this.#listener;
    this.dispose();
    listener?.({ type: "lost", error });
  }

  #stopPolling(): void {
    clearInterval(this.#poll);
    this.#poll = undefined;
  }
}

/** Name under which a snapshot holds our own program, until it starts; no code of the model runs before that. */
const PROGRAM = "__triactGuest";
const START = `const start = globalThis.${PROGRAM}; delete globalThis.${PROGRAM}; return start($0);`;

let snapshot: IsolatedVm.ExternalCopy<ArrayBuffer> | undefined;

/** A heap in which our own program is parsed already: that takes longer than to run it. */
function guestSnapshot(ivm: Ivm): IsolatedVm.ExternalCopy<ArrayBuffer> {
  snapshot ??= ivm.Isolate.createSnapshot([
    { code: `globalThis.${PROGRAM} = function ($0) { ${guestProgram("$0")} }`, filename: GUEST_FILE_NAME },
  ]);
  return snapshot;
}
