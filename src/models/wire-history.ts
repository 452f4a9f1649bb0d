import type { AgentMessage, MessagePart, ToolResultPart } from "../base/message.js";

/** A stretch of history that goes onto the wire as one: what the user's side says, a reply of the model, or the results of one reply's calls. */
export type WireTurn =
  | { readonly role: "user"; readonly parts: readonly MessagePart[] }
  | { readonly role: "assistant"; readonly parts: readonly MessagePart[] }
  | { readonly role: "results"; readonly results: readonly ToolResultPart[] };

/** The history in turns, without blank text and without what would be empty. Results of one reply stand together, in call order. */
export function turnsOf(messages: readonly AgentMessage[]): WireTurn[] {
  const turns: WireTurn[] = [];
  let results: ToolResultPart[] | undefined;
  for (const { role, content } of messages) {
    if (role === "tool") {
      const found = content.filter((part) => part.type === "tool-result");
      if (results === undefined && found.length > 0) {
        results = [];
        turns.push({ role: "results", results });
      }
      results?.push(...found);
      continue;
    }
    results = undefined;
    const parts = content.filter((part) => part.type !== "text" || part.text.trim() !== "");
    if (parts.length > 0) turns.push({ role, parts });
  }
  return turns;
}

/** Metadata field that says which provider and model made a part. Only they get signatures and encrypted content back. */
export const ORIGIN = "origin";

/** The value of {@link ORIGIN}. */
export function originOf({ providerId, modelId }: { providerId: string; modelId: string }): string {
  return `${providerId}/${modelId}`;
}

/** The metadata of a part, if it is of this origin. */
export function ownMetadata(part: MessagePart, origin: string): Readonly<Record<string, unknown>> | undefined {
  const { metadata } = part;
  return metadata?.[ORIGIN] === origin ? metadata : undefined;
}

/** The value with every string in it well-formed; the same object where all of them are. Strict parsers refuse half a character, and then for ever. */
export function wellFormed<T>(value: T): T {
  if (typeof value === "string") return (value.isWellFormed() ? value : value.toWellFormed()) as T;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    let copy: unknown[] | undefined;
    for (const [index, item] of value.entries()) {
      const clean: unknown = wellFormed(item);
      if (clean === item) continue;
      copy ??= [...value];
      copy[index] = clean;
    }
    return (copy ?? value) as T;
  }
  return wellFormedObject(value as Record<string, unknown>) as T;
}

function wellFormedObject(value: Record<string, unknown>): Record<string, unknown> {
  let changed = false;
  const entries = Object.entries(value).map(([name, item]): [string, unknown] => {
    const entry: [string, unknown] = [name.toWellFormed(), wellFormed(item)];
    changed ||= entry[0] !== name || entry[1] !== item;
    return entry;
  });
  return changed ? Object.fromEntries(entries) : value;
}
