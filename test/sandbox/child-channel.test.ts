import { expect, onTestFinished, test } from "vitest";
import { readChildMessage } from "../../src/sandbox/child/child-messages.js";
import { ChildPool } from "../../src/sandbox/child/child-pool.js";
import { encodeFrame, FrameReader, MAX_FRAME_BYTES } from "../../src/sandbox/child/frames.js";
import { Execution } from "../../src/sandbox/execution.js";
import { DEFAULT_LIMITS } from "../../src/sandbox/sandbox-limits.js";

const frame = (header: unknown, text = "") => ({ header, text });

test("frames are read however their bytes are cut", () => {
  const frames = [frame({ a: 1 }, "é😀"), frame([], ""), frame("x", "y".repeat(1_000))];
  const bytes = Buffer.concat(frames.map(({ header, text }) => encodeFrame(header, text)));
  for (const size of [1, 3, 7, 100, bytes.length]) {
    const reader = new FrameReader();
    const read = [];
    for (let from = 0; from < bytes.length; from += size) read.push(...reader.read(bytes.subarray(from, from + size)));
    expect(read).toEqual(frames);
  }
});

test("a frame that is too large is refused before it has come", () => {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32LE(MAX_FRAME_BYTES + 1);
  expect(() => new FrameReader().read(bytes)).toThrow("too large");
});

test.for([
  null,
  [],
  "ready",
  { type: "other", id: 1 },
  { type: "disposed", id: "1", clean: true },
  { type: "event", id: 1 },
  { type: "event", id: 1, event: { type: "called", callId: -1, toolName: "a" } },
  { type: "event", id: 1, event: { type: "called", callId: 1, toolName: {} } },
  { type: "event", id: 1, event: { type: "logged", level: "fatal" } },
  { type: "event", id: 1, event: { type: "completed", source: "host", notices: [], omittedLogChars: 0 } },
  { type: "event", id: 1, event: { type: "completed", source: "return", notices: [{}], omittedLogChars: 0 } },
  { type: "event", id: 1, event: { type: "completed", source: "return", notices: [], omittedLogChars: -1 } },
])("a message that no child of ours would send is refused: %j", (header) => {
  expect(readChildMessage(frame(header))).toBeUndefined();
});

/** A child process that says what it likes once it has been told to run code. */
function treacherousChild(script: string): ChildPool {
  const code = `
    const net = require("node:net");
    const socket = new net.Socket({ fd: 3, readable: true, writable: true });
    const say = (header, text = "") => {
      const head = Buffer.from(JSON.stringify(header)), body = Buffer.from(text), prefix = Buffer.alloc(8);
      prefix.writeUInt32LE(4 + head.length + body.length, 0);
      prefix.writeUInt32LE(head.length, 4);
      socket.write(Buffer.concat([prefix, head, body]));
    };
    const event = (event, text) => say({ type: "event", id: 1, event }, text);
    say({ type: "ready" });
    let told = "";
    socket.on("data", (bytes) => {
      told += bytes.toString();
      if (told.includes('"run"')) { ${script} }
    });
    setInterval(() => {}, 1000);`;
  const pool = new ChildPool({
    maxChildren: 1,
    sandboxesPerChild: 1,
    spareChildren: 0,
    sandboxesBeforeReplacement: 100,
    sessionIdleMs: 1_000,
    command: { file: process.execPath, args: ["-e", code] },
  });
  onTestFinished(() => pool.close());
  return pool;
}

test.for([
  ["bytes that are no frames", "socket.write(Buffer.alloc(100, 0xff))", "sandbox-lost"],
  ["a header that is no JSON", "socket.write(Buffer.from([6, 0, 0, 0, 2, 0, 0, 0, 0x7b, 0x7b]))", "sandbox-lost"],
  ["calls out of order", "event({ type: 'called', callId: 7, toolName: 'echo' }, '{}')", "sandbox-lost"],
  ["a value that is no JSON", "event({ type: 'completed', source: 'return', notices: [], omittedLogChars: 0 }, '{')", "result-too-large"],
  [
    "a value that is too deep",
    "event({ type: 'completed', source: 'return', notices: [], omittedLogChars: 0 }, '['.repeat(1e5))",
    "result-too-large",
  ],
  ["its own end", "process.exit(0)", "sandbox-lost"],
  ["more logs than there may be", "for (let i = 0; i < 4e5; i++) event({ type: 'logged', level: 'log' }, 'x')", "sandbox-lost"],
] as const)("a child that sends %s harms nobody", async ([, script, code]) => {
  const pool = treacherousChild(script);
  const sandbox = await pool.open({ memoryMiB: 64, signal: new AbortController().signal });
  const execution = new Execution(sandbox, {
    language: "javascript",
    options: { language: "javascript", code: "1" },
    tools: new Map(),
    limits: DEFAULT_LIMITS,
    keepsSandbox: false,
    notices: [],
  });
  const result = await execution.run();
  expect(result).toMatchObject({ status: "failed", error: { code } });
  expect(result.stdout.length).toBeLessThan(DEFAULT_LIMITS.maxLogChars + 100);
});
