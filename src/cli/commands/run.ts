import { defaultPlan, overlayPlan, readAgentPlan } from "../agent-plan.js";
import { buildAgent } from "../build-agent.js";
import type { Command, CommandHost } from "../command.js";
import { createApproval } from "../create-approval.js";
import { exitCodeOf } from "../exit-codes.js";
import { agentFlags, helpFlag, outputFlags, sessionFlag, sessionFolderFlag } from "../flags.js";
import { LateSession } from "../late-session.js";
import type { FlagValues } from "../parse-flags.js";
import { Questions } from "../questions.js";
import { readPrompt } from "../read-prompt.js";
import { createRenderer } from "../renderer.js";
import { RunSession, resumeHint } from "../run-session.js";
import { SessionFolder } from "../session-folder.js";
import { showRun } from "../show-run.js";
import { UsageError } from "../usage-error.js";

/** `triact run`: one run, from its prompt to its exit code. */
export const runCommand: Command = {
  usage: 'run "PROMPT"',
  description:
    "Runs an agent once. The model's text goes to standard output, everything else to\nstandard error. Without PROMPT, or with -, standard input is the prompt.",
  flags: {
    ...agentFlags,
    ...sessionFlag,
    ...sessionFolderFlag,
    ...outputFlags,
    ...helpFlag,
  },
  execute: (values, host) => {
    const name = values.text("session");
    if (name === undefined) return runOnce(values, host, undefined);
    return RunSession.with(name, SessionFolder.of(values, host), (session) => runOnce(values, host, session));
  },
};

async function runOnce(values: FlagValues, host: CommandHost, session: RunSession | undefined): Promise<number> {
  const { terminal, interruption } = host;
  if (session?.isUnfinished) throw unfinished(session, values);
  const renderer = createRenderer(values, terminal);
  const plan = overlayPlan(defaultPlan(host), readAgentPlan(values, host));
  const questions = new Questions(host);
  const late = new LateSession({ folder: SessionFolder.of(values, host), questions, terminal });
  await using built = await buildAgent(plan, host, {
    ...session?.agentOptions,
    skipReplies: session?.skipReplies(plan) ?? 0,
    requestToolApproval: createApproval({
      host,
      questions,
      always: new Set(),
      hasSession: session !== undefined,
      keepInSession: (signal) => late.choose(signal),
    }),
  });
  const { agent } = built;
  const prompt = await readPrompt(values, host);
  await session?.remember(plan);
  const result = await showRun(agent, { renderer, interruption, start: (options) => agent.run(prompt, options) });
  const keptAs = session?.name ?? late.name;
  if (result.status === "suspended" && session === undefined && late.name !== undefined) {
    await late.save(late.name, { snapshot: agent.snapshot(), plan });
  }
  renderer.onEnd(result, result.status === "suspended" && keptAs !== undefined ? resumeHint(keptAs, values) : undefined);
  return exitCodeOf(result, interruption);
}

function unfinished({ name, snapshot }: RunSession, values: FlagValues): UsageError {
  const why = snapshot?.status === "suspended" ? "waits for an approval" : "was not finished when its process ended";
  return new UsageError({ problem: `The last run of session ${JSON.stringify(name)} ${why}. ${resumeHint(name, values)}` });
}
