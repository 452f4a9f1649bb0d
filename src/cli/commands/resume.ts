import type { ToolCallDecisions } from "../../base/policy.js";
import type { AgentSnapshot, PendingToolCall } from "../../base/snapshot.js";
import { type AgentPlan, defaultPlan, overlayPlan, readAgentPlan } from "../agent-plan.js";
import { askDecisions } from "../ask-decisions.js";
import { buildAgent } from "../build-agent.js";
import type { Command, CommandHost } from "../command.js";
import { createApproval } from "../create-approval.js";
import { describeCall } from "../describe-end.js";
import { exitCodeOf, exitCodes } from "../exit-codes.js";
import { agentFlags, helpFlag, outputFlags, sessionFolderFlag } from "../flags.js";
import type { FlagValues } from "../parse-flags.js";
import { Questions } from "../questions.js";
import { readDecisions } from "../read-decisions.js";
import { createRenderer } from "../renderer.js";
import { RunSession, resumeHint, sessionFlagsOf } from "../run-session.js";
import { SessionFolder } from "../session-folder.js";
import { showRun } from "../show-run.js";
import { UsageError } from "../usage-error.js";

/** `triact resume`: answers for calls that wait, and on with the run. */
export const resumeCommand: Command = {
  usage: "resume NAME",
  description:
    "Goes on with a run that waits for approvals, or whose process was killed. The\nagent is built from the flags of the last run; flags given here go before them.",
  flags: {
    approve: { value: "ID", repeatable: true, help: "approve the call of this id, or all that wait" },
    reject: { value: "ID[=REASON]", repeatable: true, help: "reject the call of this id, or all that wait" },
    ...agentFlags,
    ...sessionFolderFlag,
    ...outputFlags,
    ...helpFlag,
  },
  execute: (values, host) => {
    const [name, ...rest] = values.positionals;
    if (name === undefined || rest.length > 0) {
      throw new UsageError({ problem: "Expected the name of one session: triact resume NAME. See triact sessions." });
    }
    return RunSession.with(name, SessionFolder.of(values, host), (session) => resume(values, host, session));
  },
};

async function resume(values: FlagValues, host: CommandHost, session: RunSession): Promise<number> {
  const { terminal, interruption } = host;
  const snapshot = checkUnfinished(session, values);
  const renderer = createRenderer(values, terminal);
  const plan = planOf(values, host, session);
  const questions = new Questions(host);
  const always = new Set<string>();
  const keepInSession = async () => true; // it has one
  const requestToolApproval = createApproval({ host, questions, always, hasSession: true, keepInSession });
  await using built = await buildAgent(plan, host, {
    ...session.agentOptions,
    skipReplies: session.skipReplies(plan),
    requestToolApproval,
  });
  const { agent } = built;
  const waiting = snapshot.pendingToolCalls.filter(({ state, decision }) => state === "awaiting-approval" && decision === undefined);
  const decisions = await decide(waiting, { values, host, questions, always });
  if (waiting.length > 0 && Object.keys(decisions).length === 0) {
    tellWaiting(waiting, host);
    return exitCodes.suspended;
  }
  await session.remember(plan);
  const result = await showRun(agent, { renderer, interruption, start: (options) => agent.resume(snapshot, decisions, options) });
  renderer.onEnd(result, result.status === "suspended" ? resumeHint(session.name, values) : undefined);
  return exitCodeOf(result, interruption);
}

function checkUnfinished({ name, snapshot, isUnfinished }: RunSession, values: FlagValues): AgentSnapshot {
  if (snapshot === undefined) throw new UsageError({ problem: `There is no session ${JSON.stringify(name)}. See triact sessions.` });
  if (isUnfinished) return snapshot;
  const problem = `The last run of session ${JSON.stringify(name)} is over (${snapshot.status}). Go on with: triact run "…" ${sessionFlagsOf(name, values)}`;
  throw new UsageError({ problem });
}

function planOf(values: FlagValues, host: CommandHost, session: RunSession): AgentPlan {
  const remembered = overlayPlan(defaultPlan(host), session.notes?.plan ?? {});
  return overlayPlan(remembered, readAgentPlan(values, host));
}

interface Deciding {
  readonly values: FlagValues;
  readonly host: CommandHost;
  readonly questions: Questions;
  readonly always: Set<string>;
}

/** The flags answer first; a person is asked about the rest, where there is one. */
async function decide(waiting: readonly PendingToolCall[], { values, host, questions, always }: Deciding): Promise<ToolCallDecisions> {
  const given = readDecisions(values, waiting);
  if (!host.terminal.isInteractive) return given;
  const open = waiting.filter(({ toolCallId }) => !Object.hasOwn(given, toolCallId));
  return { ...given, ...(await askDecisions(open, { host, questions, always })) };
}

function tellWaiting(waiting: readonly PendingToolCall[], { terminal: { stderr } }: CommandHost): void {
  for (const call of waiting) stderr.write(`waits: ${describeCall(call)}\n`);
  stderr.write("Answer at a terminal, or with --approve ID, --reject ID=REASON, --approve all.\n");
}
