import type { JsonValue } from "../../../base/json.js";
import { answerSource } from "./m3-answer-source.js";
import type { M3Call, M3Recording, M3Task } from "./m3-data.js";
import { inputSource } from "./m3-input-source.js";

/** A recorded call with the variable that holds its result in the program. */
export interface M3Step {
  readonly name: string;
  readonly call: M3Call;
}

/** JavaScript for a value, with the value that it has when the calls return what was recorded. */
export interface M3Source {
  readonly code: string;
  readonly value: JsonValue;
}

/**
 * The recorded solution as a program: arguments that are results of earlier calls, or are read from them, are taken from there, and so is the answer. What
 * is left as it stands is what the question says, or what can be computed from that, and the addresses of pages: the recorded way is the straight one, and
 * a program that follows it fails where a page does not show the link.
 * @returns `undefined` when the answer could not be traced to the question and the results.
 */
export function m3Program(task: M3Task, recording: M3Recording): string | undefined {
  const steps = recording.calls.map((call, index) => ({ name: `r${index + 1}`, call }));
  const answer = answerSource({ task, steps, answer: recording.answer });
  if (answer === undefined) return undefined;
  const levels = [...new Set(steps.map(({ call }) => call.level))].sort((a, b) => a - b);
  const lines = levels.map((level) => {
    const earlier = steps.filter(({ call }) => call.level < level);
    return levelSource(
      steps.filter(({ call }) => call.level === level),
      { task, earlier },
    );
  });
  const body = [...lines, `return ${answer};`].join("\n");
  const used = Object.entries(helpers).filter(([name]) => new RegExp(`\\b${name}\\(`).test(body));
  return [...used.map(([, source]) => source), body].join("\n");
}

/** Calls that do not depend on each other, at once. */
function levelSource(steps: readonly M3Step[], { task, earlier }: { task: M3Task; earlier: readonly M3Step[] }): string {
  const calls = steps.map(({ call }) => {
    const input = Object.entries(call.args).map(
      ([name, value]) => `${name}: ${inputSource({ call, name, value, question: task.question, earlier })}`,
    );
    return `${call.tool}(${input.length === 0 ? "{}" : `{ ${input.join(", ")} }`})`;
  });
  const names = steps.map(({ name }) => name);
  if (calls.length === 1) return `const ${names[0]} = await ${calls[0]};`;
  return `const [${names.join(", ")}] = await Promise.all([\n${calls.map((call) => `  ${call},\n`).join("")}]);`;
}

/** What programs may use, by name. */
const helpers: Readonly<Record<string, string>> = {
  cheapest: "const cheapest = (rows, field) => Math.min(...rows.map((row) => row[field]));",
  bestRated: "const bestRated = (rows) => rows.reduce((best, row) => (row.rating > best.rating ? row : best));",
  link: `const link = (page, url) => {
  if (!page.includes("'" + url + "'")) throw new Error("The page has no link to " + url);
  return url;
};`,
  field: 'const field = (page, name) => page.match(new RegExp("^" + name + ": [$]?(.+)$", "m"))[1];',
};
