import type { ChatQuirks } from "./chat-quirks.js";

/** The wire formats that there are adapters for. */
export type ProtocolName = "anthropic-messages" | "openai-responses" | "openai-chat";

/** Where a provider is and how it wants to be spoken to. Everything that is needed to add one. */
export interface ProviderPreset {
  readonly protocol: ProtocolName;
  /** For example `https://api.example.com/v1`. */
  readonly baseUrl: string;
  /** Environment variables that may hold the key, the first one that is set counts. None: the server wants no key. */
  readonly keyVariables?: readonly string[];
  /** Environment variables that may hold a key for a server that runs without one as well. */
  readonly optionalKeyVariables?: readonly string[];
  /** Environment variable that may hold another base URL. */
  readonly baseUrlVariable?: string;
  /** Headers that go with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What the provider's Chat Completions do differently, for all models or by model. Other protocols have no use for it. */
  readonly quirks?: Partial<ChatQuirks> | ((modelId: string) => Partial<ChatQuirks>);
  /** Whether a reply's format can be enforced, where the protocol leaves that open. @default true */
  readonly structuredOutput?: boolean | ((modelId: string) => boolean);
}
