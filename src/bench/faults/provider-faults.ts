import { ModelError } from "../../base/errors.js";
import type { AgentModel, AgentModelEvent, AgentModelRequest } from "../../base/model.js";
import { identityOf } from "../runner/passing-trouble.js";
import { type Fault, type ProviderFaultKind, strikes } from "./fault-kinds.js";

/** What {@link faultyProvider} takes. */
export interface ProviderFaultOptions {
  /** One of the provider's. */
  readonly fault: Fault;
  /** Chooses which calls are hit, where the fault has a rate. */
  readonly seed: number;
  /** The cell. */
  readonly place: string;
  /** Called for each call that is hit. */
  readonly onFault: () => void;
}

/** A model whose provider has trouble. It holds the state of one cell: what failed once goes well when it is asked again. */
export function faultyProvider(model: AgentModel, { fault, seed, place, onFault }: ProviderFaultOptions): AgentModel {
  let index = 0;
  let hasFailed = false;
  return {
    ...identityOf(model),
    async *stream(request) {
      const isHit = !hasFailed && strikes(fault, { seed, place, index });
      hasFailed = isHit;
      if (isHit) onFault();
      else index += 1;
      yield* isHit ? failing(model, fault.kind as ProviderFaultKind, request) : model.stream(request);
    },
  };
}

async function* failing(
  model: AgentModel,
  kind: ProviderFaultKind,
  request: AgentModelRequest,
): AsyncGenerator<AgentModelEvent, void, undefined> {
  switch (kind) {
    case "rate-limit":
      throw new ModelError({ message: "429: too many requests", errorClass: "rate_limit" });
    case "server-error":
      throw new ModelError({ message: "500: internal server error", errorClass: "overloaded" });
    case "overloaded-in-stream":
      yield* firstHalf(model, request);
      yield { type: "finish", reason: "error", error: "overloaded", errorClass: "overloaded" };
      return;
    case "broken-stream":
      yield* firstHalf(model, request);
  }
}

async function* firstHalf(model: AgentModel, request: AgentModelRequest): AsyncGenerator<AgentModelEvent, void, undefined> {
  const events: AgentModelEvent[] = [];
  for await (const event of model.stream(request)) events.push(event);
  yield* events.slice(0, Math.floor((events.length - 2) / 2));
}
