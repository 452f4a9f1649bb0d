import { BaseAgentRuntime, type Decision, type JsonObject, type Observation, type Reply, type Run } from "triact";

type ToolCalls = Reply["toolCalls"];

/** Native tool calls by a runtime that does as it likes: it acts on some calls, corrects now and then, and adds messages at any time. */
export class MeddlingRuntime extends BaseAgentRuntime {
  override readonly name = "meddling";

  protected override async prepare(run: Run): Promise<void> {
    await run.addNote("A plan.");
  }

  protected override interpret(reply: Reply, run: Run): Decision {
    if (reply.toolCalls.length > 2) return { kind: "correct", text: "Two at most." };
    if (reply.toolCalls.length === 2 && run.iteration % 2 === 1) return { kind: "act", action: reply.toolCalls.slice(1) };
    return super.interpret(reply, run) as Decision;
  }

  protected override async perform(action: ToolCalls, run: Run): Promise<Observation> {
    const [first] = action;
    if (first !== undefined && run.iteration % 2 === 1) await run.toolExecutor.execute(first);
    await run.addNote("In between.");
    const extra = run.createToolCall("act", { does: "return number" });
    const observation = await super.perform([...action.slice(1), extra], run);
    await run.addNote("Behind.");
    return { ...observation, texts: [...observation.texts, "Observed.", ""] };
  }
}

/** Asks for lines of `name {json}` instead of native tool calls. */
export class LineRuntime extends BaseAgentRuntime {
  override readonly name = "line";

  protected override buildRequest(run: Run) {
    const { messages, settings, signal } = run;
    return {
      systemPrompt: "Answer with lines of `name {json}`, or with text.",
      messages,
      tools: [],
      options: settings.modelOptions,
      signal,
    };
  }

  protected override interpret(reply: Reply, run: Run): Decision {
    const lines = reply.text.split("\n").flatMap((line) => /^(\w+) (\{.*\})$/.exec(line) ?? []);
    const action: ToolCalls[number][] = [];
    for (let at = 0; at < lines.length; at += 3) {
      action.push(run.createToolCall(lines[at + 1] ?? "", JSON.parse(lines[at + 2] ?? "{}") as JsonObject));
    }
    return action.length > 0 ? { kind: "act", action } : { kind: "finish", outputText: reply.text };
  }
}
