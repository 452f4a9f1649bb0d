import type { ToolCallResult } from "../../base/hooks.js";
import { isObject, type JsonObject, type JsonValue } from "../../base/json.js";
import type { ExecutionResult, ResultSource } from "../../sandbox/code-executor.js";
import { codeActTexts } from "./codeact-texts.js";

/** Name of the logical tool call that a piece of code is. */
export const CODE_TOOL = "code";

/** A completion tool that succeeded in code. */
export interface Completion {
  readonly toolName: string;
  readonly input: JsonObject;
  readonly output: JsonValue;
}

/**
 * What one piece of code came to, as the output of the logical tool call `code`: events and traces show it, hooks may change it, and a run that was
 * suspended finds it again.
 */
export type CodeStepOutput = StepReport &
  (
    | { readonly status: "completed"; readonly source: ResultSource; readonly result?: JsonValue }
    | { readonly status: "ended"; readonly completion: Completion }
    | { readonly status: "failed"; readonly errorType: string; readonly error: string; readonly line?: number; readonly column?: number }
  );

interface StepReport {
  readonly logs: string;
  readonly notices: readonly string[];
}

/** The output of an execution that was not suspended, with further sentences for the model. */
export function toStepOutput(execution: ExecutionResult, completion: Completion | undefined, notices: readonly string[]): CodeStepOutput {
  const report = { logs: execution.stdout, notices: [...execution.notices, ...notices] };
  switch (execution.status) {
    case "completed": {
      const { source, result } = execution;
      return { ...report, status: "completed", source, ...(result === undefined ? undefined : { result: result as JsonValue }) };
    }
    case "failed": {
      const { code, name, message, line, column } = execution.error;
      const error = name === "Error" || name === "" ? message : `${name}: ${message}`;
      const place = { ...(line === undefined ? undefined : { line }), ...(column === undefined ? undefined : { column }) };
      return { ...report, status: "failed", errorType: code, error, ...place };
    }
    default:
      // Ended without a completion: a hook stopped the run.
      return completion === undefined
        ? { ...report, status: "failed", errorType: "stopped", error: codeActTexts.stopped }
        : { ...report, status: "ended", completion };
  }
}

/** Whether a tool's output is that of a piece of code. */
export function isStepOutput(output: JsonValue): boolean {
  const { status, notices } = isObject(output) ? output : {};
  return (status === "completed" || status === "failed" || status === "ended") && Array.isArray(notices);
}

/** The output of the call `code`, whoever made it: the code, the pipeline that refused it, or a hook that replaced it. */
export function readStepOutput({ output, isError }: ToolCallResult, errorType: string | undefined): CodeStepOutput {
  if (isStepOutput(output)) return output as unknown as CodeStepOutput;
  const nothing = { logs: "", notices: [] };
  if (isError !== true) return { ...nothing, status: "completed", source: "none", result: output };
  const error = isObject(output) && typeof output["error"] === "string" ? output["error"] : JSON.stringify(output);
  return { ...nothing, status: "failed", errorType: errorType ?? "execution", error };
}
