import { AgentConfigError, ModelError } from "../base/errors.js";
import type { AgentModel, AgentModelRequest, ModelCapabilities } from "../base/model.js";
import { type ChatQuirks, OPENAI_CHAT_QUIRKS } from "./chat-quirks.js";
import { environmentValue } from "./environment.js";
import { systemTiming } from "./model-timing.js";
import type { Connection, Endpoint } from "./protocol.js";
import { checkProviderOptions, type ProviderOptions } from "./provider-options.js";
import type { ProtocolName, ProviderPreset } from "./provider-preset.js";
import { ReplyStream } from "./reply-stream.js";

/**
 * A model of a provider. It holds no connection and loads nothing: the adapter, the provider's SDK and the key are looked for when the first request
 * is made.
 */
export class ProviderModel implements AgentModel {
  readonly providerId: string;
  readonly modelId: string;
  readonly capabilities: ModelCapabilities;
  readonly #preset: ProviderPreset;
  readonly #options: ProviderOptions;
  /** The last connection and the key it was made with. */
  #connected: { readonly apiKey: string; readonly connection: Promise<Connection> } | undefined;

  /** @throws AgentConfigError when an option or the model's name cannot be used. */
  constructor({
    providerId,
    modelId,
    preset,
    options = {},
  }: { providerId: string; modelId: string; preset: ProviderPreset; options?: ProviderOptions }) {
    if (typeof modelId !== "string" || modelId.trim() === "") {
      throw new AgentConfigError({ field: "modelId", problem: `expected the name of a model of ${providerId}` });
    }
    this.providerId = providerId;
    this.modelId = modelId;
    this.#preset = preset;
    this.#options = checkProviderOptions(options, providerId);
    const quirks = quirksOf(preset, modelId, options);
    this.capabilities = Object.freeze({ structuredOutput: givesFormat(preset, modelId, quirks) });
  }

  stream(request: AgentModelRequest): ReplyStream {
    const { maxRetries = 3, idleTimeoutMs = 300_000, timing = systemTiming } = this.#options;
    return new ReplyStream({ request, connect: () => this.#connect(), maxRetries, idleTimeoutMs, timing });
  }

  async #connect(): Promise<Connection> {
    const apiKey = await this.#findKey();
    const known = this.#connected;
    if (known?.apiKey === apiKey) return known.connection;
    const connection = connect(this.#preset.protocol, this.#endpoint(apiKey));
    this.#connected = { apiKey, connection };
    connection.catch(() => {
      this.#connected = undefined; // what was missing may be there the next time
    });
    return connection;
  }

  async #findKey(): Promise<string> {
    const { apiKey } = this.#options;
    const { keyVariables = [] } = this.#preset;
    const given = typeof apiKey === "function" ? await apiKey() : apiKey;
    const key = (given ?? keyVariables.map(environmentValue).find((value) => value !== undefined) ?? "").trim();
    if (key === "" && keyVariables.length > 0) {
      const problem = `There is no key for ${this.providerId}: set ${keyVariables.join(" or ")} in the environment, or pass apiKey. Nothing was sent.`;
      throw new ModelError({ message: problem, errorClass: "auth" });
    }
    return key;
  }

  #endpoint(apiKey: string): Endpoint {
    const { providerId, modelId } = this;
    const { keyVariables = [], baseUrlVariable, baseUrl, headers } = this.#preset;
    const options = this.#options;
    const quirks = quirksOf(this.#preset, modelId, options);
    return {
      providerId,
      modelId,
      apiKey,
      keyVariables,
      baseUrl: options.baseUrl ?? (baseUrlVariable === undefined ? undefined : environmentValue(baseUrlVariable)) ?? baseUrl,
      headers: { ...headers, ...options.headers },
      quirks,
      structuredOutput: givesFormat(this.#preset, modelId, quirks),
      promptCache: options.promptCache ?? "5m",
      classifyError: options.classifyError,
      dangerouslyAllowBrowser: options.dangerouslyAllowBrowser ?? false,
      timing: options.timing ?? systemTiming,
    };
  }
}

function quirksOf({ quirks: own = {} }: ProviderPreset, modelId: string, { quirks, strictTools }: ProviderOptions): ChatQuirks {
  const preset = typeof own === "function" ? own(modelId) : own;
  return { ...OPENAI_CHAT_QUIRKS, ...preset, ...quirks, ...(strictTools === undefined ? undefined : { strictTools }) };
}

function givesFormat({ protocol, structuredOutput = true }: ProviderPreset, modelId: string, quirks: ChatQuirks): boolean {
  const byPreset = typeof structuredOutput === "function" ? structuredOutput(modelId) : structuredOutput;
  return byPreset && (protocol !== "openai-chat" || quirks.structuredOutput === "json_schema");
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
