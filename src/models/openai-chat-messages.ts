import type { FilePart, ImagePart, MediaPart, MessagePart, ToolCallPart, ToolResultPart } from "../base/message.js";
import type { AgentModelRequest } from "../base/model.js";
import { attachmentOf, notTaken, takenOrNoted, urlOf } from "./attachment.js";
import type { ChatQuirks } from "./chat-quirks.js";
import type { Endpoint } from "./protocol.js";
import { originOf, ownMetadata, turnsOf } from "./wire-history.js";
import { CallIds, PLAIN_CALL_IDS, SHORT_CALL_IDS, type ToolNames } from "./wire-names.js";
import { AFTER_TOOLS_TEXT, CONTINUE_CUE, flaglessResultText, OPENING_CUE } from "./wire-texts.js";

type ContentPart = { readonly type: string; readonly [field: string]: unknown };

/** A message as it goes out, and the model's reasoning that may have to go with it. */
interface ChatMessage {
  readonly role: string;
  content?: string | ContentPart[] | null;
  tool_calls?: readonly object[];
  tool_call_id?: string;
  reasoning_details?: unknown;
  [field: string]: unknown;
}

/** The history as the messages of Chat Completions, with one system message at most, and that in front. */
export function chatMessages(request: AgentModelRequest, endpoint: Endpoint, names: ToolNames): ChatMessage[] {
  const { quirks } = endpoint;
  const writer = new ChatWriter(request, endpoint, names);
  for (const turn of turnsOf(request.messages)) {
    if (turn.role === "user") writer.addUser(turn.parts);
    else if (turn.role === "assistant") writer.addAssistant(turn.parts);
    else writer.addResults(turn.results);
  }
  const messages = writer.finish();
  const { systemPrompt = "" } = request;
  if (systemPrompt.trim() !== "") messages.unshift({ role: quirks.systemRole, content: systemPrompt });
  return messages;
}

class ChatWriter {
  readonly #quirks: ChatQuirks;
  readonly #origin: string;
  readonly #ids: CallIds;
  readonly #names: ToolNames;
  readonly #messages: ChatMessage[] = [];
  /** Reasoning of assistant messages, for the rule of replay. */
  readonly #reasoning = new Map<ChatMessage, string>();

  constructor(request: AgentModelRequest, endpoint: Endpoint, names: ToolNames) {
    this.#quirks = endpoint.quirks;
    this.#origin = originOf(endpoint);
    this.#ids = new CallIds(endpoint.quirks.callIds === "any" ? PLAIN_CALL_IDS : SHORT_CALL_IDS, request);
    this.#names = names;
  }

