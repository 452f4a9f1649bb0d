import { cutText, isObject, type JsonObject, type JsonValue, toJsonValue, toText } from "../../base/json.js";
import type { AgentMessage } from "../../base/message.js";

/** Where something that a tool said comes from. */
export interface EvidenceSource {
  /** What tells it from other sources: an address, a path, an id. */
  readonly source: string;
  readonly title?: string;
  /** What it said, in short. */
  readonly excerpt?: string;
}

/** A source that the report may cite. */
export interface EvidenceEntry extends EvidenceSource {
  /** Its number in citations, from 1. */
  readonly number: number;
  readonly toolName: string;
  readonly toolCallId: string;
}

/** An entry that has no number yet, or not that of this ledger. */
export type NewEvidence = Omit<EvidenceEntry, "number">;

/** A tool result, as sources are found in it. */
export interface EvidenceResult {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly input: JsonObject;
  readonly output: JsonValue;
}

/** Finds the sources in a tool result. None: the result is no evidence. */
export type FindSources = (result: EvidenceResult) => readonly EvidenceSource[];

const ADDRESS_KEYS = ["url", "uri", "href", "link", "doi", "path", "file", "source"];
const ID_KEYS = ["id", "docId", "documentId", "document_id", "doc_id"];
const TITLE_KEYS = ["title", "name", "heading", "subject"];
const MAX_EXCERPT_CHARS = 160;
const MAX_SOURCES = 20;

/** The ledger that a history holds, in the order of the numbers. */
export function evidenceOf(messages: readonly AgentMessage[]): readonly EvidenceEntry[] {
  return messages.flatMap(({ metadata }) => {
    const entries = metadata?.["evidence"];
    return Array.isArray(entries) ? (entries as unknown as readonly EvidenceEntry[]) : [];
  });
}

/** Entries for sources that the ledger does not have yet, and the numbers of all that were given. */
export function record(
  ledger: readonly EvidenceEntry[],
  found: readonly NewEvidence[],
): { readonly added: readonly EvidenceEntry[]; readonly numbers: readonly number[] } {
  const numbers = new Map(ledger.map(({ source, number }) => [source, number]));
  const added: EvidenceEntry[] = [];
  let number = Math.max(0, ...numbers.values());
  for (const { source, title, excerpt, toolName, toolCallId } of found) {
    if (numbers.has(source)) continue;
    number += 1;
    numbers.set(source, number);
    const about = { ...(title === undefined ? undefined : { title }), ...(excerpt === undefined ? undefined : { excerpt }) };
    added.push(Object.freeze({ number, source, ...about, toolName, toolCallId }));
  }
  return { added, numbers: found.map(({ source }) => numbers.get(source) ?? 0) };
}

/** What the history keeps of new entries, besides their text. */
export function evidenceMetadata(added: readonly EvidenceEntry[]): JsonObject {
  return Object.freeze({ evidence: toJsonValue(added) });
}

/**
 * Sources by what most tools give: each item of a list that has an address or an id is one; else the document that was asked for; else the call itself.
 * An empty result has none.
 */
export function findSources(result: EvidenceResult): readonly EvidenceSource[] {
  const { output, input, toolName } = result;
  if (isEmpty(output)) return [];
  const listed = itemsOf(output).flatMap((item) => describe(item, toolName) ?? []);
  if (listed.length > 0) return listed.slice(0, MAX_SOURCES);
  const whole = describe(output, toolName);
  if (whole !== undefined) return [whole];
  const excerpt = excerptOf(output);
  const asked = describe(input, toolName);
  return [asked === undefined ? { source: `${toolName} ${JSON.stringify(input)}`, excerpt } : { ...asked, excerpt }];
}

const MAX_SOURCE_CHARS = 500;
const MAX_TITLE_CHARS = 200;

/**
 * A source on one line and of a size to be listed: what a document calls itself may not add lines to a list of sources.
 * @returns Undefined for what is no source.
 */
export function plainSource({ source, title, excerpt }: EvidenceSource): EvidenceSource | undefined {
  const address = plain(source, MAX_SOURCE_CHARS);
  if (address === undefined) return undefined;
  const name = plain(title, MAX_TITLE_CHARS);
  const said = plain(excerpt, MAX_EXCERPT_CHARS);
  return {
    source: address,
    ...(name === undefined ? undefined : { title: name }),
    ...(said === undefined ? undefined : { excerpt: said }),
  };
}

function plain(text: unknown, maxChars: number): string | undefined {
  const line = typeof text === "string" ? oneLine(text) : "";
  return line === "" ? undefined : cutText(line, maxChars);
}

function itemsOf(output: JsonValue): readonly JsonValue[] {
  if (Array.isArray(output)) return output;
  if (!isObject(output)) return [];
  const lists = Object.values(output).filter((value) => Array.isArray(value));
  const [only] = lists;
  return lists.length === 1 && only !== undefined ? (only as readonly JsonValue[]) : [];
}

function describe(value: unknown, toolName: string): EvidenceSource | undefined {
  if (!isObject(value)) return undefined;
  const source = textAt(value, ADDRESS_KEYS) ?? idAt(value, toolName);
  if (source === undefined) return undefined;
  const title = textAt(value, TITLE_KEYS);
  return { source, ...(title === undefined || title === source ? undefined : { title }), excerpt: excerptOf(value) };
}

function textAt(value: Record<string, unknown>, keys: readonly string[]): string | undefined {
  const key = keys.find((name) => typeof value[name] === "string" && value[name] !== "");
  return key === undefined ? undefined : oneLine(String(value[key]));
}

/** A number means something to its tool alone. */
function idAt(value: Record<string, unknown>, toolName: string): string | undefined {
  const key = ID_KEYS.find((name) => typeof value[name] === "number");
  return textAt(value, ID_KEYS) ?? (key === undefined ? undefined : `${toolName} ${key} ${String(value[key])}`);
}

function excerptOf(value: unknown): string {
  return cutText(oneLine(toText(value)), MAX_EXCERPT_CHARS);
}

function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, " ");
}

/** Nothing was found: no text, an empty list, or an object of nothing but such and numbers. */
function isEmpty(output: JsonValue): boolean {
  if (output === null || output === false) return true;
  if (typeof output === "string") return output.trim() === "";
  if (Array.isArray(output)) return output.every(isEmpty);
  if (!isObject(output)) return false;
  const values = Object.values(output).filter((value) => typeof value !== "number");
  return values.length > 0 ? values.every((value) => isEmpty(value as JsonValue)) : Object.keys(output).length === 0;
}
