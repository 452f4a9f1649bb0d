import type { AgentModel, AgentModelEvent, AgentModelRequest } from "triact";

/** Events of each reply, in the order in which the model is asked. Built before anything is timed, and shared by many models. */
export type Script = readonly (readonly AgentModelEvent[])[];

/** A model that costs next to nothing: it yields events that were made beforehand. */
export class ScriptModel implements AgentModel {
  readonly modelId = "script";
  readonly providerId = "benchmark";
  readonly #script: Script;
  #asked = 0;

  constructor(script: Script) {
    this.#script = script;
  }

  async *stream({ messages }: AgentModelRequest): AsyncGenerator<AgentModelEvent, void, undefined> {
    if (messages.length === 0) throw new Error("A model is never asked without messages."); // every real model reads the list
    const events = this.#script[this.#asked];
    this.#asked += 1;
    if (events === undefined) throw new Error(`The script ends after ${this.#script.length} replies.`);
    for (const event of events) yield event;
  }
}

/** Turns of a little text and one tool call each, then an answer. The call's `days` is the number of the turn. */
export function turnsScript({ turns, toolName }: { turns: number; toolName: string }): Script {
  const replies = Array.from({ length: turns }, (_, turn): AgentModelEvent[] => [
    { type: "text-delta", text: "Let me look " },
    { type: "text-delta", text: "at the forecast." },
    ...callEvents({ index: 0, toolCallId: `call_${turn}`, toolName, days: turn + 1 }),
    { type: "finish", reason: "tool-calls" },
  ]);
  return [...replies, ANSWER];
}

/** One reply with many calls, then an answer. */
export function parallelScript({ calls, toolName }: { calls: number; toolName: string }): Script {
  const deltas = Array.from({ length: calls }, (_, index) => callEvents({ index, toolCallId: `call_${index}`, toolName, days: index + 1 }));
  return [[...deltas.flat(), { type: "finish", reason: "tool-calls" }], ANSWER];
}

/** One answer in many deltas. */
export function deltasScript(deltas: number): Script {
  const texts = Array.from({ length: deltas }, (_, index): AgentModelEvent => ({ type: "text-delta", text: `word${index % 10} ` }));
  return [[...texts, { type: "finish", reason: "stop" }]];
}

const ANSWER: readonly AgentModelEvent[] = [
  { type: "text-delta", text: "It will be " },
  { type: "text-delta", text: "sunny." },
  { type: "finish", reason: "stop" },
];

interface ScriptedCall {
  readonly index: number;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly days: number;
}

function callEvents({ index, toolCallId, toolName, days }: ScriptedCall): AgentModelEvent[] {
  const [first = "", ...rest] = ['{"city":', '"Lisbon",', `"days":${days}}`];
  return [
    { type: "tool-call-delta", index, toolCallId, toolName, inputText: first },
    ...rest.map((inputText): AgentModelEvent => ({ type: "tool-call-delta", index, inputText })),
  ];
}
