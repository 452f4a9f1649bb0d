/**
 * What a worker of the QuickJS executor runs in a browser: the same as in Node, for JavaScript alone. The first message says how much memory there is.
 */
import { loadJavaScriptParser } from "../code/prepare-code.js";
import { createQuickJsRealm, type WorkerCommand } from "./quickjs-realm.js";

/** The part of a browser's worker that is used. */
interface WorkerScope {
  onmessage: ((message: { readonly data: unknown }) => void) | null;
  postMessage(message: unknown): void;
}

const scope = globalThis as unknown as WorkerScope;
scope.onmessage = ({ data }) => {
  const { memoryMiB } = data as { memoryMiB: number };
  void start(memoryMiB).catch((error: unknown) => {
    setTimeout(() => {
      throw error; // to where the page hears of it
    });
  });
};

async function start(memoryMiB: number): Promise<void> {
  const take = await createQuickJsRealm({ memoryMiB, parser: await loadJavaScriptParser(), post: (event) => scope.postMessage(event) });
  scope.onmessage = ({ data }) => take(data as WorkerCommand);
  scope.postMessage("ready");
}
