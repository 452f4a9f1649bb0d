import { AgentConfigError } from "../base/errors.js";
import type { AgentModel } from "../base/model.js";
import { environmentValue } from "./environment.js";
import { type PresetName, presets } from "./presets.js";
import { ProviderModel } from "./provider-model.js";
import type { ProviderOptions } from "./provider-options.js";
import type { ProtocolName, ProviderPreset } from "./provider-preset.js";

/** Options of a gateway. */
export interface GatewayOptions {
  /** Providers of your own by name. One of a known name takes its place. */
  readonly providers?: Readonly<Record<string, ProviderPreset>>;
  /** Options for every model, over the defaults and under those of the model. */
  readonly options?: Omit<ProviderOptions, "apiKey" | "baseUrl">;
}

/** A model by the names of its provider and itself. The fields are those of an agent's configuration. */
export interface ModelReference {
  readonly providerId: string;
  readonly modelId: string;
  readonly apiKey?: ProviderOptions["apiKey"] | undefined;
  readonly baseUrl?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A provider as a listing shows it. */
export interface ProviderListing {
  readonly id: string;
  readonly protocol: ProtocolName;
  readonly baseUrl: string;
  /** Environment variables that may hold its key; none when it wants no key. */
  readonly keyVariables: readonly string[];
  /** Environment variables that may hold a key for a server that runs without one as well. */
  readonly optionalKeyVariables?: readonly string[];
  /** Environment variable that may hold another base URL. */
  readonly baseUrlVariable?: string;
}

/** Models by name, of the providers that come with triact and of your own. */
export interface Gateway {
  /** The providers it knows, in order. */
  readonly providers: readonly ProviderListing[];
  /**
   * A model by `provider:model`, or by both names.
   * @throws AgentConfigError naming the known providers when this is none of them.
   */
  model(name: string, options?: ProviderOptions): AgentModel;
  /** The same from the fields of a configuration. */
  modelFor(reference: ModelReference, options?: ProviderOptions): AgentModel;
}

/** Makes a gateway. Without options it knows the providers that come with triact. */
export function createGateway({ providers = {}, options: shared = {} }: GatewayOptions = {}): Gateway {
  const known: ReadonlyMap<string, ProviderPreset> = new Map(Object.entries<ProviderPreset>({ ...presets, ...providers }));
  const create = (providerId: string, modelId: string, options: ProviderOptions): AgentModel => {
    const preset = known.get(providerId);
    if (preset === undefined) throw unknownProvider(providerId, [...known.keys()]);
    return new ProviderModel({ providerId, modelId, preset, options: { ...shared, ...options } });
  };
  return {
    providers: listingsOf(known),
    model: (name, options = {}) => {
      const { providerId, modelId } = splitModelName(name);
      return create(providerId, modelId, options);
    },
    modelFor: ({ providerId, modelId, ...given }, options = {}) => create(providerId, modelId, { ...options, ...defined(given) }),
  };
}

/**
 * Reads `provider:model`. The model's own name may hold more colons.
 * @throws AgentConfigError when there is no provider or no model in it.
 */
export function splitModelName(name: string): { readonly providerId: string; readonly modelId: string } {
  const at = name.indexOf(":");
  const providerId = name.slice(0, Math.max(at, 0)).trim();
  const modelId = name.slice(at + 1).trim();
  if (providerId !== "" && modelId !== "") return { providerId, modelId };
  throw new AgentConfigError({
    field: "model",
    problem: `expected provider:model, for example anthropic:claude-sonnet-4-6, received ${JSON.stringify(name)}`,
  });
}

/** The providers that come with triact. */
export const providerPresets: readonly ProviderListing[] = listingsOf(new Map(Object.entries<ProviderPreset>(presets)));

/** Whether a key of the provider stands in the environment; true for one that wants none. */
export function hasKey({ keyVariables }: Pick<ProviderListing, "keyVariables">): boolean {
  return keyVariables.length === 0 || keyVariables.some((name) => environmentValue(name) !== undefined);
}

/**
 * The model of a configuration's `providerId` and `modelId`.
 * @throws AgentConfigError naming the known providers when this is none of them.
 */
export function modelFor(reference: ModelReference): AgentModel {
  return createGateway().modelFor(reference);
}

/** A model of a provider that comes with triact. */
export function presetModel(providerId: PresetName, modelId: string, options: ProviderOptions = {}): AgentModel {
  return new ProviderModel({ providerId, modelId, preset: presets[providerId], options });
}

function listingsOf(known: ReadonlyMap<string, ProviderPreset>): readonly ProviderListing[] {
  const listings = [...known].map(([id, { protocol, baseUrl, keyVariables = [], optionalKeyVariables, baseUrlVariable }]) =>
    Object.freeze({
      id,
      protocol,
      baseUrl,
      keyVariables,
      ...(optionalKeyVariables === undefined ? undefined : { optionalKeyVariables }),
      ...(baseUrlVariable === undefined ? undefined : { baseUrlVariable }),
    }),
  );
  return Object.freeze(listings);
}

function unknownProvider(providerId: string, known: readonly string[]): AgentConfigError {
  const problem = `there is no provider ${JSON.stringify(providerId)}. Known: ${known.join(", ")}. Others can be added with createGateway({ providers })`;
  return new AgentConfigError({ field: "providerId", problem });
}

function defined(fields: Omit<ModelReference, "providerId" | "modelId">): ProviderOptions {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
