import { isObject } from "../base/json.js";
import type { FilePart, ImagePart, MediaPart, MessagePart, ToolResultPart } from "../base/message.js";
import { attachmentOf, notTaken, takenOrNoted, unreadable } from "./attachment.js";
import { ownMetadata, type WireTurn } from "./wire-history.js";
import type { CallIds, ToolNames } from "./wire-names.js";
import { errorText, resultText } from "./wire-texts.js";

/** A content block of a message. */
export type AnthropicBlock = { readonly type: string; readonly [field: string]: unknown };

interface Mapping {
  readonly origin: string;
  readonly ids: CallIds;
  readonly names: ToolNames;
}

/** The blocks of what the user or the model said. */
export function contentOf({ role, parts }: Extract<WireTurn, { parts: unknown }>, mapping: Mapping): AnthropicBlock[] {
  return parts.flatMap((part) => (role === "user" ? userBlock(part) : assistantBlock(part, mapping)) ?? []);
}

/** One result of a tool, with what it carries. */
export function resultBlock(result: ToolResultPart, ids: CallIds): AnthropicBlock {
  const { toolCallId, output, isError, content = [] } = result;
  const text = isError === true ? errorText(result) : resultText(output);
  return {
    type: "tool_result",
    tool_use_id: ids.toWire(toolCallId),
    content: [{ type: "text", text }, ...content.flatMap((part) => takenOrNoted(() => userBlock(part), textBlock) ?? [])],
    ...(isError === true ? { is_error: true } : undefined),
  };
}

function textBlock(text: string): AnthropicBlock {
  return { type: "text", text };
}

function userBlock(part: MessagePart): AnthropicBlock | undefined {
  switch (part.type) {
    case "text":
      return textBlock(part.text);
    case "image":
    case "file":
    case "media":
      return attachmentBlock(part);
    default:
      return undefined; // stands in no user message
  }
}

function attachmentBlock(part: ImagePart | FilePart | MediaPart): AnthropicBlock {
  const attachment = attachmentOf(part);
  const { kind, mediaType, url, base64 = "", name } = attachment;
  const bytes = { type: "base64", media_type: mediaType, data: base64 };
  if (kind === "image") return { type: "image", source: url === undefined ? bytes : { type: "url", url } };
  const title = name === undefined ? undefined : { title: name };
  if (mediaType === "application/pdf") return { type: "document", source: url === undefined ? bytes : { type: "url", url }, ...title };
  if (mediaType.startsWith("text/") && url === undefined) {
    return { type: "document", source: { type: "text", media_type: "text/plain", data: textOfBase64(base64) }, ...title };
  }
  throw notTaken("Anthropic Messages", attachment, "It takes images, PDF and text.");
}

function textOfBase64(base64: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)));
  } catch {
    throw unreadable();
  }
}

function assistantBlock(part: MessagePart, { origin, ids, names }: Mapping): AnthropicBlock | undefined {
  const own = ownMetadata(part, origin);
  switch (part.type) {
    case "text": {
      const citations = own?.["citations"];
      return { type: "text", text: part.text, ...(citations === undefined ? undefined : { citations }) };
    }
    case "reasoning":
      return own === undefined ? undefined : reasoningBlock(part.text, own);
    case "tool-call": {
      if (part.providerExecuted !== true)
        return { type: "tool_use", id: ids.toWire(part.toolCallId), name: names.toWire(part.toolName), input: part.input };
      return own === undefined ? undefined : { ...blockOf(own), id: part.toolCallId, name: part.toolName, input: part.input };
    }
    case "tool-result":
      return own === undefined ? undefined : { ...blockOf(own), tool_use_id: part.toolCallId, content: part.output };
    default:
      return undefined; // pictures of the model's own have no place in its messages
  }
}

function reasoningBlock(thinking: string, { signature, data, block }: Readonly<Record<string, unknown>>): AnthropicBlock | undefined {
  if (isObject(block)) return block as AnthropicBlock;
  if (data !== undefined) return { type: "redacted_thinking", data };
  return signature === undefined ? undefined : { type: "thinking", thinking, signature };
}

/** What a block of the provider's own tools had besides the fields of our parts. */
function blockOf(own: Readonly<Record<string, unknown>>): AnthropicBlock {
  return own["block"] as AnthropicBlock;
}
