import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { modelTexts } from "triact";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { projectRoot } from "../../scripts/source-files.ts";
import { installBuild, newFolder } from "../examples/build-examples.ts";

const program = newFolder();
const folders: string[] = [];

beforeAll(async () => {
  await installBuild(program);
  cpSync(join(projectRoot, "test/agent/programs/killable.ts"), join(program, "killable.ts"));
}, 120_000); // a build

afterAll(() => {
  for (const folder of [program, ...folders]) rmSync(folder, { recursive: true, force: true });
});

/** Starts the program, and gives its lines; it is killed by SIGKILL when it says that its tool waits. */
async function live(kind: string, place: string, waitAt = ""): Promise<{ lines: string[]; signal: string | null; errors: string }> {
  const args = ["killable.ts", kind, join(place, "sessions"), join(place, "log"), waitAt];
  const child = spawn(process.execPath, args, { cwd: program, stdio: ["ignore", "pipe", "pipe"] });
  const lines: string[] = [];
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const ended = new Promise<string | null>((resolve) => child.once("close", (_, signal) => resolve(signal)));
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (line.startsWith("waiting")) child.kill("SIGKILL");
  }
  return { lines, signal: await ended, errors };
}

describe.each(["jsonl", "sqlite"])("a process with a session in %s, killed by SIGKILL while a tool runs", (kind) => {
  test("and while its run waits for a person: the next one goes on with the answer", async () => {
    const place = mkdtempSync(join(tmpdir(), "triact-kill-"));
    folders.push(place);
    const first = await live(kind, place, "suspended");
    expect([first.lines[0], first.signal]).toEqual(["waiting for a person", "SIGKILL"]);
    const second = await live(kind, place);
    const told = JSON.parse(second.lines.at(-1) ?? "{}") as { status: string; outputs: unknown[] };
    expect(told).toEqual({ status: "completed", outputs: ["booked train", "booked hotel", "booked table"] });
    expect(readFileSync(join(place, "log"), "utf8")).toBe("train\ntable\nhotel\n");
  });

  test.each<[string, readonly string[]]>([
    ["train", [modelTexts.interrupted("book"), modelTexts.notReached("book"), modelTexts.notReached("book")]],
    ["hotel", ["booked train", modelTexts.interrupted("book"), modelTexts.notReached("book")]],
    ["table", ["booked train", "booked hotel", modelTexts.interrupted("book")]],
  ])("at the %s: the next one repeats nothing, and says what is not known", async (waitAt, outputs) => {
    const place = mkdtempSync(join(tmpdir(), "triact-kill-"));
    folders.push(place);
    const first = await live(kind, place, waitAt);
    expect([first.lines, first.signal]).toEqual([[`waiting at ${waitAt}`], "SIGKILL"]);
    const second = await live(kind, place);
    const { status, outputs: told } = JSON.parse(second.lines.at(-1) ?? "{}") as { status: string; outputs: unknown[] };
    expect([status, told]).toEqual(["completed", outputs.map((output) => (output.startsWith("booked") ? output : { error: output }))]);
    const booked = readFileSync(join(place, "log"), "utf8").trim().split("\n");
    expect(booked).toEqual(["train", "hotel", "table"].slice(0, booked.length));
    expect(booked.at(-1)).toBe(waitAt);
    expect(second.errors).toBe("");
  });
});
