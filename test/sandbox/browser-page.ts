/** What the page of the browser test runs: an agent whose code runs in QuickJS. */
import { Agents, CodeActRuntime, createTool } from "triact";
import { QuickJsExecutor } from "triact/sandbox";
import { ScriptedModel, say } from "triact/testing";

const add = createTool({
  name: "add",
  description: "Adds two numbers.",
  inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
  execute: (input) => {
    const { a, b } = input as { a: number; b: number };
    return a + b;
  },
});
const code = (source: string) => say(JSON.stringify({ type: "code", language: "javascript", code: source }));

async function main(): Promise<unknown> {
  await using executor = new QuickJsExecutor({ createWorker: () => new Worker("/worker.js", { type: "module" }) });
  const model = new ScriptedModel([
    code("const sums = await Promise.all([1, 2].map((a) => add({ a, b: 1 })));\nconsole.log('sums', sums);\nsums.length"),
    code("while (true) {}"),
    code("return [typeof sums, typeof window, typeof fetch, await add({ a: 3, b: 4 })]"),
  ]);
  const runtime = new CodeActRuntime({ executor, limits: { cpuMs: 200 } });
  const agent = Agents.builder().model(model).tools(add).runtime(runtime).build();
  const { status, output } = await agent.run("Add.");
  const told = model.requests.map(({ messages }) => messages.at(-1)?.content);
  return { status, output, told, languages: executor.capabilities.languages };
}

main().then(
  (result) => Object.assign(globalThis, { result }),
  (error: unknown) => Object.assign(globalThis, { result: { error: String(error) } }),
);
