import type { ModelOptions } from "../base/model.js";

const MAX_TOKENS_OF_EFFORT = [
  ["minimal", 1_024],
  ["low", 4_096],
  ["medium", 16_384],
] as const;

/** The wish to reason as the word that OpenAI's protocols take. A budget becomes the word that is nearest above. */
export function effortOf(reasoning: NonNullable<ModelOptions["reasoning"]>): string {
  if (typeof reasoning === "string") return reasoning;
  return MAX_TOKENS_OF_EFFORT.find(([, maxTokens]) => reasoning.maxTokens <= maxTokens)?.[0] ?? "high";
}
