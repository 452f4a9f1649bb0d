/** An error that came as an event of a stream, or an answer that is no stream. */
export class WireError extends Error {
  override readonly name = "WireError";
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly body: unknown;
  readonly headers: Headers | undefined;
  constructor({
    message,
    status,
    code,
    body,
    headers,
  }: { message: string; status?: number; code?: string; body?: unknown; headers?: Headers }) {
    super(message);
    this.status = status;
    this.code = code;
    this.body = body;
    this.headers = headers;
  }
}
