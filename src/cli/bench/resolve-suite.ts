import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isObject } from "../../base/json.js";
import type { Suite } from "../../bench/suite.js";
import { crossover } from "../../bench/suites/crossover/crossover.js";
import { library } from "../../bench/suites/library/library.js";
import { m3tooleval } from "../../bench/suites/m3tooleval/m3tooleval.js";
import { mixed } from "../../bench/suites/mixed.js";
import { workday } from "../../bench/suites/workday/workday.js";
import type { CommandHost } from "../command.js";
import { importProblem } from "../import-problem.js";
import { UsageError } from "../usage-error.js";
import { isModulePath } from "./module-path.js";

/** A suite that comes with triact. */
export interface KnownSuite {
  readonly summary: string;
  /** Whether it reads its tasks from a folder of the user. */
  readonly needsData?: true;
  readonly make: (data: string) => Suite;
}

/** Suites that `--suite` knows by name. */
export const knownSuites: Readonly<Record<string, KnownSuite>> = {
  mixed: { summary: "a sample of crossover, workday and library, for a first look", make: () => mixed() },
  crossover: { summary: "lookups with one knob turned at a time: where code or planning starts to pay", make: () => crossover() },
  workday: { summary: "office work in an invented company, judged by the state in the end", make: () => workday() },
  library: { summary: "questions of one to four hops over invented documents", make: () => library() },
  m3tooleval: {
    summary: "the 82 tasks of the CodeAct paper, from a folder given by --data",
    needsData: true,
    make: (data) => m3tooleval({ data }),
  },
};

/** What {@link resolveSuite} takes besides the name. */
export interface ResolveSuiteOptions {
  /** Loads modules, relative to its folder. */
  readonly host: Pick<CommandHost, "importModule" | "workingDirectory">;
  /** Value of `--data`. */
  readonly data: string | undefined;
}

/**
 * The suite of a name, or the one that a module exports.
 * @throws UsageError for a name or a module that cannot be used.
 */
export async function resolveSuite(spec: string, { host, data }: ResolveSuiteOptions): Promise<Suite> {
  const known = Object.hasOwn(knownSuites, spec) ? knownSuites[spec] : undefined;
  if (known?.needsData === true && data === undefined) {
    throw new UsageError({ problem: `--suite: ${spec} needs the folder of its data. Give it by --data FOLDER.` });
  }
  if (known !== undefined) return known.make(resolve(host.workingDirectory, data ?? "."));
  if (!isModulePath(spec)) {
    const names = Object.keys(knownSuites).join(", ");
    throw new UsageError({
      problem: `--suite: there is no suite ${JSON.stringify(spec)}. Allowed: ${names}, or a file such as ./my-suite.ts.`,
    });
  }
  const path = resolve(host.workingDirectory, spec);
  let problem: string;
  try {
    const suites = Object.values(await host.importModule(pathToFileURL(path).href)).filter(isSuite);
    const [suite, ...others] = new Set(suites);
    if (suite !== undefined && others.length === 0) return suite;
    problem = suite === undefined ? "exports no suite" : "exports several suites";
  } catch (cause) {
    throw new UsageError({ problem: `--suite: ${path} could not be loaded: ${importProblem(path, cause)}`, cause });
  }
  throw new UsageError({ problem: `--suite: ${path} ${problem}. Export one that defineSuite of "triact/bench" returned.` });
}

function isSuite(value: unknown): value is Suite {
  return isObject(value) && typeof value["name"] === "string" && typeof value["tasks"] === "function";
}
