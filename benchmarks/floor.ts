/**
 * The floor: the least that a loop with tools can do. It assembles the stream, parses arguments, awaits the tool, keeps messages and calls one
 * listener. It checks nothing and has no hooks, no limits and no way to abort.
 */
import { nanoid } from "nanoid";
import type { AgentMessage, AgentModel, JsonObject, JsonValue, MessagePart } from "triact";
import type { BenchmarkTool, Conversation, ConversationOptions, Listener, Subject, ToolInput } from "./subject.ts";

interface Call {
  readonly toolCallId: string;
  readonly toolName: string;
  inputText: string;
}

/** The bare loop as a subject. */
export function createFloor(tool: BenchmarkTool): Subject {
  return { start: (options) => new FloorConversation(tool, options) };
}

class FloorConversation implements Conversation {
  readonly #tool: BenchmarkTool;
  readonly #model: AgentModel;
  readonly #listener: Listener;
  readonly #messages: AgentMessage[];
  readonly #signal = new AbortController().signal;

  constructor(tool: BenchmarkTool, { model, listener, history = [] }: ConversationOptions) {
    this.#tool = tool;
    this.#model = model;
    this.#listener = listener;
    this.#messages = [...history];
  }

  async run(input: string): Promise<readonly AgentMessage[]> {
    this.#add("user", [{ type: "text", text: input }]);
    for (;;) {
      const { text, calls } = await this.#ask();
      const parts: MessagePart[] = text === "" ? [] : [{ type: "text", text }];
      const parsed = calls.map(({ toolCallId, toolName, inputText }) => ({
        type: "tool-call" as const,
        toolCallId,
        toolName,
        input: JSON.parse(inputText) as JsonObject,
      }));
      this.#add("assistant", [...parts, ...parsed]);
      if (parsed.length === 0) return this.#messages;
      const outputs = await Promise.all(parsed.map((call) => this.#tool.execute(call.input as unknown as ToolInput)));
      for (const [index, { toolCallId, toolName }] of parsed.entries()) {
        this.#add("tool", [{ type: "tool-result", toolCallId, toolName, output: outputs[index] as JsonValue }]);
      }
    }
  }

  async #ask(): Promise<{ text: string; calls: Call[] }> {
    let text = "";
    const calls: Call[] = [];
    for await (const event of this.#model.stream({ messages: this.#messages, tools: [], options: {}, signal: this.#signal })) {
      this.#listener(event);
      if (event.type === "text-delta") text += event.text;
      else if (event.type === "tool-call-delta") {
        const { index, toolCallId, toolName, inputText } = event;
        const call = calls[index ?? 0];
        if (call === undefined) calls.push({ toolCallId: String(toolCallId), toolName: toolName ?? "", inputText: inputText ?? "" });
        else call.inputText += inputText ?? "";
      }
    }
    return { text, calls };
  }

  #add(role: AgentMessage["role"], content: readonly MessagePart[]): void {
    const message: AgentMessage = { id: nanoid(), role, content, createdAt: Date.now() };
    this.#messages.push(message);
    this.#listener({ type: "message-added", message } as { type: string });
  }
}
