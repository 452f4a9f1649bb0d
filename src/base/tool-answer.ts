import { messageOf } from "./errors.js";
import type { ToolErrorType } from "./events.js";
import { toContentParts } from "./history.js";
import type { AfterToolResult, ToolCallResult } from "./hooks.js";
import { toJsonValue } from "./json.js";
import { modelTexts } from "./model-texts.js";
import { ToolResult } from "./tool.js";

/** What a call came to. `errorType` is set when the result is an error. */
export interface ToolAnswer {
  readonly result: ToolCallResult;
  readonly errorType?: ToolErrorType;
}

/** An error result. */
export function failure(errorType: ToolErrorType, error: string): ToolAnswer {
  const output = Object.freeze({ error: error.toWellFormed() });
  return { result: Object.freeze({ output, isError: true }), errorType };
}

/** What a tool returned as a result. */
export function toAnswer(toolName: string, value: unknown): ToolAnswer {
  try {
    if (!(value instanceof ToolResult)) return { result: Object.freeze({ output: toJsonValue(value) }) };
    return answerOf({ output: value.output, isError: value.isError, content: value.content });
  } catch (error) {
    return failure("execution", modelTexts.notJson(toolName, messageOf(error)));
  }
}

/** What an `afterTool` hook made of a result. */
export function replaceResult(answer: ToolAnswer, result: NonNullable<AfterToolResult["result"]>): ToolAnswer {
  const replaced = answerOf(result);
  return replaced.errorType === undefined ? replaced : { ...replaced, errorType: answer.errorType ?? "execution" };
}

function answerOf({ output, isError, content }: NonNullable<AfterToolResult["result"]>): ToolAnswer {
  const parts = content === undefined ? [] : toContentParts(content);
  const result: ToolCallResult = Object.freeze({
    output: toJsonValue(output),
    ...(isError === true ? { isError } : undefined),
    ...(parts.length === 0 ? undefined : { content: parts }),
  });
  return isError === true ? { result, errorType: "execution" } : { result };
}
