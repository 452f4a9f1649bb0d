/** ReWOO (Xu et al., 2023): one reply plans all calls, with variables for what they will return; they run without the model, which then solves. */
import { type AgentModelRequest, BaseAgentRuntime, type Decision, type Note, type Observation, type Reply, type Run, toText } from "triact";

const CALL = /^#E(\d+)\s*=\s*(\w+)\s*(\{.*\})\s*$/;

export class ReWooRuntime extends BaseAgentRuntime {
  override readonly name = "rewoo";

  protected override instructions({ tools }: Run): string {
    const lines = tools.list.map(({ name, description, inputSchema }) => `${name}: ${description} ${JSON.stringify(inputSchema)}`);
    return `Plan every call at once, one a line: #E1 = tool {"argument": "value"}. A later call may use what an earlier one returned as "#E1". You see the results when all of them are done; then answer. Tools:\n${lines.join("\n")}`;
  }

  protected override async buildRequest(run: Run): Promise<AgentModelRequest> {
    return { ...(await super.buildRequest(run)), tools: [] };
  }

  protected override interpret({ text }: Reply, run: Run): Decision {
    const planned = text.split("\n").flatMap((line) => {
      const [, , name = "", json = ""] = CALL.exec(line.trim()) ?? [];
      return name === "" ? [] : [{ name, json }];
    });
    if (planned.length === 0) return { kind: "finish", outputText: text };
    try {
      return { kind: "act", action: planned.map(({ name, json }) => run.createToolCall(name, JSON.parse(json))) };
    } catch (error) {
      return {
        kind: "correct",
        text: `The arguments of a call are not JSON: ${error instanceof Error ? error.message : ""} Write the plan again.`,
      };
    }
  }

  protected override async perform(action: Reply["toolCalls"], run: Run): Promise<Observation> {
    const texts: Note[] = [];
    const results: unknown[] = [];
    for (const call of action) {
      const input = substitute(call.input, results) as typeof call.input;
      const observation = await super.perform([{ ...call, input }], run);
      texts.push(...observation.texts);
      if (observation.outcome !== undefined) return { ...observation, texts };
      results.push(observation.calls?.[0]?.result.output);
    }
    return { texts };
  }
}

/** The arguments with results in place of variables: whole where a variable stands alone, as text within text. */
function substitute(value: unknown, results: readonly unknown[]): unknown {
  if (typeof value === "string") {
    const alone = /^#E(\d+)$/.exec(value);
    if (alone !== null) return results[Number(alone[1]) - 1] ?? value;
    return value.replace(/#E(\d+)/g, (name, number) => toText(results[Number(number) - 1] ?? name));
  }
  if (Array.isArray(value)) return value.map((item) => substitute(item, results));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, substitute(item, results)]));
}
