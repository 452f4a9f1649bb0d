import { isObject } from "../../base/json.js";
import type { AgentMessage, ToolResultPart } from "../../base/message.js";
import { guestNames } from "../../runtimes/codeact/tool-guide.js";
import { nextAction, type SeenCall } from "./next-action.js";
import type { PolicyProtocol } from "./policy-protocol.js";

/** Tools are declared, and called natively; text without a call is the answer. */
export const nativeProtocol: PolicyProtocol = {
  name: "native calls",
  speaks: () => true,
  async intend({ request, task, granularity }) {
    const toolNames = request.tools.map(({ name }) => name);
    const names = guestNames(toolNames);
    const toGuest = new Map(toolNames.map((toolName, index) => [toolName, names[index] ?? toolName]));
    const played = await nextAction(task.program, transcriptOf(request.messages, toGuest));
    if (played.kind === "answered") return { kind: "text", text: played.answer };
    if (played.kind === "failed") return { kind: "text", text: `I could not finish this: ${played.message}` };
    const calls = granularity === "call" ? played.calls.slice(0, 1) : played.calls;
    if (calls.length === 0) return { kind: "text", text: "I could not finish this: there is nothing that I can wait for." };
    return { kind: "calls", calls: calls.map(({ name, input }) => ({ toolName: toolNames[names.indexOf(name)] ?? name, input })) };
  },
};

/** The calls of a conversation that have a result. */
function transcriptOf(messages: readonly AgentMessage[], toGuest: ReadonlyMap<string, string>): SeenCall[] {
  const inputs = new Map<string, unknown>();
  const calls: SeenCall[] = [];
  for (const { content } of messages) {
    for (const part of content) {
      if (part.type === "tool-call") inputs.set(part.toolCallId, part.input);
      if (part.type !== "tool-result" || !inputs.has(part.toolCallId)) continue;
      calls.push({ name: toGuest.get(part.toolName) ?? part.toolName, input: inputs.get(part.toolCallId), ...resultOf(part) });
    }
  }
  return calls;
}

function resultOf({ output, isError }: ToolResultPart): Pick<SeenCall, "output" | "error" | "notExecuted"> {
  if (isError !== true) return { output };
  const error = isObject(output) && typeof output["error"] === "string" ? output["error"] : JSON.stringify(output);
  return { error, notExecuted: SAYS_NOT_EXECUTED.test(error) };
}

/** What the framework says of calls that it did not make. A model reads it, too. */
const SAYS_NOT_EXECUTED = /nothing was executed|emitted invalid JSON arguments/i;
