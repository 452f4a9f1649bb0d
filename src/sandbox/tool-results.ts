import type { ToolReply } from "./code-executor.js";

/** The JSON text that answers a call. What a tool gave that JSON cannot hold, or too much of it, is an error in the code. */
export function settlementText(
  toolName: string,
  reply: Extract<ToolReply, { kind: "value" | "error" }>,
  maxChars: number,
): { readonly ok: boolean; readonly text: string } {
  if (reply.kind === "error") return failure(reply.message, reply.name);
  const text = jsonText(reply.value);
  if (text === undefined) return failure(`${toolName} was executed, but its result cannot be given to code: JSON has no form for it.`);
  if (text.length > maxChars)
    return failure(
      `${toolName} was executed, but its result is too large to be given to code: ${text.length} characters; ${maxChars} are allowed. Ask for less.`,
    );
  return { ok: true, text };
}

const MAX_MESSAGE_CHARS = 20_000;

function failure(message: string, name = ""): { ok: false; text: string } {
  return { ok: false, text: JSON.stringify({ name: name.slice(0, 200), message: withoutPaths(message).slice(0, MAX_MESSAGE_CHARS) }) };
}

function jsonText(value: unknown): string | undefined {
  try {
    return value === undefined ? "null" : JSON.stringify(value);
  } catch {
    return undefined; // a cycle, a BigInt, or a getter that throws
  }
}

/** Takes stack frames out of a message: tools tend to put the stacks of what they caught there. */
function withoutPaths(message: string): string {
  return message.replace(/\n\s+at .+(?=\n|$)/g, "");
}
