import { messageOf } from "../../base/errors.js";
import { isObject, type JsonValue, toJsonValue } from "../../base/json.js";
import { codeActTexts } from "./codeact-texts.js";
import { type Found, findMessages } from "./find-messages.js";

/** What a reply says, in the protocol of code and final messages. */
export type CodeReply =
  | { readonly kind: "code"; readonly language: string | undefined; readonly code: string }
  | { readonly kind: "final"; readonly output: JsonValue }
  /** Nothing runs. `problem` is a sentence for the model. */
  | { readonly kind: "unreadable"; readonly problem: string };

/**
 * Reads a reply: strict JSON first, and only when that fails what models write instead. A message in a code block or with prose around it, raw line
 * breaks in its strings, or a lone block of code; never two messages, of which only one could be meant, and nothing of what is broken.
 * @param isCutOff - Whether the output limit cut the reply, so that code whose end is missing is not all of the code.
 */
export function readCodeReply(text: string, isCutOff = false): CodeReply {
  if (text.trim() === "") return unreadable("it is empty");
  const whole = parse(text);
  if (whole !== undefined) return isMessage(whole) ? toReply(whole) : toReply(messageIn(whole) ?? whole);
  const said = text.replace(THOUGHTS, "");
  const { messages, rest, problem } = findMessages(said, isMessage);
  if (problem !== undefined) return unreadable(codeActTexts.brokenJson(problem));
  const replies = distinct(messages.map(toReply));
  const [only] = replies;
  const count = replies.length + (only?.kind === "final" ? codeBlocksIn(rest).length : 0); // code beside a code message explains it
  if (count > 1) return unreadable(codeActTexts.manyMessages(count));
  return only ?? readCodeBlock(said, isCutOff);
}

/** What some models think before they answer, and providers do not take out. */
const THOUGHTS = /^\s*<(think(?:ing)?)>.*?<\/\1>/is;

/** A message is known by its type. */
function isMessage(value: unknown): value is Found {
  return isObject(value) && (value["type"] === "code" || value["type"] === "final");
}

/** Some models wrap their message once more, in a list or in a string. */
function messageIn(value: unknown): Found | undefined {
  if (Array.isArray(value) && value.length === 1 && isMessage(value[0])) return value[0];
  const inner = typeof value === "string" ? parse(value) : undefined;
  return isMessage(inner) ? inner : undefined;
}

/** What an object that should be a message says. */
export function toReply(message: unknown): CodeReply {
  if (!isObject(message)) return unreadable("it is JSON, but no object");
  const { type, language, code, output } = message;
  if (type === "final") {
    return output === undefined ? unreadable('the final message has no "output"') : readOutput(output);
  }
  if (type !== "code") {
    return unreadable(`its "type" is ${type === undefined ? "missing" : JSON.stringify(type)}, and must be "code" or "final"`);
  }
  if (typeof code !== "string") return unreadable(code === undefined ? 'the code message has no "code"' : 'its "code" is no text');
  if (code.trim() === "") return unreadable('its "code" is empty');
  if (language !== undefined && language !== null && typeof language !== "string") return unreadable('its "language" is no text');
  return { kind: "code", language: language || undefined, code: withoutFence(code) };
}

/** Deeper than anybody can use, and than engines can write, is no answer. */
function readOutput(output: unknown): CodeReply {
  try {
    return { kind: "final", output: toJsonValue(output) };
  } catch (error) {
    return unreadable(`its "output" cannot be used: ${messageOf(error).replace(/\.$/, "")}`);
  }
}

const CODE_BLOCK = /```[ \t]*(js|javascript|mjs|ts|typescript|py|python)\b[^\n]*\n(.*?)(\n[ \t]*```|$)/gis;

/** A lone block of code is taken for the code that it is. */
function readCodeBlock(text: string, isCutOff: boolean): CodeReply {
  const blocks = codeBlocksIn(text);
  const [only, ...others] = blocks;
  if (only === undefined)
    return unreadable(/[{[]/.test(text) ? "it holds no JSON message that can be read" : "it is text without a JSON message");
  if (others.length > 0) return unreadable(`it holds ${blocks.length} blocks of code, and one message is allowed`);
  const [, language, code = "", end] = only;
  if (isCutOff && end === "") return unreadable(codeActTexts.cutOff);
  return { kind: "code", language: language?.toLowerCase(), code };
}

function codeBlocksIn(text: string): RegExpExecArray[] {
  return [...text.matchAll(CODE_BLOCK)].filter(([, , code = ""]) => code.trim() !== "");
}

const WHOLE_FENCE = /^\s*```[^\n`]*\n(.*?)\n?[ \t]*```\s*$/s;

/** A fence inside of the code goes only if it is around the whole. */
function withoutFence(code: string): string {
  const [, inner] = WHOLE_FENCE.exec(code) ?? [];
  return inner === undefined || inner.includes("```") ? code : inner;
}

/** The same message written twice is one message. */
function distinct(replies: readonly CodeReply[]): CodeReply[] {
  return [...new Map(replies.map((reply) => [JSON.stringify(reply), reply])).values()];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // what else it may be is seen next
  }
}

function unreadable(problem: string): CodeReply {
  return { kind: "unreadable", problem };
}
