/** Measures what the adapters cost over the official SDKs, and prints two tables. See ../README.md. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { lowerQuartile } from "../statistics.ts";
import { PROTOCOLS, type ProtocolName } from "./streams.ts";

const DELTAS = 20_000;
const MEGABYTES = [1, 2, 4, 8];
/** An adapter may cost so much more than the SDK read by an empty loop. */
const MAX_RATIO = 1.3;
/** A megabyte of a long call may cost so much more than one of a short call. */
const MAX_GROWTH = 1.3;

const { values: options } = parseArgs({
  options: { rounds: { type: "string", default: "5" }, check: { type: "boolean", default: false } },
});
const rounds = Number(options.rounds);
const run = promisify(execFile);
const script = (name: string) => fileURLToPath(new URL(name, import.meta.url));

const server = spawn(process.execPath, [script("server.ts")], { stdio: ["ignore", "pipe", "inherit"] });
const [url] = (await once(createInterface(server.stdout), "line")) as [string];

async function measure(protocol: ProtocolName, kind: string, size: number, subject: string): Promise<number> {
  const { stdout } = await run(process.execPath, [script("measure.ts"), url, protocol, kind, String(size), subject]);
  return Number(stdout);
}

interface Row {
  readonly label: string;
  readonly cells: readonly string[];
  readonly met: boolean;
}

async function deltaRow(protocol: ProtocolName): Promise<Row> {
  const sdk: number[] = [];
  const triact: number[] = [];
  for (let round = 0; round < rounds; round++) {
    sdk.push(await measure(protocol, "text", DELTAS, "sdk"));
    triact.push(await measure(protocol, "text", DELTAS, "triact"));
  }
  const ratio = lowerQuartile(triact) / lowerQuartile(sdk); // what disturbs a measurement only ever adds to it
  const perDelta = (times: readonly number[]) => ((lowerQuartile(times) * 1_000) / DELTAS).toFixed(2);
  return { label: protocol, cells: [perDelta(sdk), perDelta(triact), ratio.toFixed(2)], met: ratio <= MAX_RATIO };
}

async function growthRow(protocol: ProtocolName): Promise<Row> {
  const perMegabyte: number[] = [];
  for (const size of MEGABYTES) {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) times.push(await measure(protocol, "arguments", size * 1_000_000, "triact"));
    perMegabyte.push(lowerQuartile(times) / size);
  }
  const growth = (perMegabyte.at(-1) ?? Number.NaN) / (perMegabyte[0] ?? Number.NaN);
  return { label: protocol, cells: [...perMegabyte.map((time) => time.toFixed(1)), growth.toFixed(2)], met: growth <= MAX_GROWTH };
}

function print(head: readonly string[], rows: readonly Row[]): void {
  const line = (cells: readonly string[]) => cells.map((cell, index) => (index === 0 ? cell.padEnd(20) : cell.padStart(10))).join(" ");
  console.log([line(head), ...rows.map(({ label, cells, met }) => line([label, ...cells, met ? "pass" : "MISS"]))].join("\n"), "\n");
}

try {
  const deltas: Row[] = [];
  const growth: Row[] = [];
  for (const protocol of PROTOCOLS) deltas.push(await deltaRow(protocol));
  print(["text delta, µs", "sdk", "triact", "compared", `≤ ${MAX_RATIO}`], deltas);
  for (const protocol of PROTOCOLS) growth.push(await growthRow(protocol));
  print(["arguments, ms/MB", ...MEGABYTES.map((size) => `${size} MB`), "growth", `≤ ${MAX_GROWTH}`], growth);
  if (options.check && [...deltas, ...growth].some(({ met }) => !met)) process.exitCode = 1;
} finally {
  server.kill();
}
