/**
 * What a child process of the Pyodide executor runs: one Python interpreter behind a pipe, for one guest. It has no environment, no folder of its own, and may read
 * Python's files only. There is no second thread to watch it: a process that may start threads may start some that Node's permission model does not hold back.
 */
import { registerHooks } from "node:module";
import { Socket } from "node:net";
import { type ChildCommand, eventFrame } from "../child/child-messages.js";
import { encodeFrame, FrameReader } from "../child/frames.js";
import { completedEvent, failedEvent, isLogLevel } from "../guest-events.js";
import type { SandboxEvent } from "../sandbox.js";
import { memoryError } from "../sandbox-texts.js";
import { loadPython, TAKE_GUEST_PROGRAM } from "./load-python.js";

type Enter = (command: string, id: number, text: string, ok: boolean, elapsedMs: number) => void;

const PIPE = 3;
/** A look at the clock takes this long, so that a loop that waits for the clock ends. */
const LOOK_MS = 0.01;
const MIB = 1024 * 1024;
const PAGE_BYTES = 65_536;

/** What a guest that gets hold of JavaScript could use. */
const DANGEROUS_GLOBALS =
  "fetch WebSocket EventSource Request Response BroadcastChannel MessageChannel Worker process Buffer navigator localStorage require module WebAssembly";
const DANGEROUS_OF_PROCESS =
  "binding _linkedBinding dlopen getBuiltinModule mainModule kill _kill abort exit reallyExit chdir cwd env execve execPath execArgv argv argv0 permission report loadEnvFile openStdin stdin stdout stderr _debugProcess _debugEnd _startProfilerIdleNotifier _getActiveHandles _getActiveRequests _rawDebug finalization setUncaughtExceptionCaptureCallback initgroups setgroups setuid setgid seteuid setegid umask";

const [, , folder = "", snapshot = ""] = process.argv;
const endProcess = process.exit.bind(process);
const socket = new Socket({ fd: PIPE, readable: true, writable: true });
let tenantId: number | undefined;
const clock = installClock();
const memory = installMemoryLimit();
const enter = await start();
shutOff();

/** Replaces the clock of this thread, from which Python takes all its times, by one that only the host moves. */
function installClock() {
  let startTime = Date.now();
  let elapsedMs = 0;
  const look = () => {
    elapsedMs += LOOK_MS;
    return elapsedMs;
  };
  Date.now = () => startTime + look();
  performance.now = look;
  return {
    start: (milliseconds: number) => {
      startTime = milliseconds;
      elapsedMs = 0;
    },
    advanceTo: (milliseconds: number) => {
      elapsedMs = Math.max(elapsedMs, milliseconds);
    },
  };
}

/** Python's memory grows by this one function. The engine itself knows only a limit that holds from the start of the process. */
function installMemoryLimit() {
  let memoryMiB = 0;
  let usedBytes = 0;
  let limitBytes = Number.POSITIVE_INFINITY;
  const { grow } = WebAssembly.Memory.prototype;
  WebAssembly.Memory.prototype.grow = function (this: WebAssembly.Memory, pages: number): number {
    usedBytes = this.buffer.byteLength + pages * PAGE_BYTES;
    if (usedBytes > limitBytes) {
      say({ type: "lost", error: memoryError({ memoryMiB }) });
      throw new RangeError("There is no more memory.");
    }
    return grow.call(this, pages);
  };
  return {
    setLimit: (mebibytes: number) => {
      memoryMiB = mebibytes;
      limitBytes = usedBytes + mebibytes * MIB;
    },
  };
}

async function start(): Promise<Enter> {
  const python = await loadPython({ folder, snapshot });
  const startGuest = python.runPython(TAKE_GUEST_PROGRAM) as (send: typeof receive) => Enter;
  return startGuest(receive);
}

/** Takes from this process what it does not need any more. That JavaScript cannot be made of text is an option of its command line. */
function shutOff(): void {
  for (const name of DANGEROUS_OF_PROCESS.split(" ")) Reflect.deleteProperty(process, name);
  for (const name of DANGEROUS_GLOBALS.split(" ")) Reflect.deleteProperty(globalThis, name);
  registerHooks({
    resolve: () => {
      throw new Error("There are no modules here.");
    },
  });
}

function say(event: SandboxEvent): void {
  if (tenantId === undefined) return;
  const { header, text } = eventFrame(tenantId, event);
  socket.write(encodeFrame(header, text));
}

function receive(type: string, id: number, first: string, second: string): void {
  if (type === "called") say({ type, callId: id, toolName: first, text: second });
  else if (type === "logged" && isLogLevel(first)) say({ type, level: first, text: second });
  else if (type === "timer-set") say({ type, callId: id, delayMs: Number(first) });
  else if (type === "completed") say(completedEvent({ omittedLogChars: id, text: first, meta: second }));
  else if (type === "failed") say(failedEvent({ omittedLogChars: id, meta: second, original: undefined }));
}

function command(told: ChildCommand, text: string) {
  switch (told.type) {
    case "open":
      tenantId = told.id;
      return memory.setLimit(told.memoryMiB);
    case "run":
      clock.start(told.step.startTime);
      return enter("run", 0, JSON.stringify({ ...told.step, code: text }), true, 0);
    case "settle":
      clock.advanceTo(told.elapsedMs);
      return enter("settle", told.callId, text, told.ok, told.elapsedMs);
    case "ping":
      return say({ type: "ponged" }); // whatever came before has been done to its end
    case "dispose":
      return endProcess(0); // what Python has touched is not used again
  }
}

const reader = new FrameReader();
socket.on("data", (chunk) => {
  try {
    for (const { header, text } of reader.read(chunk)) command(header as ChildCommand, text);
  } catch {
    endProcess(1); // the interpreter gave up
  }
});
socket.on("error", () => endProcess(1));
socket.on("close", () => endProcess(0));
socket.write(encodeFrame({ type: "ready" }));
