import type { AgentRunResult } from "../base/agent-runtime.js";
import { describeEnd } from "./describe-end.js";
import type { Renderer } from "./renderer.js";
import { safeText } from "./safe-text.js";
import type { Terminal } from "./terminal.js";

/** Writes the final text and nothing else. What went wrong is told on standard error. */
export class QuietRenderer implements Renderer {
  readonly #terminal: Pick<Terminal, "stdout" | "stderr">;

  constructor(terminal: Pick<Terminal, "stdout" | "stderr">) {
    this.#terminal = terminal;
  }

  onEvent(): void {
    // only the end counts
  }

  onEnd(result: AgentRunResult, hint: string | undefined): void {
    const { stdout, stderr } = this.#terminal;
    if (result.status === "completed") stdout.write(`${stdout.isTerminal ? safeText(result.outputText) : result.outputText}\n`);
    else stderr.write(describeEnd(result, { hint, output: stderr }));
  }

  close(): void {
    // nothing is held
  }
}
