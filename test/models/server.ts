import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A request that the server got, with its body read as JSON. */
export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of many shapes
  readonly body: any;
}

/** What a server does with one request. */
export type Answer = (response: ServerResponse, request: ReceivedRequest) => void | Promise<void>;

/** A server on loopback that gives its answers in order, the last one again and again. */
export interface ModelServer {
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  /** Connections that are open now. */
  readonly openConnections: number;
}

/** Starts a server for the rest of the test. */
export async function startServer(...answers: readonly Answer[]): Promise<ModelServer> {
  const requests: ReceivedRequest[] = [];
  const sockets = new Set<Socket>();
  const server = createServer({ keepAliveTimeout: 100 }, async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString("utf8");
    const received = { path: request.url ?? "", headers: request.headers, body: text === "" ? undefined : JSON.parse(text) };
    const number = requests.push(received);
    const answer = answers[Math.min(number, answers.length) - 1];
    response.on("error", () => undefined);
    await answer?.(response, received);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    get openConnections() {
      return sockets.size;
    },
  };
}

/** How the events of a stream are named. */
export type SseDialect = "named" | "data-only";

/** Events as the text of a stream: `named` as Anthropic and OpenAI's Responses send them, `data-only` as Chat Completions, with its end mark. */
export function sse(events: readonly unknown[], dialect: SseDialect): string[] {
  const blocks = events.map((event) => {
    const name = dialect === "named" ? `event: ${(event as { type: string }).type}\n` : "";
    return `${name}data: ${JSON.stringify(event)}\n\n`;
  });
  return dialect === "named" ? blocks : [...blocks, "data: [DONE]\n\n"];
}

const STREAM_HEADERS = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" };

/** Sends a stream whole. */
export function whole(blocks: readonly string[], headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(200, { ...STREAM_HEADERS, ...headers });
    response.end(blocks.join(""));
  };
}

/** Sends a stream one byte a write. */
export function byteByByte(blocks: readonly string[]): Answer {
  return async (response) => {
    response.writeHead(200, STREAM_HEADERS);
    response.socket?.setNoDelay(true);
    const bytes = Buffer.from(blocks.join(""));
    for (let at = 0; at < bytes.length; at++) {
      response.write(bytes.subarray(at, at + 1));
      if (at % 64 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  };
}

/** Sends a stream with CRLF line ends. */
export function withCrlf(blocks: readonly string[]): Answer {
  return whole(blocks.map((block) => block.replaceAll("\n", "\r\n")));
}

/** Sends the first blocks and ends the answer as if that were all. */
export function cutAfter(blocks: readonly string[], count: number): Answer {
  return whole(blocks.slice(0, count));
}

/** Sends the first blocks and resets the connection. */
export function resetAfter(blocks: readonly string[], count: number): Answer {
  return (response) => {
    response.writeHead(200, STREAM_HEADERS);
    const start = blocks.slice(0, count).join("");
    const reset = () => response.socket?.resetAndDestroy();
    if (start === "") response.flushHeaders();
    // after what was written has left: a reset throws away what is still in the socket
    if (start === "") setImmediate(reset);
    else response.write(start, () => setImmediate(reset));
  };
}

/** Sends the first blocks, then nothing, for ever. */
export function silentAfter(blocks: readonly string[], count: number): Answer {
  return (response) => {
    response.writeHead(200, STREAM_HEADERS);
    response.flushHeaders();
    response.write(blocks.slice(0, count).join(""));
  };
}

/** Answers with a status and a body. */
export function answer(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (response) => {
    const isText = typeof body === "string";
    response.writeHead(status, { "content-type": isText ? "text/html" : "application/json", ...headers });
    response.end(isText ? body : JSON.stringify(body));
  };
}

/** A URL where nobody listens. */
export async function closedPort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}
