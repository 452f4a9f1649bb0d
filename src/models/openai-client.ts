import type OpenAI from "openai";
import { loadPackage } from "./load-package.js";
import type { Endpoint } from "./protocol.js";
import { isHostOf, SILENT_CLIENT, withoutEnvironmentHeaders } from "./sdk-client.js";

/**
 * The official client, for OpenAI or a server that speaks like it. What the environment holds for OpenAI (organisation, project, headers) goes to
 * OpenAI alone.
 */
export async function createOpenAIClient({ apiKey, baseUrl, headers, dangerouslyAllowBrowser }: Endpoint): Promise<OpenAI> {
  const { default: Client } = await loadPackage("openai", () => import("openai"));
  const isOpenAI = isHostOf(baseUrl, "openai.com");
  return new Client({
    ...SILENT_CLIENT,
    apiKey: apiKey === "" ? "none" : apiKey, // the client wants one, a server without keys does not look at it
    adminAPIKey: null,
    ...(isOpenAI ? undefined : { organization: null, project: null }),
    baseURL: baseUrl,
    defaultHeaders: {
      ...(isOpenAI ? undefined : withoutEnvironmentHeaders("OPENAI_CUSTOM_HEADERS")),
      ...(apiKey === "" ? { Authorization: null } : undefined),
      ...headers,
    },
    dangerouslyAllowBrowser,
  });
}
