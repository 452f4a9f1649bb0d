import { explainFailure } from "./explain.js";
import { openStream } from "./open-stream.js";
import { chatBody } from "./openai-chat-request.js";
import { ChatReader } from "./openai-chat-stream.js";
import { createOpenAIClient } from "./openai-client.js";
import type { Connection, Endpoint } from "./protocol.js";
import { createRedactor, secretsOf } from "./redactor.js";
import { originOf } from "./wire-history.js";
import { ToolNames } from "./wire-names.js";

/** A way to a model behind Chat Completions. */
export async function connectOpenAIChat(endpoint: Endpoint): Promise<Connection> {
  const client = await createOpenAIClient(endpoint);
  const redact = createRedactor(secretsOf(endpoint));
  const origin = originOf(endpoint);
  const { reasoningFields } = endpoint.quirks;
  return {
    explain: (thrown) => explainFailure(thrown, endpoint, redact),
    send: async (request, signal) => {
      const names = new ToolNames(request);
      const sent = client.chat.completions.create(chatBody(request, endpoint, names), { signal });
      return { wireEvents: await openStream(sent, redact), reader: new ChatReader({ origin, names, reasoningFields }) };
    },
  };
}
