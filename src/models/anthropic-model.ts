import { anthropicBody } from "./anthropic-request.js";
import { AnthropicReader } from "./anthropic-stream.js";
import { explainFailure } from "./explain.js";
import { loadPackage } from "./load-package.js";
import { openStream } from "./open-stream.js";
import type { Connection, Endpoint } from "./protocol.js";
import { createRedactor, secretsOf } from "./redactor.js";
import { isHostOf, SILENT_CLIENT, withoutEnvironmentHeaders } from "./sdk-client.js";
import { originOf } from "./wire-history.js";
import { ToolNames } from "./wire-names.js";

/** A way to a model that speaks Anthropic's Messages. */
export async function connectAnthropic(endpoint: Endpoint): Promise<Connection> {
  const { default: Anthropic } = await loadPackage("@anthropic-ai/sdk", () => import("@anthropic-ai/sdk"));
  const { apiKey, baseUrl, headers, dangerouslyAllowBrowser } = endpoint;
  const client = new Anthropic({
    ...SILENT_CLIENT,
    apiKey: apiKey === "" ? "none" : apiKey, // the client wants one, a server without keys does not look at it
    authToken: null,
    baseURL: baseUrl,
    defaultHeaders: {
      ...(isHostOf(baseUrl, "anthropic.com") ? undefined : withoutEnvironmentHeaders("ANTHROPIC_CUSTOM_HEADERS")),
      ...(apiKey === "" ? { Authorization: null } : undefined),
      ...headers,
    },
    dangerouslyAllowBrowser,
  });
  const redact = createRedactor(secretsOf(endpoint));
  const origin = originOf(endpoint);
  return {
    explain: (thrown) => explainFailure(thrown, endpoint, redact),
    send: async (request, signal) => {
      const names = new ToolNames(request);
      const sent = client.messages.create(anthropicBody(request, endpoint, names), { signal });
      return { wireEvents: await openStream(sent, redact), reader: new AnthropicReader({ origin, names }) };
    },
  };
}
