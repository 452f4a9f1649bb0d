import { TriactError } from "../base/errors.js";
import type { AgentMessage, MessagePart } from "../base/message.js";
import type { AgentModelRequest, ToolDefinition } from "../base/model.js";

/** The package that counts tokens is not installed. */
export class TokenizerMissingError extends TriactError {
  override readonly name = "TokenizerMissingError";
  readonly code = "tokenizer-missing";
  constructor({ cause }: { cause: unknown }) {
    super("Benchmarks count tokens with the package gpt-tokenizer. Install it beside triact: npm install gpt-tokenizer@4", { cause });
  }
}

/** What a reply is made of, to be counted. */
export type CountedParts = Pick<AgentMessage, "content">;

/** Characters of counted texts that are remembered, so that memory stays bounded. */
const MAX_REMEMBERED_CHARS = 4_000_000;

/** A run of letters without a space for which the tokenizer would take quadratic time, and the pieces in which it is counted instead. */
const LONG_WORD = /\S{1000}/;
const PIECES = /\S{1,1000}|\s+/g;

/**
 * Counts tokens with one tokenizer over one serialisation, for every strategy and model alike: a message is its role, a line break and its parts; calls and
 * results are JSON. Each message and each list of tools is counted once, however often it is sent.
 */
export class TokenCounter {
  /** For manifests. */
  readonly name = "gpt-tokenizer o200k_base";
  readonly #count: (text: string) => number;
  readonly #messages = new WeakMap<AgentMessage, number>();
  /** By schema, and by name: tools may share a schema. */
  readonly #tools = new WeakMap<ToolDefinition["inputSchema"], Map<string, number>>();
  /** Of lists that cannot change: a run sends the same list with each request. */
  readonly #toolLists = new WeakMap<readonly ToolDefinition[], number>();
  readonly #texts = new Map<string, number>();
  #remembered = 0;

  private constructor(count: (text: string) => number) {
    this.#count = count;
  }

  /** @throws TokenizerMissingError when the package `gpt-tokenizer` is not installed. */
  static async load(): Promise<TokenCounter> {
    try {
      const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
      const plain = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };
      return new TokenCounter((text) => countTokens(text, plain));
    } catch (cause) {
      throw new TokenizerMissingError({ cause });
    }
  }

  /** Tokens of a text. */
  text(text: string): number {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    const count = this.#countNew(text);
    if (this.#remembered + text.length > MAX_REMEMBERED_CHARS) {
      this.#texts.clear();
      this.#remembered = 0;
    }
    this.#texts.set(text, count);
    this.#remembered += text.length;
    return count;
  }

  /** Tokens of a message in a request. */
  message(message: AgentMessage): number {
    let count = this.#messages.get(message);
    if (count === undefined) {
      count = this.text(`${message.role}\n${serialise(message)}`);
      this.#messages.set(message, count);
    }
    return count;
  }

  /** Tokens of what a model wrote. */
  reply(reply: CountedParts): number {
    return this.text(serialise(reply));
  }

  /** Tokens of the tools that are declared natively. */
  tools(tools: readonly ToolDefinition[]): number {
    let count = this.#toolLists.get(tools);
    if (count === undefined) {
      count = tools.reduce((sum, tool) => sum + this.#tool(tool), 0);
      if (Object.isFrozen(tools)) this.#toolLists.set(tools, count);
    }
    return count;
  }

  /** Tokens of everything that a request sends. */
  request({ systemPrompt = "", tools, messages, responseFormat }: AgentModelRequest): number {
    let count = this.tools(tools) + (systemPrompt === "" ? 0 : this.text(systemPrompt));
    if (responseFormat !== undefined) count += this.text(JSON.stringify(responseFormat));
    for (const message of messages) count += this.message(message);
    return count;
  }

  #tool({ name, description, inputSchema }: ToolDefinition): number {
    const ofSchema = this.#tools.get(inputSchema) ?? new Map<string, number>();
    let count = ofSchema.get(name);
    if (count === undefined) {
      count = this.text(JSON.stringify({ name, description, inputSchema }));
      this.#tools.set(inputSchema, ofSchema.set(name, count));
    }
    return count;
  }

  #countNew(text: string): number {
    if (text.length < 1_000 || !LONG_WORD.test(text)) return this.#count(text);
    return text.match(PIECES)?.reduce((sum, piece) => sum + this.#count(piece), 0) ?? 0;
  }
}

function serialise({ content }: CountedParts): string {
  return content.map(serialisePart).join("\n");
}

function serialisePart(part: MessagePart): string {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.text;
    case "tool-call":
      return `${part.toolName} ${JSON.stringify(part.input)}`;
    case "tool-result":
      return typeof part.output === "string" ? part.output : JSON.stringify(part.output);
    default:
      return ""; // what a picture costs is the provider's own affair
  }
}
