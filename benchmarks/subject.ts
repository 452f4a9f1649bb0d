import type { AgentMessage, AgentModel } from "triact";

/** Arguments of the tool of the benchmarks. */
export interface ToolInput {
  readonly city: string;
  readonly days: number;
}

/** The one tool that both subjects call. */
export interface BenchmarkTool {
  readonly name: string;
  execute(input: ToolInput): unknown;
}

/** Called with whatever a subject reports: deltas, messages, and in triact the rest of its events. */
export type Listener = (event: { readonly type: string }) => void;

/** What a conversation begins with. */
export interface ConversationOptions {
  readonly model: AgentModel;
  readonly listener: Listener;
  /** @default no messages */
  readonly history?: readonly AgentMessage[];
}

/** One conversation, to be run once. */
export interface Conversation {
  /** Runs until the model is done. Returns all messages. */
  run(input: string): Promise<readonly AgentMessage[]>;
}

/** Starts conversations. The calls of one reply are made at once. */
export interface Subject {
  start(options: ConversationOptions): Conversation;
}

/** Makes a subject for a tool; done once a process, as a program would do. */
export type CreateSubject = (tool: BenchmarkTool) => Subject;

/** The name of a subject that is measured. */
export type SubjectName = "floor" | "triact";
