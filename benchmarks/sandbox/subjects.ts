import { IsolatedVmExecutor, type IsolatedVmExecutorOptions } from "triact/sandbox";
import { createRawGuest } from "./raw-isolates.ts";

/** Runs code in a sandbox that is made for it and thrown away after it. */
export interface SandboxSubject {
  run(code: string): Promise<unknown>;
  /** Processes and threads that belong to it. */
  dispose(): Promise<void>;
}

/** The function that code calls as `tool(input)`. */
export type BenchmarkTool = (input: unknown) => unknown;

/** Ways to run code, by name. */
export const subjects = {
  raw: (tool) => ({ run: (code) => runRaw(code, tool), dispose: async () => undefined }),
  child: (tool) => executor(tool, { isolation: "process" }),
  shared: (tool) => executor(tool, { isolation: "process", pool: { maxChildren: 8, sandboxesPerChild: 25 } }),
  "in process": (tool) => executor(tool, { isolation: "in-process" }),
} satisfies Record<string, (tool: BenchmarkTool) => SandboxSubject>;

/** Name of a way to run code. */
export type SubjectName = keyof typeof subjects;

async function runRaw(code: string, tool: BenchmarkTool): Promise<unknown> {
  const guest = await createRawGuest(tool);
  try {
    return await guest.run(code);
  } finally {
    guest.dispose();
  }
}

function executor(tool: BenchmarkTool, options: IsolatedVmExecutorOptions): SandboxSubject {
  const isolates = new IsolatedVmExecutor({ ...options, limits: { maxToolCalls: 100_000, maxParallelToolCalls: 64 } });
  const tools = { tool: async (input: unknown) => ({ kind: "value", value: await tool(input) }) as const };
  return {
    run: async (code) => {
      const result = await isolates.execute({ language: "javascript", code, tools });
      if (result.status !== "completed") throw new Error(JSON.stringify(result));
      return result.result;
    },
    dispose: () => isolates.dispose(),
  };
}
