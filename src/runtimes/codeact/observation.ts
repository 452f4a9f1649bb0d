import { cutText, type JsonValue } from "../../base/json.js";
import { codeActTexts } from "./codeact-texts.js";

/** What an execution left, for the model. */
export interface Observed {
  readonly result?: JsonValue | undefined;
  readonly error?: { readonly errorType: string; readonly error: string; readonly line?: number; readonly column?: number };
  readonly logs: string;
  readonly notices: readonly string[];
}

/** Characters of one notice: it may list names. */
const MAX_NOTICE_CHARS = 1_000;

/** Shares of the room: logs may not push the result or the error out. */
const LOG_SHARE = 0.5;

/**
 * The text that the model gets for its code. It is cut at a limit, and says where and how much: logs first, so that the result or the error always has
 * half of the room.
 * @param maxChars - Characters of result or error and logs together, as they stand in the JSON that the model gets; 100 or more.
 */
export function observationText({ result, error, logs, notices }: Observed, maxChars: number): string {
  const subjectLength = error === undefined ? (result === undefined ? 0 : JSON.stringify(result).length) : escapedLength(error.error);
  const roomForLogs = Math.max(Math.floor(maxChars * LOG_SHARE), maxChars - subjectLength);
  const shownLogs = cutEscaped(logs, roomForLogs);
  const room = maxChars - Math.min(escapedLength(shownLogs), roomForLogs);
  const extras = {
    ...(shownLogs === "" ? undefined : { logs: shownLogs }),
    ...(notices.length === 0 ? undefined : { notices: notices.map((notice) => cutText(notice, MAX_NOTICE_CHARS)) }),
  };
  if (error !== undefined) return codeActTexts.error({ ...error, error: cutEscaped(error.error, room), ...extras });
  if (result === undefined) return codeActTexts.result(extras);
  if (subjectLength <= room) return codeActTexts.result({ result, ...extras });
  // A result that is cut is no JSON any more, so it is shown as the beginning of its text.
  const text = typeof result === "string" ? result : JSON.stringify(result);
  return codeActTexts.result({ resultText: cutEscaped(text, room), ...extras });
}

function escapedLength(text: string): number {
  return JSON.stringify(text).length - 2;
}

/** Cuts text to a number of characters that it takes in JSON: a line break takes two, and a control character six. */
function cutEscaped(text: string, maxChars: number): string {
  const fits = (end: number) => escapedLength(text.slice(0, end)) <= maxChars;
  let [end, tooFar] = [0, Math.min(text.length, maxChars) + 1];
  if (fits(tooFar - 1)) return cutText(text, tooFar - 1);
  while (tooFar - end > 1) {
    const middle = Math.floor((end + tooFar) / 2);
    if (fits(middle)) end = middle;
    else tooFar = middle;
  }
  return cutText(text, end);
}
