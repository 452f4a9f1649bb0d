import { isObject } from "../base/json.js";
import type { FilePart, ImagePart, MediaPart, MessagePart, ReasoningPart, ToolCallPart, ToolResultPart } from "../base/message.js";
import type { AgentModelRequest } from "../base/model.js";
import { attachmentOf, notTaken, takenOrNoted, urlOf } from "./attachment.js";
import type { Endpoint } from "./protocol.js";
import { originOf, ownMetadata, turnsOf } from "./wire-history.js";
import { CallIds, PLAIN_CALL_IDS, type ToolNames } from "./wire-names.js";
import { CONTINUE_CUE, flaglessResultText, OPENING_CUE } from "./wire-texts.js";

type InputItem = { readonly type: string; readonly [field: string]: unknown };
type Own = Readonly<Record<string, unknown>>;

/** The history as input items. */
export function responsesInput(request: AgentModelRequest, endpoint: Endpoint, names: ToolNames): InputItem[] {
  const writer = new InputWriter(request, endpoint, names);
  for (const turn of turnsOf(request.messages)) {
    if (turn.role === "user") writer.addUser(turn.parts);
    else if (turn.role === "assistant") writer.addAssistant(turn.parts);
    else writer.addResults(turn.results);
  }
  return writer.finish();
}

class InputWriter {
  readonly #origin: string;
  readonly #ids: CallIds;
  readonly #names: ToolNames;
  readonly #items: InputItem[] = [];
  /** Types of the provider's client-side calls that are no functions, by call id. */
  readonly #otherCalls = new Map<string, string>();
  #endsWithReply = false;

  constructor(request: AgentModelRequest, endpoint: Endpoint, names: ToolNames) {
    this.#origin = originOf(endpoint);
    this.#ids = new CallIds(PLAIN_CALL_IDS, request);
    this.#names = names;
  }

