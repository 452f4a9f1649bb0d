import type { AgentEvent } from "../../base/events.js";
import { isObject } from "../../base/json.js";
import { type AgentMessage, textOf } from "../../base/message.js";
import { readCodeReply } from "../../runtimes/codeact/code-reply.js";
import type { TraceStep } from "../record.js";

/** What a tracer is made with. */
export interface CellTracerOptions {
  /** As `performance.now()` counts. */
  readonly startedAt: number;
  /** Names of calls that are the runtime's own and no tools: code, for example. */
  readonly ownTools: ReadonlySet<string>;
  /** Names of tools that change something. */
  readonly writes: ReadonlySet<string>;
}

type CallStep = Extract<TraceStep, { readonly kind: "call" }>;

/** Writes down what happens in a run, those within it included, and adds up the times. */
export class CellTracer {
  /** The events that it looks at. Others need not be built for it. */
  static readonly types = [
    "message-added",
    "tool-started",
    "tool-finished",
    "nested-event",
  ] as const satisfies readonly AgentEvent["type"][];
  readonly steps: TraceStep[] = [];
  readonly #options: CellTracerOptions;
  readonly #open = new Map<string, { readonly input: unknown; readonly atMs: number }>();
  readonly #written = new Set<string>();
  #repeatedWrites = 0;
  #toolCalls = 0;
  #toolMs = 0;
  #ownMs = 0;
  #toolMsWithinOwn = 0;

  constructor(options: CellTracerOptions) {
    this.#options = options;
  }

  /** Calls of tools, those made by code included. */
  get toolCalls(): number {
    return this.#toolCalls;
  }

  /** Successful calls of writing tools with an input that such a call had before. */
  get repeatedWrites(): number {
    return this.#repeatedWrites;
  }

  /** Time in tools; of calls at once, the sum. */
  get toolMs(): number {
    return this.#toolMs;
  }

  /** Time in code, without the tools that it called. */
  get sandboxMs(): number {
    return Math.max(0, this.#ownMs - this.#toolMsWithinOwn);
  }

  /** Takes an event of the run. */
  readonly take = (event: AgentEvent): void => {
    switch (event.type) {
      case "message-added":
        this.#addMessage(event.message);
        return;
      case "tool-started":
        this.#open.set(event.toolCall.toolCallId, { input: event.toolCall.input, atMs: this.now() });
        return;
      case "tool-finished":
        this.#addCall(event);
        return;
      case "nested-event":
        this.take(event.event);
    }
  };

  /** Milliseconds since the cell began. */
  now(at = performance.now()): number {
    return Math.round((at - this.#options.startedAt) * 100) / 100;
  }

  #addMessage(message: AgentMessage): void {
    const text = textOf(message);
    if (message.role === "tool" || text === "") return; // results stand with their calls
    const read = message.role === "assistant" && this.#options.ownTools.has("code") ? readCodeReply(text) : undefined;
    const code = read?.kind === "code" ? { code: read.code } : undefined;
    this.steps.push({ kind: "message", atMs: this.now(), role: message.role, text, ...code });
  }

  #addCall({ toolCallId, toolName, parentToolCallId, result, durationMs }: Extract<AgentEvent, { readonly type: "tool-finished" }>): void {
    const started = this.#open.get(toolCallId);
    this.#open.delete(toolCallId);
    if (this.#options.ownTools.has(toolName)) this.#ownMs += durationMs;
    else {
      this.#toolCalls += 1;
      this.#toolMs += durationMs;
      if (parentToolCallId !== undefined) this.#toolMsWithinOwn += durationMs;
      if (this.#options.writes.has(toolName) && result.isError !== true) this.#addWrite(toolName, started?.input);
    }
    const step: CallStep = {
      kind: "call",
      atMs: started?.atMs ?? this.now(),
      durationMs,
      toolCallId,
      ...(parentToolCallId === undefined ? undefined : { parentToolCallId }),
      toolName,
      input: started?.input ?? {},
      output: result.output,
      isError: result.isError === true,
    };
    this.steps.push(step);
  }

  #addWrite(toolName: string, input: unknown): void {
    const write = JSON.stringify([toolName, isObject(input) ? Object.entries(input).sort(([a], [b]) => (a < b ? -1 : 1)) : input]);
    if (this.#written.has(write)) this.#repeatedWrites += 1;
    else this.#written.add(write);
  }
}
