import { AgentConfigError } from "../../../base/errors.js";
import type { AgentTool } from "../../../base/tool.js";
import { defineSuite, type Suite, type Task } from "../../suite.js";
import { m3Check } from "./m3-check.js";
import { type M3Recording, type M3Task, readM3Data } from "./m3-data.js";
import { m3Program } from "./m3-program.js";
import { m3Tools } from "./m3-tools.js";

/** What {@link m3tooleval} takes. */
export interface M3ToolEvalOptions {
  /** Path of the folder with `tasks.json`, `tools.json`, `travel.json`, `website.json`, `dna.json` and, for the reference programs, `reference_calls.json`. */
  readonly data: string;
}

/**
 * M3ToolEval, the 82 tasks of the CodeAct paper, read from a folder. The wording of tasks and tools is the source's; one sentence asks for the answer alone.
 *
 * A task's `flags` hold what speaks against it. Report {@link isUsableM3Task} and those without any flag apart. A score from here is not comparable with the
 * paper's, whose agents are told that an answer is wrong and may try again.
 * @see X. Wang et al., "Executable Code Actions Elicit Better LLM Agents", arXiv:2402.01030, 2024.
 */
export function m3tooleval({ data: folder }: M3ToolEvalOptions): Suite {
  if (typeof folder !== "string" || folder === "") {
    throw new AgentConfigError({
      field: "suite m3tooleval.data",
      problem: `the path of a folder was expected, not ${JSON.stringify(folder)}`,
    });
  }
  return defineSuite({
    name: "m3tooleval",
    version: "1",
    description: "The 82 tasks of M3ToolEval, from the CodeAct paper, with tolerant checks.",
    async tasks() {
      const data = await readM3Data(folder);
      const toolsOf = new Map([...new Set(data.tasks.map(({ domain }) => domain))].map((domain) => [domain, m3Tools(data, domain)]));
      return data.tasks.map((task) =>
        taskOf(task, { recording: data.recordings.get(task.id), tools: toolsOf.get(task.domain) ?? (() => []) }),
      );
    },
  });
}

/** Whether a task can be solved fairly: it has no flag, or only that the source's own checker, which is not used here, refuses the form that its question asks for. */
export function isUsableM3Task({ flags = [] }: Pick<Task, "flags">): boolean {
  return flags.every((flag) => flag === "format_conflict");
}

interface TaskParts {
  readonly recording: M3Recording | undefined;
  /** Gives fresh ones. */
  readonly tools: () => AgentTool[];
}

function taskOf(task: M3Task, { recording, tools }: TaskParts): Task {
  const program = recording === undefined ? undefined : m3Program(task, recording);
  return {
    id: task.id,
    template: templateOf(task),
    flags: task.flags,
    knobs: { domain: task.domain },
    question: `${task.question.trim()}\n\nGive the answer alone, without other words.`,
    ...(program === undefined ? undefined : { program }),
    start: () => ({
      tools: tools(),
      check(answer) {
        if (m3Check(task, answer)) return { solved: true };
        const expected = JSON.stringify(task.expected.value);
        return { solved: false, reason: `the answer should be ${expected}${task.note === undefined ? "" : ` (${task.note})`}` };
      },
    }),
  };
}

/** The web tasks ask the same of one person or item after the other; all others are of their own kind. */
function templateOf({ id, domain }: M3Task): string {
  return domain === "web_browsing" ? id.replace(/_(of|to_person|items|after_discount|in)_[a-z0-9_]+$/, "") : id;
}
