import type { AgentRunResult } from "../../base/agent-runtime.js";
import type { CellOutcome } from "../record.js";
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

function outcomeOfError(error: Error | undefined): CellOutcome {
  const code = error !== undefined && "code" in error ? String(error.code) : "";
  if (code.startsWith("sandbox-")) return "sandbox-failure";
  return code === "model" ? "provider-error" : "gave-up";
}
