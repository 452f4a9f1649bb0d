import { AgentConfigError } from "../base/errors.js";
import type { AgentModel, AgentModelEvent, AgentModelRequest, ModelCapabilities } from "../base/model.js";
import { type ChatQuirks, OPENAI_CHAT_QUIRKS } from "./chat-quirks.js";
import type { Connector } from "./connector.js";
import { LazyStream } from "./lazy-stream.js";
import type { ProviderSettings } from "./protocol.js";
import { checkProviderOptions, type ProviderOptions } from "./provider-options.js";
import type { ProviderPreset } from "./provider-preset.js";

/**
 * A model of a provider. It holds no connection and loads nothing: the adapter, the provider's SDK and the key are looked for when the first request
 * is made.
 */
export class ProviderModel implements AgentModel {
  readonly providerId: string;
  readonly modelId: string;
  readonly capabilities: ModelCapabilities;
  readonly #settings: ProviderSettings;
  #connector: Connector | undefined;

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
    checkProviderOptions(options, providerId);
    const quirks = quirksOf(preset, modelId, options);
    const structuredOutput = givesFormat(preset, modelId, quirks);
    this.#settings = { providerId, modelId, preset, options, quirks, structuredOutput };
    this.capabilities = Object.freeze({ structuredOutput });
  }

  stream(request: AgentModelRequest): AsyncIterableIterator<AgentModelEvent, undefined, undefined> {
    return new LazyStream(async () => {
      this.#connector ??= new (await import("./connector.js")).Connector(this.#settings);
      return this.#connector.stream(request);
    });
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
