import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { sourceHook } from "../source-hook.js";
import type { QuickJsThread } from "./quickjs-sandbox.js";

const HERE = fileURLToPath(import.meta.url);
/** In the built package the modules are bundled into few files, and the worker is one of them. */
const SCRIPT = join(dirname(HERE), HERE.endsWith(".ts") ? "quickjs-worker.ts" : "sandbox-quickjs-worker.js");

/** A worker thread of Node with an interpreter. It keeps the process alive until it is ready. */
export function startNodeThread({ memoryMiB }: { readonly memoryMiB: number }): QuickJsThread {
  const execArgv = HERE.endsWith(".ts") ? ["--no-warnings", "--import", sourceHook()] : [];
  const worker = new Worker(SCRIPT, { workerData: { memoryMiB }, env: {}, execArgv, stdout: true, stderr: true });
  return {
    post: (command) => worker.postMessage(command),
    listen: ({ onMessage, onError, onExit }) => {
      worker.on("message", onMessage);
      worker.on("error", onError);
      worker.on("exit", onExit);
    },
    unref: () => worker.unref(),
    end: () => void worker.terminate(),
  };
}
