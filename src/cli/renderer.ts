import type { AgentRunResult } from "../base/agent-runtime.js";
import type { AgentEvent } from "../base/events.js";
import { HumanRenderer } from "./human-renderer.js";
import { JsonRenderer } from "./json-renderer.js";
import type { FlagValues } from "./parse-flags.js";
import { QuietRenderer } from "./quiet-renderer.js";
import type { Terminal } from "./terminal.js";
import { UsageError } from "./usage-error.js";

/** Shows a run. */
export interface Renderer {
  /** Called with each event, as it happens. */
  onEvent(event: AgentEvent): void;
  /** Called once, after the last event. `hint` says how to go on, where the run did not end. */
  onEnd(result: AgentRunResult, hint: string | undefined): void;
  /** Gives up the terminal, whatever happened. */
  close(): void;
}

/**
 * The renderer that the flags ask for.
 * @throws UsageError when they ask for two.
 */
export function createRenderer(values: FlagValues, terminal: Terminal): Renderer {
  if (values.has("json") && values.has("quiet")) throw new UsageError({ problem: "--quiet: not allowed together with --json." });
  if (values.has("json")) return new JsonRenderer(terminal);
  return values.has("quiet") ? new QuietRenderer(terminal) : new HumanRenderer(terminal);
}
