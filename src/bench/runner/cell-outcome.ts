import type { AgentRunResult } from "../../base/agent-runtime.js";
import { ModelError } from "../../base/errors.js";
import type { CellOutcome, CellRecord } from "../record.js";
import type { Verdict } from "../suite.js";

/** The class of a cell: what its run came to, and whether it reached its goal. */
export function cellOutcome(result: Pick<AgentRunResult, "status" | "endedBy" | "error" | "outputText">, { solved }: Verdict): CellOutcome {
  if (result.status === "completed") {
    if (solved) return "solved";
    if (result.endedBy === "protocol") return "parse-failure";
    return result.outputText.trim() === "" ? "gave-up" : "wrong";
  }
  switch (result.endedBy) {
    case "max-iterations":
      return "step-limit";
    case "token-limit":
    case "cost-limit":
    case "truncated":
      return "token-limit";
    case "time-limit":
      return "timeout";
    case "output-invalid":
      return "parse-failure";
    case "error":
      return outcomeOfError(result.error);
    default:
      return "gave-up"; // refusals, empty replies, missing evidence, hooks that stop
  }
}

/** Whether a cell says something of the strategy: a provider that failed without being told to does not. */
export function counts({ outcome, fault }: Pick<CellRecord, "outcome" | "fault">): boolean {
  return outcome !== "provider-error" || fault !== undefined;
}

function outcomeOfError(error: Error | undefined): CellOutcome {
  if (error instanceof ModelError && error.errorClass === "context_window_exceeded") return "token-limit"; // the strategy sent too much
  const code = error !== undefined && "code" in error ? String(error.code) : "";
  if (code.startsWith("sandbox-")) return "sandbox-failure";
  return code === "model" ? "provider-error" : "gave-up";
}
