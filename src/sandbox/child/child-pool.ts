import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sandbox } from "../sandbox.js";
import type { OpenOptions } from "../sandbox-executor.js";
import { Child } from "./child.js";
import { type ChildCommandLine, childCommandLine } from "./child-command.js";

/** How many children there are, and for how long. */
export interface ChildPoolOptions {
  /** Child processes at most; who needs one more waits. @default 8 */
  readonly maxChildren?: number;
  /** Sandboxes in one child at once. More than 1 saves memory, and lets one guest's crash end its neighbours. @default 1 */
  readonly sandboxesPerChild?: number;
  /** Children kept ready while nothing runs. @default 1 */
  readonly spareChildren?: number;
  /** Sandboxes after which a child is replaced. @default 200 */
  readonly sandboxesBeforeReplacement?: number;
  /** Milliseconds without work after which a session may lose its place, with its variables, to code that waits. @default 60_000 */
  readonly sessionIdleMs?: number;
}

/** Options of a pool with every default filled in. */
export interface ChildPoolSettings extends Required<ChildPoolOptions> {
  /** How children are started. @default {@link childCommandLine} */
  readonly command?: ChildCommandLine;
}

interface Waiting {
  readonly options: OpenOptions;
  readonly resolve: (sandbox: Sandbox) => void;
  readonly reject: (reason: unknown) => void;
}

/** Memory of a child that runs nothing, and of the engine around a heap, in MiB. */
const CHILD_MIB = 100;
const EVICTION_MS = 250;
/** Idle children beyond the spares are ended after this time. */
const IDLE_MS = 5_000;

/** Child processes that hold sandboxes, and the queue of those who wait for a place. */
export class ChildPool {
  readonly #options: ChildPoolSettings;
  readonly #children = new Set<Child>();
  readonly #queue: Waiting[] = [];
  #command: ChildCommandLine | undefined;
  #folder: string | undefined;
  #evictionTimer: NodeJS.Timeout | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: ChildPoolSettings) {
    this.#options = options;
    this.#command = options.command;
  }

  /** Opens a sandbox in a child, at once or when there is a place. Rejects with the signal's reason when it is aborted. */
  open(options: OpenOptions): Promise<Sandbox> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#queue.splice(this.#queue.indexOf(waiting), 1);
        reject(options.signal.reason);
      };
      const waiting: Waiting = {
        options,
        resolve: (sandbox) => {
          options.signal.removeEventListener("abort", onAbort);
          resolve(sandbox);
        },
        reject: (reason) => {
          options.signal.removeEventListener("abort", onAbort);
          reject(reason);
        },
      };
      if (options.signal.aborted) return reject(options.signal.reason);
      options.signal.addEventListener("abort", onAbort, { once: true });
      this.#queue.push(waiting);
      this.#serve();
    });
  }

  /** Ends all children, and waits until they have ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#evictionTimer);
    clearTimeout(this.#idleTimer);
    const children = [...this.#children];
    for (const child of children) child.end();
    await Promise.all(children.map((child) => child.ended()));
    this.#removeFolder();
  }

  #serve(): void {
    for (const child of this.#children) if (child.hasEnded) this.#children.delete(child);
    while (this.#queue.length > 0 && !this.#isClosed) {
      const child = this.#place();
      if (child === undefined) break;
      const waiting = this.#queue.shift();
      if (waiting) this.#give(child, waiting);
    }
    if (this.#isClosed) return;
    this.#keepSpares();
    this.#watchQueue();
  }

  /** A child with room: an empty one, else a new one, else one that is shared. */
  #place(): Child | undefined {
    const open = [...this.#children].filter((child) => !child.isClosed && child.tenantCount < this.#options.sandboxesPerChild);
    const emptiest = open.sort((a, b) => a.tenantCount - b.tenantCount)[0];
    if (emptiest?.tenantCount === 0) return emptiest;
    return this.#children.size < this.#options.maxChildren ? this.#start() : emptiest;
  }

  #give(child: Child, { options: { memoryMiB }, resolve, reject }: Waiting): void {
    const { sandboxesPerChild, sandboxesBeforeReplacement } = this.#options;
    const sandbox = child.open({ memoryMiB, maxResidentMiB: CHILD_MIB + sandboxesPerChild * memoryMiB * 2 });
    if (child.served >= sandboxesBeforeReplacement) child.retire();
    child.ready.then(() => resolve(sandbox), reject);
  }

  #start(): Child {
    this.#command ??= childCommandLine();
    this.#folder ??= makeFolder();
    const child = new Child({ command: this.#command, folder: this.#folder, onChange: () => this.#serve() });
    this.#children.add(child);
    return child;
  }

  /** Starts a child ahead of its use once there has been use, and ends those that have had nothing to do for a while. */
  #keepSpares(): void {
    const idle = [...this.#children].filter((child) => !child.isClosed && child.tenantCount === 0);
    const isUsed = this.#children.size > idle.length;
    if (isUsed && idle.length < this.#options.spareChildren && this.#children.size < this.#options.maxChildren) this.#start();
    if (idle.length <= this.#options.spareChildren || this.#idleTimer !== undefined) return;
    this.#idleTimer = setTimeout(() => {
      this.#idleTimer = undefined;
      this.#endSurplus();
    }, IDLE_MS);
    this.#idleTimer.unref();
  }

  #endSurplus(): void {
    const idle = [...this.#children].filter((child) => !child.isClosed && child.tenantCount === 0);
    for (const child of idle.slice(this.#options.spareChildren)) child.retire();
  }

  /** While somebody waits, sessions that have long been idle lose their places. */
  #watchQueue(): void {
    if (this.#queue.length === 0) {
      clearInterval(this.#evictionTimer);
      this.#evictionTimer = undefined;
    } else this.#evictionTimer ??= setInterval(() => this.#evict(), EVICTION_MS);
  }

  #evict(): void {
    const idle = [...this.#children].flatMap((child) => child.longestIdle(this.#options.sessionIdleMs) ?? []);
    idle.sort((a, b) => b.idleMs() - a.idleMs())[0]?.dispose();
  }

  #removeFolder(): void {
    if (this.#folder !== undefined) folders.delete(this.#folder);
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
  }
}

const folders = new Set<string>();
process.on("exit", () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** An empty folder in which children live; where it can be, one in which nothing can be made. */
function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "triact-sandbox-"));
  folders.add(folder);
  chmodSync(folder, 0o500);
  return folder;
}
