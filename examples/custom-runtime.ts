/** A strategy of your own: the model writes one line, `name {json}`, instead of calling tools natively. Small local models can do that. */
import { type AgentModelRequest, Agents, BaseAgentRuntime, createTool, type Decision, type Reply, type Run, textOf } from "triact";
import { ScriptedModel, say } from "triact/testing";
import { z } from "zod";

/** Asks for one line, `name {json}`. The loop, policies, hooks, events, limits: all of that stays with the base. */
class LineRuntime extends BaseAgentRuntime {
  override readonly name = "line";

  protected override instructions({ tools }: Run): string {
    const lines = tools.list.map(({ name, description, inputSchema }) => `${name}: ${description} ${JSON.stringify(inputSchema)}`);
    return `To use a tool, answer with one line and nothing else: its name and its arguments as JSON.\n${lines.join("\n")}`;
  }

  protected override async buildRequest(run: Run): Promise<AgentModelRequest> {
    return { ...(await super.buildRequest(run)), tools: [] }; // the provider is told of no tool
  }

  protected override interpret({ text }: Reply, run: Run): Decision {
    const [, name, json = ""] = text.trim().match(/^(\w+) (\{.*\})$/) ?? [];
    if (name === undefined) return { kind: "finish", outputText: text };
    try {
      return { kind: "act", action: [run.createToolCall(name, JSON.parse(json))] };
    } catch {
      return { kind: "correct", text: `What follows ${name} is not JSON. Write the line again.` };
    }
  }
}

const convert = createTool({
  name: "convert",
  description: "Converts nautical miles to kilometres.",
  inputSchema: z.object({ miles: z.number() }),
  execute: ({ miles }) => Math.round(miles * 1.852),
});

const model = new ScriptedModel([
  say("convert {miles: 120}"), // not JSON: the runtime corrects it
  say('convert {"miles": "120"}'), // not a number: the base checks the schema
  say('convert {"miles": 120}'),
  ({ messages }) => {
    const [, km] = /"output":(\d+)/.exec(messages.map(textOf).join("\n")) ?? [];
    return say(`That is ${km} km.`);
  },
]);

const agent = Agents.builder().model(model).runtime(new LineRuntime()).tools(convert).build();
const result = await agent.run("How far are 120 nautical miles in km?");

console.log(`system    ${model.requests[0]?.systemPrompt?.replaceAll("\n", "\n          ")}\n`);
for (const message of result.messages) console.log(`${message.role.padEnd(9)} ${textOf(message)}`);
console.log(`\n${result.runtime} runtime: ${result.status} after ${result.iterations} turns`);
