import { AgentConfigError } from "../../base/errors.js";
import { Random } from "../random.js";

/** What the model may get wrong, by what it writes. */
export const modelFaultKinds = [
  "invalid-json",
  "unknown-tool",
  "missing-argument",
  "wrong-type",
  "prose",
  "fence",
  "two-objects",
  "syntax-error",
  "undefined-name",
  "late-exception",
  "endless-loop",
  "output-flood",
  "memory-bomb",
  "cut-off",
  "empty",
  "refusal",
  "same-call",
  "plan-prose",
  "plan-empty",
  "plan-unknown-tool",
] as const;

/** What tools may do. */
export const toolFaultKinds = ["tool-throws-once", "tool-throws-always", "tool-slow", "tool-huge-result"] as const;

/** What a provider may do. */
export const providerFaultKinds = ["rate-limit", "server-error", "overloaded-in-stream", "broken-stream"] as const;

/** A fault of the model. */
export type ModelFaultKind = (typeof modelFaultKinds)[number];
/** A fault of the tools. */
export type ToolFaultKind = (typeof toolFaultKinds)[number];
/** A fault of the provider. */
export type ProviderFaultKind = (typeof providerFaultKinds)[number];
/** A fault. */
export type FaultKind = ModelFaultKind | ToolFaultKind | ProviderFaultKind;

/** A fault, and how often it happens. */
export interface Fault {
  /** As it stands in records: the kind, or kind and rate. */
  readonly name: string;
  readonly kind: FaultKind;
  /** Share of the actions that it hits, above 0 and up to 1. Absent: the first action that it can hit, and no other. */
  readonly rate?: number;
}

const kinds: readonly string[] = [...modelFaultKinds, ...toolFaultKinds, ...providerFaultKinds];

/**
 * Reads `kind` or `kind:rate`, for example `invalid-json` or `rate-limit:0.2`.
 * @throws AgentConfigError for a kind or a rate that there is not.
 */
export function parseFault(spec: string): Fault {
  const [kind = "", rateText, ...rest] = spec.split(":");
  if (!kinds.includes(kind) || rest.length > 0) {
    throw new AgentConfigError({ field: "faults", problem: `there is no fault ${JSON.stringify(spec)}. Allowed: ${kinds.join(", ")}` });
  }
  if (rateText === undefined) return { name: kind, kind: kind as FaultKind };
  const rate = rateText.trim() === "" ? Number.NaN : Number(rateText);
  if (!(rate > 0 && rate <= 1)) {
    throw new AgentConfigError({ field: "faults", problem: `a rate above 0 and up to 1 was expected, not ${JSON.stringify(rateText)}` });
  }
  return { name: `${kind}:${rate}`, kind: kind as FaultKind, rate };
}

/** Whether a fault of this kind is the model's. */
export function isModelFault(kind: FaultKind): kind is ModelFaultKind {
  return (modelFaultKinds as readonly string[]).includes(kind);
}

/** Whether a fault of this kind is the tools'. */
export function isToolFault(kind: FaultKind): kind is ToolFaultKind {
  return (toolFaultKinds as readonly string[]).includes(kind);
}

/** Whether a fault of this kind is the provider's. */
export function isProviderFault(kind: FaultKind): kind is ProviderFaultKind {
  return (providerFaultKinds as readonly string[]).includes(kind);
}

/** What decides whether a fault happens now. */
export interface FaultMoment {
  readonly seed: number;
  /** What the moment is in: a question, a cell. */
  readonly place: string;
  /** Number of the action in it, from 0. */
  readonly index: number;
}

/** Whether a fault happens at a moment. Depends on its arguments alone. */
export function strikes({ rate, kind }: Fault, { seed, place, index }: FaultMoment): boolean {
  return rate === undefined ? index === 0 : new Random("fault", kind, seed, place, index).chance(rate);
}
