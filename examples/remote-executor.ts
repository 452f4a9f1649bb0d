/**
 * Code that runs on another machine: an executor of one's own over HTTP. The machine runs code until it needs tools; they are executed here, and the code goes on from its
 * journal there. Here both ends are in one file.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type CodeExecutor,
  type ExecuteOptions,
  type ExecutionResult,
  IsolatedVmExecutor,
  type JsonValue,
  type Settlement,
  type ToolReply,
} from "triact/sandbox";

/** Sends code to a machine that runs it, and executes the calls that it makes. */
class RemoteExecutor implements CodeExecutor {
  readonly #url: string;
  readonly capabilities = {
    languages: ["javascript", "typescript"],
    isolation: "remote",
    isolationNotes: "Another machine; see there.",
    sessions: false,
    replay: true,
    globals: ["console"],
  } as const;

  constructor(url: string) {
    this.#url = url;
  }

  async execute({ language, code, tools = {}, signal, replay }: ExecuteOptions): Promise<ExecutionResult> {
    for (let journal = replay; ; ) {
      const body = JSON.stringify({ language, code, toolNames: Object.keys(tools), journal });
      const response = await fetch(this.#url, { method: "POST", body, signal: signal ?? null });
      const result = (await response.json()) as ExecutionResult;
      if (result.status !== "suspended") return result;
      const settled = await Promise.all(result.callIds.map((callId) => this.#call(callId, { result, tools })));
      journal = { ...result.journal, entries: [...result.journal.entries, ...settled] };
    }
  }

  async #call(
    callId: number,
    { result, tools }: { result: ExecutionResult; tools: NonNullable<ExecuteOptions["tools"]> },
  ): Promise<Settlement> {
    const call = result.journal.entries.find((entry) => entry.type === "call" && entry.callId === callId);
    if (call?.type !== "call") throw new Error(`The machine made no call ${callId}.`);
    const context = { callId, toolName: call.toolName, signal: AbortSignal.timeout(30_000), pauseClock: () => () => undefined };
    const reply: ToolReply = (await tools[call.toolName]?.(JSON.parse(call.inputText) as JsonValue, context)) ?? {
      kind: "error",
      message: "no such tool",
    };
    const [ok, answer] =
      reply.kind === "value" ? [true, reply.value] : [false, { name: "", message: reply.kind === "error" ? reply.message : reply.kind }];
    return { type: "settlement", callId, ok, text: JSON.stringify(answer) ?? "null", elapsedMs: Date.now() - result.journal.recordedAt };
  }

  createSession(): never {
    throw new Error("Variables do not persist there.");
  }

  async dispose(): Promise<void> {
    // nothing is held here
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }
}

await using local = new IsolatedVmExecutor();
const machine = createServer(async (request, response) => {
  const { toolNames, journal, ...rest } = JSON.parse((await request.toArray()).join("")) as ExecuteOptions & {
    toolNames: string[];
    journal?: NonNullable<ExecuteOptions["replay"]>;
  };
  const tools = Object.fromEntries(toolNames.map((name) => [name, () => ({ kind: "suspend" }) as const]));
  response.end(JSON.stringify(await local.execute({ ...rest, tools, ...(journal && { replay: journal }) })));
});
await new Promise<void>((resolve) => machine.listen(0, "127.0.0.1", resolve));

const executor = new RemoteExecutor(`http://127.0.0.1:${(machine.address() as AddressInfo).port}`);
const result = await executor.execute({
  language: "ts",
  code: "const temperatures: number[] = await Promise.all(['Oslo', 'Lisbon'].map((city) => forecast({ city })));\nreturn Math.max(...temperatures)",
  tools: { forecast: (input) => ({ kind: "value", value: JSON.stringify(input).includes("Oslo") ? 9 : 21 }) },
});
console.log(result.status === "completed" ? `The warmest has ${result.result} degrees.` : result);
machine.close();
