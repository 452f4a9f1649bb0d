import { cutText } from "../base/json.js";
import type { Redact } from "./redactor.js";
import { WireError } from "./wire-error.js";

/** What an SDK gives for a streaming request. */
interface SentRequest {
  withResponse(): Promise<{ readonly data: AsyncIterable<unknown>; readonly response: Response }>;
}

/**
 * Waits for an answer to begin.
 * @param redact - For what is quoted of an answer: a key must be taken out before the quotation is cut, or a part of it would stay.
 * @returns The SDK's own iterator over the events.
 * @throws WireError when the answer is a page or a JSON document instead of a stream; what the SDK throws.
 */
export async function openStream(sent: SentRequest, redact: Redact): Promise<AsyncIterator<unknown>> {
  const { data, response } = await sent.withResponse();
  const contentType = response.headers.get("content-type") ?? "";
  if (/json|html|xml/i.test(contentType) && !/event-stream|ndjson/i.test(contentType)) throw await noStream(response, contentType, redact);
  return data[Symbol.asyncIterator]();
}

const MAX_BODY_BYTES = 65_536;

/** Servers answer 200 to what went wrong, and proxies put their pages in between. */
async function noStream(response: Response, contentType: string, redact: Redact): Promise<WireError> {
  const { headers } = response;
  const text = redact(await readStart(response));
  const problem = `Expected a stream of events, received ${contentType}`;
  try {
    const body: unknown = JSON.parse(text);
    const isError = JSON.stringify(body).includes('"error"');
    return new WireError({
      message: problem,
      headers,
      body: isError ? body : `${problem}: ${cutText(text, 200)}`,
      ...(isError ? undefined : { code: "no-stream" }),
    });
  } catch {
    return new WireError({ message: problem, headers, body: [`${problem}.`, text], code: "no-stream" });
  }
}

async function readStart({ body }: Response): Promise<string> {
  if (body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of body) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length > MAX_BODY_BYTES) break;
  }
  return text;
}
