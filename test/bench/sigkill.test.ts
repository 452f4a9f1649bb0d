import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import { projectRoot } from "../../scripts/source-files.ts";
import { installBuild, newFolder } from "../examples/build-examples.ts";
import { readRun, timeless } from "./benchmark-kit.js";

const folder = newFolder();
beforeAll(async () => {
  await installBuild(folder);
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  symlinkSync(join(projectRoot, "node_modules/gpt-tokenizer"), join(folder, "node_modules/gpt-tokenizer"));
  cpSync(join(projectRoot, "test/bench/programs/killable.ts"), join(folder, "killable.ts"));
}, 120_000); // a build
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the program; kills it by SIGKILL when so many cells are finished. Gives what it wrote, and how it ended. */
async function live(
  output: string,
  killAt = Number.POSITIVE_INFINITY,
): Promise<{ first: number; last: number; signal: string | null; code: number | null }> {
  const child = spawn(process.execPath, ["killable.ts", output], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<{ signal: string | null; code: number | null }>((resolve) =>
    child.once("close", (code, signal) => resolve({ signal, code })),
  );
  const counts: number[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    counts.push(Number(line));
    if (Number(line) >= killAt) child.kill("SIGKILL");
  }
  return { first: counts[0] ?? -1, last: counts.at(-1) ?? -1, ...(await ended) };
}

test("a run that was killed half way and gone on with equals one that was not", async () => {
  const whole = await live("whole");
  expect(whole).toMatchObject({ first: 0, code: 0 });
  const killed = await live("killed", Math.floor(whole.last / 2));
  expect([killed.signal, existsSync(join(folder, "killed/run.lock"))]).toEqual(["SIGKILL", true]);
  expect(killed.last).toBeLessThan(whole.last);
  const resumed = await live("killed");
  expect(resumed.first).toBeGreaterThanOrEqual(killed.last); // what was finished is not run again
  expect([resumed.last, resumed.code]).toEqual([whole.last, 0]);
  expect(timeless(readRun(join(folder, "killed")))).toEqual(timeless(readRun(join(folder, "whole"))));
});
