import { isObject, type JsonSchema, type JsonValue } from "../base/json.js";
import type { ToolResultPart } from "../base/message.js";
import { toolErrorText } from "../base/model-texts.js";

/** User text that is put behind a history that ends with the model's own words: a provider would go on writing those, or refuse. */
export const CONTINUE_CUE = "Continue.";

/** User text before a history that begins with the model's words, for providers that want the user to begin. */
export const OPENING_CUE = "Begin.";

/** Text of a result that says nothing. Providers refuse an empty one. */
export const EMPTY_RESULT_TEXT = "(no output)";

/** Assistant text between tool results and a user message, for servers that refuse that order. */
export const AFTER_TOOLS_TEXT = "I have the results.";

/** Part of the system prompt that asks for a format which a provider cannot enforce. */
export function formatText(schema: JsonSchema): string {
  return `Answer with JSON alone, without a code block. It has to fit this JSON Schema: ${JSON.stringify(schema)}`;
}

/** A result as text; present and not empty, whatever the tool returned. */
export function resultText(output: JsonValue): string {
  const text = typeof output === "string" ? output : output === null ? "" : JSON.stringify(output);
  return text.trim() === "" ? EMPTY_RESULT_TEXT : text;
}

/** The words of a failed call, for protocols that have a flag for it. */
export function errorText({ output }: ToolResultPart): string {
  const onlyError = isObject(output) && typeof output["error"] === "string" && Object.keys(output).length === 1;
  return onlyError ? resultText(output["error"] as string) : resultText(output);
}

/** A result as text for protocols that have no flag for errors. */
export function flaglessResultText(result: ToolResultPart, callId: string): string {
  if (result.isError !== true) return resultText(result.output);
  return toolErrorText({ errorType: "tool-error", error: errorText(result), tool: result.toolName, callId });
}
