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
    const waiting = new Set<number>(); // calls whose answer will not come in this execution
    for (let journal = replay; ; ) {
      const body = JSON.stringify({ language, code, toolNames: Object.keys(tools), journal });
      const response = await fetch(this.#url, { method: "POST", body, signal: signal ?? null });
      const result = (await response.json()) as ExecutionResult;
      if (result.status !== "suspended") return result;
      const open = result.callIds.filter((callId) => !waiting.has(callId));
      if (open.length === 0) return result;
      const answers = await Promise.all(open.map(async (callId) => ({ callId, reply: await this.#call(callId, { result, tools }) })));
      const end = answers.find(({ reply }) => reply.kind === "end");
      if (end) return { ...result, status: "ended", callId: end.callId, value: undefined };
      for (const { callId, reply } of answers) if (reply.kind === "suspend") waiting.add(callId);
      const elapsedMs = Date.now() - result.journal.recordedAt;
      const settled = answers.flatMap(({ callId, reply }) => settlementOf(reply, { callId, elapsedMs }));
      journal = { ...result.journal, entries: [...result.journal.entries, ...settled] };
    }
  }

  async #call(
    callId: number,
    { result, tools }: { result: ExecutionResult; tools: NonNullable<ExecuteOptions["tools"]> },
  ): Promise<ToolReply> {
    const call = result.journal.entries.find((entry) => entry.type === "call" && entry.callId === callId);
    if (call?.type !== "call") throw new Error(`The machine made no call ${callId}.`);
    const context = { callId, toolName: call.toolName, signal: AbortSignal.timeout(30_000), pauseClock: () => () => undefined };
    const reply = tools[call.toolName]?.(JSON.parse(call.inputText) as JsonValue, context);
    return (await reply) ?? { kind: "error", message: "no such tool" };
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

/** An answer as the machine reads it in the journal. */
function settlementOf(reply: ToolReply, { callId, elapsedMs }: { callId: number; elapsedMs: number }): Settlement[] {
  if (reply.kind !== "value" && reply.kind !== "error") return [];
  const answer = reply.kind === "value" ? reply.value : { name: "", message: reply.message };
  return [{ type: "settlement", callId, ok: reply.kind === "value", text: JSON.stringify(answer) ?? "null", elapsedMs }];
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
