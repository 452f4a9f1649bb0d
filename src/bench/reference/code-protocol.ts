import { textOf } from "../../base/message.js";
import type { AgentModelRequest } from "../../base/model.js";
import { type CodeActFinish, codeActEndings, codeActTexts } from "../../runtimes/codeact/codeact-texts.js";
import { nextAction, type SeenCall } from "./next-action.js";
import type { PlannedCall, Played } from "./play-program.js";
import type { Intent, PolicyProtocol, PolicyTurn } from "./policy-protocol.js";

/** Replies are JSON messages with code or with the answer, as CodeAct asks for them. */
export const codeProtocol: PolicyProtocol = {
  name: "code",
  speaks: ({ systemPrompt = "", tools }) => tools.length === 0 && systemPrompt.includes('{"type":"code"'),
  async intend(turn) {
    const observations = observationsOf(turn);
    const ending = finishOf(turn.request);
    // With `summary` the first code that runs well is the last, so that it has to be all of it.
    const inPieces = turn.granularity !== "whole" && ending !== "summary";
    return (inPieces ? await nextPiece(turn, observations) : undefined) ?? wholeProgram(turn, observations);
  },
};

/** What code came to: a result, or an error. */
type Observation = (
  | { readonly kind: "result"; readonly result: unknown }
  | {
      readonly kind: "error";
    }
) & {
  /** Whether the code was the whole program. */
  readonly isWhole: boolean;
};

const RESULT = codeActTexts.result({}).slice(0, -2);
const ERROR = codeActTexts.error({}).slice(0, -2);

/** Sends the whole program until it has run well, and then answers with what it returned. */
function wholeProgram({ request, task }: PolicyTurn, observations: readonly Observation[]): Intent {
  const answer = observations.findLast(({ kind, isWhole }) => kind === "result" && isWhole);
  if (answer?.kind === "result") return { kind: "final", output: String(answer.result ?? "") };
  const failures = observations.filter(({ kind }) => kind === "error");
  if (failures.length >= MAX_TRIES) return { kind: "final", output: "I could not finish this: my code keeps failing." };
  return { kind: "code", language: languageOf(request), code: task.program };
}

const MAX_TRIES = 4;

/**
 * The calls that the program waits for, as code that gives their results.
 * @returns Undefined when results that it needs were cut: the whole program does not have to see them.
 */
async function nextPiece({ request, task, granularity }: PolicyTurn, observations: readonly Observation[]): Promise<Intent | undefined> {
  const transcript: SeenCall[] = [];
  let played = await nextAction(task.program, transcript);
  for (const observation of observations) {
    if (observation.kind === "error") continue;
    const calls = batchOf(played, granularity);
    if (!Array.isArray(observation.result) || observation.result.length !== calls.length) return undefined;
    const outcomes = observation.result as readonly Outcome[];
    transcript.push(...calls.map((call, index) => ({ ...call, ...toResult(outcomes[index]) })));
    played = await nextAction(task.program, transcript);
  }
  if (played.kind === "answered") return { kind: "final", output: played.answer };
  if (played.kind === "failed") return { kind: "final", output: `I could not finish this: ${played.message}` };
  if (observations.filter(({ kind }) => kind === "error").length >= MAX_TRIES) return undefined;
  return { kind: "code", language: languageOf(request), code: codeFor(batchOf(played, granularity)) };
}

/** What {@link codeFor} gives for a call. */
interface Outcome {
  readonly value?: unknown;
  readonly error?: string;
}

function toResult(outcome: Outcome | undefined): Pick<SeenCall, "output" | "error"> {
  return outcome?.error === undefined ? { output: outcome?.value } : { error: outcome.error };
}

function batchOf(played: Played, granularity: PolicyTurn["granularity"]): readonly PlannedCall[] {
  if (played.kind !== "waiting") return [];
  return granularity === "call" ? played.calls.slice(0, 1) : played.calls;
}

function codeFor(calls: readonly PlannedCall[]): string {
  const lines = calls.map(({ name, input }) => `  attempt(${name}(${JSON.stringify(input)})),`);
  return [
    "const attempt = (call) => call.then((value) => ({ value }), (error) => ({ error: error.message }));",
    "const outcomes = await Promise.all([",
    ...lines,
    "]);",
    "outcomes",
  ].join("\n");
}

/** What the user's side said after code, in order. Corrections are no observations: nothing was run. */
function observationsOf({ request, task }: PolicyTurn): Observation[] {
  const program = JSON.stringify(task.program).slice(1, -1);
  let isWhole = false;
  return request.messages.flatMap((message): Observation[] => {
    const text = textOf(message);
    if (message.role === "assistant") isWhole = text.includes(program);
    if (message.role !== "user") return [];
    if (text.startsWith(ERROR)) return [{ kind: "error", isWhole }];
    if (!text.startsWith(RESULT)) return [];
    const { result, resultText } = fieldsOf(text.slice(RESULT.length));
    return [{ kind: "result", result: result ?? resultText, isWhole }];
  });
}

function fieldsOf(json: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(json) as Readonly<Record<string, unknown>>;
  } catch {
    return {}; // a hook may have changed the text
  }
}

function finishOf({ systemPrompt = "" }: AgentModelRequest): CodeActFinish {
  const names = Object.keys(codeActEndings) as CodeActFinish[];
  return names.find((name) => systemPrompt.includes(codeActEndings[name])) ?? "value";
}

/** The language that the prompt shows as its example, if a program can be sent in it. */
function languageOf({ systemPrompt = "" }: AgentModelRequest): string {
  const [, language = ""] = systemPrompt.match(/"type":"code","language":"(\w+)"/) ?? [];
  return language === "typescript" ? language : "javascript";
}
