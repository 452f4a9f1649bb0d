import type { ExecutionError, ExecutionErrorCode, ResultSource } from "../code-executor.js";
import { isLogLevel } from "../guest-events.js";
import type { SandboxCode, SandboxEvent } from "../sandbox.js";
import type { Frame } from "./frames.js";

/** What a child is told. The code, or the answer to a call, is the text of the frame. */
export type ChildCommand =
  | { readonly type: "open"; readonly id: number; readonly memoryMiB: number; readonly maxResidentMiB: number }
  | ({ readonly type: "run"; readonly id: number } & Omit<SandboxCode, "code">)
  | { readonly type: "settle"; readonly id: number; readonly callId: number; readonly ok: boolean; readonly elapsedMs: number }
  | { readonly type: "ping"; readonly id: number }
  | { readonly type: "dispose"; readonly id: number };

/** What a child says. */
export type ChildMessage =
  | { readonly type: "ready" }
  /** The sandbox is gone; if not `clean`, something in it may still be running. */
  | { readonly type: "disposed"; readonly id: number; readonly clean: boolean }
  | { readonly type: "event"; readonly id: number; readonly event: SandboxEvent };

type Fields = { readonly [name: string]: unknown };

/** Splits an event into the header and the text of a frame. */
export function eventFrame(id: number, event: SandboxEvent): { header: object; text: string } {
  if (!("text" in event)) return { header: { type: "event", id, event }, text: "" };
  const { text, ...rest } = event;
  return { header: { type: "event", id, event: rest }, text };
}

/**
 * Checks what a child said. A child in which the guest broke out of the engine can say anything.
 * @returns Undefined for what no child of ours would say.
 */
export function readChildMessage({ header, text }: Frame): ChildMessage | undefined {
  if (!isFields(header)) return undefined;
  const { type, id, clean, event } = header;
  if (type === "ready") return { type };
  if (typeof id !== "number") return undefined;
  if (type === "disposed" && typeof clean === "boolean") return { type, id, clean };
  if (type !== "event" || !isFields(event)) return undefined;
  const checked = readEvent(event, text);
  return checked && { type, id, event: checked };
}

function readEvent(event: Fields, text: string): SandboxEvent | undefined {
  const { type, callId, toolName, delayMs, level, source, notices, omittedLogChars } = event;
  if (type === "called") return isCount(callId) && typeof toolName === "string" ? { type, callId, toolName, text } : undefined;
  if (type === "timer-set") return isCount(callId) && typeof delayMs === "number" ? { type, callId, delayMs } : undefined;
  if (type === "logged") return typeof level === "string" && isLogLevel(level) ? { type, level, text } : undefined;
  if (type === "ponged") return { type };
  if (type === "lost") return { type, error: readError(event["error"]) };
  if (!isTexts(notices) || !isCount(omittedLogChars)) return undefined;
  if (type === "failed") return { type, error: readError(event["error"]), notices, omittedLogChars };
  if (type === "completed" && isSource(source)) return { type, source, notices, omittedLogChars, text };
  return undefined;
}

const MAX_MESSAGE_CHARS = 10_000;

function readError(error: unknown): ExecutionError {
  if (!isFields(error)) return { code: "sandbox-lost", name: "Error", message: "an error that cannot be read" };
  const { code, name, message, line, column } = error;
  return {
    code: isCode(code) ? code : "guest-error",
    name: typeof name === "string" ? name.slice(0, 200) : "Error",
    message: typeof message === "string" ? message.slice(0, MAX_MESSAGE_CHARS) : "an error that cannot be read",
    ...(isCount(line) && isCount(column) ? { line, column } : undefined),
  };
}

const CODES: readonly string[] = [
  "syntax",
  "import-refused",
  "guest-error",
  "cpu",
  "memory",
  "too-many-calls",
  "result-too-large",
  "catastrophic",
  "sandbox-lost",
] satisfies ExecutionErrorCode[];

function isCode(code: unknown): code is ExecutionErrorCode {
  return typeof code === "string" && CODES.includes(code);
}

function isSource(source: unknown): source is ResultSource {
  return source === "return" || source === "variable" || source === "expression" || source === "none";
}

function isTexts(values: unknown): values is string[] {
  return (
    Array.isArray(values) && values.length <= 10 && values.every((value) => typeof value === "string" && value.length <= MAX_MESSAGE_CHARS)
  );
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
