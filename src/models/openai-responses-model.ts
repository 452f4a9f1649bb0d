import { explainFailure } from "./explain.js";
import { openStream } from "./open-stream.js";
import { createOpenAIClient } from "./openai-client.js";
import { responsesBody } from "./openai-responses-request.js";
import { ResponsesReader } from "./openai-responses-stream.js";
import type { Connection, Endpoint } from "./protocol.js";
import { createRedactor, secretsOf } from "./redactor.js";
import { originOf } from "./wire-history.js";
import { ToolNames } from "./wire-names.js";

/** A way to a model behind Responses. */
export async function connectOpenAIResponses(endpoint: Endpoint): Promise<Connection> {
  const client = await createOpenAIClient(endpoint);
  const redact = createRedactor(secretsOf(endpoint));
  const origin = originOf(endpoint);
  return {
    explain: (thrown) => explainFailure(thrown, endpoint, redact),
    send: async (request, signal) => {
      const names = new ToolNames(request);
      const sent = client.responses.create(responsesBody(request, endpoint, names), { signal });
      return { wireEvents: await openStream(sent, redact), reader: new ResponsesReader({ origin, names }) };
    },
  };
}