  finish(): InputItem[] {
    if (this.#items.length === 0) this.#addText(OPENING_CUE);
    else if (this.#endsWithReply) this.#addText(CONTINUE_CUE);
    return this.#items;
  }

  addUser(parts: readonly MessagePart[]): void {
    const content = parts.flatMap((part) => inputPart(part) ?? []);
    if (content.length === 0) return;
    this.#items.push({ type: "message", role: "user", content });
    this.#endsWithReply = false;
  }

  addAssistant(parts: readonly MessagePart[]): void {
    const items: { readonly item: InputItem; readonly own: Own | undefined }[] = [];
    let reasoning: ReasoningPart[] = [];
    let isBereft = false;
    let texts: string[] = [];
    for (const [index, part] of parts.entries()) {
      if (part.type === "reasoning") {
        reasoning.push(part);
        continue;
      }
      const own = ownMetadata(part, this.#origin);
      if (part.type === "text" && own === undefined && this.#isTextOfItem(parts[index + 1])) {
        texts.push(part.text);
        continue;
      }
      const item = this.#itemOf(part, own, texts);
      if (item === undefined) continue;
      const before = this.#reasoningBefore(reasoning, own);
      if (own?.["follows"] !== undefined) isBereft = before.length === 0;
      items.push(...before, { item: isBereft ? withoutId(item) : item, own });
      reasoning = [];
      texts = [];
    }
    if (items.length === 0) return; // reasoning that leads to nothing is refused
    this.#items.push(...items.map(({ item }) => item));
    this.#endsWithReply = true;
  }

  addResults(results: readonly ToolResultPart[]): void {
    for (const result of results) {
      const callId = this.#ids.toWire(result.toolCallId);
      const text = flaglessResultText(result, callId);
      const content = (result.content ?? []).flatMap((part) => takenOrNoted(() => inputPart(part), textPart) ?? []);
      const output = content.length === 0 ? text : [{ type: "input_text", text }, ...content];
      const callType = this.#otherCalls.get(result.toolCallId);
      this.#items.push({ type: `${callType ?? "function_call"}_output`, call_id: callId, output });
    }
    this.#endsWithReply = false;
  }

  #addText(text: string): void {
    this.#items.push({ type: "message", role: "user", content: [{ type: "input_text", text }] });
  }

  /** A message of several texts says what it is with its last one. */
  #isTextOfItem(part: MessagePart | undefined): boolean {
    return part?.type === "text" && ownMetadata(part, this.#origin)?.["itemId"] !== undefined;
  }

  /**
   * @param own - Without an item's id when its reasoning is not there: under its id it would be refused.
   * @param texts - What a message says before the part.
   */
  #itemOf(part: MessagePart, own: Own | undefined, texts: readonly string[]): InputItem | undefined {
    switch (part.type) {
      case "text": {
        const { itemId, phase } = own ?? {};
        const content = [...texts, part.text].map((text) => ({ type: "output_text", text, annotations: [] }));
        const known = { ...(itemId === undefined ? undefined : { id: itemId }), ...(phase === undefined ? undefined : { phase }) };
        return { type: "message", role: "assistant", ...known, content };
      }
      case "tool-call":
        return this.#callItem(part, own);
      default:
        return undefined; // results stand in their call's item; pictures of the model's own have no place
    }
  }

  #callItem({ toolCallId, toolName, input, providerExecuted }: ToolCallPart, own: Own | undefined): InputItem | undefined {
    const item = own?.["item"];
    if (providerExecuted === true) return isObject(item) ? (item as InputItem) : undefined;
    if (isObject(item)) {
      this.#otherCalls.set(toolCallId, String(item["type"]));
      return { ...(item as InputItem), call_id: this.#ids.toWire(toolCallId) };
    }
    return {
      type: "function_call",
      ...(own?.["itemId"] === undefined ? undefined : { id: own["itemId"] }),
      call_id: this.#ids.toWire(toolCallId),
      name: this.#names.toWire(toolName),
      arguments: JSON.stringify(input),
    };
  }

  /** Reasoning items that lead to the item that follows. Each is kept only if the next one says that it followed it. */
  #reasoningBefore(parts: readonly ReasoningPart[], following: Own | undefined): { item: InputItem; own: Own | undefined }[] {
    const kept: { item: InputItem; own: Own | undefined }[] = [];
    let follows = following?.["follows"];
    for (const { item, own } of groupByItem(parts, this.#origin).reverse()) {
      if (follows === undefined || item["id"] !== follows || item["encrypted_content"] === undefined) break;
      kept.unshift({ item, own });
      follows = own["follows"];
    }
    return kept;
  }
}

/** An item is known by its id to have followed a reasoning item, and refused without that one. */
function withoutId(item: InputItem): InputItem {
  if (item.type !== "message" && item["call_id"] === undefined) return item;
  const { id: _id, ...rest } = item;
  return rest as InputItem;
}

/** One item for all parts of its summary. */
function groupByItem(parts: readonly ReasoningPart[], origin: string): { item: InputItem; own: Own }[] {
  const groups = new Map<unknown, { own: Own; summary: object[] }>();
  for (const part of parts) {
    const own = ownMetadata(part, origin);
    if (own === undefined) continue;
    const group = groups.get(own["itemId"]) ?? { own: {}, summary: [] };
    if (part.text !== "") group.summary.push({ type: "summary_text", text: part.text });
    groups.set(own["itemId"], { summary: group.summary, own: { ...group.own, ...own } });
  }
  return [...groups.values()].map(({ own, summary }) => ({
    item: { type: "reasoning", id: own["itemId"], summary, encrypted_content: own["encryptedContent"] },
    own,
  }));
}

function textPart(text: string): object {
  return { type: "input_text", text };
}

function inputPart(part: MessagePart): object | undefined {
  switch (part.type) {
    case "text":
      return textPart(part.text);
    case "image":
    case "file":
    case "media":
      return attachmentPart(part);
    default:
      return undefined; // stands in no user message
  }
}

function attachmentPart(part: ImagePart | FilePart | MediaPart): object {
  const attachment = attachmentOf(part);
  const { kind, url, name } = attachment;
  if (kind === "image") return { type: "input_image", image_url: urlOf(attachment), detail: "auto" };
  if (kind !== "file") throw notTaken("OpenAI Responses", attachment, "Send images or documents, or use Chat Completions for audio.");
  if (url !== undefined) return { type: "input_file", file_url: url };
  return { type: "input_file", filename: name ?? "file", file_data: urlOf(attachment) };
}
