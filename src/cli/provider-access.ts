import { createGateway, type Gateway, type ProviderListing } from "../models/gateway.js";
import type { CommandHost } from "./command.js";
import { UsageError } from "./usage-error.js";

/** The part of the host that decides which providers there are and what they get. */
export type ProviderHost = Pick<CommandHost, "environment" | "gateway">;

/** The providers that the command knows. */
export function gatewayOf({ gateway }: ProviderHost): Gateway {
  return gateway ?? createGateway();
}

/**
 * The provider of a name.
 * @param flag - Where the name was given, with a colon and a space. Default nothing.
 * @throws UsageError that lists the known ones.
 */
export function findProvider(name: string, { providers }: Gateway, flag = ""): ProviderListing {
  const found = providers.find(({ id }) => id === name);
  if (found !== undefined) return found;
  const known = providers.map(({ id }) => id).join(", ");
  throw new UsageError({ problem: `${flag}there is no provider ${JSON.stringify(name)}. Known: ${known}.` });
}

/** The variable that a provider's key stands in; `undefined` when none of them is set. */
export function keyVariableOf(
  { keyVariables, optionalKeyVariables = [] }: ProviderListing,
  { environment }: ProviderHost,
): string | undefined {
  return [...keyVariables, ...optionalKeyVariables].find((name) => (environment[name]?.trim() ?? "") !== "");
}

/** The key and the address that the environment gives to a provider. */
export function accessTo(provider: ProviderListing, host: ProviderHost): { readonly apiKey?: string; readonly baseUrl: string } {
  const variable = keyVariableOf(provider, host);
  const apiKey = variable === undefined ? undefined : host.environment[variable]?.trim();
  return { ...(apiKey === undefined ? undefined : { apiKey }), baseUrl: baseUrlOf(provider, host) };
}

/** Where a provider is. */
export function baseUrlOf({ baseUrl, baseUrlVariable }: ProviderListing, { environment }: ProviderHost): string {
  return (baseUrlVariable === undefined ? undefined : environment[baseUrlVariable]?.trim()) || baseUrl;
}

/** A URL without what may be secret in it. */
export function publicUrl(text: string): string {
  if (!URL.canParse(text)) return "(no valid URL)";
  const url = new URL(text);
  if (url.username === "" && url.password === "" && url.search === "") return text;
  return `${url.protocol}//${url.host}${url.pathname}`;
}

/** The package that speaks a provider's protocol. */
export function packageOf({ protocol }: Pick<ProviderListing, "protocol">): string {
  return protocol === "anthropic-messages" ? "@anthropic-ai/sdk" : "openai";
}
