import { legalToolName } from "../base/message.js";
import type { AgentModelRequest } from "../base/model.js";

const LEGAL_TOOL_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/** Names of tools on the wire, and back. A legal name stays as it is; an illegal one becomes a legal one that no other tool has. */
export class ToolNames {
  readonly #wire = new Map<string, string>();
  readonly #own = new Map<string, string>();

  constructor({ tools, messages }: Pick<AgentModelRequest, "tools" | "messages">) {
    const illegal: string[] = [];
    for (const { name } of tools) {
      if (LEGAL_TOOL_NAME.test(name)) this.#set(name, name);
      else illegal.push(name);
    }
    for (const { content } of messages) {
      for (const part of content) if (part.type === "tool-call" && !LEGAL_TOOL_NAME.test(part.toolName)) illegal.push(part.toolName);
    }
    for (const name of illegal) if (!this.#wire.has(name)) this.#set(name, this.#free(legalToolName(name)));
  }

  toWire(name: string): string {
    return this.#wire.get(name) ?? name;
  }

  /** The tool's own name. One that no tool has is left as it came. */
  toOwn(wireName: string): string {
    return this.#own.get(wireName) ?? wireName;
  }

  #free(name: string): string {
    let free = name;
    for (let number = 2; this.#own.has(free); number++) free = `${name.slice(0, 63 - String(number).length)}_${number}`;
    return free;
  }

  #set(name: string, wireName: string): void {
    this.#wire.set(name, wireName);
    this.#own.set(wireName, name);
  }
}

/** What ids of calls must look like, and how to make one that does. */
export interface CallIdRule {
  readonly legal: RegExp;
  /** A candidate. `attempt` counts from 0 as long as the candidate is taken. */
  readonly make: (id: string, attempt: number) => string;
}

/** Anthropic and OpenAI. */
export const PLAIN_CALL_IDS: CallIdRule = {
  legal: /^[A-Za-z0-9_-]{1,64}$/,
  make: (id, attempt) => `${id.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 48)}_${hash(`${attempt}:${id}`).slice(0, 9)}`,
};

/** Mistral. */
export const SHORT_CALL_IDS: CallIdRule = { legal: /^[A-Za-z0-9]{9}$/, make: (id, attempt) => hash(`${attempt}:${id}`).slice(0, 9) };

/** Ids of calls on the wire. The same id always becomes the same, so that prompt caches hold, and two never become one. */
export class CallIds {
  readonly #rule: CallIdRule;
  readonly #wire = new Map<string, string>();
  readonly #taken = new Set<string>();

  constructor(rule: CallIdRule, { messages }: Pick<AgentModelRequest, "messages">) {
    this.#rule = rule;
    const illegal: string[] = [];
    for (const { content } of messages) {
      for (const part of content) {
        if (part.type !== "tool-call") continue;
        if (rule.legal.test(part.toolCallId)) this.#taken.add(part.toolCallId);
        else illegal.push(part.toolCallId);
      }
    }
    for (const id of illegal) this.toWire(id);
  }

  toWire(id: string): string {
    if (this.#rule.legal.test(id)) return id;
    const known = this.#wire.get(id);
    if (known !== undefined) return known;
    let made = this.#rule.make(id, 0);
    for (let attempt = 1; this.#taken.has(made); attempt++) made = this.#rule.make(id, attempt);
    this.#taken.add(made);
    this.#wire.set(id, made);
    return made;
  }
}

/** Letters and digits that depend on the text alone. FNV-1a over code units, twice with different offsets. */
function hash(text: string): string {
  let low = 0x811c9dc5;
  let high = 0xcbf29ce4;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ (code + index), 0x01000193);
  }
  return (low >>> 0).toString(36).padStart(7, "0") + (high >>> 0).toString(36).padStart(7, "0");
}
