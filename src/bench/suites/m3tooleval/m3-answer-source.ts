import type { JsonValue } from "../../../base/json.js";
import { m3Check } from "./m3-check.js";
import type { M3Task } from "./m3-data.js";
import type { M3Source, M3Step } from "./m3-program.js";

/** What {@link answerSource} takes. */
export interface M3AnswerOptions {
  /** Its check says whether an answer is right. */
  readonly task: M3Task;
  /** All calls. */
  readonly steps: readonly M3Step[];
  /** The recorded answer. */
  readonly answer: JsonValue;
}

/** JavaScript for the final answer as text, from the results and the question; `undefined` when it is none of what is tried. */
export function answerSource({ task, steps, answer }: M3AnswerOptions): string | undefined {
  const last = steps.at(-1);
  if (last === undefined) return undefined;
  const tried = [
    ...resultSources(last),
    ...textSources(task.question, last),
    ...validitySources(task.question, steps),
    ...lengthSources(task.question, steps),
    ...listSources(steps, answer),
    ...pageSources(steps),
  ];
  return tried.find(({ value }) => m3Check(task, String(value)))?.code;
}

function resultSources({ name, call: { result } }: M3Step): M3Source[] {
  if (Array.isArray(result))
    return [
      { code: `${name}[0]`, value: String(result[0]) },
      { code: `JSON.stringify(${name})`, value: JSON.stringify(result) },
    ];
  if (typeof result === "object") return [{ code: `JSON.stringify(${name})`, value: JSON.stringify(result) }];
  return [{ code: typeof result === "string" ? name : `String(${name})`, value: String(result) }];
}

/** How many parts a chain has, and whether a word of the question is among them. */
function textSources(question: string, { name, call: { result } }: M3Step): M3Source[] {
  if (typeof result !== "string" || result.includes("\n")) return [];
  const names = quotedIn(question).filter((word) => /[a-z]/.test(word) && !/^(True|False)$/.test(word));
  const words = names.map((word) => ({
    code: `String(${name}.split("-").includes(${JSON.stringify(word)}))`,
    value: String(result.split("-").includes(word)),
  }));
  const parts = { code: `String(${name}.split("-").length)`, value: String(result.split("-").length) };
  return /\blength\b/.test(question) ? [parts, ...words] : words;
}

/** The longest of the sequences that were said to be valid; or what the question wants to hear when none is. */
function validitySources(question: string, steps: readonly M3Step[]): M3Source[] {
  const checked = steps.filter(({ call }) => typeof call.result === "boolean");
  if (checked.length === 0) return [];
  if (checked.length === 1 && checked[0]?.call.result === false) {
    return quotedIn(question).map((phrase) => ({ code: `${checked[0]?.name} ? "" : ${JSON.stringify(phrase)}`, value: phrase }));
  }
  const sequences = checked.map(({ name, call }) => ({ name, text: String(Object.values(call.args)[0]), valid: call.result === true }));
  const longest = sequences.filter(({ valid }) => valid).reduce((best, { text }) => (text.length > best.length ? text : best), "");
  const pairs = sequences.map(({ name, text }) => `[${JSON.stringify(text)}, ${name}]`).join(", ");
  const code = `[${pairs}].filter(([, valid]) => valid).map(([text]) => text).reduce((best, text) => (text.length > best.length ? text : best), "")`;
  return [{ code, value: longest }];
}

/** The text whose length is the number that the question names. */
function lengthSources(question: string, steps: readonly M3Step[]): M3Source[] {
  const wanted = Number(question.match(/length equal to (\d+)/)?.[1]);
  return steps.flatMap((step) => {
    if (step.call.tool !== "string_length" || step.call.result !== wanted) return [];
    const measured = steps.filter(({ call }) => call.tool === "string_length");
    const pairs = measured.flatMap(({ name, call }) => {
      const source = steps.find((other) => other.call.level < call.level && other.call.result === call.args["string"]);
      return source === undefined ? [] : [`[${source.name}, ${name}]`];
    });
    return [{ code: `[${pairs.join(", ")}].find(([, length]) => length === ${wanted})[0]`, value: call(step) }];
  });

  function call({ call: { args } }: M3Step): string {
    return String(args["string"]);
  }
}

/** A list of results, in the order of the calls. */
function listSources(steps: readonly M3Step[], answer: JsonValue): M3Source[] {
  if (!Array.isArray(answer)) return [];
  const top = Math.max(...steps.map(({ call }) => call.level));
  const ends = steps.filter(({ call }) => call.level === top);
  return [
    {
      code: `\`[\${[${ends.map(({ name }) => name).join(", ")}].join(", ")}]\``,
      value: `[${ends.map(({ call }) => call.result).join(", ")}]`,
    },
  ];
}

/** What stands on the last page, and how many links its windows show. */
function pageSources(steps: readonly M3Step[]): M3Source[] {
  const last = steps.at(-1);
  const page = last?.call.result;
  if (last === undefined || typeof page !== "string" || !page.includes("[Web Page Name: ")) return [];
  const fields = ["Price", "Email", "Phone", "Expertise"].flatMap((field) => {
    const value = page.match(new RegExp(`^${field}: [$]?(.+)$`, "m"))?.[1];
    return value === undefined ? [] : [{ code: `field(${last.name}, ${JSON.stringify(field)})`, value }];
  });
  const person = page.match(/^(.+) of (.+) Department$/m);
  const parts = [1, 2].flatMap((part) => {
    const value = person?.[part];
    return value === undefined ? [] : [{ code: `${last.name}.match(/^(.+) of (.+) Department$/m)[${part}]`, value }];
  });
  const windows = steps.slice(steps.findLastIndex(({ call }) => call.tool === "click_url"));
  const count = windows.reduce((sum, { call }) => sum + String(call.result).split("[Clickable ").length - 1, 0);
  const code = `String([${windows.map(({ name }) => name).join(", ")}].join("").split("[Clickable ").length - 1)`;
  return [...fields, ...parts, { code, value: String(count) }];
}

function quotedIn(question: string): string[] {
  return [...question.matchAll(/'([^']+)'/g)].map((match) => match[1] as string);
}
