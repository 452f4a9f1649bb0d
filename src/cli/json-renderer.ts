import type { AgentEvent } from "../base/events.js";
import type { Renderer } from "./renderer.js";
import type { Terminal } from "./terminal.js";

/** Writes each event as one line of JSON. */
export class JsonRenderer implements Renderer {
  readonly #stdout: Terminal["stdout"];

  constructor({ stdout }: Pick<Terminal, "stdout">) {
    this.#stdout = stdout;
  }

  onEvent(event: AgentEvent): void {
    this.#stdout.write(`${toJsonLine(event)}\n`);
  }

  onEnd(): void {
    // the last event has said it
  }

  close(): void {
    // nothing is held
  }
}

/**
 * An event as one line of JSON, without its snapshot, and without `accumulatedText`, which would make the output grow by its square. Errors are
 * `{ name, message, code?, errorClass? }`.
 */
export function toJsonLine(event: AgentEvent): string {
  const { type, runId, iteration } = event;
  try {
    return escapeControls(JSON.stringify(event, replace));
  } catch (error) {
    return JSON.stringify({ type, runId, iteration, problem: `The event is not JSON: ${String(error)}` }); // a tool's update may be anything
  }
}

function replace(key: string, value: unknown): unknown {
  if (key === "accumulatedText") return undefined;
  if (typeof value === "bigint") return String(value);
  if (!(value instanceof Error)) return value;
  const { name, message, code, errorClass } = value as Error & { readonly code?: unknown; readonly errorClass?: unknown };
  return { name, message, code, errorClass };
}

/** `JSON.stringify` escapes the control characters below the space; a terminal obeys others as well, and some readers break lines at U+2028. */
function escapeControls(json: string): string {
  return json.replace(/[\p{Cc}\u2028\u2029]/gu, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
