import { cutText, type JsonValue } from "../../base/json.js";
import { codeActTexts } from "./codeact-texts.js";

/** What an execution left, for the model. */
export interface Observed {
  readonly result?: JsonValue | undefined;
  readonly error?: { readonly errorType: string; readonly error: string; readonly line?: number; readonly column?: number };
  readonly logs: string;
  readonly notices: readonly string[];
}

/** Shares of the room: logs may not push the result or the error out. */
const LOG_SHARE = 0.5;

/**
 * The text that the model gets for its code. It is cut at a limit, and says where and how much: logs first, so that the result or the error always has
 * half of the room.
 * @param maxChars - Characters of result or error and logs together, 100 or more.
 */
export function observationText({ result, error, logs, notices }: Observed, maxChars: number): string {
  const subject = error?.error ?? (result === undefined ? "" : JSON.stringify(result));
  const roomForLogs = Math.max(Math.floor(maxChars * LOG_SHARE), maxChars - subject.length);
  const shownLogs = cutText(logs, roomForLogs);
  const roomForSubject = maxChars - Math.min(shownLogs.length, roomForLogs);
  const extras = { ...(shownLogs === "" ? undefined : { logs: shownLogs }), ...(notices.length === 0 ? undefined : { notices }) };
  if (error !== undefined) return codeActTexts.error({ ...error, error: cutText(error.error, roomForSubject), ...extras });
  if (result === undefined) return codeActTexts.result(extras);
  // A result that is cut is no JSON any more, so it is shown as the beginning of its text.
  return codeActTexts.result(
    subject.length <= roomForSubject ? { result, ...extras } : { resultText: cutText(subject, roomForSubject), ...extras },
  );
}
