import type { Sandbox, SandboxAnswer, SandboxCode, SandboxEvent, SandboxListener } from "../sandbox.js";
import { cpuError } from "../sandbox-texts.js";

/**
 * A sandbox that cannot watch itself, since its one thread is the guest's. It is at work from each command until it has answered a ping that was sent right after it; when
 * that has taken longer than the code may compute, it is ended.
 */
export class WatchedSandbox implements Sandbox {
  readonly #inner: Sandbox;
  #listener: SandboxListener | undefined;
  /** Who asked for the pongs that are to come, in order. */
  readonly #pings: ("watch" | "listener")[] = [];
  #cpuMs = 0;
  #leftMs = 0;
  #busySince: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(inner: Sandbox) {
    this.#inner = inner;
  }

  get isGone(): boolean {
    return this.#inner.isGone;
  }

  run(code: SandboxCode, listener: SandboxListener): void {
    this.#listener = listener;
    this.#cpuMs = code.cpuMs;
    this.#leftMs = code.cpuMs;
    this.#pings.length = 0;
    this.#inner.run(code, (event) => this.#onEvent(event));
    this.#watch();
  }

  settle(answer: SandboxAnswer): void {
    this.#inner.settle(answer);
    this.#watch();
  }

  ping(): void {
    this.#pings.push("listener");
    this.#inner.ping();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#listener = undefined;
    this.#inner.dispose();
  }

  #watch(): void {
    if (this.isGone) return;
    this.#pings.push("watch");
    this.#inner.ping();
    if (this.#busySince !== undefined) return;
    this.#busySince = performance.now();
    this.#timer = setTimeout(() => this.#onExpired(), Math.max(this.#leftMs, 0));
  }

  #onEvent(event: SandboxEvent) {
    if (event.type !== "ponged") return this.#listener?.(event);
    const asker = this.#pings.shift();
    if (!this.#pings.includes("watch")) this.#rest();
    if (asker === "listener") this.#listener?.(event);
  }

  #rest(): void {
    clearTimeout(this.#timer);
    if (this.#busySince !== undefined) this.#leftMs -= performance.now() - this.#busySince;
    this.#busySince = undefined;
  }

  #onExpired(): void {
    const listener = this.#listener;
    this.dispose();
    listener?.({ type: "lost", error: cpuError({ cpuMs: this.#cpuMs }) });
  }
}
