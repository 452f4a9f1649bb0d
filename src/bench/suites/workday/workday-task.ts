import { sameNumber, sameText } from "../../answers.js";
import { judge } from "../../judge.js";
import { reusableTools } from "../../reusable-tools.js";
import type { Task } from "../../suite.js";
import { businessTools } from "./business-tools.js";
import { type Company, changesBetween, today } from "./company.js";
import { officeTools } from "./office-tools.js";

/** A task before it is one: what its author has to say. */
export interface WorkdayDraft {
  /** Tasks of one pattern share it. */
  readonly template: string;
  readonly question: string;
  /** Brings a copy of the company into the state that is asked for, without the tools. Left out: nothing is to be changed. */
  readonly edit?: (company: Company) => void;
  /** What is to be answered. Left out: that it is done, or that there is nothing to do. */
  readonly answer?: string | number;
  readonly program: string;
}

const toolsOver = reusableTools<Company>((company) => [...officeTools(company), ...businessTools(company)]);

const writes =
  "update_ticket comment_ticket order_item set_on_hand mark_paid void_invoice send_reminder create_event update_event cancel_event send_mail archive_mail".split(
    " ",
  );

const opening = `You work in the office of Halden & Rook, makers of tide clocks. Today is Wednesday, ${today}.`;
const closing =
  "When you have done it, answer with the one word: done. If nothing has to be changed, change nothing and answer: nothing to do.";

/** Makes a task of a draft. */
export function workdayTask(
  { template, question, edit, answer, program }: WorkdayDraft,
  { id, company }: { id: string; company: Company },
): Task {
  const reference = structuredClone(company);
  edit?.(reference);
  const wanted = changesBetween(company, reference);
  const idle = wanted.length === 0 && answer === undefined;
  return {
    id,
    template,
    flags: [...(idle ? ["no-action"] : []), ...(wanted.length === 0 && !idle ? ["read-only"] : [])],
    knobs: { changes: wanted.length },
    question: [opening, question, ...(answer === undefined ? [closing] : [])].join(" "),
    program,
    start() {
      const state = structuredClone(company);
      return {
        tools: toolsOver(state),
        writes,
        check: (given) => judge({ wanted, made: changesBetween(company, state), answerProblem: answerProblem(given, { answer, idle }) }),
      };
    },
  };
}

/** Where the right action is none, silence is right too: it is what an agent that does nothing is measured by. */
function answerProblem(given: string, { answer, idle }: { answer: string | number | undefined; idle: boolean }): string | undefined {
  if (typeof answer === "number") return sameNumber(given, answer) ? undefined : `the answer should be ${answer}`;
  if (answer !== undefined) return sameText(given, answer) ? undefined : `the answer should be ${answer}`;
  if (idle) return given.trim() === "" || /\bnothing to do\b/i.test(given) ? undefined : "the answer should be: nothing to do";
  return /\bdone\b/i.test(given) && !/\bnothing to do\b/i.test(given) ? undefined : "the answer should be: done";
}
