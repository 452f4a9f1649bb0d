import type { Agent } from "../agent/agent.js";
import type { AgentRunResult } from "../base/agent-runtime.js";
import type { CommandHost } from "./command.js";
import type { Renderer } from "./renderer.js";

/** One run, and what shows it. */
export interface ShowRunOptions {
  /** Shows it. */
  readonly renderer: Renderer;
  /** Aborts it. */
  readonly interruption: CommandHost["interruption"];
  /** Starts the run. */
  readonly start: (options: { readonly signal: AbortSignal }) => Promise<AgentRunResult>;
}

/** Lets an agent run once while a renderer shows it. An interruption aborts the run. */
export async function showRun(agent: Agent, { renderer, interruption, start }: ShowRunOptions): Promise<AgentRunResult> {
  const unsubscribe = agent.subscribe((event) => renderer.onEvent(event));
  try {
    return await start({ signal: interruption.signal });
  } finally {
    unsubscribe();
    renderer.close();
  }
}
