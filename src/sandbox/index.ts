export * from "./code-executor.js";
export * from "./execution-journal.js";
export * from "./isolated-vm-executor.js";
export * from "./pyodide-executor.js";
export type { WebWorker } from "./quickjs/quickjs-web-thread.js";
export * from "./quickjs-executor.js";
export * from "./sandbox-errors.js";
export { cutText, type JsonValue } from "./sandbox-json.js";
export { DEFAULT_LIMITS, type ResolvedLimits, type SandboxLimits } from "./sandbox-limits.js";
