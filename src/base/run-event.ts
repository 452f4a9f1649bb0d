import type { StateView } from "./agent-state.js";
import type { AgentEvent, AgentEventMap, AgentEventType } from "./events.js";
import type { AgentSnapshot } from "./snapshot.js";

/** The run that an event comes from. */
export interface EventOrigin {
  readonly id: string;
  /** 0 outside of turns. */
  readonly iteration: number;
  readonly view: StateView;
}

/**
 * Builds an event. The kinds of which a turn has several set their fields one by one, which takes half the time of `Object.assign`.
 *
 * Events are frozen. A delta is frozen only if several get it: freezing takes as long as building it, and for a reader of its own nobody else can be misled.
 */
export function createEvent<Type extends AgentEventType>(
  type: Type,
  origin: EventOrigin,
  { fields, shared }: { readonly fields: AgentEventMap[Type]; readonly shared: boolean },
): AgentEvent {
  const Frequent = frequentEvents[type];
  const event = Frequent === undefined ? Object.assign(new RunEvent(type, origin), fields) : new Frequent(type, origin, fields);
  return (event instanceof Delta && !shared ? event : Object.freeze(event)) as unknown as AgentEvent;
}

/** What a run's events have in common. The snapshot is a getter of the class, so that it costs nothing until it is read. */
class RunEvent {
  readonly type: AgentEventType;
  readonly runId: string;
  declare readonly iteration?: number; // a field of the class would be there, undefined, outside of turns too
  readonly #view: StateView;
  constructor(type: AgentEventType, origin: EventOrigin) {
    this.type = type;
    this.runId = origin.id;
    if (origin.iteration > 0) this.iteration = origin.iteration;
    this.#view = origin.view;
  }
  get snapshot(): AgentSnapshot {
    return this.#view.snapshot;
  }
}

/** One of the thousands of a reply. */
class Delta extends RunEvent {}

class TextDelta extends Delta {
  readonly text: string;
  readonly accumulatedText: string;
  constructor(type: AgentEventType, origin: EventOrigin, { text, accumulatedText }: AgentEventMap["assistant-text-delta"]) {
    super(type, origin);
    this.text = text;
    this.accumulatedText = accumulatedText;
  }
}

class ToolCallDelta extends Delta {
  readonly callIndex: number;
  declare readonly toolCallId?: string;
  declare readonly toolName?: string;
  readonly inputText: string;
  constructor(type: AgentEventType, origin: EventOrigin, fields: AgentEventMap["assistant-tool-call-delta"]) {
    super(type, origin);
    this.callIndex = fields.callIndex;
    if (fields.toolCallId !== undefined) this.toolCallId = fields.toolCallId;
    if (fields.toolName !== undefined) this.toolName = fields.toolName;
    this.inputText = fields.inputText;
  }
}

class MessageAdded extends RunEvent {
  readonly message: AgentEventMap["message-added"]["message"];
  constructor(type: AgentEventType, origin: EventOrigin, { message }: AgentEventMap["message-added"]) {
    super(type, origin);
    this.message = message;
  }
}

type FrequentEvent<Type extends AgentEventType> = new (type: AgentEventType, origin: EventOrigin, fields: AgentEventMap[Type]) => RunEvent;

const frequentEvents: { readonly [Type in AgentEventType]?: FrequentEvent<Type> } = {
  "assistant-text-delta": TextDelta,
  "assistant-tool-call-delta": ToolCallDelta,
  "message-added": MessageAdded,
};
