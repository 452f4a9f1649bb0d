import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import type { ExecutionError } from "../code-executor.js";
import type { Sandbox, SandboxAnswer, SandboxCode, SandboxListener } from "../sandbox.js";
import { SandboxUnavailableError } from "../sandbox-errors.js";
import { catastrophicError, lostError } from "../sandbox-texts.js";
import type { ChildCommandLine } from "./child-command.js";
import { type ChildCommand, readChildMessage } from "./child-messages.js";
import { encodeFrame, FrameReader } from "./frames.js";

/** What a child is started with. */
export interface ChildOptions {
  /** How it is started. */
  readonly command: ChildCommandLine;
  /** An empty folder. */
  readonly folder: string;
  /** Called when a place has become free, and when the child has ended. */
  readonly onChange: () => void;
}

/** A child has this long to be ready, and to give a place back. */
const START_MS = 20_000;
const DISPOSE_MS = 1_000;
/** Of one execution. More than a guest says within its limits, unless they allow some 300,000 empty log entries. */
const MAX_EVENTS = 300_000;

const living = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of living) child.kill("SIGKILL");
});

/** One child process and the sandboxes in it. It keeps no process alive: an execution has its clock for that. */
export class Child {
  readonly ready: Promise<void>;
  readonly #process: ChildProcess;
  readonly #socket: Socket;
  readonly #options: ChildOptions;
  readonly #tenants = new Map<number, RemoteSandbox>();
  readonly #started = Promise.withResolvers<void>();
  readonly #startTimer: NodeJS.Timeout;
  #served = 0;
  #isRetiring = false;
  #hasEnded = false;

