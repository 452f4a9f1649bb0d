import { isObject } from "../../base/json.js";
import type { Intent } from "../reference/policy-protocol.js";
import { type PolicyReply, replyOf } from "../reference/policy-reply.js";
import type { ModelFaultKind } from "./fault-kinds.js";

/** What is said instead of an intent. Undefined where the fault is none of this kind of reply. */
type Spoil = (intent: Intent) => PolicyReply | undefined;

/** How each fault of a model changes what it says. */
const spoilers: Readonly<Record<ModelFaultKind, Spoil>> = {
  "invalid-json": onCalls((call) => ({ ...call, inputText: call.inputText.slice(0, -1) })),
  "unknown-tool": onCalls((call) => ({ ...call, toolName: `${call.toolName}_v2` })),
  "missing-argument": onCalls((call) => ({ ...call, inputText: JSON.stringify(withoutFirst(JSON.parse(call.inputText))) })),
  "wrong-type": onCalls((call) => ({ ...call, inputText: JSON.stringify(withList(JSON.parse(call.inputText))) })),
  prose: (intent) => onAction(intent, () => say("I will look this up first, and then tell you what I have found.")),
  fence: (intent) => (intent.kind === "code" ? say(`Here is my code:\n\n\`\`\`json\n${replyOf(intent).text}\n\`\`\``) : undefined),
  "two-objects": (intent) => {
    if (intent.kind !== "code") return undefined;
    return say(`${replyOf(intent).text}\n${JSON.stringify({ type: "final", output: "It is done." })}`);
  },
  "syntax-error": onCode((code) => `${code}\n}`),
  "undefined-name": onCode((code) => `const start = beginning;\n${code}`),
  "late-exception": onCode(afterTwoCalls),
  "endless-loop": onCode((code) => `for (;;) {}\n${code}`),
  "output-flood": onCode((code) => `for (let line = 0; line < 20_000; line++) console.log("still looking at line " + line);\n${code}`),
  "memory-bomb": onCode((code) => `const kept = [];\nfor (;;) kept.push(new Array(1_000_000).fill(kept.length));\n${code}`),
  "cut-off": (intent) => {
    const { text, calls } = replyOf(intent);
    const last = calls.at(-1);
    if (last === undefined) return { text: half(text), calls: [], finishReason: "max-tokens" };
    return { text, calls: [...calls.slice(0, -1), { ...last, inputText: half(last.inputText) }], finishReason: "max-tokens" };
  },
  empty: () => say(""),
  refusal: () => ({ text: "I cannot help with this.", calls: [], finishReason: "refusal" }),
  "same-call": () => undefined, // the policy makes it: it needs the request
  "plan-prose": (intent) => (intent.kind === "plan" ? say("First I would look around, then decide.") : undefined),
  "plan-empty": (intent) => (intent.kind === "plan" ? replyOf({ kind: "plan", steps: [] }) : undefined),
  "plan-unknown-tool": (intent) => {
    if (intent.kind !== "plan") return undefined;
    return replyOf({ kind: "plan", steps: [{ goal: "Call consult_oracle.", evidence: "the result of consult_oracle", needs: [] }] });
  },
};

/**
 * The reply to an intent with a fault in it.
 * @returns Undefined where a fault of this kind cannot be made: a fence around a native call, for example.
 */
export function spoil(kind: ModelFaultKind, intent: Intent): PolicyReply | undefined {
  return spoilers[kind](intent);
}

function say(text: string): PolicyReply {
  return { text, calls: [] };
}

function onCalls(change: (call: PolicyReply["calls"][number]) => PolicyReply["calls"][number]): Spoil {
  return (intent) => {
    const { text, calls } = replyOf(intent);
    return intent.kind === "calls" ? { text, calls: calls.map(change) } : undefined;
  };
}

function onCode(change: (code: string) => string): Spoil {
  return (intent) => (intent.kind === "code" ? replyOf({ ...intent, code: change(intent.code) }) : undefined);
}

function onAction(intent: Intent, reply: () => PolicyReply | undefined): PolicyReply | undefined {
  return intent.kind === "calls" || intent.kind === "code" ? reply() : undefined;
}

/** The end of the second statement that waits for a call, and then an exception. */
function afterTwoCalls(code: string): string {
  const lines = code.split("\n");
  const ends = lines.flatMap((line, index) => (/\bawait\b.*;\s*$/.test(line) && !/^\s/.test(line) ? [index] : []));
  const at = (ends[1] ?? ends[0] ?? -1) + 1;
  return [...lines.slice(0, at), 'throw new Error("lost the thread");', ...lines.slice(at)].join("\n");
}

function withoutFirst(input: unknown): unknown {
  return isObject(input) ? Object.fromEntries(Object.entries(input).slice(1)) : input;
}

function withList(input: unknown): unknown {
  const [first] = isObject(input) ? Object.entries(input) : [];
  return first === undefined ? ["a list"] : { ...(input as object), [first[0]]: [[first[1]]] };
}

function half(text: string): string {
  return text.slice(0, Math.floor(text.length / 2));
}
