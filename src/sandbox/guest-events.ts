import type { Position } from "./code/position-map.js";
import type { ExecutionError, ExecutionErrorCode, LogLevel, ResultSource } from "./code-executor.js";
import { CODE_FILE_NAME } from "./guest/guest-program.js";
import type { SandboxEvent } from "./sandbox.js";
import { isJsonObject, type JsonValue, parseJson } from "./sandbox-json.js";

const META_LIMITS = { maxChars: 64_000, maxNesting: 5 };
const SOURCES: readonly string[] = ["return", "variable", "expression", "none"] satisfies ResultSource[];
const LEVELS: readonly string[] = ["debug", "info", "log", "warn", "error", "omitted"] satisfies (LogLevel | "omitted")[];
const GUEST_CODES: readonly string[] = ["guest-error", "too-many-calls", "result-too-large", "syntax"] satisfies ExecutionErrorCode[];

/** Whether text names a level of the log, or that more was left out. */
export function isLogLevel(level: string): level is LogLevel | "omitted" {
  return LEVELS.includes(level);
}

/** Reads what the guest says about its end. What it says wrong is replaced, so that an event comes in any case. */
export function completedEvent({ omittedLogChars, text, meta }: { omittedLogChars: number; text: string; meta: string }): SandboxEvent {
  const { source, notices } = fieldsOf(meta);
  return { type: "completed", source: isSource(source) ? source : "none", notices: texts(notices), omittedLogChars, text };
}

/** Reads what the guest says about an error, and finds its place in the model's own code. */
export function failedEvent(failed: {
  omittedLogChars: number;
  meta: string;
  original: ((position: Position) => Position) | undefined;
}): SandboxEvent {
  const { code, name, message, stack, line, column, notices } = fieldsOf(failed.meta);
  const hint = typeof message === "string" ? hintFor(message) : "";
  const error: ExecutionError = {
    code: isGuestCode(code) ? code : "guest-error",
    name: typeof name === "string" ? name : "Error",
    message: typeof message === "string" ? message + hint : "an error that cannot be read",
    ...(typeof stack === "string" ? placeIn(stack, failed.original) : placeOf(line, column)),
  };
  return { type: "failed", error, notices: texts(notices), omittedLogChars: failed.omittedLogChars };
}

function fieldsOf(meta: string): { readonly [key: string]: JsonValue } {
  const parsed = parseJson(meta, META_LIMITS);
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
}

function isSource(source: JsonValue | undefined): source is ResultSource {
  return typeof source === "string" && SOURCES.includes(source);
}

function isGuestCode(code: JsonValue | undefined): code is ExecutionErrorCode {
  return typeof code === "string" && GUEST_CODES.includes(code);
}

function texts(values: JsonValue | undefined): string[] {
  return Array.isArray(values) ? values.filter((value) => typeof value === "string") : [];
}

/** A place that the guest knows by itself. */
function placeOf(line: JsonValue | undefined, column: JsonValue | undefined): Position | undefined {
  return typeof line === "number" && typeof column === "number" && line > 0 && column > 0 ? { line, column } : undefined;
}

/** The first frame of a stack that is in the model's code. One line comes before that code. */
function placeIn(stack: string, original: ((position: Position) => Position) | undefined): Position | undefined {
  const frame = FRAME.exec(stack);
  if (frame === null || original === undefined) return undefined;
  const place = original({ line: Number(frame[1]) - 1, column: Number(frame[2] ?? 1) });
  return place.line > 0 && place.column > 0 ? place : undefined;
}

/** QuickJS knows no name for code that is evaluated. */
const FRAME = new RegExp(`(?:${CODE_FILE_NAME.replace(".", "\\.")}|<input>):(\\d+)(?::(\\d+))?`);

/** Names that code expects from a browser or from Node, and what there is instead. */
function hintFor(message: string): string {
  const name = /^'?(\w+)'? is not defined$/.exec(message)?.[1];
  if (name === undefined) return "";
  if (/^(fetch|XMLHttpRequest|WebSocket|axios)$/.test(name)) return ". There is no network here; use the tools.";
  if (/^(require|module|exports|process|Buffer|__dirname|__filename|fs|path|os|Deno|Bun)$/.test(name))
    return ". There are no modules, files or processes here; use the tools.";
  if (/^(window|document|navigator|localStorage|alert)$/.test(name)) return ". This is no browser; use the tools.";
  if (name === "setInterval") return ". Use setTimeout in a loop.";
  return "";
}
