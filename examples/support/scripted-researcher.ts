/**
 * Stands in for a language model, so that the example needs no key. It plays the planner, the researchers and the author, by what it is asked. No finding is
 * written here: change the documents in `data/corpus`, and the report follows.
 */
import { type AgentMessage, deepResearchTexts, textOf } from "triact";
import {
  callTool,
  callTools,
  lastToolResults,
  type RecordedRequest,
  ScriptedModel,
  type ScriptedReply,
  say,
  toolResults,
} from "triact/testing";

/** A hit of the example's `search`. */
interface Hit {
  readonly path: string;
  readonly line: string;
}

const COMPARE = "Which of these findings name different values for the same thing?";

/** A model for any number of runs: it remembers nothing. */
export function scriptedResearcher(): ScriptedModel {
  return new ScriptedModel((request) => {
    const question = textIn(request.messages[0]);
    if (request.systemPrompt?.includes(deepResearchTexts.planner) === true) return plan(textIn(request.messages.at(-1)));
    const [, step] = /^Your step: (.+)$/m.exec(question) ?? [];
    if (step === undefined) return report(question, request);
    return step === COMPARE ? compare(question, request) : research(step, subjectOf(question), request);
  });
}

/** One step for each question of the task, and one that compares what they come to. */
function plan(asked: string): ScriptedReply {
  const [, task = ""] = /^Task: (.+)$/m.exec(asked) ?? [];
  const questions = (task.split(": ")[1] ?? task).replace(/\?$/, "").split(/,? and |, /);
  const steps = questions.map((question) => ({
    goal: `${question.charAt(0).toUpperCase()}${question.slice(1)}?`,
    evidence: "",
    needs: [],
  }));
  const last = { goal: COMPARE, evidence: "", needs: steps.map((_, index) => index + 1) };
  return say(JSON.stringify({ steps: [...steps, last] }));
}

// The researchers. Each has a conversation of its own.

/** Searches, opens what was found, and quotes what holds the words of the question. */
function research(step: string, subject: string, request: RecordedRequest): ScriptedReply {
  const words = step.match(/\p{L}{4,}/gu)?.filter((word) => !/^(when|where|what|which|many|much|does)$/i.test(word)) ?? [];
  const results = toolResults(request);
  if (results.length === 0) return callTool("search", { words: [subject, ...words].join(" ") });
  if (!results.some(({ toolName }) => toolName === "open")) {
    const hits = hitsIn(results).map(({ path }) => ({ toolName: "open", input: { path } }));
    return hits.length === 0 ? say("Nothing was found.") : callTools(hits);
  }
  const opened = results.filter(({ toolName, isError }) => toolName === "open" && !isError);
  const quotes = opened.flatMap(({ output }) => {
    const { path, text } = output as { path: string; text: string };
    const sentences = text.replaceAll(/(?<!\n)\n(?=[^\n*#])/g, " ").split(/\n+|(?<=[.!?])\s+/);
    const fitting = sentences.filter((sentence) => words.every((word) => sentence.toLowerCase().includes(stemOf(word))));
    return fitting.map((sentence) => `* ${sentence.replace(/^[*#]+ /, "")} [${numberOf(path, request)}]`);
  });
  return say(quotes.length === 0 ? "The documents say nothing about it." : quotes.join("\n"));
}

/** Looks in which documents the values stand that are not the same. */
function compare(question: string, request: RecordedRequest): ScriptedReply {
  const disputes = disputesIn(question);
  const results = lastToolResults(request);
  if (disputes.length === 0) return say(`No two findings name different values ${question.match(/\[[\d, ]+\](?=\n|$)/)?.[0] ?? ""}`);
  if (results.length === 0) {
    return callTools(disputes.flat().map((value) => ({ toolName: "search", input: { words: `"${phraseOf(value)}"` } })));
  }
  const lines = disputes.map((values) => {
    const found = values.map((value) => {
      const hits = hitsIn(results.filter(({ input }) => input["words"] === `"${phraseOf(value)}"`));
      const quotes = hits.map(({ path, line }) => `  * ${line} [${numberOf(path, request)}]`);
      return [`* **${value}** stands in ${hits.length} ${hits.length === 1 ? "document" : "documents"}:`, ...quotes].join("\n");
    });
    return `${values.join(", or ")}?\n\n${found.join("\n")}`;
  });
  return say(lines.join("\n\n"));
}

/** Dates, and numbers of one thing in one year, that findings of one step do not agree on. */
function disputesIn(question: string): string[][] {
  return question.split(/^Findings of step /m).flatMap((findings) => {
    const values = findings.split("\n").flatMap((line): (readonly [string, string])[] => {
      if (!line.startsWith("* ")) return [];
      const date = /\d{1,2} \p{Lu}\p{Ll}+ \d{4}/u.exec(line)?.[0];
      if (date !== undefined) return [["date", date]];
      const [year] = /\b(?:18|19|20)\d\d\b/.exec(line) ?? [];
      const [, amount, thing] = /\b(?!\d{4} )(\d[\d,]*) (\p{Ll}{4,})/u.exec(line) ?? [];
      return year === undefined || amount === undefined ? [] : [[`${thing} ${year}`, `${amount} ${thing}`]];
    });
    const groups = Object.values(Object.groupBy(values, ([about]) => about));
    return groups.map((group = []) => [...new Set(group.map(([, value]) => value))]).filter(({ length }) => length > 1);
  });
}

/** A date without its year, a number without its thing: texts vary in the rest. */
function phraseOf(value: string): string {
  return value.replace(/ (?:\d{4}|\p{Ll}+)$/u, "");
}

// The author, in the conversation of the run itself.

function report(task: string, { messages }: RecordedRequest): ScriptedReply {
  const sections = messages.map(textOf).flatMap((text) => {
    const [, goal, findings = ""] = /^Findings of step \d+ \((.+)\):\n(.*)/s.exec(text) ?? [];
    const [body = ""] = findings.split("\n\nSources, to be cited by number:");
    const [failed] = /^Step \d+ .+ could not be done: .+/.exec(text) ?? [];
    return goal === undefined ? (failed ?? []) : `## ${goal}\n\n${body}`;
  });
  return say([`# ${task.split(": ")[0]}`, ...sections].join("\n\n"));
}

// What the requests say.

function textIn(message: AgentMessage | undefined): string {
  return message === undefined ? "" : textOf(message);
}

function hitsIn(results: ReturnType<typeof toolResults>): readonly Hit[] {
  return results.flatMap(({ toolName, output, isError }) => (toolName === "search" && !isError ? (output as unknown as Hit[]) : []));
}

/** The number under which a source was listed. */
function numberOf(path: string, { messages }: RecordedRequest): string {
  const lines = messages.flatMap((message) => textOf(message).split("\n"));
  const line = lines.findLast((each) => each.startsWith("[") && each.endsWith(`, ${path}`));
  return /\d+/.exec(line ?? "")?.[0] ?? "0";
}

/** The name that the task begins with: `The chain ferry Margrethe: …`. */
function subjectOf(question: string): string {
  const [, task = ""] = /orientation only: (.+)/.exec(question) ?? [];
  return task.split(": ")[0]?.split(" ").at(-1) ?? "";
}

/** As the example's search does it: the beginning of a word is enough. */
function stemOf(word: string): string {
  return word.toLowerCase().slice(0, Math.max(4, word.length - 2));
}
