import { afterAll, expect, test } from "vitest";
import { QuickJsExecutor } from "../../src/sandbox/quickjs-executor.js";
import { executorContract } from "../../src/testing-executors/executor-contract.js";

executorContract({ test, expect, afterAll, createExecutor: (options) => new QuickJsExecutor(options) });
