import { BaseAgentRuntime } from "../base/base-agent-runtime.js";

/** Native tool calling: the model answers with text and tool calls, the base loop runs the calls. */
export class ReActRuntime extends BaseAgentRuntime {
  override readonly name = "react";

  protected override instructions(): string {
    return "Use tools when necessary. Return concise final answers.";
  }
}
