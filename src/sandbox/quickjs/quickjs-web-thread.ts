import type { SandboxEvent } from "../sandbox.js";
import type { QuickJsThread } from "./quickjs-sandbox.js";

/** The part of a browser's `Worker` that is used. */
export interface WebWorker {
  onmessage: ((event: never) => unknown) | null;
  onerror: ((event: never) => unknown) | null;
  postMessage(message: unknown): void;
  terminate(): void;
}

/** A browser's worker with an interpreter. */
export function webThread(worker: WebWorker, { memoryMiB }: { readonly memoryMiB: number }): QuickJsThread {
  worker.postMessage({ memoryMiB });
  return {
    post: (command) => worker.postMessage(command),
    listen: ({ onMessage, onError, onExit }) => {
      worker.onmessage = ({ data }: { readonly data: SandboxEvent | "ready" }) => onMessage(data);
      worker.onerror = ({ message }: { readonly message?: string }) => {
        onError(new Error(message ?? "The worker could not be started."));
        onExit(); // a worker has no end of its own; after an error it is not used again
      };
    },
    unref: () => undefined,
    end: () => worker.terminate(),
  };
}
