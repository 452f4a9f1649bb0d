import { isObject, toText } from "../../base/json.js";
import type { AgentMessage, MessagePart, TextPart, ToolCallPart, ToolResultPart } from "../../base/message.js";
import { toolErrorText, toolResultText } from "../../base/model-texts.js";
import { CODE_TOOL, isStepOutput } from "./code-step-output.js";
import { codeActTexts } from "./codeact-texts.js";

const rendered = new WeakMap<AgentMessage, AgentMessage>();

/** The history for a model that is told of no tools: native calls and results of earlier turns, of another runtime perhaps, as text. */
export function asTextHistory(messages: readonly AgentMessage[]): readonly AgentMessage[] {
  return messages.some(hasNativeCalls) ? Object.freeze(messages.map(render).filter(({ content }) => content.length > 0)) : messages;
}

function hasNativeCalls({ role, content }: AgentMessage): boolean {
  return role === "tool" || content.some(isNativeCall);
}

function isNativeCall(part: MessagePart): boolean {
  return part.type === "tool-result" || (part.type === "tool-call" && part.providerExecuted !== true);
}

function render(message: AgentMessage): AgentMessage {
  if (!hasNativeCalls(message)) return message;
  let text = rendered.get(message);
  if (text === undefined) {
    const content = Object.freeze(message.content.flatMap(renderPart));
    text = Object.freeze({ ...message, role: message.role === "tool" ? "user" : message.role, content });
    rendered.set(message, text);
  }
  return text;
}

function renderPart(part: MessagePart): MessagePart[] {
  if (part.type === "tool-call" && part.providerExecuted !== true) return [textPart(callText(part))];
  if (part.type !== "tool-result") return [part];
  if (part.toolName === CODE_TOOL && isStepOutput(part.output)) return []; // the observation behind it tells the same, cut to size
  return [textPart(resultText(part)), ...(part.content ?? [])];
}

/** A native call of the code is shown as the message that it should have been. */
function callText(call: ToolCallPart): string {
  const { toolName, input } = call;
  return toolName === CODE_TOOL && typeof input["code"] === "string"
    ? JSON.stringify({ type: "code", ...input })
    : codeActTexts.earlierCall(call);
}

function resultText({ output, isError, toolName: tool, toolCallId: callId }: ToolResultPart): string {
  if (isError !== true) return toolResultText({ output, tool, callId });
  const error = isObject(output) && typeof output["error"] === "string" ? output["error"] : toText(output);
  return toolErrorText({ errorType: "execution", error, tool, callId });
}

function textPart(text: string): TextPart {
  return Object.freeze({ type: "text", text });
}
