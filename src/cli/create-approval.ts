import type { RequestToolApproval, ToolApprovalDecision, ToolApprovalPending } from "../base/policy.js";
import { askAboutCall } from "./ask-about-call.js";
import type { CommandHost } from "./command.js";
import type { Questions } from "./questions.js";

/** What an approval needs to know. */
export interface CreateApprovalOptions {
  /** Whose person is asked. */
  readonly host: Pick<CommandHost, "terminal">;
  /** Asks them. */
  readonly questions: Questions;
  /** Names of tools that the person has allowed for the rest of the run. It is added to. */
  readonly always: Set<string>;
  /** Whether the run is kept in a session, so that it can be suspended. */
  readonly hasSession: boolean;
  /** Asks for a session to keep the run in. `false`: the person went back. */
  readonly keepInSession: (signal: AbortSignal) => Promise<boolean>;
}

const GONE = "the person left without an answer";
const NOBODY = "there is no terminal at which a person could be asked. Allow the tool by --policy allow:NAME, or use --session";

/**
 * Asks the person at the terminal. Without a terminal the call waits when there is a session, and is denied when there is none.
 */
export function createApproval(options: CreateApprovalOptions): RequestToolApproval {
  const { host, questions, always, hasSession, keepInSession } = options;
  return async (request): Promise<ToolApprovalDecision | ToolApprovalPending> => {
    if (always.has(request.toolName)) return { approved: true };
    if (!host.terminal.isInteractive) return hasSession ? { pending: true } : { approved: false, reason: NOBODY };
    return questions.take(async () => {
      if (always.has(request.toolName)) return { approved: true }; // said while this call waited for its turn
      for (;;) {
        const answer = await askAboutCall(request, { questions, terminal: host.terminal, signal: request.signal, editable: false });
        if (answer.kind === "decided") {
          if (answer.always) always.add(request.toolName);
          return answer.decision;
        }
        if (hasSession) return { pending: true };
        if (answer.kind === "gone") return { approved: false, reason: GONE };
        if (await keepInSession(request.signal)) return { pending: true };
      }
    }, request.signal);
  };
}
