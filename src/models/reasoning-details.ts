import { isObject, type JsonObject } from "../base/json.js";
import type { AgentModelEvent } from "../base/model.js";

/**
 * Joins the `reasoning_details` of OpenRouter, which hold signatures and encrypted reasoning of the model behind it. They come in pieces and go back
 * whole.
 */
export class ReasoningDetails {
  readonly #details = new Map<string, Record<string, unknown>>();

  take(pieces: readonly unknown[]): void {
    for (const piece of pieces) {
      if (!isObject(piece)) continue;
      const key = `${String(piece["type"])}:${String(piece["index"] ?? piece["id"] ?? this.#details.size)}`;
      const known = this.#details.get(key);
      if (known === undefined) this.#details.set(key, { ...piece });
      else join(known, piece);
    }
  }

  /** Adds what came as one event, if anything came. */
  finish(metadata: JsonObject, events: AgentModelEvent[]): void {
    if (this.#details.size === 0) return;
    const reasoningDetails = [...this.#details.values()] as JsonObject[];
    this.#details.clear();
    events.push({ type: "reasoning-delta", text: "", metadata: { ...metadata, reasoningDetails } });
  }
}

const JOINED = new Set(["text", "summary", "data"]);

function join(known: Record<string, unknown>, piece: Record<string, unknown>): void {
  for (const [field, value] of Object.entries(piece)) {
    if (value === null || value === undefined) continue;
    const before = known[field];
    known[field] = JOINED.has(field) && typeof before === "string" && typeof value === "string" ? before + value : value;
  }
}
