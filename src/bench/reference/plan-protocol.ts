import { isObject } from "../../base/json.js";
import { textOf } from "../../base/message.js";
import type { AgentModelRequest } from "../../base/model.js";
import type { PlanStep } from "../../runtimes/deep-research/plan.js";
import { nextAction } from "./next-action.js";
import type { PolicyProtocol, SolvedTask } from "./policy-protocol.js";
import { callSites, freeNames } from "./program-names.js";

/** A plan of steps is asked for, by a schema or in words, with nothing to call. */
export const planProtocol: PolicyProtocol = {
  name: "plan",
  speaks: (request) => request.tools.length === 0 && (hasStepsSchema(request) || hasStepsInWords(request)),
  intend: async ({ task }) => ({ kind: "plan", steps: await planFromProgram(task) }),
};

function hasStepsSchema({ responseFormat }: AgentModelRequest): boolean {
  const properties = responseFormat?.schema["properties"];
  return isObject(properties) && "steps" in properties;
}

function hasStepsInWords({ systemPrompt = "", messages, responseFormat }: AgentModelRequest): boolean {
  if (responseFormat !== undefined) return false;
  return /"steps"\s*:/.test([systemPrompt, ...messages.map(textOf)].join("\n"));
}

/**
 * The steps of a program, from a dry run: what it does first is known with its arguments, what comes later only by the functions that it calls. Calls of
 * one function in a row are one step.
 */
export async function planFromProgram({ program }: Pick<SolvedTask, "program">): Promise<PlanStep[]> {
  const played = await nextAction(program, []);
  const first = played.kind === "waiting" ? played.calls : [];
  const sites = callSites(program, new Set(freeNames(program))).filter((name, index, all) => all.indexOf(name) === index);
  const opening = new Set(first.map(({ name }) => name));
  const called = new Set(sites.filter((name) => program.includes(`${name}(`) || program.includes(`(${name})`)));
  const later = [...called].filter((name) => !opening.has(name));
  return [
    ...[...opening].map((name) => ({ goal: goalOf(name, first), evidence: `the result of ${name}`, needs: [] })),
    ...later.map((name, index) => ({
      goal: `Call ${name} with what is known by then.`,
      evidence: `the result of ${name}`,
      needs: opening.size + index === 0 ? [] : [opening.size + index],
    })),
  ];
}

function goalOf(name: string, first: readonly { readonly name: string; readonly input: unknown }[]): string {
  const inputs = first.filter((call) => call.name === name).map(({ input }) => JSON.stringify(input));
  return `Call ${name} with ${inputs.join(" and with ")}.`;
}
