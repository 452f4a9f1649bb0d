/** Compares triact with a bare loop and prints one table. See README.md beside it. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { cases } from "./cases.ts";
import { type CaseName, type Round, type Rounds, toRows } from "./rows.ts";
import type { SubjectName } from "./subject.ts";
import { formatTable } from "./table.ts";

const ALL = [...(Object.keys(cases) as (keyof typeof cases)[]), "import", "packages"] as const;

/** How many times a case is measured in each round: a cheap and noisy one more often. */
const TIMES: Partial<Record<CaseName, number>> = { import: 5 };

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "7" },
    only: { type: "string", multiple: true, default: [] },
    check: { type: "boolean", default: false },
  },
});

const run = promisify(execFile);
const measureScript = fileURLToPath(new URL("measure.ts", import.meta.url));

async function measure(caseName: CaseName, subject: SubjectName): Promise<Record<string, number>> {
  const { stdout, stderr } = await run(process.execPath, ["--expose-gc", measureScript, caseName, subject]);
  if (stderr !== "") process.stderr.write(stderr);
  return JSON.parse(stdout) as Record<string, number>;
}

/** The two subjects one after the other, so that what else the machine does meets both. */
async function measureRound(caseName: CaseName): Promise<Round> {
  const floor = await measure(caseName, "floor");
  return { floor, triact: await measure(caseName, "triact") };
}

async function measureAll(names: readonly CaseName[], roundCount: number): Promise<Rounds> {
  const rounds = new Map<CaseName, Round[]>(names.map((name) => [name, []]));
  for (let number = 1; number <= roundCount; number++) {
    process.stderr.write(`round ${number} of ${roundCount}\n`);
    for (const [name, done] of rounds) {
      for (let time = 0; time < (TIMES[name] ?? 1); time++) done.push(await measureRound(name));
    }
  }
  return rounds;
}

function readCaseNames(wanted: readonly string[]): CaseName[] {
  const unknown = wanted.filter((name) => !ALL.some((known) => known === name));
  if (unknown.length > 0) throw new RangeError(`--only: expected one of ${ALL.join(", ")}, received ${unknown.join(", ")}.`);
  return ALL.filter((name) => wanted.length === 0 || wanted.includes(name));
}

function readRoundCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new RangeError(`--rounds: expected an integer from 1, received ${text}.`);
  return count;
}

const rows = toRows(await measureAll(readCaseNames(options.only), readRoundCount(options.rounds)));
console.log(formatTable(rows));
if (options.check && rows.some(({ met }) => !met)) process.exitCode = 1;
