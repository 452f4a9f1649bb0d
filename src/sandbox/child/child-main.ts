/**
 * What a child process of the pool runs: isolates behind a pipe. It has no environment, no folder of its own, and may read its own files only.
 */
import { Socket } from "node:net";
import { loadParser, type Parser } from "../code/prepare-code.js";
import { IsolateSandbox } from "../isolate/isolate-sandbox.js";
import { type Ivm, loadIsolatedVm } from "../isolate/load-isolated-vm.js";
import type { SandboxEvent } from "../sandbox.js";
import { memoryError } from "../sandbox-texts.js";
import { type ChildCommand, eventFrame } from "./child-messages.js";
import { encodeFrame, FrameReader } from "./frames.js";

const PIPE = 3;
const WATCH_MS = 20;
/** Work that is left in a sandbox has this long to come to rest. */
const REST_MS = 100;

interface Tenant {
  readonly memoryMiB: number;
  readonly sandbox: Promise<IsolateSandbox>;
  onPong: (() => void) | undefined;
}

const socket = new Socket({ fd: PIPE, readable: true, writable: true });
const tenants = new Map<number, Tenant>();
let maxResidentBytes = Number.POSITIVE_INFINITY;

function end(): never {
  process.kill(process.pid, "SIGKILL"); // an exit would wait for threads that cannot be stopped
  throw new Error("The process is ending.");
}

function say(header: object, text?: string): void {
  socket.write(encodeFrame(header, text));
}

function sayEvent(id: number, event: SandboxEvent): void {
  const { header, text } = eventFrame(id, event);
  say(header, text);
}

/** Says a last word and ends the process once it has been handed over. */
function sayAndEnd(event: SandboxEvent): void {
  for (const id of tenants.keys()) sayEvent(id, event);
  socket.end(end);
}

function open(
  { id, memoryMiB, maxResidentMiB }: Extract<ChildCommand, { type: "open" }>,
  { ivm, parser }: { ivm: Ivm; parser: Parser },
): void {
  maxResidentBytes = maxResidentMiB * 1024 * 1024;
  // The sandbox itself tells that it is lost; its neighbours are told by the end of the process.
  const onCatastrophe = () => void socket.end(end);
  tenants.set(id, { memoryMiB, sandbox: IsolateSandbox.create({ ivm, parser, memoryMiB, onCatastrophe }), onPong: undefined });
}

async function command(header: Exclude<ChildCommand, { type: "open" }>, text: string): Promise<void> {
  const tenant = tenants.get(header.id);
  if (tenant === undefined) return;
  const sandbox = await tenant.sandbox;
  switch (header.type) {
    case "run": {
      const { type: _, id, ...rest } = header;
      return sandbox.run({ ...rest, code: text }, (event) => {
        if (event.type === "ponged" && tenant.onPong) tenant.onPong();
        else sayEvent(id, event);
      });
    }
    case "settle":
      return sandbox.settle({ callId: header.callId, ok: header.ok, elapsedMs: header.elapsedMs, text });
    case "ping":
      return sandbox.ping();
    case "dispose":
      return dispose(header.id, { tenant, sandbox });
  }
}

/** A place is given to the next tenant only if nothing of the last one runs any more. */
async function dispose(id: number, { tenant, sandbox }: { tenant: Tenant; sandbox: IsolateSandbox }): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), REST_MS);
  tenant.onPong = () => resolve(true);
  if (sandbox.isGone) resolve(false);
  else sandbox.ping();
  const clean = await promise;
  clearTimeout(timer);
  tenants.delete(id);
  sandbox.dispose();
  say({ type: "disposed", id, clean });
}

/** Buffers and the like are not counted by the engine, so the process as a whole is watched. */
function watchMemory(): void {
  if (tenants.size === 0 || process.memoryUsage.rss() < maxResidentBytes) return;
  const memoryMiB = Math.max(...[...tenants.values()].map((tenant) => tenant.memoryMiB));
  sayAndEnd({ type: "lost", error: memoryError({ memoryMiB }) });
}

const loaded = { ivm: await loadIsolatedVm(), parser: await loadParser() };
const reader = new FrameReader();
socket.on("data", (chunk) => {
  for (const { header, text } of reader.read(chunk)) {
    const told = header as ChildCommand;
    if (told.type === "open") open(told, loaded);
    else command(told, text).catch(end);
  }
});
socket.on("error", end);
socket.on("close", end);
setInterval(watchMemory, WATCH_MS);
say({ type: "ready" });
