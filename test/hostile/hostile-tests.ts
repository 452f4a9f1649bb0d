import { randomUUID } from "node:crypto";
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { projectRoot } from "../../scripts/source-files.ts";
import { buildPackage, runNode } from "../package/build-package.ts";
import type { Aftermath, HostileCase, OtherExecutor, Outcome } from "./attack.ts";

const DEADLINE_MS = 25_000;
const MANY_MS = 120_000;
let folder: string;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "triact-hostile-")));
  await buildPackage(folder);
  symlinkSync(join(projectRoot, "node_modules"), join(folder, "node_modules"));
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true }));

async function suffer({ name: _, code, before = [], fails: _f, gives: _g, elsewhere: _e, ...rest }: HostileCase): Promise<Aftermath> {
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
    expectContained(attack, aftermath);
    expect(aftermath).toMatchObject({ children: "" });
    expect(aftermath.residentMiB, "the host itself must stay small").toBeLessThan(400);
  });
}

/** The same on another executor, all of them one after the other in one process. */
export function hostileTestsOf(executor: OtherExecutor, all: readonly HostileCase[]): void {
  const cases = all.filter(({ elsewhere }) => elsewhere?.[executor] !== "ends the process");
  let outcomes: readonly Outcome[] = [];

  beforeAll(async () => {
    const attacks = cases.map(({ code, before = [], language, limits }) => ({ steps: [...before, code], language, limits }));
    const file = join(folder, `${randomUUID()}.json`);
    writeFileSync(file, JSON.stringify({ executor, attacks }));
    const host = join(projectRoot, "test/hostile/many-host.ts");
    const { ok, output } = await runNode(["--no-warnings", host, folder, file], { cwd: folder, timeoutMs: MANY_MS });
    expect(ok, output.slice(-2_000)).toBe(true);
    outcomes = JSON.parse(output) as readonly Outcome[];
  }, MANY_MS + 5_000);

  test.for(cases.map((attack, index) => ({ ...attack, index })))("$name", (attack) => {
    const outcome = outcomes[attack.index] as Outcome;
    const other = attack.elsewhere?.[executor];
    expectContained(typeof other === "object" ? other : attack, outcome);
  });
}

function expectContained({ fails, gives }: Pick<HostileCase, "fails" | "gives">, { steps, alive, unhandled }: Outcome): void {
  const last = steps.at(-1);
  const outcome = last?.status === "failed" ? last.error.code : last?.status;
  if (fails) expect(fails, JSON.stringify(last)).toContain(outcome);
  else expect(last).toMatchObject({ status: "completed", result: gives });
  expect({ alive, unhandled }).toEqual({ alive: 2, unhandled: 0 });
  expect(JSON.stringify(steps), "nothing of the host may be seen").not.toMatch(/node_modules|node:internal|\/dist\/|\/home\//);
}
