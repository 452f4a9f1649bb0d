import { AgentConfigError, ModelError } from "../base/errors.js";
import type { AgentModelRequest } from "../base/model.js";
import { environmentValue } from "./environment.js";
import { systemTiming } from "./model-timing.js";
import type { Connection, Endpoint, ProviderSettings } from "./protocol.js";
import type { ProtocolName } from "./provider-preset.js";
import { ReplyStream } from "./reply-stream.js";

/** Finds the key of a provider's model, loads what speaks its protocol, and opens replies. */
export class Connector {
  readonly #settings: ProviderSettings;
  /** The last connection and the key it was made with. */
  #connected: { readonly apiKey: string; readonly connection: Promise<Connection> } | undefined;

  constructor(settings: ProviderSettings) {
    this.#settings = settings;
  }

  /** The events of one reply. */
  stream(request: AgentModelRequest): ReplyStream {
    const { maxRetries = 3, idleTimeoutMs = 300_000, timing = systemTiming } = this.#settings.options;
    return new ReplyStream({ request, connect: () => this.#connect(), maxRetries, idleTimeoutMs, timing });
  }

  async #connect(): Promise<Connection> {
    const apiKey = await this.#findKey();
    const known = this.#connected;
    if (known?.apiKey === apiKey) return known.connection;
    const connection = connect(this.#settings.preset.protocol, this.#endpoint(apiKey));
    this.#connected = { apiKey, connection };
    connection.catch(() => {
      this.#connected = undefined; // what was missing may be there the next time
    });
    return connection;
  }

  async #findKey(): Promise<string> {
    const { providerId, preset, options } = this.#settings;
    const { apiKey } = options;
    const { keyVariables = [], optionalKeyVariables = [] } = preset;
    const given = typeof apiKey === "function" ? await apiKey() : apiKey;
    const variables = [...keyVariables, ...optionalKeyVariables];
    const key = String(given ?? variables.map(environmentValue).find((value) => value !== undefined) ?? "").trim();
    if (key === "" && keyVariables.length > 0) {
      const problem = `There is no key for ${providerId}: set ${keyVariables.join(" or ")} in the environment, or pass apiKey. Nothing was sent.`;
      throw new ModelError({ message: problem, errorClass: "auth" });
    }
    return key;
  }

  #endpoint(apiKey: string): Endpoint {
    const { providerId, modelId, preset, options, quirks, structuredOutput } = this.#settings;
    const { keyVariables = [], optionalKeyVariables = [], baseUrlVariable, baseUrl, headers } = preset;
    const fromEnvironment = baseUrlVariable === undefined ? undefined : environmentValue(baseUrlVariable);
    const address = options.baseUrl ?? fromEnvironment ?? baseUrl;
    if (!isHttpUrl(address)) {
      const where = options.baseUrl === undefined && fromEnvironment !== undefined ? baseUrlVariable : `The base URL of ${providerId}`;
      const message = `${where} is no http or https URL; expected one such as ${baseUrl}. Nothing was sent.`;
      throw new ModelError({ message, errorClass: "invalid_request" });
    }
    return {
      providerId,
      modelId,
      apiKey,
      keyVariables: [...keyVariables, ...optionalKeyVariables],
      baseUrl: address,
      headers: { ...headers, ...options.headers },
      quirks,
      structuredOutput,
      promptCache: options.promptCache ?? "5m",
      classifyError: options.classifyError,
      dangerouslyAllowBrowser: options.dangerouslyAllowBrowser ?? false,
      timing: options.timing ?? systemTiming,
    };
  }
}

/** What is no URL is never shown: it may hold a key. */
function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

async function connect(protocol: ProtocolName, endpoint: Endpoint): Promise<Connection> {
  switch (protocol) {
    case "anthropic-messages":
      return (await import("./anthropic-model.js")).connectAnthropic(endpoint);
    case "openai-responses":
      return (await import("./openai-responses-model.js")).connectOpenAIResponses(endpoint);
    case "openai-chat":
      return (await import("./openai-chat-model.js")).connectOpenAIChat(endpoint);
    default:
      throw new AgentConfigError({
        field: "protocol",
        problem: `expected anthropic-messages, openai-responses or openai-chat, received ${String(protocol)}`,
      });
  }
}
