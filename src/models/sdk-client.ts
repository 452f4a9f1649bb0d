import { environmentValue } from "./environment.js";

const silent = () => undefined;

/** What every SDK client is told: no retries (they are ours, and visible), no log lines (they would hold prompts), no clock besides ours. */
export const SILENT_CLIENT = {
  maxRetries: 0,
  timeout: 2_147_483_647,
  logLevel: "off",
  logger: { error: silent, warn: silent, info: silent, debug: silent },
} as const;

/** Whether a base URL belongs to the maker of the SDK. */
export function isHostOf(baseUrl: string, domain: string): boolean {
  const { hostname } = new URL(baseUrl);
  return hostname === domain || hostname.endsWith(`.${domain}`);
}

/** The SDKs send the headers of an environment variable to every base URL; they may be a secret between the user and the maker of the SDK. */
export function withoutEnvironmentHeaders(variable: string): Record<string, null> {
  const given = environmentValue(variable) ?? "";
  const names = given.split("\n").flatMap((line) => (line.includes(":") ? [line.slice(0, line.indexOf(":")).trim()] : []));
  return Object.fromEntries(names.map((name) => [name, null]));
}
