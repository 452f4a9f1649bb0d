import type { AgentMessage } from "triact";

/** The text of a message. */
export function textOf(message: AgentMessage | undefined): string {
  return (message?.content ?? []).map((part) => (part.type === "text" ? part.text : "")).join("");
}
