import { type AgentMessage, clientToolCalls, textOf } from "../../base/message.js";
import type { AgentModelRequest } from "../../base/model.js";
import { toolResultText } from "../../base/model-texts.js";
import { readCodeReply } from "../../runtimes/codeact/code-reply.js";
import { codeActTexts } from "../../runtimes/codeact/codeact-texts.js";
import type { TokenLedger } from "../record.js";
import type { TokenCounter } from "../token-counter.js";

/** What tokens are spent for. */
export type TokenCause = keyof TokenLedger;

/** Causes, in the order of reports. */
export const tokenCauses = ["instructions", "tools", "question", "actions", "results", "plan", "repairs", "final"] as const;

/** How texts begin that tell of results, and of errors in code. */
const RESULT_TEXTS = [codeActTexts.result({}).slice(0, -2), toolResultText({ output: "", tool: "", callId: "" }).split(" ")[0] ?? ""];
const ERROR_TEXT = codeActTexts.error({}).slice(0, -2);

/** A call of the model that was counted. */
export interface CountedCall {
  readonly request: AgentModelRequest;
  /** What came of it. Undefined when the reply was lost. */
  readonly reply: Pick<AgentMessage, "content"> | undefined;
  /** What a call outside of the turns was for. */
  readonly purpose: string | undefined;
}

/** A message of the last request. */
interface SeenMessage {
  readonly message: AgentMessage;
  readonly cause: TokenCause;
  readonly tokens: number;
}

/** A system prompt, counted. */
interface PromptTokens {
  readonly text: string;
  readonly instructions: number;
  readonly tools: number;
}

/**
 * Books the tokens of a cell by cause, each token in each request that carried it. What a reply was is known only when the next request shows what became
 * of it, so replies are booked one call later.
 */
export class LedgerBook {
  readonly #counter: TokenCounter;
  readonly #booked: Record<TokenCause, number> = {
    instructions: 0,
    tools: 0,
    question: 0,
    actions: 0,
    results: 0,
    plan: 0,
    repairs: 0,
    final: 0,
  };
  #open: { readonly cause: TokenCause; readonly tokens: number } | undefined;
  #prompt: PromptTokens = { text: "", instructions: 0, tools: 0 };
  readonly #seen: SeenMessage[] = [];
  #input = 0;
  #output = 0;

  constructor(counter: TokenCounter) {
    this.#counter = counter;
  }

  /** Tokens of all requests so far. */
  get inputTokens(): number {
    return this.#input;
  }

  /** Tokens of all replies so far. */
  get outputTokens(): number {
    return this.#output;
  }

  /** Books one call. */
  book({ request, reply, purpose }: CountedCall): { readonly inputTokens: number; readonly outputTokens: number } {
    const inputTokens = this.#bookRequest(request);
    const outputTokens = reply === undefined ? 0 : this.#counter.reply(reply);
    this.#output += outputTokens;
    if (reply !== undefined) this.#open = { tokens: outputTokens, cause: purpose === undefined ? causeOfReply(reply) : "plan" };
    return { inputTokens, outputTokens };
  }

  /**
   * The ledger, in tokens of the provider: parts are scaled so that they sum to what was paid for.
   * @param total - Input and output tokens as the provider counts them. Left out or 0: as they are counted here.
   */
  close(total = 0): TokenLedger {
    this.#settle(undefined);
    const counted = this.#input + this.#output;
    return total === 0 || total === counted || counted === 0 ? { ...this.#booked } : scaled(this.#booked, { counted, total });
  }

  #bookRequest({ systemPrompt = "", tools, messages, responseFormat }: AgentModelRequest): number {
    const prompt = this.#countPrompt(systemPrompt);
    const form = responseFormat === undefined ? 0 : this.#counter.text(JSON.stringify(responseFormat));
    let sum = this.#add("instructions", prompt.instructions + form) + this.#add("tools", prompt.tools + this.#counter.tools(tools));
    this.#look(messages);
    for (const { cause, tokens } of this.#seen) sum += this.#add(cause, tokens);
    this.#settle(this.#seen.findLast(({ message }) => message.role === "assistant")?.cause);
    this.#input += sum;
    return sum;
  }

  /** A conversation mostly goes on where it was: only what is new is looked at, and what was last, since the next message may say what became of it. */
  #look(messages: readonly AgentMessage[]): void {
    let known = 0;
    while (known < messages.length && this.#seen[known]?.message === messages[known]) known += 1;
    this.#seen.length = Math.max(0, known - 1);
    for (let index = this.#seen.length; index < messages.length; index++) {
      const message = messages[index] as AgentMessage;
      this.#seen.push({ message, cause: causeOf(message, messages[index + 1]), tokens: this.#counter.message(message) });
    }
  }

  #countPrompt(text: string): PromptTokens {
    if (this.#prompt.text === text) return this.#prompt;
    const all = text === "" ? 0 : this.#counter.text(text);
    const guide = toolGuideIn(text);
    const tools = guide === "" ? 0 : Math.min(all, this.#counter.text(guide));
    this.#prompt = { text, instructions: all - tools, tools };
    return this.#prompt;
  }

  /** The reply before is what the history says that it was: a reply that was corrected belongs to the repairs. */
  #settle(seenAs: TokenCause | undefined): void {
    if (this.#open === undefined) return;
    const { cause, tokens } = this.#open;
    this.#add(cause === "plan" ? cause : (seenAs ?? cause), tokens);
    this.#open = undefined;
  }

  #add(cause: TokenCause, tokens: number): number {
    this.#booked[cause] += tokens;
    return tokens;
  }
}

