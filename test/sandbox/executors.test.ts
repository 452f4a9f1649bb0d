import { afterAll, describe, expect, test } from "vitest";
import { IsolatedVmExecutor } from "../../src/sandbox/isolated-vm-executor.js";
import { executorContract } from "../../src/testing-executors/executor-contract.js";

describe("isolates in child processes", () =>
  executorContract({ test, expect, afterAll, createExecutor: (options) => new IsolatedVmExecutor({ ...options, isolation: "process" }) }));

describe("isolates in this process", () =>
  executorContract({
    test,
    expect,
    afterAll,
    createExecutor: (options) => new IsolatedVmExecutor({ ...options, isolation: "in-process" }),
  }));
