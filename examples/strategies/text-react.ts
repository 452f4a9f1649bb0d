/** ReAct in text (Yao et al., 2022), for models that cannot call tools: Thought, Action, Action Input, and the Observation that follows. */
import { type AgentModelRequest, BaseAgentRuntime, type Decision, type Reply, type Run } from "triact";

export class TextReActRuntime extends BaseAgentRuntime {
  override readonly name = "text-react";

  protected override instructions({ tools }: Run): string {
    const lines = tools.list.map(({ name, description, inputSchema }) => `${name}: ${description} ${JSON.stringify(inputSchema)}`);
    return `Answer with these lines:
Thought: what to do next
Action: one of ${tools.names.join(", ")}
Action Input: its arguments as JSON on one line
Then stop: the observation follows. When you know the answer, write instead:
Thought: I know the answer
Final Answer: the answer

Tools:
${lines.join("\n")}`;
  }

  protected override async buildRequest(run: Run): Promise<AgentModelRequest> {
    const request = await super.buildRequest(run);
    const stopSequences = [...(request.options.stopSequences ?? []), "\nObservation:"]; // models like to go on by themselves
    return { ...request, tools: [], options: { ...request.options, stopSequences } };
  }

  protected override interpret({ text }: Reply, run: Run): Decision {
    const [said = ""] = text.split("\nObservation:");
    const [, answer] = /^Final Answer:\s*([\s\S]*)$/m.exec(said) ?? [];
    const [, name] = /^Action:\s*(\w+)\s*$/m.exec(said) ?? [];
    if (answer !== undefined && name === undefined) return { kind: "finish", outputText: answer.trim() };
    if (name === undefined) {
      if (run.corrections >= 2) return { kind: "finish", outputText: text, endedBy: "protocol" };
      return { kind: "correct", text: "Write an Action with its Action Input, or a Final Answer, each on a line of its own." };
    }
    const [, json = "{}"] = /^Action Input:\s*(.+)$/m.exec(said) ?? [];
    try {
      return { kind: "act", action: [run.createToolCall(name, JSON.parse(json))] };
    } catch {
      return { kind: "correct", text: `The Action Input of ${name} is not JSON on one line. Write the lines again.` };
    }
  }
}