/** What a message is there for. A reply is judged by what came next. */
function causeOf(message: AgentMessage, next: AgentMessage | undefined): TokenCause {
  if (message.role === "tool") return hasFailed(message) ? "repairs" : "results";
  if (message.role === "user") return causeOfNote(message);
  const isCorrected = next?.role === "user" && causeOfNote(next) === "repairs" && !textOf(next).startsWith(ERROR_TEXT);
  return isCorrected ? "repairs" : causeOfReply(message);
}

function hasFailed({ content }: AgentMessage): boolean {
  return content.some((part) => part.type === "tool-result" && part.isError === true);
}

/** A text of the framework, or of the user. */
function causeOfNote(message: AgentMessage): TokenCause {
  const { metadata } = message;
  if (metadata?.["displayRole"] !== "system") return "question";
  if (metadata["plan"] !== undefined) return "plan";
  if (metadata["evidence"] !== undefined || metadata["planStep"] !== undefined) return "results";
  const text = textOf(message);
  return RESULT_TEXTS.some((prefix) => text.startsWith(prefix)) ? "results" : "repairs";
}

function causeOfReply(reply: Pick<AgentMessage, "content">): TokenCause {
  if (clientToolCalls({ ...reply, role: "assistant" } as AgentMessage).length > 0) return "actions";
  const text = textOf(reply);
  return text.includes("code") && readCodeReply(text).kind === "code" ? "actions" : "final";
}

/** The declarations of functions in a system prompt. */
function toolGuideIn(systemPrompt: string): string {
  const [block = ""] = systemPrompt.match(/```ts\n(?:\/\*\*|declare function)[\s\S]*?\n```/) ?? [];
  return block;
}

/** Whole numbers in the same proportions that sum to another total; the largest remainders are rounded up. */
function scaled(parts: TokenLedger, { counted, total }: { readonly counted: number; readonly total: number }): TokenLedger {
  const exact = tokenCauses.map((cause) => ({ cause, value: (parts[cause] * total) / counted }));
  const left = total - exact.reduce((sum, { value }) => sum + Math.floor(value), 0);
  const byRemainder = exact.toSorted((a, b) => (b.value % 1) - (a.value % 1));
  return Object.fromEntries(
    byRemainder.map(({ cause, value }, index) => [cause, Math.floor(value) + (index < left ? 1 : 0)]),
  ) as unknown as TokenLedger;
}
