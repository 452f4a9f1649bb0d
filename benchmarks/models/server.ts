/** Serves streams on loopback, in a process of its own so that its work is not measured: the path says which. Prints its URL. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PROTOCOLS, type StreamShape, streamOf } from "./streams.ts";

const bodies = new Map<string, Buffer>();

/** The path is `/PROTOCOL/KIND/SIZE/…`; what the SDK puts behind it does not matter. */
function bodyOf(path: string): Buffer {
  const [, name = "", kind, size] = path.split("/");
  const protocol = PROTOCOLS.find((known) => known === name);
  if (protocol === undefined) throw new RangeError(`There is no protocol ${name}.`);
  const key = `${name}/${kind}/${size}`;
  const known = bodies.get(key);
  if (known !== undefined) return known;
  const shape: StreamShape = kind === "text" ? { kind, deltas: Number(size) } : { kind: "arguments", chars: Number(size) };
  const body = Buffer.from(streamOf(protocol, shape));
  bodies.set(key, body);
  return body;
}

const server = createServer((request, response) => {
  request.resume().on("end", () => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(bodyOf(request.url ?? ""));
  });
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
