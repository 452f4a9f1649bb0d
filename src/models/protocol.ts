import type { AgentModelEvent, AgentModelRequest } from "../base/model.js";
import type { ChatQuirks } from "./chat-quirks.js";
import type { ClassifyError } from "./error-class.js";
import type { ModelTiming } from "./model-timing.js";
import type { ProviderOptions } from "./provider-options.js";
import type { ProviderPreset } from "./provider-preset.js";

/** What a provider's model was made with. */
export interface ProviderSettings {
  readonly providerId: string;
  readonly modelId: string;
  readonly preset: ProviderPreset;
  readonly options: ProviderOptions;
  readonly quirks: ChatQuirks;
  readonly structuredOutput: boolean;
}

/** A provider's model with everything filled in: what an adapter is made from. */
export interface Endpoint {
  readonly providerId: string;
  readonly modelId: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly keyVariables: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly quirks: ChatQuirks;
  readonly structuredOutput: boolean;
  readonly promptCache: false | "5m" | "1h";
  readonly classifyError: ClassifyError | undefined;
  readonly dangerouslyAllowBrowser: boolean;
  readonly timing: ModelTiming;
}

/** The last event of a reply. */
export type FinishEvent = Extract<AgentModelEvent, { type: "finish" }>;

/** Turns the events of one reply on the wire into ours. */
export interface EventReader {
  /**
   * Adds what a wire event means to `events`, in order, without a `finish`.
   * @throws WireError for an error inside the stream.
   */
  take(wireEvent: unknown, events: AgentModelEvent[]): void;
  /** Set as soon as the reply is known to be whole. Usage may still follow. */
  readonly finish: FinishEvent | undefined;
}

/** An answer that has begun. */
export interface OpenReply {
  readonly wireEvents: AsyncIterator<unknown>;
  readonly reader: EventReader;
}

/** A failure, explained. */
export interface Explanation {
  readonly finish: FinishEvent;
  /** Whether asking again may help. */
  readonly retried: boolean;
  /** How long the provider asks to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** What was thrown, without secrets, for `cause`. */
  readonly cause: Error;
}

/** A way to one provider's model. */
export interface Connection {
  /** Sends a request. The signal ends it, and the stream that follows. */
  send(request: AgentModelRequest, signal: AbortSignal): Promise<OpenReply>;
  /** Explains what {@link send}, the stream or the reader threw. */
  explain(thrown: unknown): Explanation;
}
