import type { RunManifest } from "../record.js";
import type { RunClaims } from "./analysis.js";

/** What a run with these manifests may and may not claim. */
export function claimsOf(manifests: readonly RunManifest[]): RunClaims {
  const granularities = [...new Set(manifests.flatMap(({ granularity }) => granularity ?? []))];
  if (granularities.length === 0) return realModels;
  const policy = `reference policy, granularity ${granularities.join(" and ")}`;
  const reference = {
    may: `These numbers come from the ${policy}: a program that knows each solution, not a language model. They show that each strategy carries a correct solution through, and its model calls, tokens by cause, overhead and recovery, for this program at this granularity with these prompts.`,
    mayNot: "They do not show success rates or rankings of strategies with a language model, nor latency, nor money.",
  };
  if (manifests.every(({ granularity }) => granularity !== undefined)) return { kind: "reference-policy", ...reference };
  return {
    kind: "mixed",
    may: `Some sections come from language models and some from the reference policy; each says which. ${realModels.may} Of the others: ${reference.may}`,
    mayNot: `${reference.mayNot} ${realModels.mayNot}`,
  };
}

const realModels: RunClaims = {
  kind: "real-models",
  may: "These numbers compare strategies on these tasks, with these models, prompts, settings and limits, at the time of the run.",
  mayNot:
    "They do not show which strategy is better on other tasks or with another model, and where no difference is shown they do not show that there is none.",
};