  finish(): ChatMessage[] {
    const [first] = this.#messages;
    const mustBegin = first === undefined || (this.#quirks.mergeNeighbours && first.role !== "user");
    if (mustBegin) this.#messages.unshift({ role: "user", content: OPENING_CUE });
    if (this.#messages.at(-1)?.role === "assistant") this.#push({ role: "user", content: CONTINUE_CUE });
    this.#replayReasoning();
    return this.#messages;
  }

  addUser(parts: readonly MessagePart[]): void {
    const content = parts.flatMap((part) => this.#userPart(part) ?? []);
    if (content.length > 0) this.#push({ role: "user", content: joined(content) });
  }

  addAssistant(parts: readonly MessagePart[]): void {
    let text = "";
    let reasoning = "";
    let details: unknown;
    const calls: object[] = [];
    for (const part of parts) {
      const own = ownMetadata(part, this.#origin);
      if (part.type === "text") text += part.text;
      else if (part.type === "reasoning" && own !== undefined) {
        reasoning += part.text;
        details = own["reasoningDetails"] ?? details;
      } else if (part.type === "tool-call" && part.providerExecuted !== true) calls.push(this.#call(part, own));
    }
    if (text === "" && calls.length === 0) return;
    const message: ChatMessage = { role: "assistant", ...this.#assistantContent(text) };
    if (calls.length > 0) message.tool_calls = calls;
    if (details !== undefined) message.reasoning_details = details;
    this.#reasoning.set(this.#push(message), reasoning);
  }

  addResults(results: readonly ToolResultPart[]): void {
    const attachments: ContentPart[] = [];
    for (const result of results) {
      const callId = this.#ids.toWire(result.toolCallId);
      const text = flaglessResultText(result, callId);
      const content = (result.content ?? []).flatMap((part) => takenOrNoted(() => this.#userPart(part), textPart) ?? []);
      const texts = content.filter(({ type }) => type === "text");
      const others = content.filter(({ type }) => type !== "text");
      const stays = this.#quirks.toolResultImages && others.length > 0;
      const own: ContentPart[] = [{ type: "text", text }, ...texts, ...(stays ? others : [])];
      this.#messages.push({
        role: "tool",
        tool_call_id: callId,
        content: stays ? own : own.map((part) => String(part["text"])).join("\n"),
      });
      if (!stays && others.length > 0) attachments.push({ type: "text", text: `Attached to the result of ${callId}:` }, ...others);
    }
    if (attachments.length > 0) this.#push({ role: "user", content: attachments });
  }

  #assistantContent(text: string): { content?: string | null } {
    if (text !== "") return { content: text };
    const { emptyContent } = this.#quirks;
    if (emptyContent === "omitted") return {};
    return { content: emptyContent === "null" ? null : "" };
  }

  #call({ toolCallId, toolName, input }: ToolCallPart, own: Readonly<Record<string, unknown>> | undefined): object {
    const extra = own?.["extraContent"];
    return {
      id: this.#ids.toWire(toolCallId),
      type: "function",
      function: { name: this.#names.toWire(toolName), arguments: JSON.stringify(input) },
      ...(extra === undefined ? undefined : { extra_content: extra }),
    };
  }

  /** Adds a message, or what it says to a neighbour of the same role where that is wanted. Returns the one that holds it. */
  #push(message: ChatMessage): ChatMessage {
    const last = this.#messages.at(-1);
    if (last?.role === "tool" && message.role === "user" && !this.#quirks.userAfterTool) {
      this.#messages.push({ role: "assistant", content: AFTER_TOOLS_TEXT });
    } else if (this.#quirks.mergeNeighbours && last?.role === message.role && last.tool_calls === undefined) {
      last.content = merged(last.content, message.content);
      if (message.tool_calls !== undefined) last.tool_calls = message.tool_calls;
      return last;
    }
    this.#messages.push(message);
    return message;
  }

  #userPart(part: MessagePart): ContentPart | undefined {
    switch (part.type) {
      case "text":
        return textPart(part.text);
      case "image":
      case "file":
      case "media":
        return attachmentPart(part, this.#quirks);
      default:
        return undefined; // stands in no user message
    }
  }

  /** Where reasoning has to go back, a call without any goes back with an empty one: the field must be there. */
  #replayReasoning(): void {
    const { replayReasoning: rule, replayField } = this.#quirks;
    if (rule === "never") return;
    const lastUser = this.#messages.findLastIndex(({ role }) => role === "user");
    for (const [index, message] of this.#messages.entries()) {
      if (message.role !== "assistant") continue;
      const reasoning = this.#reasoning.get(message) ?? "";
      const isToolTurn = message.tool_calls !== undefined;
      const wanted = rule === "always" ? isToolTurn || reasoning !== "" : isToolTurn && index > lastUser;
      if (wanted) message[replayField] = reasoning;
    }
  }
}

function textPart(text: string): ContentPart {
  return { type: "text", text };
}

function attachmentPart(part: ImagePart | FilePart | MediaPart, quirks: ChatQuirks): ContentPart {
  const attachment = attachmentOf(part);
  const { kind, mediaType, url, base64 = "", name = "file" } = attachment;
  const refuse = (instead: string) => notTaken("This provider's Chat Completions", attachment, instead);
  if (kind === "image" && quirks.images) return { type: "image_url", image_url: { url: urlOf(attachment) } };
  if (kind === "audio" && url === undefined && /wav|mpeg|mp3/.test(mediaType)) {
    return { type: "input_audio", input_audio: { data: base64, format: mediaType.includes("wav") ? "wav" : "mp3" } };
  }
  if (kind !== "file" || quirks.files === "none") throw refuse(quirks.images ? "Send an image or text." : "Send text.");
  if (quirks.files === "document_url") return { type: "document_url", document_url: urlOf(attachment), document_name: name };
  if (url !== undefined) throw refuse("Send its bytes as base64.");
  return { type: "file", file: { filename: name, file_data: urlOf(attachment) } };
}

/** Text alone goes out as text: not every server knows parts. */
function joined(content: ContentPart[]): string | ContentPart[] {
  if (content.some(({ type }) => type !== "text")) return content;
  return content.map((part) => String(part["text"])).join("\n");
}

function merged(first: ChatMessage["content"], second: ChatMessage["content"]): string | ContentPart[] {
  if (typeof first !== "object" && typeof second !== "object") return [first, second].filter((text) => text).join("\n\n");
  return [...partsOf(first), ...partsOf(second)];
}

function partsOf(content: ChatMessage["content"]): ContentPart[] {
  if (Array.isArray(content)) return content;
  return content ? [{ type: "text", text: content }] : [];
}
