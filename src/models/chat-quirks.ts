/** When earlier reasoning goes back to the server: never, for the tool turns since the last user message, or always. */
export type ReasoningReplay = "never" | "tool-turns" | "always";

/** How one server that speaks Chat Completions differs from the others. */
export interface ChatQuirks {
  /** Role of the system prompt. */
  readonly systemRole: "system" | "developer";
  /** Field for the output limit. */
  readonly maxTokensField: "max_tokens" | "max_completion_tokens";
  /** Field for the seed. */
  readonly seedField: "seed" | "random_seed";
  /** Whether `stream_options.include_usage` is known. Servers that report usage unasked, or refuse the field, have false. */
  readonly streamUsage: boolean;
  /** Fields of a delta that hold reasoning, the first one that is there counts. */
  readonly reasoningFields: readonly string[];
  readonly replayReasoning: ReasoningReplay;
  /** Field in which replayed reasoning goes back. */
  readonly replayField: string;
  /** How the wish to reason is said: `reasoning_effort`, OpenRouter's `reasoning`, DeepSeek's `thinking`, or not at all. */
  readonly reasoningOption: "reasoning_effort" | "reasoning" | "thinking" | "none";
  /** Content of an assistant message that has calls and no text. */
  readonly emptyContent: "null" | "empty" | "omitted";
  /** Whether neighbours of one role are merged, as chat templates with strict alternation want it. */
  readonly mergeNeighbours: boolean;
  /** Whether a user message may stand directly after tool results. Where not, a short assistant message is put between. */
  readonly userAfterTool: boolean;
  /** Whether images of a tool result may stand in the tool message; elsewhere they follow in a user message. */
  readonly toolResultImages: boolean;
  /** Whether images are taken at all. */
  readonly images: boolean;
  /** How documents are sent. */
  readonly files: "file" | "document_url" | "none";
  /** What call ids look like. */
  readonly callIds: "any" | "nine-alphanumerics";
  /** The word for "must call some tool". */
  readonly requiredToolChoice: "required" | "any";
  /** Whether tool schemas are sent in the strict form where they have one. */
  readonly strictTools: boolean;
  /** What enforces the format of a reply. */
  readonly structuredOutput: "json_schema" | "json_object" | "none";
  /** Whether a format may be asked for in a request that has tools. Grammar-guided servers would never call one. */
  readonly structuredOutputWithTools: boolean;
}

/** A server that behaves as OpenAI's does. */
export const OPENAI_CHAT_QUIRKS: ChatQuirks = Object.freeze({
  systemRole: "system",
  maxTokensField: "max_completion_tokens",
  seedField: "seed",
  streamUsage: true,
  reasoningFields: Object.freeze(["reasoning_content", "reasoning"]),
  replayReasoning: "never",
  replayField: "reasoning_content",
  reasoningOption: "reasoning_effort",
  emptyContent: "null",
  mergeNeighbours: false,
  userAfterTool: true,
  toolResultImages: false,
  images: true,
  files: "file",
  callIds: "any",
  requiredToolChoice: "required",
  strictTools: false,
  structuredOutput: "json_schema",
  structuredOutputWithTools: true,
});

/** A server of the compatible kind: the older field names, no promises about formats beside tools. */
export const COMPATIBLE_CHAT_QUIRKS: ChatQuirks = Object.freeze({
  ...OPENAI_CHAT_QUIRKS,
  maxTokensField: "max_tokens",
  structuredOutputWithTools: false,
});

/** A local server, whose chat templates want strict alternation and refuse null content. */
export const LOCAL_CHAT_QUIRKS: ChatQuirks = Object.freeze({
  ...COMPATIBLE_CHAT_QUIRKS,
  mergeNeighbours: true,
  emptyContent: "empty",
});
