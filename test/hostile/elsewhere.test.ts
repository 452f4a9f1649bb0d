import { describe } from "vitest";
import { bombs } from "./bombs.ts";
import { escapes } from "./escapes.ts";
import { hostileTestsOf } from "./hostile-tests.ts";

/** In this process memory that runs out ends the process, and in a thread it is the thread's: docs/sandbox.md says so. What takes time has to be stopped. */
const takesTime = bombs.filter(({ fails = [] }) => !fails.includes("memory"));

describe.for(["in-process", "quickjs"] as const)("%s", (executor) => hostileTestsOf(executor, [...escapes, ...takesTime]));
