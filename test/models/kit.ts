import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type AgentMessage,
  type AgentModel,
  type AgentModelEvent,
  type AgentModelRequest,
  anthropic,
  ModelError,
  type ModelTiming,
  openai,
  openaiChat,
  type ProviderOptions,
  toMessages,
} from "triact";
import { ReplyAssembler } from "../../src/base/reply-assembler.js";
import { seams } from "../base/kit.js";
import { sse } from "./server.js";

/** A key that must never be seen again once it was sent. */
export const SECRET = "sk-proj-Zx9Qv7Lm3Rt5Wy8Bn2Kc4Hd6";

/** The three protocols, each with how a model of it is made and how its streams look. */
export const protocols = {
  "anthropic-messages": {
    model: (url: string, options: ProviderOptions = {}) => anthropic("claude-sonnet-4-6", { apiKey: SECRET, baseUrl: url, ...options }),
    blocks: (events: readonly unknown[]) => sse(events, "named"),
    /** Whether the reply is whole once this event was read. */
    ends: (event: WireEvent) => event.type === "message_delta",
  },
  "openai-chat": {
    model: (url: string, options: ProviderOptions = {}) => openaiChat("gpt-test", { apiKey: SECRET, baseUrl: `${url}/v1`, ...options }),
    blocks: (events: readonly unknown[]) => sse(events, "data-only"),
    ends: (event: WireEvent) => event.choices?.[0]?.finish_reason != null,
  },
  "openai-responses": {
    model: (url: string, options: ProviderOptions = {}) => openai("gpt-5-test", { apiKey: SECRET, baseUrl: `${url}/v1`, ...options }),
    blocks: (events: readonly unknown[]) => sse(events, "named"),
    ends: (event: WireEvent) => /^response\.(?:completed|incomplete|failed)$|^error$/.test(event.type ?? ""),
  },
} as const;

/** Name of a protocol. */
export type Protocol = keyof typeof protocols;

/** What tests look at in an event of a recorded stream. */
export interface WireEvent {
  readonly type?: string;
  readonly choices?: readonly { readonly finish_reason?: string | null }[];
}

/** A recorded stream. */
export interface Fixture {
  readonly name: string;
  readonly protocol: Protocol;
  readonly events: readonly WireEvent[];
}

const OWN = join(import.meta.dirname, "fixtures");
const RECORDED = process.env["TRIACT_WIRE"] ?? join(import.meta.dirname, "../../../shared/wire");

/** Whether the recordings that are no part of the project are here. */
export const hasRecordings = existsSync(RECORDED);

/** The project's own streams. */
export const ownFixtures: readonly Fixture[] = fixturesIn(OWN);

/** The recorded ones, where they are. One recording may hold several responses. */
export const recordedFixtures: readonly Fixture[] = hasRecordings ? fixturesIn(RECORDED) : [];

function fixturesIn(folder: string): Fixture[] {
  return (Object.keys(protocols) as Protocol[]).flatMap((protocol) =>
    readdirSync(join(folder, protocol)).flatMap((file) => {
      const lines = readFileSync(join(folder, protocol, file), "utf8")
        .split("\n")
        .filter((line) => line.trim() !== "");
      const responses: WireEvent[][] = [];
      for (const event of lines.map((line) => JSON.parse(line) as WireEvent)) {
        if (responses.length === 0 || event.type === "response.created") responses.push([]);
        responses.at(-1)?.push(event);
      }
      const name = file.replace(".jsonl", "");
      return responses.map((events, index) => ({ name: responses.length === 1 ? name : `${name} ${index + 1}`, protocol, events }));
    }),
  );
}

/** A stream of the project's own, by name. */
export function fixture(protocol: Protocol, name: string): readonly WireEvent[] {
  const found = ownFixtures.find((each) => each.protocol === protocol && each.name === name);
  if (found === undefined) throw new Error(`There is no fixture ${protocol}/${name}.`);
  return found.events;
}

/** A request with one user message. */
export function requestOf(changes: Partial<AgentModelRequest> = {}): AgentModelRequest {
  return { messages: toMessages(seams(), "Hello"), tools: [], options: {}, signal: new AbortController().signal, ...changes };
}

/** What a stream came to. */
export interface ReadReply {
  readonly events: readonly AgentModelEvent[];
  readonly content: AgentMessage["content"];
  readonly finishReason: string | undefined;
  readonly error: ModelError | undefined;
  readonly finishError: string | undefined;
  readonly usage: object;
}

/** Reads a reply to its end, and puts it together. */
export async function read(model: AgentModel, request = requestOf()): Promise<ReadReply> {
  const events: AgentModelEvent[] = [];
  let assembler = new ReplyAssembler();
  let error: ModelError | undefined;
  try {
    for await (const event of model.stream(request)) {
      events.push(event);
      if (event.type === "reset") assembler = new ReplyAssembler();
      else assembler.add(event);
    }
  } catch (thrown) {
    if (!(thrown instanceof ModelError)) throw thrown;
    error = thrown;
  }
  const { usage } = assembler;
  const { content, finishReason, error: finishError } = assembler.finish(seams());
  return { events, content, finishReason, error, finishError, usage };
}

/** The same in the form that does not depend on how a stream was cut. */
export function outcomeOf({ content, finishReason, finishError, usage }: ReadReply): object {
  return { content, finishReason, finishError, usage };
}

/** A clock that stands still, dice that always show a half, and timers of which only short ones run, at once. */
export class FakeTiming implements ModelTiming {
  /** How long each wait before a retry would have been. */
  readonly waits: number[] = [];
  readonly #timers = new Map<() => void, number>();
  #now = 1_000_000;
  /** How often somebody looked at the clock, which happens with every event of a stream. */
  #looks = 0;

  readonly now = () => {
    this.#looks += 1;
    return this.#now;
  };
  readonly random = () => 0.5;
  readonly setTimer = (callback: () => void, delayMs: number) => {
    this.#timers.set(callback, this.#now + delayMs);
    const isWait = delayMs < 100_000 && delayMs !== 2_000;
    if (isWait) {
      this.waits.push(delayMs);
      if (this.runs) setImmediate(() => this.#run(callback));
    }
    return () => void this.#timers.delete(callback);
  };

  /** Whether waits end by themselves. */
  runs = true;

  /** Timers that would still fire. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Lets time pass until the promise is settled, a minute each time that the process has nothing else to do. */
  async passUntil<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const mark = () => {
      settled = true;
    };
    promise.then(mark, mark);
    while (!settled) {
      for (let quiet = 0, looks = this.#looks; quiet < 50 && !settled; quiet = looks === this.#looks ? quiet + 1 : 0) {
        looks = this.#looks;
        await new Promise((resolve) => setImmediate(resolve));
      }
      this.#now += 60_000;
      for (const [callback, at] of [...this.#timers]) if (at <= this.#now) this.#run(callback);
    }
    return promise;
  }

  #run(callback: () => void): void {
    if (this.#timers.delete(callback)) callback();
  }
}
