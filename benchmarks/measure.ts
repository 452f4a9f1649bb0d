/** Takes one measurement in this process and prints it as JSON: `node --expose-gc benchmarks/measure.ts CASE SUBJECT`. */
import { cases, type Figures } from "./cases.ts";
import { countOtherPackages, timeOfImport } from "./import-case.ts";
import type { CreateSubject } from "./subject.ts";

/** Only the subject that is measured is loaded: the other one would show in memory and in shared inline caches. */
async function loadSubject(name: string): Promise<CreateSubject> {
  if (name === "floor") return (await import("./floor.ts")).createFloor;
  if (name === "triact") return (await import("./triact-subject.ts")).createTriact;
  throw new RangeError(`The subject is floor or triact, received ${name}.`);
}

async function measure(caseName: string, subject: string): Promise<Figures> {
  if (caseName === "import") return timeOfImport(subject === "floor" ? "zod" : "triact");
  if (caseName === "packages") return countOtherPackages(subject === "floor" ? "zod" : "triact");
  const wanted = Object.entries(cases).find(([name]) => name === caseName);
  if (wanted === undefined)
    throw new RangeError(`There is no case ${caseName}. Cases: ${Object.keys(cases).join(", ")}, import, packages.`);
  return wanted[1](await loadSubject(subject));
}

const [caseName = "", subject = ""] = process.argv.slice(2);
console.log(JSON.stringify(await measure(caseName, subject)));
