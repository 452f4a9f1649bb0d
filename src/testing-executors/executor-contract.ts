import type { CodeExecutor, ExecuteOptions, ExecutionResult, SandboxTool } from "../sandbox/code-executor.js";
import type { SandboxLimits } from "../sandbox/sandbox-limits.js";
import type { ContractLanguage, ContractPrograms } from "./contract-programs.js";
import { javascriptLanguage } from "./javascript-language.js";
import { limitCases } from "./limit-cases.js";
import { replayTests } from "./replay-tests.js";
import { sessionTests } from "./session-tests.js";
import { toolTests } from "./tool-tests.js";

/** What the contract needs of a test runner, so that it depends on none. */
export interface ContractKit {
  /** Registers a test. */
  readonly test: (name: string, body: () => Promise<void>) => void;
  /** Registers what is done when all tests of the suite are over. */
  readonly afterAll: (body: () => Promise<void>) => void;
  /** Checks a value. */
  readonly expect: (value: unknown) => { toEqual(expected: unknown): void; toMatchObject(expected: object): void };
  /** Makes an executor to test. Whatever is made is disposed of. */
  readonly createExecutor: (options?: { readonly limits?: SandboxLimits }) => CodeExecutor;
  /** The language of the programs that are run. @default {@link javascriptLanguage} */
  readonly language?: ContractLanguage;
}

/** Code, and the part of its result that matters. */
export interface ContractCase {
  readonly name: string;
  readonly code: string;
  readonly options?: Partial<ExecuteOptions>;
  readonly expected: object;
}

/** What the tests of one subject get. */
export interface ContractTools extends ContractKit {
  /** A test with an executor of its own that is disposed of at its end. */
  readonly testWith: (name: string, body: (executor: CodeExecutor) => Promise<void>) => void;
  readonly programs: ContractPrograms;
  /** Runs code with {@link contractTools} in the language of the suite, if nothing else is said. */
  readonly run: (executor: CodeExecutor, code: string, options?: Partial<ExecuteOptions>) => Promise<ExecutionResult>;
}

/** Tools that the cases call. */
export const contractTools: Readonly<Record<string, SandboxTool>> = {
  add: (input) => {
    const { a, b } = input as { a: number; b: number };
    return { kind: "value", value: a + b };
  },
  echo: (input) => ({ kind: "value", value: input }),
  fail: () => Promise.reject(new RangeError("it is broken\n    at /home/secret/file.js:1:1")),
  failNow: () => {
    // biome-ignore lint/style/useThrowOnlyError: tools throw anything
    throw "a string";
  },
  refuse: () => ({ kind: "error", name: "DeniedError", message: "not allowed" }),
  later: async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    return { kind: "value", value: "late" };
  },
  never: () => new Promise(() => undefined),
};

/**
 * The tests that every {@link CodeExecutor} has to pass: values, tools, limits, sessions and replay. They are run in JavaScript or in another language, of which the
 * contract knows Python; a {@link ContractLanguage} of one's own says the same programs in one more.
 *
 * ```
 * describe("my executor", () => executorContract({ test, expect, afterAll, createExecutor: (options) => new MyExecutor(options) }));
 * ```
 */
export function executorContract(kit: ContractKit): void {
  const { language, cases, programs } = kit.language ?? javascriptLanguage;
  const run: ContractTools["run"] = (executor, code, options) => executor.execute({ language, code, tools: contractTools, ...options });
  const testWith: ContractTools["testWith"] = (name, body) =>
    kit.test(name, async () => {
      await using executor = kit.createExecutor();
      await body(executor);
    });
  const contract: ContractTools = { ...kit, programs, run, testWith };
  let shared: CodeExecutor | undefined;
  kit.afterAll(async () => shared?.dispose());
  for (const { name, code, options, expected } of [...cases, ...limitCases(programs)])
    kit.test(name, async () => {
      shared ??= kit.createExecutor(); // cases leave nothing behind for each other: that is part of what is tested
      kit.expect(await run(shared, code, options)).toMatchObject(expected);
    });
  toolTests(contract);
  sessionTests(contract);
  replayTests(contract);
}
