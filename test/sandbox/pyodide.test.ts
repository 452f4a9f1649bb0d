import { afterAll, expect, test } from "vitest";
import { PyodideExecutor } from "../../src/sandbox/pyodide-executor.js";
import { executorContract } from "../../src/testing-executors/executor-contract.js";
import { pythonLanguage } from "../../src/testing-executors/python-language.js";

executorContract({
  test,
  expect,
  afterAll,
  language: pythonLanguage,
  createExecutor: (options) => new PyodideExecutor({ ...options, pool: { spareChildren: 0 } }),
});
