import type { ExecutionError, ExecutionErrorCode } from "./code-executor.js";

/** The code computed for too long. */
export function cpuError({ cpuMs }: { readonly cpuMs: number }): ExecutionError {
  return limitError(
    "cpu",
    `The code computed for more than ${cpuMs} ms and was stopped. Look for a loop that does not end, or do less in one step.`,
  );
}

/** The wall clock ran out. `waitingFor` holds the names of the tools that had not answered. */
export function timeError({
  timeoutMs,
  waitingFor,
}: {
  readonly timeoutMs: number;
  readonly waitingFor: readonly string[];
}): ExecutionError {
  const what =
    waitingFor.length > 0
      ? `It was waiting for ${listNames(waitingFor)}, of which it is not known whether they did their work.`
      : "It was waiting for nothing: look for a promise that is never settled, or a loop that does not end.";
  return limitError("time", `The code ran for more than ${timeoutMs} ms and was stopped. ${what}`);
}

/** The code needed too much memory. */
export function memoryError({ memoryMiB }: { readonly memoryMiB: number }): ExecutionError {
  return limitError("memory", `The code needed more than ${memoryMiB} MiB of memory and was stopped. Keep less at a time.`);
}

/** The engine gave up, mostly for want of memory. */
export function catastrophicError(): ExecutionError {
  return limitError(
    "catastrophic",
    "The engine that ran the code gave up; mostly the code asked for too much memory at once. Work on less at a time.",
  );
}

/** The process that ran the code ended. */
export function lostError(): ExecutionError {
  return limitError(
    "sandbox-lost",
    "The process that ran the code ended; mostly the code asked for too much memory at once. Work on less at a time.",
  );
}

/** Whoever asked for the execution stopped it. */
export function abortedError(): ExecutionError {
  return limitError("aborted", "The execution was aborted.");
}

/** A replay did something else. */
export function divergedError(problem: string): ExecutionError {
  const text = `The code was run again to go on from where it had stopped, and did something else than before: ${problem}.`;
  return limitError("diverged", text);
}

/** Told with the first execution after the variables of a session were lost. */
export const VARIABLES_LOST =
  "The variables, functions and classes of earlier steps are gone, because the sandbox was stopped. Define again what you need.";

/** An error that has no place in the code. */
export function limitError(code: ExecutionErrorCode, message: string): ExecutionError {
  return { code, name: "Error", message };
}

/** At most ten names, each once. */
export function listNames(names: readonly string[]): string {
  const each = [...new Set(names)];
  return each.length > 10 ? `${each.slice(0, 10).join(", ")} and ${each.length - 10} more` : each.join(", ");
}
