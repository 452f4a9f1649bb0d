import type { SandboxCall, SandboxTool, ToolReply } from "./code-executor.js";
import type { JsonValue } from "./sandbox-json.js";

/** A call that a guest made. */
export interface GuestCall {
  readonly callId: number;
  readonly toolName: string;
  readonly input: JsonValue;
}

/** What tool calls are made with. */
export interface ToolCallsOptions {
  /** The functions, by name. */
  readonly tools: ReadonlyMap<string, SandboxTool>;
  /** How many run at once. */
  readonly maxParallel: number;
  /** Called with every answer, unless the calls were stopped before. */
  readonly onReply: (call: GuestCall, reply: ToolReply) => void;
  /** Called when a call has been added, has ended, waits for a person or does so no more. */
  readonly onChange: () => void;
}

type State = "queued" | "running" | "waiting" | "suspended";

/** Calls of host functions by one execution: some at once, the others in a queue. What a tool throws is an answer too. */
export class ToolCalls {
  readonly #options: ToolCallsOptions;
  readonly #states = new Map<number, { readonly toolName: string; state: State }>();
  readonly #queue: GuestCall[] = [];
  #abort: AbortController | undefined;
  #running = 0;
  #stopped = false;
  #closed = false;

  constructor(options: ToolCallsOptions) {
    this.#options = options;
  }

  /** Makes a call, now or when others have ended. */
  make(call: GuestCall): void {
    if (this.#closed) return;
    this.#states.set(call.callId, { toolName: call.toolName, state: "queued" });
    this.#queue.push(call);
    this.#startNext();
    this.#options.onChange();
  }

  /** Names of the tools whose calls are open, in the order of the calls. */
  openNames(): string[] {
    return [...this.#states.values()].map(({ toolName }) => toolName);
  }

  /** Ids of calls whose answer will not come. */
  suspendedIds(): number[] {
    return [...this.#states].filter(([, { state }]) => state === "suspended").map(([callId]) => callId);
  }

  /** Whether calls run or are queued. */
  get areRunning(): boolean {
    return this.#running > 0 || this.#queue.length > 0;
  }

  /** Whether calls are open and every one of them waits for a person, or for an answer that will not come. */
  get areAllWaiting(): boolean {
    if (this.#states.size === 0) return false;
    for (const { state } of this.#states.values()) if (state === "queued" || state === "running") return false;
    return true;
  }

  /** Starts no further calls; those under way go on. */
  close(): void {
    this.#closed = true;
    for (const { callId } of this.#queue.splice(0)) this.#states.delete(callId);
  }

  /** Drops every answer that is still to come, and tells the tools so by their signals. */
  stop(reason?: Error): void {
    this.close();
    this.#stopped = true;
    if (reason) this.#abort?.abort(reason);
  }

  #startNext(): void {
    while (this.#running < this.#options.maxParallel) {
      const call = this.#queue.shift();
      if (call === undefined) return;
      this.#running += 1;
      void this.#run(call); // it never rejects
    }
  }

  async #run(call: GuestCall): Promise<void> {
    const entry = this.#states.get(call.callId);
    if (entry) entry.state = "running";
    const reply = await this.#replyOf(call);
    this.#running -= 1;
    if (this.#stopped) return;
    if (reply.kind === "suspend" && entry) entry.state = "suspended";
    else this.#states.delete(call.callId);
    this.#options.onReply(call, reply);
    this.#startNext();
    this.#options.onChange();
  }

  async #replyOf(call: GuestCall): Promise<ToolReply> {
    try {
      const tool = this.#options.tools.get(call.toolName);
      if (tool === undefined) return { kind: "error", message: `There is no tool ${call.toolName}.` };
      const reply = await (tool(call.input, this.#contextOf(call)) as Promise<ToolReply>);
      return isReply(reply) ? reply : { kind: "error", message: `${call.toolName} answered nothing that can be used.` };
    } catch (thrown) {
      return { kind: "error", message: messageOf(thrown), ...nameOf(thrown) };
    }
  }

  #contextOf({ callId, toolName }: GuestCall): SandboxCall {
    const signalOf = () => this.#signal();
    const pauseClock = () => this.#pause(callId);
    return {
      callId,
      toolName,
      get signal() {
        return signalOf();
      },
      pauseClock,
    };
  }

  /** Made when it is asked for: most tools never look. */
  #signal(): AbortSignal {
    this.#abort ??= new AbortController();
    return this.#abort.signal;
  }

  #pause(callId: number): () => void {
    const entry = this.#states.get(callId);
    let ended = entry?.state !== "running";
    if (entry && !ended) this.#setState(entry, "waiting");
    return () => {
      if (!ended && entry?.state === "waiting") this.#setState(entry, "running");
      ended = true;
    };
  }

  #setState(entry: { state: State }, state: State): void {
    entry.state = state;
    if (!this.#stopped) this.#options.onChange();
  }
}

function isReply(reply: unknown): reply is ToolReply {
  return (
    typeof reply === "object" && reply !== null && "kind" in reply && ["value", "error", "end", "suspend"].includes(reply.kind as string)
  );
}

/** The message alone: a stack would show the host's paths. */
function messageOf(thrown: unknown): string {
  try {
    const text: unknown = thrown instanceof Error ? thrown.message || thrown.name : thrown;
    return typeof text === "string" && text !== "" ? text : "an error without a message";
  } catch {
    return "an error that cannot be read"; // a getter or a Proxy that throws
  }
}

function nameOf(thrown: unknown): { name: string } | undefined {
  try {
    return thrown instanceof Error && typeof thrown.name === "string" && thrown.name !== "Error" ? { name: thrown.name } : undefined;
  } catch {
    return undefined; // a getter or a Proxy that throws
  }
}
