/**
 * What a worker thread of the QuickJS executor runs: one interpreter with one realm. The thread is this executor's own, so that a guest that computes does not
 * hold up the host, and so that it can be ended whatever it does.
 */
import { parentPort, workerData } from "node:worker_threads";
import { loadParser } from "../code/prepare-code.js";
import { createQuickJsRealm, type WorkerCommand } from "./quickjs-realm.js";

const { memoryMiB } = workerData as { memoryMiB: number };
const take = await createQuickJsRealm({ memoryMiB, parser: await loadParser(), post: (event) => parentPort?.postMessage(event) });
parentPort?.on("message", (command: WorkerCommand) => take(command));
parentPort?.postMessage("ready");
