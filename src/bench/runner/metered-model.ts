import type { MessagePart } from "../../base/message.js";
import type { AgentModel, AgentModelEvent, AgentModelRequest } from "../../base/model.js";
import { BROKEN_OFF, identityOf, isPassing, passingTrouble, waitToRetry } from "./passing-trouble.js";

/** A call of the model, when it is over. */
export interface MeteredCall {
  readonly request: AgentModelRequest;
  /** What came of it, as it was streamed last. Undefined when the stream broke off for good. */
  readonly reply: { readonly content: readonly MessagePart[] } | undefined;
  /** As `performance.now()` counts. */
  readonly startedAt: number;
  /** Time in the model, without the time that the reader of the stream took. */
  readonly modelMs: number;
}

/** What {@link meteredModel} takes. */
export interface MeterOptions {
  /** Waiting time before the first retry in milliseconds; it doubles from retry to retry. */
  readonly delayMs: number;
  /** Called for each retry. */
  readonly onRetry: () => void;
  /** Called for each call, when it is over. */
  readonly onCall: (call: MeteredCall) => void;
}

const MAX_RETRIES = 3;

/**
 * A model that reports each of its calls, and that is asked again, three times at most, when its provider has trouble that passes or when its stream breaks
 * off. Both are done in one place because each layer over a stream costs about as much as the agent's own work on it.
 */
export function meteredModel(model: AgentModel, { delayMs, onRetry, onCall }: MeterOptions): AgentModel {
  return {
    ...identityOf(model),
    async *stream(request) {
      const startedAt = performance.now();
      const reply = new ReplyText();
      let modelMs = 0;
      let isOver = false;
      const end = () => {
        if (!isOver) onCall({ request, reply: reply.parts, startedAt, modelMs });
        isOver = true;
      };
      try {
        for (let attempt = 0; ; attempt++) {
          let trouble: AgentModelEvent = BROKEN_OFF;
          let resumedAt = performance.now();
          try {
            for await (const event of model.stream(request)) {
              modelMs += performance.now() - resumedAt;
              if (isPassing(event)) {
                trouble = event;
                break;
              }
              reply.take(event);
              if (event.type === "finish") end(); // before the reader acts on it, who need not come back
              yield event;
              if (event.type === "finish") return;
              resumedAt = performance.now();
            }
          } catch (error) {
            trouble = passingTrouble(error);
          }
          if (request.signal.aborted) return;
          if (attempt === MAX_RETRIES) {
            end();
            yield trouble;
            return;
          }
          onRetry();
          await waitToRetry(delayMs * 2 ** attempt, request.signal);
          const reset: AgentModelEvent = { type: "reset", reason: "The provider had trouble." };
          reply.take(reset);
          yield reset;
        }
      } finally {
        end();
      }
    },
  };
}

/** Puts a reply together as far as its tokens are concerned. */
class ReplyText {
  #text = "";
  #calls = new Map<number, string>();
  #isWhole = false;

  get parts(): MeteredCall["reply"] {
    if (!this.#isWhole) return undefined;
    const texts = [...(this.#text === "" ? [] : [this.#text]), ...this.#calls.values()];
    return { content: texts.map((text) => ({ type: "text", text })) };
  }

  take(event: AgentModelEvent): void {
    switch (event.type) {
      case "text-delta":
      case "reasoning-delta":
        this.#text += event.text;
        return;
      case "tool-call-delta": {
        const index = event.index ?? Math.max(0, this.#calls.size - 1);
        const name = event.toolName == null ? "" : `${event.toolName} `;
        const input = event.input === undefined ? (event.inputText ?? "") : JSON.stringify(event.input);
        this.#calls.set(index, `${this.#calls.get(index) ?? ""}${name}${input}`);
        return;
      }
      case "reset":
        this.#text = "";
        this.#calls = new Map();
        return;
      case "finish":
        this.#isWhole = event.reason !== "error";
    }
  }
}
