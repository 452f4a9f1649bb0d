import { randomUUID } from "node:crypto";
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { projectRoot } from "../../scripts/source-files.ts";
import { buildPackage, runNode } from "../package/build-package.ts";
import type { Aftermath, HostileCase } from "./attack.ts";

const DEADLINE_MS = 25_000;
let folder: string;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "triact-hostile-")));
  await buildPackage(folder);
  symlinkSync(join(projectRoot, "node_modules"), join(folder, "node_modules"));
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true }));

async function suffer({ name: _, code, before = [], fails: _f, gives: _g, ...rest }: HostileCase): Promise<Aftermath> {
  const attack = JSON.stringify({ ...rest, steps: [...before, code] });
  const host = join(projectRoot, "test/hostile/host.ts");
  const file = join(folder, `${randomUUID()}.json`); // code is too long for an argument
  writeFileSync(file, attack);
  const { ok, output } = await runNode(["--no-warnings", host, folder, file], { cwd: folder, timeoutMs: DEADLINE_MS });
  expect(output.slice(-2_000), "the process that runs the sandbox must end by itself").toContain('"alive"');
  expect(ok).toBe(true);
  return JSON.parse(output) as Aftermath;
}

/** Registers one test for each attack: it is contained with a clear error, the host lives, and nothing is left or leaked. */
export function hostileTests(cases: readonly HostileCase[]): void {
  test.for(cases)("$name", { timeout: DEADLINE_MS + 5_000 }, async (attack) => {
    const aftermath = await suffer(attack);
    const last = aftermath.steps.at(-1);
    const outcome = last?.status === "failed" ? last.error.code : last?.status;
    if (attack.fails) expect(attack.fails, JSON.stringify(last)).toContain(outcome);
    else expect(last).toMatchObject({ status: "completed", result: attack.gives });
    expect(aftermath).toMatchObject({ alive: 2, unhandled: 0, children: "" });
    expect(aftermath.residentMiB, "the host itself must stay small").toBeLessThan(400);
    expect(JSON.stringify(aftermath.steps), "nothing of the host may be seen").not.toMatch(/node_modules|node:internal|\/dist\/|\/home\//);
  });
}
