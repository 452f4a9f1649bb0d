import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { FakeTiming, fixture, type Protocol, protocols, read } from "./kit.js";
import { type Answer, answer, silentAfter, startServer, whole } from "./server.js";

const names = Object.keys(protocols) as Protocol[];

describe.each(names)("%s", (protocol) => {
  const events = fixture(protocol, "text");
  const blocks = protocols[protocol].blocks(events);

  /** Reads from a server; time passes as long as nothing happens. */
  async function ask(answerer: Answer, maxRetries = 0) {
    const server = await startServer(answerer);
    const timing = new FakeTiming();
    const reply = await timing.passUntil(read(protocols[protocol].model(server.url, { timing, maxRetries })));
    expect(timing.pending).toBe(0);
    return { server, passedMs: timing.now() - 1_000_000, ...reply };
  }

  test.each(["text/plain", "application/octet-stream", "text/event-stream"])(
    "a stream labelled %s is read all the same",
    async (contentType) => {
      const { finishReason } = await ask(whole(blocks, { "content-type": contentType }));
      expect(finishReason).toBe("stop");
    },
  );

  test("a page instead of a stream says so", async () => {
    const { error, server } = await ask(answer(200, "<!DOCTYPE html><html><head><title>Sign in</title></head></html>"), 3);
    expect(error).toMatchObject({ errorClass: "invalid_request", message: expect.stringMatching(/received text\/html.*"Sign in"/) });
    expect(server.requests).toHaveLength(1);
  });

  test("200 with an error body is that error", async () => {
    const { error } = await ask(answer(200, { error: { type: "overloaded_error", message: "Overloaded" } }));
    expect(error?.errorClass).toBe("overloaded");
  });

  test("200 with a whole answer instead of a stream is refused", async () => {
    const { error } = await ask(answer(200, { id: "x", content: [{ type: "text", text: "Hi" }] }));
    expect(error).toMatchObject({ errorClass: "invalid_request", message: expect.stringContaining("application/json") });
  });

  test("200 with nothing in it is a network failure", async () => {
    const { error } = await ask(whole([]));
    expect(error?.errorClass).toBe("network");
  });

  test("gzip is read, and gzip that stops in the middle is a network failure", async () => {
    const zipped = gzipSync(blocks.join(""));
    const send =
      (bytes: Buffer): Answer =>
      (response) => {
        response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" });
        response.end(bytes);
      };
    // unpacking happens in another thread, which a clock that runs ahead would not wait for
    const ask = async (bytes: Buffer) => {
      const { url } = await startServer(send(bytes));
      return read(protocols[protocol].model(url, { maxRetries: 0, timing: new FakeTiming() }));
    };
    expect((await ask(zipped)).finishReason).toBe("stop");
    expect((await ask(zipped.subarray(0, 40))).error?.errorClass).toBe("network");
  });

  test("events that are no JSON are a network failure", async () => {
    const { error } = await ask(whole([blocks[0] ?? "", 'event: message_start\ndata: {"type": \n\n']));
    expect(error?.errorClass).toBe("network");
  });

  test("an answer that never starts is a timeout, tried again", async () => {
    const { error, server } = await ask(() => undefined, 1);
    expect(error?.errorClass).toBe("timeout");
    expect(server.requests).toHaveLength(2);
  });

  test("a stream of nothing but comments is a timeout", async () => {
    const { error } = await ask(async (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      while (!response.destroyed) {
        response.write(": keep-alive\n\n");
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    expect(error?.errorClass).toBe("timeout");
  });

  test("a reply that is whole does not wait for a connection that stays open", async () => {
    const { finishReason, content, passedMs } = await ask(silentAfter(blocks, events.length));
    expect(passedMs).toBeLessThan(300_000); // the patience for a stream that is not whole
    expect([finishReason, content]).toMatchObject(["stop", [{ text: "Grüße, Welt 🌍!" }]]);
  });

  test("a reply that is whole does not wait for a stream that goes on for ever", async () => {
    const { finishReason } = await ask(async (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(blocks.slice(0, events.length).join(""));
      const last =
        protocol === "openai-chat" ? 'data: {"choices":[]}\n\n' : 'event: response.in_progress\ndata: {"type":"response.in_progress"}\n\n';
      while (!response.destroyed) {
        response.write(last);
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    expect(finishReason).toBe("stop");
  });

  test("a body of an error that never ends is a timeout", async () => {
    const { error } = await ask((response) => {
      response.writeHead(500, { "content-type": "application/json" });
      response.write('{"error": {"message": "');
    });
    expect(error?.errorClass).toBe("timeout");
  });

  test("headers that never end are a failure", async () => {
    const { url, close } = await headersForEver("x: y\r\n", 100_000);
    const { error } = await read(protocols[protocol].model(url, { maxRetries: 0 }));
    expect(error?.errorClass).toBe("network");
    await close();
  });

  test("headers that come too slowly to end are a timeout", async () => {
    const { url, close } = await headersForEver("x: y\r\n", 3);
    const timing = new FakeTiming();
    const { error } = await timing.passUntil(read(protocols[protocol].model(url, { maxRetries: 0, timing })));
    expect(error?.errorClass).toBe("timeout");
    await close();
  });
});

/** A server that begins an answer with a number of lines of headers, and never goes on. */
async function headersForEver(line: string, count: number) {
  const closed = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("close", () => closed.resolve());
    socket.once("data", () => socket.write(`HTTP/1.1 200 OK\r\n${line.repeat(count)}`));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => closed.promise };
}