  constructor(options: ChildOptions) {
    this.#options = options;
    const { file, args } = options.command;
    this.#process = spawn(file, args, {
      cwd: options.folder,
      env: { TZ: "UTC" },
      stdio: ["ignore", "ignore", "ignore", "pipe"],
      windowsHide: true,
    });
    living.add(this.#process);
    this.#process.once("error", (error) => this.#onEnd(error));
    this.#process.once("exit", () => this.#onEnd());
    this.#process.unref();
    this.#socket = this.#process.stdio[3] as Socket;
    const reader = new FrameReader();
    this.#socket.on("data", (chunk: Buffer) => this.#onData(reader, chunk));
    this.#socket.on("error", () => this.end()); // it has ended, or is about to
    this.#startTimer = setTimeout(() => this.end(), START_MS); // keeps this process alive until the child is ready
    this.ready = this.#started.promise;
  }

  /** Number of sandboxes in it. */
  get tenantCount(): number {
    return this.#tenants.size;
  }

  /** Number of sandboxes that it has had. */
  get served(): number {
    return this.#served;
  }

  /** Whether the process is gone. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Whether no further sandbox may be opened in it. */
  get isClosed(): boolean {
    return this.#hasEnded || this.#isRetiring;
  }

  /** Opens a sandbox. Does not wait for the child. */
  open({ memoryMiB, maxResidentMiB }: { memoryMiB: number; maxResidentMiB: number }): RemoteSandbox {
    this.#served += 1;
    const id = this.#served;
    const sandbox = new RemoteSandbox({
      say: (command, text) => this.#say({ ...command, id } as ChildCommand, text),
      onDisposed: (isRunning) => this.#onDisposed(id, isRunning),
      onViolation: () => this.end(),
    });
    this.#tenants.set(id, sandbox);
    this.#say({ type: "open", id, memoryMiB, maxResidentMiB });
    return sandbox;
  }

  /** The sandbox that has been idle for longest, if for at least so long. */
  longestIdle(idleMs: number): RemoteSandbox | undefined {
    const idle = [...this.#tenants.values()].filter((sandbox) => sandbox.idleMs() >= idleMs);
    return idle.sort((a, b) => b.idleMs() - a.idleMs())[0];
  }

  /** Takes no further sandboxes, and ends once those in it have. */
  retire(): void {
    this.#isRetiring = true;
    if (this.#tenants.size === 0) this.end();
  }

  /** Ends the process at once. */
  end(): void {
    this.#isRetiring = true;
    this.#process.kill("SIGKILL");
  }

  /** Settles when the process has ended. */
  async ended(): Promise<void> {
    if (this.#hasEnded) return;
    this.#process.ref();
    await new Promise((resolve) => this.#process.once("exit", resolve));
  }

  #say(command: ChildCommand, text?: string): void {
    if (!this.#hasEnded && this.#socket.writable) this.#socket.write(encodeFrame(command, text));
  }

  #onData(reader: FrameReader, chunk: Buffer) {
    try {
      for (const frame of reader.read(chunk)) {
        const message = readChildMessage(frame);
        if (message === undefined) return this.end();
        if (message.type === "ready") this.#onReady();
        else if (message.type === "disposed") this.#onPlaceBack(message.id, message.clean);
        else this.#tenants.get(message.id)?.receive(message.event);
      }
    } catch {
      this.end(); // bytes that are no frames
    }
  }

  #onReady(): void {
    clearTimeout(this.#startTimer);
    (this.#socket as Socket & { unref(): void }).unref();
    this.#started.resolve();
  }

  /** What runs may not be stoppable, so the process goes with it, as soon as its neighbours are done. */
  #onDisposed(id: number, isRunning: boolean): void {
    if (isRunning) {
      this.#tenants.delete(id);
      this.retire();
      this.#say({ type: "dispose", id });
      return;
    }
    this.#say({ type: "dispose", id });
    setTimeout(() => this.#onPlaceBack(id, false), DISPOSE_MS).unref();
  }

  #onPlaceBack(id: number, clean: boolean): void {
    if (!this.#tenants.delete(id)) return;
    if (!clean) this.retire();
    else if (this.#isRetiring && this.#tenants.size === 0) this.end();
    this.#options.onChange();
  }

  #onEnd(cause?: Error): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    living.delete(this.#process);
    clearTimeout(this.#startTimer);
    this.#started.reject(new SandboxUnavailableError({ problem: "The child process of the sandbox could not be started.", cause }));
    this.#started.promise.catch(() => undefined); // whoever waits for it knows; nobody else has to
    const error = this.#process.signalCode === "SIGABRT" || this.#process.signalCode === "SIGTRAP" ? catastrophicError() : lostError();
    for (const sandbox of this.#tenants.values()) sandbox.lose(error);
    this.#tenants.clear();
    this.#options.onChange();
  }
}

type WithoutId<T> = T extends unknown ? Omit<T, "id"> : never;

interface RemoteSandboxOptions {
  readonly say: (command: WithoutId<ChildCommand>, text?: string) => void;
  readonly onDisposed: (isRunning: boolean) => void;
  readonly onViolation: () => void;
}

/** A sandbox in a child process, as this process sees it. */
export class RemoteSandbox implements Sandbox {
  readonly #options: RemoteSandboxOptions;
  #listener: SandboxListener | undefined;
  #isRunning = false;
  #isGone = false;
  #events = 0;
  #idleSince = performance.now();

  constructor(options: RemoteSandboxOptions) {
    this.#options = options;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** For how long it has run nothing; less than 0 while it runs something. */
  idleMs(): number {
    return this.#isRunning ? -1 : performance.now() - this.#idleSince;
  }

  run({ code, ...rest }: SandboxCode, listener: SandboxListener) {
    if (this.#isGone) return listener({ type: "lost", error: lostError() });
    this.#listener = listener;
    this.#isRunning = true;
    this.#events = 0;
    this.#options.say({ type: "run", ...rest }, code);
  }

  settle({ text, ...rest }: SandboxAnswer): void {
    const { callId, ok, elapsedMs } = rest;
    this.#options.say({ type: "settle", callId, ok, elapsedMs }, text);
  }

  ping(): void {
    this.#options.say({ type: "ping" });
  }

  dispose() {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#listener = undefined;
    this.#options.onDisposed(this.#isRunning);
  }

  /** Takes what the child says about this sandbox. */
  receive(event: Parameters<SandboxListener>[0]) {
    this.#events += 1;
    if (this.#events > MAX_EVENTS) return this.#options.onViolation();
    if (event.type === "lost") return this.lose(event.error);
    if (event.type === "completed" || event.type === "failed") {
      this.#isRunning = false;
      this.#idleSince = performance.now();
    }
    this.#listener?.(event);
  }

  /** The sandbox is gone. */
  lose(error: ExecutionError): void {
    if (this.#isGone) return;
    const listener = this.#listener;
    this.dispose();
    listener?.({ type: "lost", error });
  }
}
