import { cutText, isObject } from "../base/json.js";
import type { Redact } from "./redactor.js";

/** What is known of a failed call, without secrets: what a table of errors, or the user's own rule, decides by. */
export interface ProviderFailure {
  /** HTTP status; inside a stream the one that the error names, if it names one. */
  readonly status: number | undefined;
  /** Codes, types and system error codes that were found anywhere in it, in lower case. */
  readonly codes: readonly string[];
  /** The provider's words, freed of wrappings. Empty when it said nothing. */
  readonly text: string;
  /** A response header by its name in lower case. */
  readonly header: (name: string) => string | undefined;
  /** Whether a response came at all: without one the network failed. */
  readonly answered: boolean;
}

const MAX_TEXT_CHARS = 2_000;
const MAX_DEPTH = 6;

/** Reads whatever the SDK threw. Never throws itself. */
export function readFailure(thrown: unknown, redact: Redact): ProviderFailure {
  const found = new Findings(redact);
  const error = isObject(thrown) ? thrown : {};
  const body = error["body"] ?? error["error"];
  found.addBody(body, 0);
  for (const name of ["code", "type"]) found.addCode(error[name]);
  found.addCauses(thrown);
  const answered = body !== undefined || typeof error["status"] === "number";
  if (found.texts.length === 0) found.addText(typeof error["message"] === "string" ? error["message"] : String(thrown));
  const text = cutText(redact(found.texts.join(": ").toWellFormed()), MAX_TEXT_CHARS);
  const headers = error["headers"];
  return {
    status: typeof error["status"] === "number" ? error["status"] : found.status,
    codes: [...found.codes],
    text: /^(?:\d{3} status code|\(no status code)/.test(text) ? "" : text,
    header: (name) => {
      const value = headers instanceof Headers ? headers.get(name) : null;
      return value === null ? undefined : redact(value);
    },
    answered,
  };
}

const CODE_FIELDS = new Set(["code", "type", "status", "reason", "error_code", "error_type", "__type"]);
const TEXT_FIELDS = ["message", "detail", "msg", "error", "errors", "raw", "metadata", "error_message", "details"];

/** Collects what stands in a body, however deep providers and gateways have wrapped it. */
class Findings {
  readonly codes = new Set<string>();
  readonly #redact: Redact;
  readonly texts: string[] = [];
  status: number | undefined;

  constructor(redact: Redact) {
    this.#redact = redact;
  }

  addCode(code: unknown): void {
    if (typeof code === "string" && code !== "" && code.length < 100) this.codes.add(this.#redact(code).toLowerCase());
    if (typeof code !== "number") return;
    this.codes.add(String(code));
    if (code >= 400 && code < 600) this.status ??= code;
  }

  addText(text: string): void {
    const plain = /<(?:!doctype|html|head|body)\b/i.test(text) ? textOfPage(text) : text.trim();
    if (plain !== "" && !this.texts.some((known) => known.includes(plain))) this.texts.push(plain);
  }

  addBody(value: unknown, depth: number): void {
    if (depth > MAX_DEPTH) return;
    if (typeof value === "string") this.#addString(value, depth);
    else if (Array.isArray(value)) for (const item of value.slice(0, 10)) this.addBody(item, depth + 1);
    else if (isObject(value)) this.#addFields(value, depth);
  }

  #addFields(value: Record<string, unknown>, depth: number): void {
    for (const field of CODE_FIELDS) this.addCode(value[field]);
    for (const field of TEXT_FIELDS) this.addBody(value[field], depth + 1);
    if (typeof value["retryDelay"] === "string") this.addText(`"retryDelay": "${value["retryDelay"]}"`);
  }

  /** Gateways put a provider's JSON into a string of their own. */
  #addString(text: string, depth: number): void {
    const from = text.search(/[{[]/);
    if (from !== -1) {
      try {
        this.addBody(JSON.parse(text.slice(from)), depth + 1);
        return;
      } catch {
        // braces in prose
      }
    }
    this.addText(text);
  }

  /** The network's own codes stand in causes, one inside the other. */
  addCauses(thrown: unknown): void {
    let error: unknown = thrown;
    for (let depth = 0; depth < MAX_DEPTH && error instanceof Error; depth++) {
      this.addCode((error as { code?: unknown }).code);
      if (error instanceof SyntaxError) this.codes.add("malformed-json");
      if (depth > 0) this.addText(error.message);
      const { errors } = error as { errors?: unknown };
      error = error.cause ?? (Array.isArray(errors) ? errors[0] : undefined);
    }
  }
}

function textOfPage(html: string): string {
  const [, title] = /<title[^>]*>([^<]*)/i.exec(html) ?? [];
  return `a web page${title === undefined ? "" : ` titled "${title.trim()}"`}`;
}
