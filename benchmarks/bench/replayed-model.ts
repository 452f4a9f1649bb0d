import type { AgentModel, AgentModelEvent, AgentModelRequest } from "triact";
import { textOf } from "./text-of.ts";

/** A model that asks another one once for each question and turn, and streams the same from memory ever after. */
export class ReplayedModel implements AgentModel {
  readonly modelId = "replayed";
  readonly #model: AgentModel;
  readonly #replies = new Map<string, readonly AgentModelEvent[]>();

  constructor(model: AgentModel) {
    this.#model = model;
  }

  async *stream(request: AgentModelRequest): AsyncGenerator<AgentModelEvent, void, undefined> {
    const key = `${request.messages.length} ${textOf(request.messages[0])}`;
    let events = this.#replies.get(key);
    if (events === undefined) {
      const fresh: AgentModelEvent[] = [];
      for await (const event of this.#model.stream(request)) fresh.push(event);
      this.#replies.set(key, fresh);
      events = fresh;
    }
    yield* events;
  }
}
